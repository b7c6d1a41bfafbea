// SPDX-License-Identifier: Apache-2.0

/// The operator's settings (`settings` of the plugin; plugin.json has the same with the ranges).
public struct WakeSettings: Decodable, Hashable, Sendable {
    /// The kinds of boards that a wake is useful for, by their use of the keys.
    public enum Profile: String, Decodable, Sendable, CaseIterable {
        /// Boards that are woken for check-ins only: while there are some, exposure notification is off, and nobody is in isolation. At other
        /// times the schedule does. It needs a provider of `org.vigil.checkin1`.
        case checkIns
        /// Everybody who wants new keys as soon as they are out.
        case always
    }

    /// The versions of MQTT that can be spoken; one of them, as the broker needs it. Raw values are those of the settings.
    public enum MQTTVersion: String, Decodable, Sendable, CaseIterable {
        /// All that a wake needs, and less to read of what a broker says.
        case v311 = "3.1.1"
        /// MQTT version 5.0, for brokers that want it.
        case v5 = "5"
    }

    /// The broker's name or address, 1 to 253 bytes.
    public var host: String
    /// The broker's TCP port, 1 to 65535; 8883 if not set, 1883 without TLS.
    public var port: Int
    /// The version of MQTT; 3.1.1 if not set.
    public var mqtt: MQTTVersion
    /// The first levels of the topics: PREFIX/REGION/wake and PREFIX/REGION/status. 1 to 200 bytes without control characters, space, `+`, `#` or
    /// an empty level; `vigil` if not set.
    public var topicPrefix: String
    /// The region whose wakes are heard, one level of a topic, such as `de`: 1 to 200 bytes without control characters, space, `+`, `#` and `/`.
    public var region: String
    /// For whom a wake is of use; ``Profile/always`` if not set.
    public var profile: Profile
    /// Whether the connection is encrypted; true if not set. Off only for tests, and for networks that encrypt by themselves.
    public var tls: Bool
    /// The authorities that may sign the broker's certificate, PEM; empty for those of the system.
    public var authorities: String
    /// Our own certificate, PEM; empty for none. Given together with ``certificateKey`` or not at all.
    public var certificate: String
    /// The private key of ``certificate``, PEM, without a passphrase; empty for none. A secret.
    public var certificateKey: String
    /// The name that the broker knows us by; empty for none.
    public var user: String
    /// The password of ``user``; empty for none. A secret; it needs a user.
    public var password: String
    /// Whether the broker is told that some board of the region came or went; true if not set.
    public var status: Bool
    /// The keep-alive of MQTT in seconds, 60 to 1200; 240 if not set. At most 1200, because egress closes a connection that is idle for 30
    /// minutes.
    public var keepAliveSeconds: Int
    /// ``WakeEngine/Limits/gap`` in seconds, 0 to 86,400; 900 if not set.
    public var gapSeconds: Int
    /// The number of wakes of one day that are believed by themselves (``WakeEngine/Limits/wakesPerDay``), 1 to 1440; 24 if
    /// not set.
    public var wakesPerDay: Int
    /// ``WakeEngine/Limits/staleAfter`` in seconds, 60 to 604,800; five hours if not set.
    public var staleAfterSeconds: Int
    /// The server that registers for wakes, `https://…/v3/register` (`http://` is taken, too); empty if there is none. Only with the profile
    /// ``Profile/checkIns``.
    public var registrationURL: String
    /// The number of seconds between two checks whether a wake is of use, 1 to 86,400; an hour if not set.
    public var factsSeconds: Int

    private enum CodingKeys: String, CodingKey {
        case host, port, mqtt, topicPrefix, region, profile, tls, authorities, certificate, certificateKey, user, password
        case status, keepAliveSeconds, gapSeconds, wakesPerDay, staleAfterSeconds, registrationURL, factsSeconds
    }

    /// Reads the settings and fills in defaults; ranges are checked by ``problems``, not here.
    /// - Throws: `DecodingError` if `host` or `region` is missing, or a value has the wrong type.
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

    /// The problems of the settings, a sentence each with what to do, without any value; empty if nothing is. The
    /// supervisor has checked them against `plugin.json` before.
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

    /// The topic that is subscribed to: `PREFIX/REGION/wake`.
    public var wakeTopic: String { "\(topicPrefix)/\(region)/wake" }
    /// The topic that ``status`` messages are published on: `PREFIX/REGION/status`.
    public var statusTopic: String { "\(topicPrefix)/\(region)/status" }

    /// The engine's numbers, those of the settings and defaults for the rest.
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
