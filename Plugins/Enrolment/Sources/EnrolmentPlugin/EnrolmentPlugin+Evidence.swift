// SPDX-License-Identifier: Apache-2.0

import BoardEnrolment
import Cryptography
import Enrolment
import Interfaces
import Logging
import PluginKit

/// The key by which the core signs evidence for donation tokens (docs/donation.md): the core makes a request of it, this plugin carries it. A board without
/// donations has none, and says nothing of it.
extension EnrolmentPlugin {
    /// The value of the plugin's store that says which key was entered, and by which card.
    static let evidenceKey = "evidence"

    /// Enters the core's key, unless that was done; then rests for so many seconds, less if it is to be tried again.
    func enterEvidenceKey(_ order: EnrolmentOrder, _ now: Int64, rest seconds: Int64) {
        host.call(Donation1.Method.getEnrolmentRequest, as: Donation1.EnrolmentRequestReply.self, timeout: Self.patience) {
            [unowned self] reply in
            // Without the grant the fleet wants no such list.
            guard case .success(let reply) = reply, let text = reply.request,
                let request = Base64.bytes(text).flatMap({ try? EvidenceKeyRequest(der: $0) })
            else { return rest(for: seconds) }
            let mark = Self.mark(request, order)
            guard store.value(Self.evidenceKey) as String? != mark else { return rest(for: seconds) }
            send(request, mark, order, now, rest: seconds)
        }
    }

    private func send(
        _ request: EvidenceKeyRequest, _ mark: String, _ order: EnrolmentOrder, _ now: Int64, rest seconds: Int64
    ) {
        guard let (open, carrier) = try? means(order) else { return rest(for: seconds) }
        host.work { _ -> EnrolmentError? in
            do throws(EnrolmentError) {
                try open().enter(request, now: now, carrier: carrier)
                return nil
            } catch { return error }
        } then: { [unowned self] result in
            guard !host.isStopping, case .success(let error) = result else { return rest(for: seconds) }
            if let error {
                host.log.warning("its key for evidence is not entered: \(error)")
                let wait = EnrolmentPace.wait(after: error, failures: 7, name: order.name)
                return rest(for: min(seconds, wait))
            }
            do { try store.set(mark, for: Self.evidenceKey) } catch {
                host.log.warning("that the key for evidence is entered cannot be stored: \(error)")
            }
            host.log.notice("its key for evidence is entered")
            rest(for: seconds)
        }
    }

    /// Another key of the core's, after a reset, is entered anew, and so is the same one with a new card or at another server.
    private static func mark(_ request: EvidenceKeyRequest, _ order: EnrolmentOrder) -> String {
        Hex.string(
            SHA256.digest(
                of: request.key.subjectPublicKeyInfo + Array("\(order.claimDigest) \(order.address)".utf8)))
    }
}
