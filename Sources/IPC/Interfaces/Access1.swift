// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.access1`. The interface's text explains each of them.
public enum Access1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.access1"

    /// The role of a secret and a session. `wearer`: the person who wears the device; `technicianReadOnly`: a technician
    /// who may only look; `technician`: a technician who may also change things. A technician never sees the wearer's risk,
    /// and a wearer cannot change technical settings. A device in a place has no wearer.
    public enum Role: String, Codable, Sendable, CaseIterable { case wearer, technicianReadOnly, technician }

    /// Parameters of `MakeProof`: the call of another provider for which this session vouches. Refused with `NotSignedIn`
    /// unless the session is the wearer's, and with `Unusable` for a name that is too long.
    public struct MakeProofCall: Codable, Sendable {
        /// The full name of the method to be called, `interface.Method`, at most 256 bytes. The proof is valid for no other
        /// method.
        public var method: String
        /// Creates the parameters of a call of `MakeProof`. Nothing is checked here: the core checks the values when the
        /// call arrives.
        public init(method: String) { self.method = method }
    }

    /// Reply of `MakeProof`: a proof for one call.
    public struct MakeProofReply: Codable, Sendable {
        /// The proof to send with the call, 32 hexadecimal digits. It is valid one time, for a minute, as long as the
        /// session lasts and the same caller has made at most 63 later proofs.
        public var proof: String
        /// Creates the reply of the core to `MakeProof`. No value is checked.
        public init(proof: String) { self.proof = proof }
    }

    /// Parameters of `RedeemProof`: the proof that came with a call. Refused with `NotSignedIn` if it is not valid,
    /// or not for this method; a proof for another method is used up all the same.
    public struct RedeemProofCall: Codable, Sendable {
        /// The proof that came with the call, 32 hexadecimal digits.
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

    /// Reply of `RedeemProof`: the proof was valid and has been used up.
    public struct RedeemProofReply: Codable, Sendable {
        /// The number of seconds for which a call with several replies, such as a watch, may continue on the basis of this
        /// proof: 600 (`ProofTable.watchSeconds` of the core).
        public var seconds: Int
        /// Creates the reply of the core to `RedeemProof`. No value is checked. See the properties for units.
        public init(seconds: Int) { self.seconds = seconds }
    }

    /// Reply of `GetRoles`: the roles in which a person can sign in.
    public struct RolesReply: Codable, Sendable {
        /// The roles that have a secret, at most three, without duplicates. A device in a place has no wearer.
        public var roles: [Role]

        /// Creates the reply of the core to `GetRoles`. No value is checked.
        public init(roles: [Role]) { self.roles = roles }
    }

    /// Parameters of `SignIn`. Refused with ``Refused`` for a wrong secret, for a try that comes too early and
    /// while two others sign in for the role, with `Unusable` for a secret or source that is too long, and with
    /// `StorageUnavailable` if the sign-in cannot be recorded.
    public struct SignInCall: Codable, Sendable {
        /// The role in which the person signs in.
        public var role: Role
        /// The secret of the role, as printed on the card or chosen later; at most 256 bytes. For printed secrets spaces,
        /// dashes and case do not matter.
        public var secret: String
        /// Where the try comes from, as the page knows it, such as an address; at most 64 bytes. Tries from one source are
        /// counted together; all tries with `nil` count as one source.
        public var source: String?
        /// The mark that this browser got at an earlier sign-in, 96 hexadecimal digits; `nil` for an unknown
        /// browser. Tries with a mark are counted separately from those of unknown browsers; a mark that is not
        /// valid counts as none. The mark gives no access.
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

    /// Reply of `SignIn`: the session and how long it lasts.
    public struct SignInReply: Codable, Sendable {
        /// The session, 64 hexadecimal digits, which the browser keeps. It is a secret; the core keeps only its
        /// hash, in memory, so a restart of the core ends it. So does the 33rd session of all roles, which takes
        /// the place of the oldest, of its own role if there is one.
        public var session: String
        /// The number of seconds without a call after which the session ends: 86,400 for the wearer, 1,200 for technicians.
        public var idleSeconds: Int
        /// The number of seconds after which the session ends in any case: 2,592,000 for the wearer, 28,800 for
        /// technicians.
        public var totalSeconds: Int
        /// The mark by which the browser is recognised for this role until the role's secret changes, 96 hexadecimal
        /// digits. The core always gives one, so this is never `nil` in its answers.
        public var browser: String?

        /// Creates the reply of the core to `SignIn`. No value is checked. See the properties for units and `nil`.
        public init(session: String, idleSeconds: Int, totalSeconds: Int, browser: String? = nil) {
            self.session = session
            self.idleSeconds = idleSeconds
            self.totalSeconds = totalSeconds
            self.browser = browser
        }
    }

    /// Parameters of `UseSession`. Refused with `NotSignedIn` if the session is unknown or has ended.
    public struct UseSessionCall: Codable, Sendable {
        /// The session from `SignIn`, or a token from `MakeToken`; with `nil` the connection acts for nobody.
        public var session: String?
        /// Whether no person is behind the following calls, as on a page that refreshes itself: then neither this call nor
        /// those keep the session alive. `nil` means `false`.
        public var unattended: Bool?

        /// Creates the parameters of a call of `UseSession`. Nothing is checked here: the core checks the values when the
        /// call arrives. See the properties for `nil`.
        public init(session: String?, unattended: Bool? = nil) {
            self.session = session
            self.unattended = unattended
        }
    }

    /// Reply of `UseSession`: the role for which the connection acts from now on.
    public struct UseSessionReply: Codable, Sendable {
        /// The role of the session or token; `nil` if the connection acts for nobody.
        public var role: Role?

        /// Creates the reply of the core to `UseSession`. No value is checked. See the properties for `nil`.
        public init(role: Role?) { self.role = role }
    }

    /// Parameters of `ChangeSecret`. Refused with ``Refused`` if the present secret is wrong; with ``WrongRole``
    /// for a role that the caller may not change; with `NotSignedIn` without a session; with `Unusable` for a new
    /// secret of a wrong length or with control characters, for the wearer's secret in a place, and for a call from
    /// the console, which has no secret; and with `StorageUnavailable` if the disk refuses.
    public struct ChangeSecretCall: Codable, Sendable {
        /// The role whose secret changes: the caller's own; for a technician also that of the other technicians, and the
        /// wearer's while there is none.
        public var role: Role
        /// The present secret of the caller's own role, at most 256 bytes, so that a person who finds an open browser
        /// cannot lock others out.
        public var present: String
        /// The new secret, 12 to 256 bytes of UTF-8 without control characters; `nil` to have one generated.
        public var wanted: String?

        /// Creates the parameters of a call of `ChangeSecret`. Nothing is checked here: the core checks the values when the
        /// call arrives. See the properties for `nil`.
        public init(role: Role, present: String, wanted: String?) {
            self.role = role
            self.present = present
            self.wanted = wanted
        }
    }

    /// Reply of `ChangeSecret`: the secret has changed, and all sessions and tokens of the role have ended.
    public struct ChangeSecretReply: Codable, Sendable {
        /// The generated secret, which is shown this one time; `nil` if the caller chose the secret.
        public var made: String?

        /// Creates the reply of the core to `ChangeSecret`. No value is checked. See the properties for `nil`.
        public init(made: String?) { self.made = made }
    }

    /// An entry in the list of tokens for scripts; never contains the token itself.
    public struct Token: Codable, Sendable, Equatable {
        /// The name for people: 1 to 32 letters and digits of ASCII, dashes and spaces. Names are unique.
        public var name: String
        /// The role of the token: `technicianReadOnly` or `technician`.
        public var role: Role
        /// The time when the token was made, in Unix seconds; `nil` if the time was not known then.
        public var made: Int64?
        /// The time when the token was last used, in Unix seconds; `nil` if it never was. After a restart of the core it
        /// may be up to a day too early. Uses while the time is not known do not count.
        public var lastUsed: Int64?

        /// Creates a part of replies of the core. No value is checked. See the properties for units and `nil`.
        public init(name: String, role: Role, made: Int64?, lastUsed: Int64?) {
            self.name = name
            self.role = role
            self.made = made
            self.lastUsed = lastUsed
        }
    }

    /// Parameters of `MakeToken`, which only a technician may call. Refused with `Unusable` for a name or role that
    /// is not permitted, for a name that is in use, and if there are 16 tokens; and with `StorageUnavailable` if
    /// the disk refuses.
    public struct MakeTokenCall: Codable, Sendable {
        /// The name under which the token is listed: 1 to 32 letters and digits of ASCII, dashes and spaces.
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
        /// The token, 64 hexadecimal digits, which is shown this one time. It is a secret, and valid until it is revoked.
        public var token: String

        /// Creates the reply of the core to `MakeToken`. No value is checked.
        public init(token: String) { self.token = token }
    }

    /// Reply of `GetTokens`: the tokens that have not been revoked.
    public struct TokensReply: Codable, Sendable {
        /// The tokens for scripts, at most 16: names, roles and times, never a token itself.
        public var tokens: [Token]

        /// Creates the reply of the core to `GetTokens`. No value is checked.
        public init(tokens: [Token]) { self.tokens = tokens }
    }

    /// Parameters of `RevokeToken`: the token to revoke, with immediate effect. Refused with `Unusable` if no token has the
    /// name, and with `StorageUnavailable` if the disk refuses.
    public struct RevokeTokenCall: Codable, Sendable {
        /// The name under which the token is listed: 1 to 32 letters, digits, dashes and spaces.
        public var name: String

        /// Creates the parameters of a call of `RevokeToken`. Nothing is checked here: the core checks the values when the
        /// call arrives.
        public init(name: String) { self.name = name }
    }

    /// Parameters of `MakeSecret`: the role that gets a new secret; its sessions and tokens end. Refused with
    /// ``WrongRole`` for any caller but the operator's console, and with `StorageUnavailable` if the disk refuses.
    public struct MakeSecretCall: Codable, Sendable {
        /// The role whose secret is replaced.
        public var role: Role

        /// Creates the parameters of a call of `MakeSecret`. Nothing is checked here: the core checks the values when the
        /// call arrives.
        public init(role: Role) { self.role = role }
    }

    /// Reply of `MakeSecret`: the new secret, which is shown this one time.
    public struct MakeSecretReply: Codable, Sendable {
        /// The secret in the form to print on a card.
        public var secret: String

        /// Creates the reply of the core to `MakeSecret`. No value is checked.
        public init(secret: String) { self.secret = secret }
    }

    /// Parameters of the error `Refused`: the secret is wrong, or the next try comes too early.
    public struct Refused: Codable, Sendable, Equatable {
        /// The number of seconds until the next try is accepted; 0 if it is accepted now.
        public var wait: Int
        /// A sentence in English for people, with advice.
        public var reason: String

        /// Creates the error by which the core refuses. No value is checked. See the properties for units.
        public init(wait: Int, reason: String) {
            self.wait = wait
            self.reason = reason
        }
    }

    /// Parameters of the error `WrongRole`: the role of the session does not permit the call.
    public struct WrongRole: Codable, Sendable, Equatable {
        /// The role that permits the call; if there are several, the first in the order of ``Role``. `nil` if no role does.
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
