// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc

/// The reason why there is no connection to the broker. Two failures are equal if their codes are.
public struct LinkFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of obstacles. Raw values are stable: they appear in logs.
    public enum Code: String, Sendable, CaseIterable {
        /// Egress does not permit the connection: the endpoint is not granted, or the network is metered.
        case notGranted
        /// There is no network, or no server listens at the broker's port.
        case unreachable
        /// The connection was lost.
        case lost
        /// The broker could not prove its identity: its certificate is of another authority or name or has expired,
        /// it does not use TLS, or the board's clock is wrong.
        case brokerNotTrusted
        /// The broker refuses the board's certificate: it is unknown, revoked or expired.
        case certificateRefused
        /// The broker refuses the user name and password, does not authorise the board, or has banned it (CONNACK 4
        /// and 5 of MQTT 3.1.1 section 3.2.2.3; 0x86, 0x87 and 0x8A of MQTT 5 section 3.2.2.2).
        case loginRefused
        /// The broker refuses the subscription to the topic.
        case topicRefused
        /// The broker accepts no connections at the moment, but may later.
        case busy
        /// The broker's bytes are not MQTT of the version in the settings, or it refuses that version.
        case notMQTT
        /// A file or a value of the plugin's settings cannot be used.
        case unusableSettings
    }

    /// The kind of obstacle; the only part that counts when two failures are compared.
    public let code: Code

    init(_ code: Code) { self.code = code }

    /// Whether another try soon is useless, because a person has to change something first.
    public var isRefusal: Bool {
        switch code {
        case .notGranted, .brokerNotTrusted, .certificateRefused, .loginRefused, .topicRefused, .notMQTT, .unusableSettings:
            true
        case .unreachable, .lost, .busy: false
        }
    }

    /// A sentence for the operator with what to do, and the code in brackets. It is fixed text, which contains nothing from
    /// the broker and no secret.
    public var description: String {
        let text =
            switch code {
            case .notGranted:
                "Egress does not let this plugin out to the broker. Its log says which rule; grant the endpoint"
            case .unreachable: "The broker cannot be reached. See whether the board has a network and the broker runs"
            case .lost: "The connection to the broker broke off. It is made again by itself"
            case .brokerNotTrusted:
                "The broker could not prove who it is: its certificate is of another authority, for another name, or expired, or the "
                    + "board's clock is wrong. Compare \"authorities\" in the settings with what the broker has"
            case .certificateRefused:
                "The broker refuses our certificate: it is expired, revoked, or of an authority it does not know. Put a new one into the settings"
            case .loginRefused: "The broker refuses our name and password. Compare them with the broker's"
            case .topicRefused: "The broker does not let us hear the wake topic. Let it, in the broker's access list"
            case .busy: "The broker does not take us now. It is tried again"
            case .notMQTT:
                "What the broker says is not MQTT of this version. Compare host, port and \"mqtt\" in the settings with the broker"
            case .unusableSettings:
                "The certificates in the settings cannot be used. Give PEM texts that belong together, the key without a passphrase"
            }
        return "\(text). [\(code.rawValue)]"
    }

    /// From a code of libmosquitto's, what its TLS said last, and whether the broker had let us in.
    init(_ error: Int32, tls: String, wasOpen: Bool) {
        let code: Code
        switch mosq_err_t(rawValue: error) {
        // What SOCKS' "not allowed" becomes.
        case MOSQ_ERR_AUTH, MOSQ_ERR_PROXY: code = .notGranted
        case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE: code = Self.ofTLS(tls)
        case MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_PACKET, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_OVERSIZE_PACKET:
            code = wasOpen ? .lost : .notMQTT
        case MOSQ_ERR_INVAL, MOSQ_ERR_NOT_SUPPORTED: code = .unusableSettings
        default: code = !tls.isEmpty && !wasOpen ? Self.ofTLS(tls) : wasOpen ? .lost : .unreachable
        }
        self.init(code)
    }

    /// From what the broker answers to CONNECT: return codes of 3.1.1 (section 3.2.2.3), reason codes of 5 (section 3.2.2.2).
    init(answer: Int32) {
        switch answer {
        case 4, 0x86: self.init(.loginRefused)
        case 5, 0x87, 0x8A: self.init(.loginRefused)
        case 1, 0x84: self.init(.notMQTT)
        default: self.init(.busy)
        }
    }

    /// OpenSSL's words: alerts that the broker sent say "alert", what we found ourselves does not.
    private static func ofTLS(_ text: String) -> Code {
        func says(_ words: String) -> Bool { strstr(text, words) != nil }
        // libmosquitto's own, about the files it was given.
        if says("Unable to load") || says("inconsistent") { return .unusableSettings }
        if says("alert") {
            return says("certificate") || says("unknown ca") || says("handshake failure")
                ? .certificateRefused : .brokerNotTrusted
        }
        return .brokerNotTrusted
    }
}
