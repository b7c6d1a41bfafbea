// SPDX-License-Identifier: Apache-2.0

/// The plugin's settings. `plugin.json` describes them and narrows some ranges; the supervisor checks that first,
/// and ``problems`` checks the rest.
public struct WakeSettings: Decodable, Hashable, Sendable {
    /// The boards for which a wake is useful.
    public enum Profile: String, Decodable, Sendable, CaseIterable {
        /// Boards that need wakes only for check-ins: while there are check-ins, exposure notification is off, and the
        /// wearer is not in isolation. At other times the sync plugin's schedule is enough. Needs a provider of
        /// `org.vigil.checkin1`.
        case checkIns
        /// All boards that should get new keys as soon as they are published.
        case always
    }

    /// The supported versions of MQTT; the broker decides which one is needed. Raw values are those of the settings.
    public enum MQTTVersion: String, Decodable, Sendable, CaseIterable {
        /// Version 3.1.1, which has all that a wake needs, with less to parse.
        case v311 = "3.1.1"
        /// Version 5.0, for brokers that require it.
        case v5 = "5"
    }

    /// The broker's name or address, 1 to 253 bytes.
    public var host: String
    /// The broker's TCP port, 1 to 65535; by default 8883, or 1883 without TLS.
    public var port: Int
    /// The version of MQTT; 3.1.1 by default.
    public var mqtt: MQTTVersion
    /// The first levels of the topics PREFIX/REGION/wake and PREFIX/REGION/status: 1 to 200 bytes without control
    /// characters, spaces, `+`, `#` or an empty level; `vigil` by default.
    public var topicPrefix: String
    /// The region whose wakes are followed, one level of a topic, such as `de`: 1 to 64 characters by
    /// `plugin.json`, without control characters, spaces, `+`, `#` and `/`. ``problems`` itself permits 200 bytes.
    public var region: String
    /// The boards for which a wake is useful; ``Profile/always`` by default.
    public var profile: Profile
    /// Whether the connection is encrypted; `true` by default. `false`, which is refused together with
    /// ``certificate`` or ``authorities``, is only for tests, and for networks that are themselves encrypted.
    public var tls: Bool
    /// The authorities that may sign the broker's certificate, in PEM, at most 4,096 characters by `plugin.json`;
    /// empty for the system's. They need ``tls``.
    public var authorities: String
    /// The client certificate with which the board identifies itself to the broker, in PEM, at most 4,096
    /// characters by `plugin.json`; empty for none. It needs ``certificateKey`` and ``tls``.
    public var certificate: String
    /// The private key of ``certificate``, in PEM, without a passphrase, at most 4,096 characters by `plugin.json`;
    /// empty exactly if there is no certificate. A secret.
    public var certificateKey: String
    /// The user name for the broker, at most 255 characters by `plugin.json`; empty for none.
    public var user: String
    /// The password for the broker, at most 255 characters by `plugin.json`; empty for none. A secret; it needs a
    /// ``user``.
    public var password: String
    /// Whether the broker is told that a board of the region has connected or disconnected; `true` by default.
    public var status: Bool
    /// The keep-alive of MQTT in seconds, 60 to 1200; 240 by default. At most 1200, because egress closes a connection that
    /// is idle for 30 minutes.
    public var keepAliveSeconds: Int
    /// The value of ``WakeEngine/Limits/gap`` in seconds, 0 to 86,400; 900 by default.
    public var gapSeconds: Int
    /// The number of wakes of one day that are followed without a question (``WakeEngine/Limits/wakesPerDay``), 1 to 1440;
    /// 24 by default.
    public var wakesPerDay: Int
    /// The value of ``WakeEngine/Limits/staleAfter`` in seconds, 60 to 604,800; five hours by default.
    public var staleAfterSeconds: Int
    /// The server at which the board registers for wakes, `https://…/v3/register` (`http://` is accepted, too), at
    /// most 500 characters by `plugin.json`; empty if there is none. Only with the profile ``Profile/checkIns``.
    public var registrationURL: String
    /// The number of seconds between two checks whether a wake is useful, 1 to 86,400; an hour by default.
    public var factsSeconds: Int

    private enum CodingKeys: String, CodingKey {
        case host, port, mqtt, topicPrefix, region, profile, tls, authorities, certificate, certificateKey, user, password
        case status, keepAliveSeconds, gapSeconds, wakesPerDay, staleAfterSeconds, registrationURL, factsSeconds
    }

    /// Decodes the settings, with defaults for missing ones; ``problems`` checks their ranges.
    /// - Throws: `DecodingError` if `host` or `region` is missing, a value has the wrong type, or the profile or
    ///   the version of MQTT is unknown.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value: Decodable>(_ key: CodingKeys, _ other: Value) throws -> Value {
            try values.decodeIfPresent(Value.self, forKey: key) ?? other
        }
        host = try values.decode(String.self, forKey: .host)
        region = try values.decode(String.self, forKey: .region)
        tls = try value(.tls, true)
        port = try value(.port, tls ? 8883 : 1883)
        mqtt = try value(.mqtt, .v311)
        topicPrefix = try value(.topicPrefix, "vigil")
        profile = try value(.profile, .always)
        authorities = try value(.authorities, "")
        certificate = try value(.certificate, "")
        certificateKey = try value(.certificateKey, "")
        user = try value(.user, "")
        password = try value(.password, "")
        status = try value(.status, true)
        keepAliveSeconds = try value(.keepAliveSeconds, 240)
        gapSeconds = try value(.gapSeconds, 900)
        wakesPerDay = try value(.wakesPerDay, 24)
        staleAfterSeconds = try value(.staleAfterSeconds, 5 * 3600)
        registrationURL = try value(.registrationURL, "")
        factsSeconds = try value(.factsSeconds, 3600)
    }

    /// The problems of the settings, a sentence each with what to do, without any value of a setting; empty if there are
    /// none. The supervisor has checked the settings against `plugin.json` before.
    public var problems: [String] {
        var problems: [String] = []
        func check(_ holds: Bool, _ problem: String) { if !holds { problems.append(problem) } }
        check(!host.isEmpty && host.utf8.count <= 253, "host: name the broker")
        check((1...65_535).contains(port), "port: 1 to 65535")
        check(Self.isTopic(topicPrefix), "topicPrefix: no empty level, no + and no #, at most 200 bytes")
        check(Self.isTopic(region) && !region.contains("/"), "region: one level of a topic, such as de")
        check(certificate.isEmpty == certificateKey.isEmpty, "certificate: give it and its key, or neither")
        check(password.isEmpty || !user.isEmpty, "password: it needs a user")
        check(tls || certificate.isEmpty && authorities.isEmpty, "tls: it is off, and there are certificates for it")
        check(
            (60...1200).contains(keepAliveSeconds),
            "keepAliveSeconds: 60 to 1200, shorter than egress's idle limit of 30 minutes")
        check((0...86_400).contains(gapSeconds), "gapSeconds: 0 to 86400")
        check((1...1440).contains(wakesPerDay), "wakesPerDay: 1 to 1440")
        check((60...604_800).contains(staleAfterSeconds), "staleAfterSeconds: 60 to 604800")
        check((1...86_400).contains(factsSeconds), "factsSeconds: 1 to 86400")
        let isWeb = registrationURL.hasPrefix("https://") || registrationURL.hasPrefix("http://")
        check(registrationURL.isEmpty || isWeb, "registrationURL: an https:// address, or nothing")
        check(
            registrationURL.isEmpty || profile == .checkIns,
            "registrationURL: with the profile always nobody is registered; leave it empty, or set the profile to checkIns")
        return problems
    }

    /// The topic that the plugin subscribes to: `PREFIX/REGION/wake`.
    public var wakeTopic: String { "\(topicPrefix)/\(region)/wake" }
    /// The topic on which ``status`` messages are published: `PREFIX/REGION/status`.
    public var statusTopic: String { "\(topicPrefix)/\(region)/status" }

    /// The engine's limits: those of the settings, and defaults for the rest.
    public var limits: WakeEngine.Limits {
        var limits = WakeEngine.Limits()
        limits.gap = .seconds(gapSeconds)
        limits.wakesPerDay = wakesPerDay
        limits.staleAfter = .seconds(staleAfterSeconds)
        return limits
    }

    private static func isTopic(_ text: String) -> Bool {
        (1...200).contains(text.utf8.count)
            && text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
            && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "#") }
    }
}
