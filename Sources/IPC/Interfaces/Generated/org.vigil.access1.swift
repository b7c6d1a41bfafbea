// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Made by `make generate` of org.vigil.access1.varlink. Change the text, and generate again.

extension Access1 {
    /// The text of `org.vigil.access1`, byte for byte as in `Texts`: what its server shows to callers.
    public static let text =
#"""
# SPDX-License-Identifier: Apache-2.0
#
# Who stands before the device. A caller that may call this interface acts for people: everything it asks of the core is answered by the
# role of the session its connection uses, and without one it learns only what anybody may know.
# @server core
interface org.vigil.access1

# Whom a secret belongs to. wearer: the person whose device it is. technicianReadOnly: a technician who only looks. technician: a technician who may change things.
# A technician never sees the wearer's risk, and a wearer changes nothing technical.
type Role (wearer, technicianReadOnly, technician)

# What there is to sign in to.
# @roles nobody wearer technicianReadOnly technician
# @results nothing
method GetRoles() -> (
  # Roles that have a secret. A place has no wearer. At most 3.
  roles: []Role
)

# Signs in. Takes a share of a second, during which nobody else can; the beacon does not wait for it.
# @roles nobody wearer technicianReadOnly technician
# @results nothing
method SignIn(
  # As whom.
  role: Role,
  # As printed on the card, or as it was chosen since. Blanks, dashes and small letters do no harm to printed ones. At most 256 bytes.
  secret: string,
  # Where whoever tries comes from, such as an address: those of one source are counted together. At most 64 bytes. What all sources may try
  # together is bounded whatever is said here. Absent: one source.
  source: ?string,
  # What an earlier sign-in of the same browser gave. Whoever has it is counted apart from strangers. It opens nothing.
  browser: ?string
) -> (
  # What the browser keeps: 64 hexadecimal digits. The core keeps only its hash, in memory.
  session: string,
  # Seconds after which it ends when nobody asks for anything.
  idleSeconds: int,
  # Seconds after which it ends in any case.
  totalSeconds: int,
  # 96 hexadecimal digits by which this browser is known to this role from now on, until the role's secret is changed.
  browser: ?string
)

# Makes this connection act for a session, or for nobody when it is absent. A token made by MakeToken is as good as a session.
# @roles nobody wearer technicianReadOnly technician
# @results nothing
method UseSession(
  # As SignIn or MakeToken gave it.
  session: ?string,
  # Whether nobody is behind what this connection asks, such as a page that keeps itself current: then neither this call nor those that
  # follow keep the session from ending. Absent for no.
  unattended: ?bool
) -> (
  # Whose; absent for nobody.
  role: ?Role
)

# Ends the session that this connection uses, on all connections.
# @roles wearer technicianReadOnly technician
# @results nothing
method SignOut() -> ()

# Another secret for a role: one's own; for a technician also the other technicians', and the wearer's while there is none. All sessions and tokens
# of that role end.
# @roles wearer technicianReadOnly technician
# @results nothing
method ChangeSecret(
  # Whose.
  role: Role,
  # The caller's own present secret: who finds a browser open cannot lock others out.
  present: string,
  # 12 to 256 bytes; absent to have one made.
  wanted: ?string
) -> (
  # The one that was made, shown this once; absent if one was given.
  made: ?string
)

# A token of a script. Its name is for people.
type Token (
  # 1 to 32 letters, digits, dashes and blanks.
  name: string,
  # What it may.
  role: Role,
  # When it was made, Unix seconds; absent while the time was not known.
  made: ?int,
  # When it was used last, Unix seconds; absent if never.
  lastUsed: ?int
)

# Makes a token for a script, good until it is revoked. Only a technician may, and only for the two technicians' roles.
# @roles technician
# @results nothing
method MakeToken(
  # As it will be listed.
  name: string,
  # technicianReadOnly or technician.
  role: Role
) -> (
  # 64 hexadecimal digits, shown this once.
  token: string
)

# All tokens.
# @roles technician
# @results nothing
method GetTokens() -> (
  # At most 16.
  tokens: []Token
)

# Takes a token back, at once.
# @roles technician
# @results nothing
method RevokeToken(
  # As it is listed.
  name: string
) -> ()

# Makes a role's secret anew and tells it, once. Only for the operator's console; nothing that listens to a network can be granted it.
# @roles none
# @results nothing
method MakeSecret(
  # Whose.
  role: Role
) -> (
  # To be printed on a card.
  secret: string
)

# Makes a proof that a session is behind one call of somebody who knows no sessions, such as the plugin that has the wearer's tests. It is
# good for that method, once, within a minute, while the session lasts, and while the same caller made at most 63 later ones. Refused with WrongRole
# unless the session's role may call the method; a method whose interface the core does not know is the wearer's.
# One for org.vigil.checkin1.TakeReports comes with the keys of a warning (org.vigil.release1), and is not made here.
# @roles wearer technicianReadOnly technician
# @results nothing
method MakeProof(
  # What is to be called: `interface.Method`.
  method: string
) -> (
  # 32 hexadecimal digits, to be sent along with the call.
  proof: string
)

# Spends a proof that came with a call. Refused with NotSignedIn unless it is good for that method. For who serves the method: whoever can be
# granted it does not thereby act for people. What only a technician who may change things may call is entered in the audit log here, before it is done.
# @roles none
# @results nothing
method RedeemProof(
  # As it came.
  proof: string,
  # What was called: `interface.Method`.
  method: string
) -> (
  # Seconds for which what goes on, such as a watch, may go on by this proof; then it takes another.
  seconds: int
)

# The secret is wrong, or it is too early for another try.
error Refused (
  # Seconds until the next try is looked at; 0 for at once.
  wait: int,
  # In an English sentence, with what to do.
  reason: string
)

# No session, or one that has ended. Sign in again.
error NotSignedIn ()

# The session's role may not do this.
error WrongRole (
  # Which role may; absent if none that signs in.
  needed: ?Role,
  # In an English sentence.
  reason: string
)

# What was given cannot be used.
error Unusable (
  # In an English sentence, with what to do.
  reason: string
)

# What is kept cannot be read or written now.
error StorageUnavailable (
  # With what to do.
  reason: string
)

"""#

    /// The methods of `org.vigil.access1`. The raw value is the name on the wire.
    public enum Method: String, LawfulMethod {
        /// What there is to sign in to.
        case getRoles = "GetRoles"
        /// Signs in. Takes a share of a second, during which nobody else can; the beacon does not wait for it.
        case signIn = "SignIn"
        /// Makes this connection act for a session, or for nobody when it is absent. A token made by MakeToken is as good as a session.
        case useSession = "UseSession"
        /// Ends the session that this connection uses, on all connections.
        case signOut = "SignOut"
        /// Another secret for a role: one's own; for a technician also the other technicians', and the wearer's while there is none. All sessions and tokens
        /// of that role end.
        case changeSecret = "ChangeSecret"
        /// Makes a token for a script, good until it is revoked. Only a technician may, and only for the two technicians' roles.
        case makeToken = "MakeToken"
        /// All tokens.
        case getTokens = "GetTokens"
        /// Takes a token back, at once.
        case revokeToken = "RevokeToken"
        /// Makes a role's secret anew and tells it, once. Only for the operator's console; nothing that listens to a network can be granted it.
        case makeSecret = "MakeSecret"
        /// Makes a proof that a session is behind one call of somebody who knows no sessions, such as the plugin that has the wearer's tests. It is
        /// good for that method, once, within a minute, while the session lasts, and while the same caller made at most 63 later ones. Refused with WrongRole
        /// unless the session's role may call the method; a method whose interface the core does not know is the wearer's.
        /// One for org.vigil.checkin1.TakeReports comes with the keys of a warning (org.vigil.release1), and is not made here.
        case makeProof = "MakeProof"
        /// Spends a proof that came with a call. Refused with NotSignedIn unless it is good for that method. For who serves the method: whoever can be
        /// granted it does not thereby act for people. What only a technician who may change things may call is entered in the audit log here, before it is done.
        case redeemProof = "RedeemProof"

        /// The interface's name, as calls carry it before the method's.
        public static var interface: String { "org.vigil.access1" }

        /// Who may call the method, and what its answers tell: the annotations above it in the text.
        public var law: Law {
            switch self {
            case .getRoles: Law([.nobody, .wearer, .technicianReadOnly, .technician], .nothing)
            case .signIn: Law([.nobody, .wearer, .technicianReadOnly, .technician], .nothing)
            case .useSession: Law([.nobody, .wearer, .technicianReadOnly, .technician], .nothing)
            case .signOut: Law([.wearer, .technicianReadOnly, .technician], .nothing)
            case .changeSecret: Law([.wearer, .technicianReadOnly, .technician], .nothing)
            case .makeToken: Law([.technician], .nothing)
            case .getTokens: Law([.technician], .nothing)
            case .revokeToken: Law([.technician], .nothing)
            case .makeSecret: Law([], .nothing)
            case .makeProof: Law([.wearer, .technicianReadOnly, .technician], .nothing)
            case .redeemProof: Law([], .nothing)
            }
        }
    }
}
