// SPDX-License-Identifier: Apache-2.0

package import Cryptography
package import Enrolment
import SystemCalls

/// A board's enrolment on its disk: finds what is there, does the next step, and so on. It may stop at any instruction, and is then made anew. Used by
/// one thread; blocks as long as its carrier does.
package struct BoardEnrolment {
    /// What there is to wait for.
    package enum Outcome: Sendable, Hashable {
        /// Nobody has told the board the time.
        case waitsForTime
        /// The board is enrolled, and has nothing to do until this moment in Unix seconds.
        case enrolled(until: Int64)
    }

    private let order: EnrolmentOrder
    private let files: EnrolmentFiles

    /// Checks a card.
    ///
    /// - Parameters:
    ///   - card: The folder with `device.json` and `device.sig`.
    ///   - claim: The file of the claim, which need not be there any more.
    ///   - folder: Where the board keeps what it gets; made if it is not there, but the folder above must be.
    ///   - operatorKey: The key that signs device files.
    /// Throws the codes of ``EnrolmentOrder/init(file:signature:operatorKey:)``, `otherBoard` also for a claim that is not the one of the
    /// device file, and `storage`.
    package init(
        card: String, claim: String, folder: String, operatorKey: P256.VerificationKey
    ) throws(EnrolmentError) {
        func read(_ name: String, _ limit: Int) -> [UInt8] {
            (try? WholeFile.read("\(card)/\(name)", limit: limit, .ordinary)) ?? []
        }
        order = try EnrolmentOrder(
            file: read("device.json", EnrolmentOrder.maximumByteCount), signature: read("device.sig", 256),
            operatorKey: operatorKey)
        files = EnrolmentFiles(folder: folder, claim: claim, seal: nil)
        try files.bind(order.name)
        if let found = try files.readClaim(), found.digest != order.claimDigest { throw EnrolmentError(.otherBoard) }
    }

    /// Takes what a card says of enrolment from whoever has read it.
    ///
    /// - Parameters:
    ///   - order: What the card says.
    ///   - claim: The file of the claim, which need not be there any more.
    ///   - folder: Where the board keeps what it gets; made if it is not there, but the folder above must be.
    ///   - seal: The key of 32 bytes by which the board's own key is sealed on the disk; `nil` to keep it in the clear.
    /// Throws `otherBoard` for a claim that is not the order's, or when another board has begun here, and `storage`.
    package init(order: EnrolmentOrder, claim: String, folder: String, seal: SecretBytes?) throws(EnrolmentError) {
        self.order = order
        files = EnrolmentFiles(folder: folder, claim: claim, seal: seal)
        try files.bind(order.name)
        if let found = try files.readClaim(), found.digest != order.claimDigest { throw EnrolmentError(.otherBoard) }
    }

    /// The certificate that the board has; `nil` if it has none. Throws `storage`.
    package func certificate() throws(EnrolmentError) -> DeviceCertificate? { try files.readCertificate()?.certificate }

    /// What the board shows in TLS: certificate and key, if they belong together; `nil` before it is enrolled. Throws `storage`.
    package func identity() throws(EnrolmentError) -> ESTRequest.Identity? {
        guard let key = try files.readKey(), let stored = try files.readCertificate(),
            stored.certificate.key == key.verificationKey
        else { return nil }
        return .init(certificate: stored.certificate, key: Self.pem(key))
    }

    private static func pem(_ key: P256.SigningKey) -> SecretBytes {
        // Without the NUL at its end.
        key.withEncoded { SecretBytes(copying: $0[..<($0.firstIndex(of: 0) ?? $0.endIndex)]) }
    }

    /// Does steps until there is something to wait for. `now` is in Unix seconds, `nil` as long as the time cannot be trusted.
    ///
    /// Throws what keeps the board from it: what was stored before stays as it is, and the same call may be made later
    /// (``EnrolmentError/isTemporary``, ``EnrolmentError/retryAfter``).
    package func run(now: Int64?, carrier: some EnrolmentCarrier) throws(EnrolmentError) -> Outcome {
        // Key, certificate, claim, and perhaps a renewal: more steps than these would be a circle.
        for _ in 0..<6 { if let outcome = try step(now: now, carrier: carrier) { return outcome } }
        throw EnrolmentError(.notValidNow, "a new certificate is as old as the last")
    }

    /// Does the next step; `nil` when there may be another.
    package func step(now: Int64?, carrier: some EnrolmentCarrier) throws(EnrolmentError) -> Outcome? {
        let (claim, stored) = (try files.readClaim(), try files.readCertificate())
        // A new card enrols anew, so it may have a new key. Without one the key is the board, and nothing is put in its place.
        if let claim, claim.digest != stored?.claimDigest, case .unusable = try files.findKey() { try files.setKeyAside() }
        let key = try files.readKey()
        let state = EnrolmentState(
            name: order.name, claimDigest: claim?.digest, key: key?.verificationKey, stored: stored, now: now)
        switch try state.next() {
        case .makeKey: try files.makeKey()
        case .waitForTime: return .waitsForTime
        case .enrol:
            guard let key, let claim, let now else { throw EnrolmentError(.noClaim) }
            let answer = try ask("simpleenroll", key, carrier, authorization: claim.authorization(order.name))
            let certificate = try answer.certificate(for: order.name, key: key.verificationKey, now: now)
            try files.store(.init(certificate, claimDigest: claim.digest))
        case .eraseClaim: try files.eraseClaim()
        case .renew:
            guard let key, let stored, let now else { throw EnrolmentError(.noClaim) }
            let answer = try ask(
                "simplereenroll", key, carrier, identity: .init(certificate: stored.certificate, key: Self.pem(key)))
            let certificate = try answer.certificate(for: order.name, key: key.verificationKey, now: now)
            // Before its time a server sends the last one again.
            guard certificate != stored.certificate else { return .enrolled(until: now + 86_400) }
            try files.store(.init(certificate, claimDigest: stored.claimDigest))
        case .rest(let until): return .enrolled(until: until)
        }
        return nil
    }

    /// Enters the key by which the core signs evidence, by the board's own certificate: an EST server of ours has the label `evidence` for that. What the
    /// server answers is a certificate for that key, which nobody needs. `now` is in Unix seconds.
    ///
    /// Throws `noClaim` before the board is enrolled; `badRequest` also if the server knows no such label (404). Nothing is stored.
    package func enter(
        _ request: EvidenceKeyRequest, now: Int64, carrier: some EnrolmentCarrier
    ) throws(EnrolmentError) {
        guard let identity = try identity() else { throw EnrolmentError(.noClaim, "the board is not enrolled") }
        let answer = try carrier.carry(
            ESTRequest(
                address: "\(order.address)/evidence/simpleenroll", authorization: nil,
                body: Array(ESTText.encoded(request.encoded).utf8), anchor: order.anchor, identity: identity))
        _ = try answer.certificate(for: order.name, key: request.key, now: now)
    }

    private func ask(
        _ operation: String, _ key: P256.SigningKey, _ carrier: some EnrolmentCarrier, authorization: String? = nil,
        identity: ESTRequest.Identity? = nil
    ) throws(EnrolmentError) -> ESTAnswer {
        let request = try CertificateRequest(order.name, key: key)
        return try carrier.carry(
            ESTRequest(
                address: "\(order.address)/\(operation)", authorization: authorization,
                body: Array(ESTText.encoded(request.encoded).utf8), anchor: order.anchor, identity: identity))
    }
}
