// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.access1`; the interface's text says what each part means.
public enum Access1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.access1"

    /// The role that a secret and a session belong to. `wearer`: the person whose device it is; `technicianReadOnly`: a
    /// technician who only looks; `technician`: a technician who may change things. A technician never sees the wearer's
    /// risk, and a wearer changes nothing technical. A place has no wearer.
    public enum Role: String, Codable, Sendable, CaseIterable { case wearer, technicianReadOnly, technician }

    /// Parameters of `MakeProof`: for which call of another provider the session is to vouch. Refused with `NotSignedIn` unless the
    /// session is the wearer's.
    public struct MakeProofCall: Codable, Sendable {
        /// The full name of the method that is to be called, `interface.Method`, at most 256 bytes. The proof is good for no other.
        public var method: String
        /// Creates the parameters of a call of `MakeProof`. Nothing is checked here: the core checks the values when the
        /// call arrives.
        public init(method: String) { self.method = method }
    }

    /// Reply of `MakeProof`: permission for one call, by the session of this connection.
    public struct MakeProofReply: Codable, Sendable {
        /// 32 hexadecimal digits, to be sent along with the call: good once, within a minute, while the session lasts, and while the same caller made
        /// at most 63 later ones.
        public var proof: String
        /// Creates the reply of the core to `MakeProof`. No value is checked.
        public init(proof: String) { self.proof = proof }
    }

    /// Parameters of `RedeemProof`: a proof that came with a call. The core refuses with `NotSignedIn` unless it is good for that method.
    public struct RedeemProofCall: Codable, Sendable {
        /// The proof as it came, 32 hexadecimal digits.
        public var proof: String
        /// The full name of the method that was called, `interface.Method`.
        public var method: String

        /// Creates the parameters of a call of `RedeemProof`. Nothing is checked here: the core checks the values when the
        /// call arrives.
        public init(proof: String, method: String) {
            self.proof = proof
            self.method = method
        }
    }

    /// Reply of `RedeemProof`: the proof was good and is spent.
    public struct RedeemProofReply: Codable, Sendable {
        /// The seconds for which a call that goes on, such as a watch, may go on by this proof: 600, as the core has it in
        /// `ProofTable.watchSeconds`.
        public var seconds: Int
        /// Creates the reply of the core to `RedeemProof`. No value is checked. See the properties for units.
        public init(seconds: Int) { self.seconds = seconds }
    }

    /// Reply of `GetRoles`: what there is to sign in to.
    public struct RolesReply: Codable, Sendable {
        /// The roles that have a secret, at most three, each once. A place has no wearer.
        public var roles: [Role]

        /// Creates the reply of the core to `GetRoles`. No value is checked.
        public init(roles: [Role]) { self.roles = roles }
    }

    /// Parameters of `SignIn`. The core refuses a wrong secret, and a try that comes too early, with ``Refused``; a secret or source that is too long
    /// with `Unusable`; with `StorageUnavailable` what it cannot put on record.
    public struct SignInCall: Codable, Sendable {
        /// The role to sign in as.
        public var role: Role
        /// The role's secret as printed on the card, or as it was chosen since; at most 256 bytes. In printed ones blanks, dashes and
        /// small letters do no harm.
        public var secret: String
        /// The origin of the try as the page knows it, such as an address; at most 64 bytes. Tries of one source are
        /// counted together; `nil` counts as one source.
        public var source: String?
        /// The mark that an earlier sign-in of the same browser gave, 96 hexadecimal digits; `nil` for a stranger. Whoever
        /// has it is counted apart from strangers. It opens nothing.
        public var browser: String?

        /// Creates the parameters of a call of `SignIn`. Nothing is checked here: the core checks the values when the call
        /// arrives. See the properties for `nil`.
        public init(role: Role, secret: String, source: String? = nil, browser: String? = nil) {
            self.role = role
            self.secret = secret
            self.source = source
            self.browser = browser
        }
    }

    /// Reply of `SignIn`: the session and its length.
    public struct SignInReply: Codable, Sendable {
        /// The session: 64 hexadecimal digits, which the browser keeps. A secret; the core keeps only its hash, in memory.
        public var session: String
        /// Seconds after which the session ends when nobody asks for anything: 86,400 for the wearer, 1,200 for technicians.
        public var idleSeconds: Int
        /// Seconds after which the session ends in any case: 2,592,000 for the wearer, 28,800 for technicians.
        public var totalSeconds: Int
        /// 96 hexadecimal digits by which this browser is known to this role from now on, until the role's secret is
        /// changed. The core always gives them, so it is never `nil` in its answers.
        public var browser: String?

        /// Creates the reply of the core to `SignIn`. No value is checked. See the properties for units and `nil`.
        public init(session: String, idleSeconds: Int, totalSeconds: Int, browser: String? = nil) {
            self.session = session
            self.idleSeconds = idleSeconds
            self.totalSeconds = totalSeconds
            self.browser = browser
        }
    }

    /// Parameters of `UseSession`. A session that is unknown or has ended is refused with `NotSignedIn`.
    public struct UseSessionCall: Codable, Sendable {
        /// The session that `SignIn` or `MakeToken` gave; `nil` makes the connection act for nobody.
        public var session: String?
        /// Whether nobody is behind the calls that follow, such as those of a page that refreshes itself: neither this call nor those
        /// keep the session from ending. `nil` means no.
        public var unattended: Bool?

        /// Creates the parameters of a call of `UseSession`. Nothing is checked here: the core checks the values when the
        /// call arrives. See the properties for `nil`.
        public init(session: String?, unattended: Bool? = nil) {
            self.session = session
            self.unattended = unattended
        }
    }

    /// Reply of `UseSession`: whom the connection acts for from now on.
    public struct UseSessionReply: Codable, Sendable {
        /// The role of the session or token; `nil` for nobody.
        public var role: Role?

        /// Creates the reply of the core to `UseSession`. No value is checked. See the properties for `nil`.
        public init(role: Role?) { self.role = role }
    }

    /// Parameters of `ChangeSecret`. A wrong present secret is refused with ``Refused``, a role that the caller may not change with ``WrongRole``, a
    /// caller without a session with `NotSignedIn`; with `Unusable` a new secret of the wrong length, the wearer's at a place, and a call of the
    /// console, which has no secret.
    public struct ChangeSecretCall: Codable, Sendable {
        /// The role whose secret changes: one's own; for a technician also the other technicians', and the wearer's while there is none.
        public var role: Role
        /// The present secret of the caller's own role, at most 256 bytes: who finds a browser open cannot lock others out.
        public var present: String
        /// The new secret, 12 to 256 bytes of UTF-8; `nil` to have one made.
        public var wanted: String?

        /// Creates the parameters of a call of `ChangeSecret`. Nothing is checked here: the core checks the values when the
        /// call arrives. See the properties for `nil`.
        public init(role: Role, present: String, wanted: String?) {
            self.role = role
            self.present = present
            self.wanted = wanted
        }
    }

    /// Reply of `ChangeSecret`: the secret is changed; all sessions and tokens of the role have ended.
    public struct ChangeSecretReply: Codable, Sendable {
        /// The secret that was made, shown this once; `nil` if the caller gave one.
        public var made: String?

        /// Creates the reply of the core to `ChangeSecret`. No value is checked. See the properties for `nil`.
        public init(made: String?) { self.made = made }
    }

    /// The listing of a script's token: never the token itself.
    public struct Token: Codable, Sendable, Equatable {
        /// The name for people: 1 to 32 letters, digits, dashes and blanks. Each name is there once.
        public var name: String
        /// The role of the token: `technicianReadOnly` or `technician`.
        public var role: Role
        /// The time when the token was made, Unix seconds; `nil` if the time was not known then.
        public var made: Int64?
        /// The time when the token was used last, Unix seconds; `nil` if never. After a restart of the core it may be up to a day too early. A use
        /// while the time is not known does not count.
        public var lastUsed: Int64?

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(name: String, role: Role, made: Int64?, lastUsed: Int64?) {
            self.name = name
            self.role = role
            self.made = made
            self.lastUsed = lastUsed
        }
    }

    /// Parameters of `MakeToken`, which only a technician may call. Refused with `Unusable`: a name or role that is not permitted, a name that is
    /// taken, and a token beyond the 16 that there may be.
    public struct MakeTokenCall: Codable, Sendable {
        /// The name under which the token will be listed: 1 to 32 letters, digits, dashes and blanks.
        public var name: String
        /// The role of the token: `technicianReadOnly` or `technician`, never `wearer`.
        public var role: Role

        /// Creates the parameters of a call of `MakeToken`. Nothing is checked here: the core checks the values when the
        /// call arrives.
        public init(name: String, role: Role) {
            self.name = name
            self.role = role
        }
    }

    /// Reply of `MakeToken`: the new token.
    public struct MakeTokenReply: Codable, Sendable {
        /// The token: 64 hexadecimal digits, shown this once. A secret; good until it is revoked.
        public var token: String

        /// Creates the reply of the core to `MakeToken`. No value is checked.
        public init(token: String) { self.token = token }
    }

    /// Reply of `GetTokens`: all tokens that were not revoked.
    public struct TokensReply: Codable, Sendable {
        /// The tokens of scripts, at most 16: names, roles and times, never a token itself.
        public var tokens: [Token]

        /// Creates the reply of the core to `GetTokens`. No value is checked.
        public init(tokens: [Token]) { self.tokens = tokens }
    }

    /// Parameters of `RevokeToken`: which token is taken back, at once. A name that no token has is refused with `Unusable`.
    public struct RevokeTokenCall: Codable, Sendable {
        /// The name under which the token is listed: 1 to 32 letters, digits, dashes and blanks.
        public var name: String

        /// Creates the parameters of a call of `RevokeToken`. Nothing is checked here: the core checks the values when the
        /// call arrives.
        public init(name: String) { self.name = name }
    }

    /// Parameters of `MakeSecret`, which only the operator's console can be granted: a role gets a new secret.
    public struct MakeSecretCall: Codable, Sendable {
        /// The role whose secret is made anew.
        public var role: Role

        /// Creates the parameters of a call of `MakeSecret`. Nothing is checked here: the core checks the values when the
        /// call arrives.
        public init(role: Role) { self.role = role }
    }

    /// Reply of `MakeSecret`: the new secret, told once.
    public struct MakeSecretReply: Codable, Sendable {
        /// The secret as it is to be printed on a card.
        public var secret: String

        /// Creates the reply of the core to `MakeSecret`. No value is checked.
        public init(secret: String) { self.secret = secret }
    }

    /// Parameters of the error `Refused`: the secret is wrong, or it is too early for another try.
    public struct Refused: Codable, Sendable, Equatable {
        /// Seconds until the next try is looked at; 0 for at once.
        public var wait: Int
        /// An English sentence for people, with what to do.
        public var reason: String

        /// Creates the error by which the core refuses. No value is checked. See the properties for units.
        public init(wait: Int, reason: String) {
            self.wait = wait
            self.reason = reason
        }
    }

    /// Parameters of the error `WrongRole`: the session's role may not do this.
    public struct WrongRole: Codable, Sendable, Equatable {
        /// The role that may; of several, the first in the order of ``Role``. `nil` if none of those that sign in may.
        public var needed: Role?
        /// The reason why the call was refused, in an English sentence for people.
        public var reason: String

        /// Creates the error by which the core refuses. No value is checked. See the properties for `nil`.
        public init(needed: Role?, reason: String) {
            self.needed = needed
            self.reason = reason
        }
    }
}
