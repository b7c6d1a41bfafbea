// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
package import Enrolment
import SQLiteFile

/// Decides who gets a certificate. The same question gets the same answer, so that a board may ask again after each failure. Used by one
/// thread.
package final class Registrar {
    /// The reason for a refusal, with its status of HTTP.
    package enum Refusal: Error, Sendable, Hashable {
        /// The operator has not approved the board yet: 202.
        case pending
        /// There is no such board, or the claim is another: 401, and nobody learns which.
        case wrongClaim
        /// The certificate is none of ours: 401.
        case unknownCertificate
        /// The claim has enrolled another key already: 403.
        case usedClaim
        /// The request is for another board: 403.
        case otherSubject
        /// The request is for another key than the certificate: 403. The issuer of donation tokens knows a board by its key.
        case otherKey
        /// The key is another board's, or was: 403.
        case keyOfAnotherBoard
        /// The board has entered too many keys for evidence since its last card: 403.
        case tooManyKeys
        /// The board is revoked: 403.
        case revoked
        /// The time of grace is over: 403.
        case expired
        /// The board is retired: 410.
        case retired
    }

    let store: RegistryStore
    let signer: CertificateSigner
    let settings: RegistrySettings
    private let refusals: RefusalCounts
    /// When a refusal was written last, in Unix seconds.
    private var refusalsWritten: Int64?
    /// While a question is decided: the certificate that it is about, once it is signed; and how to sign it, before.
    private var signed: DeviceCertificate?
    private var order: (() throws(EnrolmentError) -> DeviceCertificate)?
    /// For how long refusals are counted in memory, in seconds.
    package static let refusalPeriod: Int64 = 60

    /// The authority's certificate.
    package var authority: DeviceCertificate { signer.certificate }

    /// Joins a store and the folder's key and settings. Whoever has `refusals` may write them, too.
    package init(
        store: RegistryStore, signer: CertificateSigner, settings: RegistrySettings, refusals: RefusalCounts = .init()
    ) {
        (self.store, self.signer, self.settings, self.refusals) = (store, signer, settings, refusals)
    }

    /// The answer to `simpleenroll` by a board's name and its claim's digest. What it gives is in the database for good before this returns.
    ///
    /// - Parameter now: Unix seconds.
    package func enrol(
        _ name: BoardName, claimDigest: String, request: CertificateRequest, now: Int64
    ) throws(RegistryError) -> Result<DeviceCertificate, Refusal> {
        try deciding(now, claimOf: name) { () throws(RegistryError) in
            guard let secret = try store.secret(of: name), secret.claim == RegistryStore.salted(secret.salt, claimDigest),
                let board = try store.board(name)
            else { return (.failure(.wrongClaim), .wrongClaim) }
            guard request.name == name else { return (.failure(.otherSubject), .otherSubject) }
            let key = request.key.subjectPublicKeyInfo
            switch board.state {
            case .held: return (.failure(.pending), .pending)
            case .revoked: return (.failure(.revoked), .revoked)
            case .retired: return (.failure(.retired), .retired)
            case .approved:
                let owner = try store.database.first("SELECT board FROM certificate WHERE spki = ? LIMIT 1", [.blob(key)])?
                    .text
                guard owner == nil || owner == name.text else { return (.failure(.keyOfAnotherBoard), .keyOfAnotherBoard) }
                try store.database.run(
                    "UPDATE board SET state = ?, spki = ? WHERE name = ?",
                    [.integer(RegisteredBoard.State.enrolled.rawValue), .blob(key), .text(name.text)])
                return (.success(try issue(request, now)), .issued)
            case .enrolled:
                guard board.key == key else { return (.failure(.usedClaim), .usedClaim) }
                // Its certificate may be old, if the board was cut off before it had it and lay in a drawer.
                if let last = try last(name), last.key == request.key, now <= last.validity.notAfter,
                    !Self.isAhead(last, now)
                {
                    return (.success(last), .issuedAgain)
                }
                return (.success(try issue(request, now)), .issuedAgain)
            }
        }
    }

    /// The answer to `simplereenroll` by whoever has shown in TLS that the certificate's key is theirs. Before two thirds of its lifetime
    /// the board's last certificate is the answer.
    ///
    /// - Parameters:
    ///   - certificate: That certificate in DER. TLS need not have looked at its dates or its issuer.
    ///   - now: Unix seconds.
    package func renew(
        by certificate: [UInt8], request: CertificateRequest, now: Int64
    ) throws(RegistryError) -> Result<DeviceCertificate, Refusal> {
        try deciding(now, by: certificate) { (shown, name) throws(RegistryError) in
            guard var last = try last(name) else { return (.failure(.unknownCertificate), .unknownCertificate) }
            guard request.name == name else { return (.failure(.otherSubject), .otherSubject) }
            guard request.key == shown.key else { return (.failure(.otherKey), .otherKey) }
            // Given while the clock was wrong, ahead or behind: no board has taken it, and what it shows is what counts.
            let isOver = last.validity.notAfter < min(now, shown.validity.notAfter)
            let wasWrong = isOver || Self.isAhead(last, now)
            if wasWrong { last = shown }
            if now < RenewalRule.earliest(last.validity) { return (.success(last), .issuedAgain) }
            guard now <= last.validity.notAfter + settings.grace else { return (.failure(.expired), .expired) }
            // It ends with the authority's own: another one would end no later.
            if !wasWrong, now <= last.validity.notAfter, last.validity.notAfter >= authority.validity.notAfter {
                return (.success(last), .issuedAgain)
            }
            return (.success(try issue(request, now)), .renewed)
        }
    }

    /// As ``deciding(_:_:)``, on what a board wants that has shown this certificate: one of ours, by which the board may do something.
    func deciding(
        _ now: Int64, by certificate: [UInt8], _ decide: (DeviceCertificate, BoardName) throws(RegistryError) -> Decision
    ) throws(RegistryError) -> Result<DeviceCertificate, Refusal> {
        try deciding(now) { () throws(RegistryError) in
            guard let shown = try? DeviceCertificate(der: certificate), let name = shown.name,
                let board = try store.board(name), try isOurs(shown, of: board)
            else { return (.failure(.unknownCertificate), .unknownCertificate) }
            if board.state == .retired { return (.failure(.retired), .retired) }
            guard board.state == .enrolled, board.key == shown.key.subjectPublicKeyInfo else {
                return (.failure(.revoked), .revoked)
            }
            return try decide(shown, name)
        }
    }

    /// Whether the database has this certificate. One that it has not is ours all the same if this authority has signed it for the key that the
    /// board has: it was given after the copy of the database that was taken back, and is entered again.
    ///
    /// A board that enrolled after that copy was made has no key here, and its certificate counts for nothing. With a list of new cards such a
    /// certificate could as well be the one of a stolen board whose card and revocation are younger than the copy.
    private func isOurs(_ shown: DeviceCertificate, of board: RegisteredBoard) throws(RegistryError) -> Bool {
        let known = try store.database.first("SELECT der FROM certificate WHERE serial = ?", [.blob(shown.serial)])?.blob
        if let known { return known == shown.encoded }
        guard board.state == .enrolled, board.key == shown.key.subjectPublicKeyInfo, shown.isSigned(by: authority) else {
            return false
        }
        try record(shown, of: board.name)
        return true
    }

    typealias Decision = (Result<DeviceCertificate, Refusal>, RegistryEvent)

    /// Decides and counts in one transaction. A refusal changes nothing but its count, which is written at most once a minute, and with the next
    /// grant. `claimed` is the board by whose claim is asked.
    ///
    /// Nothing is signed within a transaction: a token that hangs would keep the operator from revoking a board. A decision that wants a signature is
    /// undone, and taken once more when there is one. What has changed meanwhile counts; a certificate that is not in the database then is
    /// given to nobody.
    func deciding(
        _ now: Int64, claimOf claimed: BoardName? = nil, _ decide: () throws(RegistryError) -> Decision
    ) throws(RegistryError) -> Result<DeviceCertificate, Refusal> {
        defer { (signed, order) = (nil, nil) }
        do throws(RegistryError) { return try deciding(once: now, claimed, decide) } catch {
            guard let order else { throw error }
            do throws(EnrolmentError) { signed = try order() } catch {
                throw RegistryError(.cryptography, error.description)
            }
        }
        return try deciding(once: now, claimed, decide)
    }

    /// What `make` signs, which must be the same for the same decision. The first time this throws, and the decision is undone; see
    /// ``deciding(_:claimOf:_:)``.
    func signature(
        _ make: @escaping () throws(EnrolmentError) -> DeviceCertificate
    ) throws(RegistryError) -> DeviceCertificate {
        if let signed { return signed }
        order = make
        throw RegistryError(.cryptography, "it is not signed yet")
    }

    private func deciding(
        once now: Int64, _ claimed: BoardName?, _ decide: () throws(RegistryError) -> Decision
    ) throws(RegistryError) -> Result<DeviceCertificate, Refusal> {
        let waiting = refusals.take()
        do throws(RegistryError) {
            let (result, left) = try store.database.transaction {
                () throws(RegistryError) -> (Result<DeviceCertificate, Refusal>, RefusalCounts.Counts) in
                let (result, event) = try decide()
                var counted = waiting.merging(RefusalCounts.Counts(events: [event: 1]))
                if event == .usedClaim, let claimed { counted.usedClaims[claimed, default: 0] += 1 }
                if case .failure = result, !isTimeForRefusals(now) { return (result, counted) }
                try store.count(counted, at: now)
                return (result, RefusalCounts.Counts())
            }
            refusals.add(left)
            if left.isEmpty, case .failure = result { refusalsWritten = now }
            return result
        } catch {
            refusals.add(waiting)
            throw error
        }
    }

    private func isTimeForRefusals(_ now: Int64) -> Bool {
        refusalsWritten.map { !(0..<Self.refusalPeriod).contains(now - $0) } ?? true
    }

    private func last(_ name: BoardName) throws(RegistryError) -> DeviceCertificate? {
        let bytes = try store.database.first(
            "SELECT der FROM certificate WHERE board = ? ORDER BY sequence DESC LIMIT 1", [.text(name.text)])?.blob
        return bytes.flatMap { try? DeviceCertificate(der: $0) }
    }

    private func issue(_ request: CertificateRequest, _ now: Int64) throws(RegistryError) -> DeviceCertificate {
        let validity = try validity(now)
        let certificate = try signature { [signer] () throws(EnrolmentError) in
            try signer.certify(request, serial: Self.serial(), validity: validity)
        }
        try record(certificate, of: request.name)
        return certificate
    }

    /// What the operator is to know of the authority's own certificate: that it ends in less than two years. `nil` before. `now` is in Unix seconds.
    /// Throws `authorityEnded` if it has ended or not begun.
    package func ending(_ now: Int64) throws(RegistryError) -> String? {
        let own = authority.validity
        func text(_ time: Int64) -> String { UTCDay.text(time: UInt64(clamping: time)) }
        guard own.notBefore <= now, now <= own.notAfter else {
            throw RegistryError(.authorityEnded, "it is good from \(text(own.notBefore)) to \(text(own.notAfter))")
        }
        guard own.notAfter - now < Self.warningTime else { return nil }
        return
            "the authority's own certificate ends at \(text(own.notAfter)), and no board's certificate lasts longer: `fleet renew-authority` makes a new one"
    }

    /// How long before its end the operator is told, in seconds: two years, so that all certificates of boards are renewed in time.
    private static let warningTime: Int64 = 730 * 86_400

    /// Whether a certificate was issued while this authority's clock was ahead. Nobody can use it yet, so it is not given again.
    static func isAhead(_ certificate: DeviceCertificate, _ now: Int64) -> Bool {
        certificate.validity.notBefore - clockTolerance > now
    }

    /// How much this authority's clock may be corrected without anybody's noticing, in seconds: an hour.
    static let clockTolerance: Int64 = 3_600

    /// What is odd about `now`, in Unix seconds, beside the certificate that was given last, as a sentence for the operator; `nil` if nothing is.
    package func doubt(of now: Int64) throws(RegistryError) -> String? {
        let bytes = try store.database.first("SELECT der FROM certificate ORDER BY sequence DESC LIMIT 1")?.blob
        guard let newest = bytes.flatMap({ try? DeviceCertificate(der: $0) }) else { return nil }
        let given = newest.validity.notBefore
        guard now < given - Self.clockTolerance || now > given + settings.lifetime else { return nil }
        let (here, there) = (UTCDay.text(time: UInt64(clamping: now)), UTCDay.text(time: UInt64(clamping: given)))
        return now < given
            ? "this clock says \(here), and the last certificate was given at \(there): one of both is wrong. Set the clock if it is this one; boards whose certificate is from the future get another one"
            : "this clock says \(here), and the last certificate was given at \(there), so long ago that no board can have waited: set the clock if it is wrong, or boards get certificates that nobody can use yet"
    }

    /// The boards by whose claim another key has asked, as sentences for the operator; those of boards that are revoked or retired are no news.
    package func copies() throws(RegistryError) -> [String] {
        var found: [String] = []
        try store.database.run(
            "SELECT board FROM used_claim JOIN board ON name = board WHERE state = ? ORDER BY board",
            [.integer(RegisteredBoard.State.enrolled.rawValue)]
        ) { row in
            guard let name = row[0].text else { return }
            found.append(
                "\(name) is enrolled, and somebody has asked with its claim and another key: a copy of its card is about, and nobody knows which of the two is enrolled, or the board was reset. `fleet list` says how often and when; `fleet revoke \(name)` and make it a new card, unless you know it was reset"
            )
        }
        return found
    }

    static func serial() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in .random(in: 0...255, using: &generator) }
    }

    /// Clocks differ by some minutes; a certificate of seconds, for tests, by less. Throws `authorityEnded`.
    func validity(_ now: Int64) throws(RegistryError) -> CertificateValidity {
        guard now <= authority.validity.notAfter else { throw RegistryError(.authorityEnded) }
        return CertificateValidity(
            notBefore: now - min(300, settings.lifetime / 10),
            notAfter: min(now + settings.lifetime, signer.certificate.validity.notAfter))
    }

    private func record(_ certificate: DeviceCertificate, of name: BoardName) throws(RegistryError) {
        try store.database.run(
            "INSERT INTO certificate VALUES (NULL, ?, ?, ?, ?, ?)",
            [
                .blob(certificate.serial), .text(name.text), .blob(certificate.key.subjectPublicKeyInfo),
                .blob(certificate.encoded), .integer(certificate.validity.notAfter),
            ])
    }
}
