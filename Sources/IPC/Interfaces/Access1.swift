// SPDX-License-Identifier: Apache-2.0

/// What travels over `org.vigil.access1`; the interface's text says what each part means.
public enum Access1 {
    public static let name = "org.vigil.access1"

    public enum Role: String, Codable, Sendable, CaseIterable { case wearer, technicianReadOnly, technician }

    public struct MakeProofCall: Codable, Sendable {
        public var method: String
        public init(method: String) { self.method = method }
    }

    public struct MakeProofReply: Codable, Sendable {
        public var proof: String
        public init(proof: String) { self.proof = proof }
    }

    public struct RedeemProofCall: Codable, Sendable {
        public var proof: String
        public var method: String

        public init(proof: String, method: String) {
            self.proof = proof
            self.method = method
        }
    }

    public struct RedeemProofReply: Codable, Sendable {
        public var seconds: Int
        public init(seconds: Int) { self.seconds = seconds }
    }

    public struct RolesReply: Codable, Sendable {
        public var roles: [Role]

        public init(roles: [Role]) { self.roles = roles }
    }

    public struct SignInCall: Codable, Sendable {
        public var role: Role
        public var secret: String
        /// Where whoever tries comes from, as the page knows it.
        public var source: String?
        /// What an earlier sign-in of the same browser gave.
        public var browser: String?

        public init(role: Role, secret: String, source: String? = nil, browser: String? = nil) {
            self.role = role
            self.secret = secret
            self.source = source
            self.browser = browser
        }
    }

    public struct SignInReply: Codable, Sendable {
        public var session: String
        public var idleSeconds: Int
        public var totalSeconds: Int
        /// By which this browser is known from now on.
        public var browser: String?

        public init(session: String, idleSeconds: Int, totalSeconds: Int, browser: String? = nil) {
            self.session = session
            self.idleSeconds = idleSeconds
            self.totalSeconds = totalSeconds
            self.browser = browser
        }
    }

    public struct UseSessionCall: Codable, Sendable {
        public var session: String?
        /// Whether nobody is behind the calls that follow: they do not keep the session from ending.
        public var unattended: Bool?

        public init(session: String?, unattended: Bool? = nil) {
            self.session = session
            self.unattended = unattended
        }
    }

    public struct UseSessionReply: Codable, Sendable {
        public var role: Role?

        public init(role: Role?) { self.role = role }
    }

    public struct ChangeSecretCall: Codable, Sendable {
        public var role: Role
        public var present: String
        public var wanted: String?

        public init(role: Role, present: String, wanted: String?) {
            self.role = role
            self.present = present
            self.wanted = wanted
        }
    }

    public struct ChangeSecretReply: Codable, Sendable {
        public var made: String?

        public init(made: String?) { self.made = made }
    }

    public struct Token: Codable, Sendable, Equatable {
        public var name: String
        public var role: Role
        public var made: Int64?
        public var lastUsed: Int64?

        public init(name: String, role: Role, made: Int64?, lastUsed: Int64?) {
            self.name = name
            self.role = role
            self.made = made
            self.lastUsed = lastUsed
        }
    }

    public struct MakeTokenCall: Codable, Sendable {
        public var name: String
        public var role: Role

        public init(name: String, role: Role) {
            self.name = name
            self.role = role
        }
    }

    public struct MakeTokenReply: Codable, Sendable {
        public var token: String

        public init(token: String) { self.token = token }
    }

    public struct TokensReply: Codable, Sendable {
        public var tokens: [Token]

        public init(tokens: [Token]) { self.tokens = tokens }
    }

    public struct RevokeTokenCall: Codable, Sendable {
        public var name: String

        public init(name: String) { self.name = name }
    }

    public struct MakeSecretCall: Codable, Sendable {
        public var role: Role

        public init(role: Role) { self.role = role }
    }

    public struct MakeSecretReply: Codable, Sendable {
        public var secret: String

        public init(secret: String) { self.secret = secret }
    }

    /// Parameters of the error `Refused`.
    public struct Refused: Codable, Sendable, Equatable {
        public var wait: Int
        public var reason: String

        public init(wait: Int, reason: String) {
            self.wait = wait
            self.reason = reason
        }
    }

    /// Parameters of the error `WrongRole`.
    public struct WrongRole: Codable, Sendable, Equatable {
        public var needed: Role?
        public var reason: String

        public init(needed: Role?, reason: String) {
            self.needed = needed
            self.reason = reason
        }
    }
}
