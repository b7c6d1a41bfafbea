// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Ledger
import Logging
import TimeTrust
import Varlink

/// Who is behind a call, what they may do, and how they sign in: what is decided is put on record, and told where sessions end by it.
///
/// ``AccessControl`` knows secrets and sessions; this knows callers, the device's role and the audit log. Used from the core's thread, told what
/// time it is; throws ``AccessRefusal`` for what the caller should know.
final class SignInService {
    /// Who may sign in, and who has.
    let access: AccessControl
    private let roles: RoleState
    private let ledger: Ledger
    private let audit: AuditWriter
    private let announcer: Announcer
    private let log: Logger
    private var failures = SignInFailures()

    init(
        _ access: AccessControl, roles: RoleState, ledger: Ledger, audit: AuditWriter, announcer: Announcer, log: Logger
    ) {
        self.access = access
        self.roles = roles
        self.ledger = ledger
        self.audit = audit
        self.announcer = announcer
        self.log = log
    }

    // MARK: Who is it

    /// `caller` as it may act by this call, or why it may not. Only callers that stand for people are asked whom they
    /// act for; by then it is decided, by their grants, that they may call it at all.
    func acting(
        _ caller: Caller, _ method: CoreMethod, on connection: UInt64, at now: BootInstant
    ) throws(AccessRefusal) -> Caller {
        guard caller.isBoundToSessions else { return caller }
        let session = sessionInForce(access.session(on: connection, at: now.duration))
        var holders = method.law.holders(isPlace: !roles.isPerson)
        // A place has no wearer: nobody is told to sign in as one where somebody else may.
        if !roles.isPerson, !method.law.inPlaces.isEmpty { holders.remove(.wearer) }
        guard holders.contains(Law.Holder(session?.role)) else {
            if session == nil, !holders.isEmpty { throw .notSignedIn }
            throw .wrongRole(needed: Self.needed(holders), Self.words(holders))
        }
        return caller.acting(for: session)
    }

    /// A place has no wearer, whoever was signed in as one before it became one.
    private func sessionInForce(_ session: Caller.Session?) -> Caller.Session? {
        session?.role == .wearer && !roles.isPerson ? nil : session
    }

    /// Whether what `caller` was let do may go on.
    func isStillActing(_ caller: Caller, at now: BootInstant) -> Bool {
        guard caller.isBoundToSessions else { return true }
        guard let session = sessionInForce(caller.session) else { return false }
        return access.isAlive(session, at: now.duration)
    }

    private static func needed(_ holders: Set<Law.Holder>) -> Access1.Role? {
        // Read only comes first: a method that only reads should not ask for more.
        Access1.Role.allCases.first { holders.contains(Law.Holder($0)) }
    }

    private static func words(_ holders: Set<Law.Holder>) -> String {
        switch needed(holders) {
        case .wearer where holders.contains(.technician):
            "This is for the wearer, or for a technician who may change things."
        case .wearer: "This is for the wearer. Sign in with the wearer's secret."
        case .technicianReadOnly: "This is for technicians. Sign in as one."
        case .technician: "This is for technicians who may change things. Sign in as one."
        case nil: "This cannot be done from a page, whoever has signed in."
        }
    }

    // MARK: Signing in

    /// Roles there are to sign in to.
    var signInRoles: [Access1.Role] { access.roles.filter { $0 != .wearer || roles.isPerson } }

    /// Bytes of what a page says that somebody comes from.
    static let sourceLimit = 64

    /// Signs in, in a while.
    func signIn(
        _ call: Access1.SignInCall, by caller: Caller, at now: BootInstant, isWanted: @escaping () -> Bool,
        done: @escaping (Result<Access1.SignInReply, AccessRefusal>) -> Void
    ) {
        let role = call.role
        guard (call.source ?? "").utf8.count <= Self.sourceLimit else {
            return done(.failure(.unusable("A source has at most \(Self.sourceLimit) bytes.")))
        }
        let canHave = role != .wearer || roles.isPerson
        let party = access.party(browser: call.browser, source: call.source, role: role)
        access.verify(call.secret, of: role, by: party, canHave: canHave, at: now.duration, isWanted: isWanted) {
            [weak self] outcome, moment in
            guard let self else { return }
            let now = BootInstant(moment)
            switch outcome {
            case .success:
                // First: who was let in without a record of it was never here.
                do throws(Refusal) {
                    try ledger.record {
                        try $0.audit(self.audit.entry(.signedIn, caller, at: now, ["role": role.rawValue]))
                    }
                } catch {
                    return done(.failure(.storage(error.parameters.reason)))
                }
                done(.success(access.makeSession(role, for: party, at: moment)))
            case .failure(let refusal):
                if refusal == .wrongSecret { noteFailure(role, by: caller, at: now) }
                done(.failure(refusal))
            }
        }
    }

    private func noteFailure(_ role: Access1.Role, by caller: Caller, at now: BootInstant) {
        guard let count = failures.add(role, at: now.duration) else { return }
        log.notice("somebody could not sign in", metadata: ["role": "\(role.rawValue)", "count": "\(count)"])
        audit.note(.signInFailed, caller, at: now, ["role": role.rawValue, "count": "\(count)"])
    }

    /// Has `connection` act for a session or token from now on. Gives its role; `nil` where it acts for nobody any more. Throws when there is no
    /// such session.
    func useSession(
        _ value: String?, isAttended: Bool, by caller: Caller, on connection: UInt64, at now: BootInstant
    ) throws(AccessRefusal) -> Access1.Role? {
        let session = sessionInForce(
            access.use(
                value, isAttended: isAttended, on: connection, at: now.duration, time: audit.time(at: now)))
        guard value == nil || session != nil else { throw .notSignedIn }
        return session?.role
    }

    // MARK: Proofs

    /// A proof that the caller's session is behind one call of `method`, which somebody else serves. Throws unless the session's role may call it.
    func makeProof(of method: String, by caller: Caller, at now: BootInstant) throws(AccessRefusal) -> String {
        guard let session = caller.session else { throw .notSignedIn }
        guard method.utf8.count <= ProofTable.longestMethod else { throw .unusable("There is no method of such a name.") }
        guard method != Self.releaseMethod else {
            throw .unusable("A proof for this method comes with the keys of a warning alone (org.vigil.release1).")
        }
        let roles = ProvenMethods.roles(of: method)
        guard roles.contains(session.role) else {
            throw .wrongRole(needed: roles.first ?? .wearer, "\(method) is not for this role.")
        }
        return access.makeProof(for: session, of: caller.name, method, at: now.duration)
    }

    /// What the proof that comes with keys is good for: no session makes one for it, so that reports of visits leave with keys alone.
    static let releaseMethod = Checkin1.Method.takeReports.path

    /// A proof that the wearer has agreed to a warning, for whoever was just given its keys.
    func makeReleaseProof(by caller: Caller, at now: BootInstant) -> String {
        access.makeReleaseProof(of: caller.name, Self.releaseMethod, at: now.duration)
    }

    /// Spends it. Throws when it is none, or no more, and when what a technician is about to change cannot be entered in the audit log.
    func redeemProof(_ proof: String, of method: String, at now: BootInstant) throws(AccessRefusal) {
        guard let proven = access.redeemProof(proof, method, at: now.duration) else { throw .notSignedIn }
        guard case .session(let session) = proven.ground else {
            guard roles.isPerson else { throw .notSignedIn }
            return
        }
        guard let session = sessionInForce(session), ProvenMethods.roles(of: method).contains(session.role) else {
            throw .notSignedIn
        }
        guard ProvenMethods.isChange(method) else { return }
        let details = ["method": String(method.split(separator: ".").last ?? "")]
        do throws(Refusal) {
            try ledger.record {
                try $0.audit(self.audit.entry(.placesChanged, of: proven.caller, session, at: now, details))
            }
        } catch {
            throw .storage(error.parameters.reason)
        }
    }

    // MARK: Secrets and tokens

    /// Another secret, in a while, for who knows the present one.
    func changeSecret(
        _ call: Access1.ChangeSecretCall, by caller: Caller, at now: BootInstant, isWanted: @escaping () -> Bool,
        done: @escaping (Result<String?, AccessRefusal>) -> Void
    ) {
        guard let session = caller.session else {
            guard caller.presence == Caller.console else { return done(.failure(.notSignedIn)) }
            return done(
                .failure(.unusable("The console has no secret of its own to change: it makes new ones (MakeSecret).")))
        }
        let own = session.role
        guard own == call.role || own == .technician else {
            return done(
                .failure(
                    .wrongRole(needed: .technician, "Only a technician who may change things changes other roles' secrets.")
                ))
        }
        // Or whoever looks after the device would be the wearer in three calls, and read what the wearer alone may.
        guard call.role != .wearer || own == .wearer || !access.roles.contains(.wearer) else {
            return done(
                .failure(
                    .wrongRole(
                        needed: .wearer,
                        "Only the wearer changes the wearer's secret. If it is lost: `vigil ctl access make wearer` on the operator's console makes another, or reset the device, which erases what the secret protects, and then make one.",
                    )))
        }
        guard call.role != .wearer || roles.isPerson else {
            return done(.failure(.unusable("This device is a place's, which has no wearer.")))
        }
        if let wanted = call.wanted, let problem = AccessControl.problem(with: wanted) {
            return done(.failure(.unusable(problem)))
        }
        let party = SignInParty.session(digest: session.digest)
        access.verify(call.present, of: own, by: party, canHave: true, at: now.duration, isWanted: isWanted) {
            [weak self] outcome, moment in
            guard let self else { return }
            if case .failure(let refusal) = outcome {
                if refusal == .wrongSecret { noteFailure(own, by: caller, at: BootInstant(moment)) }
                return done(.failure(refusal))
            }
            replaceSecret(of: call.role, with: call.wanted, shownBy: own, by: caller, at: BootInstant(moment), done: done)
        }
    }

    /// A new secret, in a while, told once.
    func makeSecret(
        _ role: Access1.Role, by caller: Caller, at now: BootInstant,
        done: @escaping (Result<String?, AccessRefusal>) -> Void
    ) {
        guard caller.presence == Caller.console else {
            return done(
                .failure(
                    .wrongRole(needed: nil, "Only the operator's console makes secrets without knowing the present one.")))
        }
        replaceSecret(of: role, with: nil, shownBy: nil, by: caller, at: now, done: done)
    }

    private func replaceSecret(
        of role: Access1.Role, with wanted: String?, shownBy holder: Access1.Role?, by caller: Caller, at now: BootInstant,
        done: @escaping (Result<String?, AccessRefusal>) -> Void
    ) {
        access.change(role, to: wanted, shownBy: holder, at: now.duration) { [weak self] outcome, moment in
            if case .success = outcome {
                self?.audit.note(.secretChanged, caller, at: BootInstant(moment), ["role": role.rawValue])
                self?.announcer.tell(.sessionsEnded)
            }
            done(outcome)
        }
    }

    /// A token for a script, told once.
    func makeToken(_ call: Access1.MakeTokenCall, by caller: Caller, at now: BootInstant) throws(AccessRefusal) -> String {
        let token = try access.makeToken(call.name, call.role, time: audit.time(at: now))
        audit.note(.tokenMade, caller, at: now, ["name": call.name, "role": call.role.rawValue])
        return token
    }

    /// Takes a token back; what acts by it ends.
    func revokeToken(_ name: String, by caller: Caller, at now: BootInstant) throws(AccessRefusal) {
        try access.revokeToken(name)
        audit.note(.tokenRevoked, caller, at: now, ["name": name])
        announcer.tell(.sessionsEnded)
    }

    /// Ends the session that `caller` acts for.
    func signOut(by caller: Caller) throws(AccessRefusal) {
        guard let session = caller.session else { throw .notSignedIn }
        access.end(session)
        announcer.tell(.sessionsEnded)
    }

    // MARK: Hashing

    /// When ``advance(at:in:)`` is to be called at the latest; `nil` while nothing is to be hashed.
    func deadline(at now: BootInstant, in window: WorkWindow) -> BootInstant? {
        access.hasWork ? window.next(for: RadioPriority.lead, at: now) : nil
    }

    /// Does one slice of what is to be hashed, unless an identifier is due.
    func advance(at now: BootInstant, in window: WorkWindow) {
        if window.isOpen(for: RadioPriority.lead, at: now) { access.advance(at: now.duration) }
    }

    // MARK: Provisioning

    /// Takes the secrets that provisioning has left, and erases them where they were when all are kept.
    func takeFirstSecrets(at now: BootInstant) {
        let (secrets, problem) = access.firstSecrets()
        if let problem { log.error("\(problem)", metadata: ["while": "taking the first secrets"]) }
        let provisioning = Caller(name: "provisioning", reading: .nothing, spool: nil, presence: "operator")
        var left = secrets.count
        for (role, secret) in secrets {
            replaceSecret(of: role, with: secret, shownBy: nil, by: provisioning, at: now) { [weak self] outcome in
                guard case .success = outcome else {
                    if case .failure(let refusal) = outcome {
                        self?.log.error("\(refusal)", metadata: ["while": "taking the first secrets"])
                    }
                    return
                }
                left -= 1
                if left == 0 {
                    self?.access.eraseFirstSecrets()
                    self?.log.notice("the first secrets were taken")
                }
            }
        }
    }
}
