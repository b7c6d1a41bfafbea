// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Interfaces

/// The roles' secrets, their sessions, and the session for which each connection acts. Knows neither audit log nor sockets;
/// used from the core's thread, told what time it is on a clock that is never set.
///
/// Secrets are hashed slowly, so that a stolen disk is of little use, and in slices, so that the beacon is not
/// delayed. One secret is hashed at a time. For each role at most two tries from unknown browsers and two from
/// known ones are under way or wait, and known ones come first: guessing one role's secret does not keep other
/// roles out, nor browsers that signed in before. The hash is PBKDF2-HMAC-SHA256, because the cryptography of every
/// board has it and it needs little memory.
public final class AccessControl {
    /// The iterations of PBKDF2 for new secrets: 100,000, our choice, about half a second on a Cortex-A53. OWASP's
    /// 600,000 (2023) are for passwords that people invent, of some 30 bits; NIST SP 800-132 requires at least
    /// 1,000. Secrets that are made here have 80 bits, and chosen ones at least 12 bytes: the number matters only
    /// for the latter, and with three seconds for each try anybody who keeps trying could block a board.
    public static let standardIterations: UInt32 = 100_000
    /// Iterations in a row: under 3 ms on a Cortex-A53.
    static let slice: UInt32 = 500
    /// Sign-ins of a role that are looked at or wait for it: of strangers, and of who is known.
    static let mostOfRole = 2
    static let saltByteCount = 16
    /// The least and the most bytes of UTF-8 of a secret: 12 and 256, our choices. The least counts only for new
    /// secrets, which may have no control characters, either.
    public static let secretByteCounts = (least: 12, most: 256)

    private let file: AccessFile
    private let iterations: UInt32
    private var generator: any RandomNumberGenerator & Sendable
    private(set) var records: AccessRecords
    private(set) var sessions = SessionTable()
    private var counts: [Access1.Role: SignInCounts] = [:]
    private var proofs = ProofTable()
    private var jobs: [SecretJob] = []
    /// Secrets that are being replaced, and who came meanwhile: they are held against what holds afterwards.
    private var changing = 0
    private var afterChanges: [(role: Access1.Role, isKnown: Bool, next: (Duration) -> Void)] = []
    /// What a connection acts for.
    private struct Seat {
        /// Of a session or token.
        let digest: [UInt8]
        /// Whether somebody is behind what is asked there.
        let isAttended: Bool
    }

    private var connections: [UInt64: Seat] = [:]
    /// What is compared with where a role has no secret: takes as long, and never fits.
    private let nobodys: AccessRecords.Secret
    /// The damage found when the secrets were read, as English sentences; empty if there was none.
    public private(set) var findings: [String] = []
    /// The name of the device's present life; empty where nothing is kept.
    let life: String

    /// Reads the stored secrets and tokens. Cannot fail: damaged ones are reported in ``findings``.
    ///
    /// - Parameters:
    ///   - data: The path of the core's data folder; `nil` to store nothing, so that everything is forgotten when the
    ///     program ends.
    ///   - iterations: The iterations for new secrets, above 0; not checked.
    ///   - generator: The source of random numbers, which must be cryptographic outside tests.
    public init(
        data: String?, iterations: UInt32 = AccessControl.standardIterations,
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        file = AccessFile(data: data)
        self.iterations = iterations
        self.generator = generator
        let (records, finding) = file.load()
        self.records = records
        life = file.life
        if let finding { findings.append(finding) }
        nobodys = AccessRecords.Secret(
            isMade: false, salt: Self.random(Self.saltByteCount, &self.generator), iterations: iterations,
            hash: Self.random(SHA256.byteCount, &self.generator))
        // The power may have gone between the reset and the end of that secret.
        if let reset = records.reset, reset.takesWearers, hasEnded(reset) { forget(.wearer) }
        forgetName()
    }

    private static func random(_ count: Int, _ generator: inout any RandomNumberGenerator & Sendable) -> String {
        Hex.string((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    // MARK: Connections

    /// Has a connection act for a session or token from now on; for nobody when there is none of that value. Gives whose it is.
    ///
    /// - Parameter isAttended: Whether somebody is behind what is asked there. What nobody is behind keeps no session from ending: a page that
    ///   is left open and keeps itself current would be signed in for as long as sessions last at most.
    func use(
        _ value: String?, isAttended: Bool, on connection: UInt64, at now: Duration, time: Int64?
    ) -> Caller.Session? {
        connections[connection] = nil
        guard let value, let digest = SessionTable.digest(of: value) else { return nil }
        connections[connection] = Seat(digest: digest, isAttended: isAttended)
        guard let session = session(on: connection, at: now) else { return nil }
        noteUse(of: digest, time: time)
        return session
    }

    /// For whom a connection acts, if that has not ended. Asking for a call where somebody is behind it keeps a session from ending; looking does
    /// not.
    func session(on connection: UInt64, at now: Duration) -> Caller.Session? {
        guard let seat = connections[connection] else { return nil }
        guard let session = session(seat.digest, at: now, isUse: seat.isAttended) else {
            connections[connection] = nil
            return nil
        }
        return session
    }

    /// Whether a session has not ended.
    func isAlive(_ session: Caller.Session, at now: Duration) -> Bool {
        self.session(session.digest, at: now, isUse: false) != nil
    }

    /// When a session ends by itself; `nil` for one that has ended, and for a token.
    func end(of session: Caller.Session) -> Duration? { sessions.end(of: session.digest) }

    private func session(_ digest: [UInt8], at now: Duration, isUse: Bool) -> Caller.Session? {
        if let role = sessions.role(of: digest, at: now, isUse: isUse) {
            return Caller.Session(role: role, token: nil, digest: digest)
        }
        let text = Hex.string(digest)
        guard let token = records.tokens.first(where: { $0.digest == text }) else { return nil }
        return Caller.Session(role: token.role, token: token.name, digest: digest)
    }

    func connectionClosed(_ number: UInt64) { connections[number] = nil }

    // MARK: Sessions

    /// Roles that have a secret.
    var roles: [Access1.Role] { Access1.Role.allCases.filter { records.secrets[$0.rawValue] != nil } }

    /// - Parameter party: The party that signed in; what browsers of its kind prove themselves with next time goes with the
    ///   session.
    func makeSession(
        _ role: Access1.Role, for party: SignInParty? = nil, at now: Duration
    ) -> Access1.SignInReply {
        let value = SessionTable.makeValue(using: &generator)
        if let digest = SessionTable.digest(of: value) { sessions.add(digest, role, at: now) }
        let limits = SessionTable.limits(of: role)
        var number = Self.random(16, &generator)
        if case .browser(let known) = party { number = known }
        return Access1.SignInReply(
            session: value, idleSeconds: limits.idle, totalSeconds: limits.total,
            browser: records.secrets[role.rawValue].flatMap { KnownBrowser.proof(number: number, of: $0) })
    }

    /// Ends a session. A token does not end by signing out.
    func end(_ session: Caller.Session) {
        sessions.end(session.digest)
        connections = connections.filter { $0.value.digest != session.digest }
    }

    // MARK: Proofs

    func makeProof(for session: Caller.Session, of caller: String, _ method: String, at now: Duration) -> String {
        proofs.make(on: .session(session), of: caller, method, at: now, using: &generator)
    }

    /// The proof that goes out with keys: no session's, so it outlasts the wearer's signing out, and the console's release has one too.
    func makeReleaseProof(of caller: String, _ method: String, at now: Duration) -> String {
        proofs.make(on: .release, of: caller, method, at: now, using: &generator)
    }

    /// A caller that is no more proves nothing.
    func forgetProofs(of caller: String) { proofs.forget(caller) }

    /// What the proof said, and to which caller it was given, if it is good for `method` and its session has not ended.
    func redeemProof(_ value: String, _ method: String, at now: Duration) -> (ground: ProofTable.Ground, caller: String)? {
        let proven = proofs.redeem(value, method, at: now)
        if case .session(let session)? = proven?.ground, !isAlive(session, at: now) { return nil }
        return proven
    }

    // MARK: Secrets

    /// Who tries to sign in: a browser with a proof that is good, or a stranger.
    func party(browser: String?, source: String?, role: Access1.Role) -> SignInParty {
        guard let browser, let secret = records.secrets[role.rawValue],
            let number = KnownBrowser.number(in: browser, of: secret)
        else { return .stranger(source: source ?? "") }
        return .browser(number: number)
    }

    /// Whether `secret` is the role's, in a while. `canHave` is false for a role that this device does not have: that takes as long.
    ///
    /// - Parameter isWanted: Whether anybody still waits for the answer.
    func verify(
        _ secret: String, of role: Access1.Role, by party: SignInParty, canHave: Bool, at now: Duration,
        isWanted: @escaping () -> Bool,
        done: @escaping (Result<Void, AccessRefusal>, Duration) -> Void
    ) {
        guard secret.utf8.count <= Self.secretByteCounts.most else {
            return done(.failure(.unusable("A secret has at most \(Self.secretByteCounts.most) bytes.")), now)
        }
        let isKnown = party.isKnown
        let present =
            jobs.count { $0.role == role && $0.isKnown == isKnown }
            + afterChanges.count { $0.role == role && $0.isKnown == isKnown }
        if let wait = counts[role, default: SignInCounts()].wait(party, at: now) {
            return done(.failure(.tooEarly(wait)), now)
        }
        guard present < Self.mostOfRole else { return done(.failure(.busy), now) }
        guard changing == 0 else {
            let next =
                { [weak self] now in
                    self?.verify(secret, of: role, by: party, canHave: canHave, at: now, isWanted: isWanted, done: done)
                } as (Duration) -> Void
            return afterChanges.append((role, isKnown, next))
        }
        counts[role, default: SignInCounts()].begin(party, at: now)
        let known = canHave ? records.secrets[role.rawValue] : nil
        let record = known ?? nobodys
        let bytes = record.isMade ? PrintedSecret.normalized(secret) ?? Array(secret.utf8) : Array(secret.utf8)
        let job = SecretJob(
            SecretBytes(copying: bytes), salt: Hex.bytes(record.salt) ?? [], iterations: record.iterations, role: role,
            isKnown: isKnown,
            mayBegin: { [weak self] now in
                guard isWanted() else {
                    self?.counts[role]?.withdrawn(party)
                    return false
                }
                // Others of the same party that were wrong may have been before it in the queue.
                guard let wait = self?.counts[role]?.waitOfItsOwn(party, at: now) else { return true }
                self?.counts[role]?.withdrawn(party)
                done(.failure(.tooEarly(wait)), now)
                return false
            },
            finish: { [weak self] hash, now in
                // A secret that was replaced while this waited opens nothing any more.
                let isRight =
                    hash == SecretBytes(copying: Hex.bytes(record.hash) ?? []) && known != nil
                    && self?.records.secrets[role.rawValue] == known
                if isRight {
                    self?.counts[role]?.succeeded(party)
                    done(.success(()), now)
                } else {
                    self?.counts[role]?.failed(party, at: now)
                    done(.failure(.wrongSecret), now)
                }
            })
        // Who is known comes before strangers that wait; what is under way, and secrets being changed, first.
        let place = isKnown ? jobs.firstIndex { !$0.hasBegun && $0.role != nil && !$0.isKnown } : nil
        jobs.insert(job, at: place ?? jobs.count)
    }

    /// Gives a role another secret, in a while, made here when none is given. Its sessions and tokens end.
    ///
    /// - Parameters:
    ///   - holder: Whose present secret was shown for it; `nil` for the console and provisioning. If that one is replaced meanwhile, nothing is changed: or who
    ///     knows the former secret would take the new one away again.
    ///   - done: Gets the secret that was made, or `nil`.
    func change(
        _ role: Access1.Role, to wanted: String?, shownBy holder: Access1.Role?, at now: Duration,
        done: @escaping (Result<String?, AccessRefusal>, Duration) -> Void
    ) {
        let made = wanted == nil ? PrintedSecret.make(using: &generator) : nil
        let text = wanted ?? made ?? ""
        if let wanted, let problem = Self.problem(with: wanted) { return done(.failure(.unusable(problem)), now) }
        let normalized = PrintedSecret.normalized(text)
        let salt = Self.random(Self.saltByteCount, &generator)
        let iterations = iterations
        let shown = holder.flatMap { records.secrets[$0.rawValue] }
        changing += 1
        // First: whoever waits for it was let in already.
        jobs.insert(
            SecretJob(
                SecretBytes(copying: normalized ?? Array(text.utf8)), salt: Hex.bytes(salt) ?? [], iterations: iterations,
                finish: { [weak self] hash, now in
                    defer { self?.hasChanged(at: now) }
                    guard let self, let hash else { return done(.failure(.storage("Cryptography failed.")), now) }
                    if let holder, records.secrets[holder.rawValue] != shown { return done(.failure(.wrongSecret), now) }
                    let record = AccessRecords.Secret(
                        isMade: normalized != nil, salt: salt, iterations: iterations,
                        hash: hash.withBytes { Hex.string(Array($0)) })
                    done(self.keep(record, of: role).map { made }, now)
                }), at: jobs.first?.hasBegun == true ? 1 : 0)
    }

    private func hasChanged(at now: Duration) {
        changing -= 1
        guard changing == 0 else { return }
        let waiting = afterChanges
        afterChanges = []
        for one in waiting { one.next(now) }
    }

    /// Why a secret that somebody chose is none.
    static func problem(with secret: String) -> String? {
        guard (secretByteCounts.least...secretByteCounts.most).contains(secret.utf8.count) else {
            return
                "A secret has \(secretByteCounts.least) to \(secretByteCounts.most) bytes. A sentence is easier to keep than a word."
        }
        guard !secret.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) else {
            return "A secret has no control characters, such as tabs."
        }
        return nil
    }

    private func keep(_ record: AccessRecords.Secret, of role: Access1.Role) -> Result<Void, AccessRefusal> {
        var next = records
        next.secrets[role.rawValue] = record
        next.tokens.removeAll { $0.role == role }
        if role == .wearer { next.reset?.takesWearers = false }
        if case .failure(let refusal) = store(next) { return .failure(refusal) }
        sessions.endAll(of: role)
        counts[role] = nil
        return .success(())
    }

    /// A role that has no secret any more; its sessions and tokens end. What cannot be stored has ended for as long as the program runs.
    func forget(_ role: Access1.Role) {
        var next = records
        next.secrets[role.rawValue] = nil
        next.tokens.removeAll { $0.role == role }
        if role == .wearer { next.reset?.takesWearers = false }
        if case .failure = store(next) { records = next }
        // What was set aside as damaged may have the hash of that secret.
        if role == .wearer { file.eraseDamaged() }
        sessions.endAll(of: role)
        counts[role] = nil
    }

    // MARK: Resets

    /// Before everything is erased: what is to be so afterwards, wherever the power goes in between.
    ///
    /// - Parameter time: In Unix seconds; `nil` while it is not known.
    func beginReset(takingWearers: Bool, time: Int64? = nil) throws(AccessRefusal) {
        var next = records
        next.reset = AccessRecords.Reset(
            life: life, wasLater: !isFirstLife, takesWearers: takingWearers, next: lifeNumber.map { $0 &+ 1 }, time: time,
            handsOn: takingWearers)
        try store(next).get()
    }

    /// The name of the life that has ended goes, too: with it whoever had the device before could be told to be the same.
    private func forgetName() {
        guard let reset = records.reset, hasEnded(reset), reset.life != Self.endedLife else { return }
        var next = records
        next.reset?.life = Self.endedLife
        // What cannot be stored is tried again at the next start.
        _ = store(next)
    }

    /// Stands for the name of a life that has ended. No life is called so: names are hexadecimal digits.
    private static let endedLife = "ended"

    /// Which life of the device this is, 1 or more; `nil` where a record was damaged, or is of a release that did not count.
    var lifeNumber: Int64? {
        if isFirstLife { return 1 }
        guard let reset = records.reset, let next = reset.next, file.data != nil else { return nil }
        // A reset that was begun and not carried out.
        return hasEnded(reset) ? next : next - 1
    }

    /// The reset by which this life began; `nil` in the first one, where it is not known, and before a reset that was begun and cut.
    var begunBy: (time: Int64?, handsOn: Bool?)? {
        guard let reset = records.reset, hasEnded(reset) else { return nil }
        return (reset.time, reset.handsOn)
    }

    /// Whether nothing says that this device was ever reset.
    var isFirstLife: Bool {
        guard findings.isEmpty, !file.wasDamaged else { return false }
        return records.reset.map { !$0.wasLater && !hasEnded($0) } ?? true
    }

    private func hasEnded(_ reset: AccessRecords.Reset) -> Bool { file.data != nil && reset.life != life }

    private func store(_ next: AccessRecords) -> Result<Void, AccessRefusal> {
        do throws(AccessFile.Failure) {
            try file.store(next)
            records = next
            return .success(())
        } catch {
            return .failure(
                .storage("Who may sign in cannot be kept: \(error). Nothing has changed; see `vigil ctl storage`."))
        }
    }

    // MARK: The hashing under way

    /// Whether something is to be hashed.
    var hasWork: Bool { !jobs.isEmpty }

    /// Does one slice.
    func advance(at now: Duration) {
        while let job = jobs.first {
            guard job.hasBegun || job.mayBegin(now) else {
                jobs.removeFirst()
                continue
            }
            let (isOver, hash) = job.advance(by: Self.slice)
            guard isOver else { return }
            // What it does may put another one in front.
            jobs.removeFirst()
            return job.finish(hash, now)
        }
    }

    // MARK: Tokens

    func makeToken(_ name: String, _ role: Access1.Role, time: Int64?) throws(AccessRefusal) -> String {
        guard role != .wearer else {
            throw .unusable(
                "Tokens are for technicians' scripts: role technicianReadOnly or technician. Whatever belongs to the wearer needs the wearer's sign-in."
            )
        }
        let isName =
            (1...32).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45 || $0 == 32
            }
        guard isName else { throw .unusable("A token's name has 1 to 32 letters, digits, dashes and blanks.") }
        guard !records.tokens.contains(where: { $0.name == name }) else {
            throw .unusable("There is a token of that name. Take it back first, or choose another name.")
        }
        guard records.tokens.count < AccessRecords.mostTokens else {
            throw .unusable("There are \(AccessRecords.mostTokens) tokens, which is all there may be. Take one back first.")
        }
        let value = SessionTable.makeValue(using: &generator)
        var next = records
        next.tokens.append(
            AccessRecords.Token(
                name: name, role: role, digest: Hex.string(SessionTable.digest(of: value) ?? []), made: time))
        try store(next).get()
        return value
    }

    var tokens: [Access1.Token] {
        records.tokens.map { Access1.Token(name: $0.name, role: $0.role, made: $0.made, lastUsed: $0.lastUsed) }
    }

    func revokeToken(_ name: String) throws(AccessRefusal) {
        var next = records
        next.tokens.removeAll { $0.name == name }
        guard next != records else { throw .unusable("There is no token of that name.") }
        try store(next).get()
    }

    /// Written once a day at most: a script that asks every minute must not wear out the flash.
    private func noteUse(of digest: [UInt8], time: Int64?) {
        let text = Hex.string(digest)
        guard let time, let index = records.tokens.firstIndex(where: { $0.digest == text }) else { return }
        let last = records.tokens[index].lastUsed
        var next = records
        next.tokens[index].lastUsed = time
        if let last, time - last < 86_400, time >= last { records = next } else { _ = store(next) }
    }

    // MARK: Provisioning

    /// The secrets that provisioning has left, to be taken with ``change(_:to:at:done:)``; and what is wrong with the file.
    func firstSecrets() -> (secrets: [(role: Access1.Role, secret: String)], problem: String?) {
        do {
            guard let bytes = try file.firstSecrets() else { return ([], nil) }
            return try FirstSecrets.parse(bytes)
        } catch {
            return ([], "\(AccessFile.firstName) cannot be used: \(error)")
        }
    }

    func eraseFirstSecrets() { file.eraseFirstSecrets() }
}
