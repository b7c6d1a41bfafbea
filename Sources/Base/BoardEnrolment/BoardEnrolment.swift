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
        files = EnrolmentFiles(folder: folder, claim: claim)
        try files.bind(order.name)
        if let found = try files.readClaim(), found.digest != order.claimDigest { throw EnrolmentError(.otherBoard) }
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
        let (claim, key, stored) = (try files.readClaim(), try files.readKey(), try files.readCertificate())
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
                "simplereenroll", key, carrier, identity: .init(certificate: files.certificate, key: files.key))
            let certificate = try answer.certificate(for: order.name, key: key.verificationKey, now: now)
            // Before its time a server sends the last one again.
            guard certificate != stored.certificate else { return .enrolled(until: now + 86_400) }
            try files.store(.init(certificate, claimDigest: stored.claimDigest))
        case .rest(let until): return .enrolled(until: until)
        }
        return nil
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
