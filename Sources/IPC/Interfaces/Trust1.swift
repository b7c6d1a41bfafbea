// SPDX-License-Identifier: Apache-2.0

/// What travels over `org.vigil.trust1`; the interface's text says what each part means.
public enum Trust1 {
    public static let name = "org.vigil.trust1"

    /// What a signer may sign.
    public enum Role: String, Codable, Sendable {
        case export, config, time, plugin, firmware
        case `operator`
    }

    /// Somebody whose signatures count or counted.
    public struct Signer: Codable, Sendable, Hashable {
        public var role: Role
        public var name: String
        public var publicHalf: String
        public var validUntil: Int64?
        public var spare: Bool
        public var inForce: Bool

        public init(role: Role, name: String, publicHalf: String, validUntil: Int64?, spare: Bool, inForce: Bool) {
            self.role = role
            self.name = name
            self.publicHalf = publicHalf
            self.validUntil = validUntil
            self.spare = spare
            self.inForce = inForce
        }
    }

    public struct TakeSuccessionCall: Codable, Sendable {
        public var source: String?
        public var document: String

        public init(source: String?, document: String) {
            self.source = source
            self.document = document
        }
    }

    public struct TakeSuccessionReply: Codable, Sendable {
        public var changed: Bool

        public init(changed: Bool) { self.changed = changed }
    }

    public struct GetSignersCall: Codable, Sendable {
        public var source: String?

        public init(source: String?) { self.source = source }
    }

    public struct SignersReply: Codable, Sendable {
        public var successions: Int
        public var signers: [Signer]

        public init(successions: Int, signers: [Signer]) {
            self.successions = successions
            self.signers = signers
        }
    }
}
