// SPDX-License-Identifier: Apache-2.0

import ContentBundle
import Cryptography
public import Interfaces
import Ledger
import Logging
public import TimeTrust

extension ExposureService {
    /// Takes content that an authority signed; document and signatures are in Base64. It is on disk before it takes effect;
    /// content with any fault changes nothing.
    ///
    /// - Throws: ``Refusal`` if it is not Base64, a signature or the document is not valid, it is older than the stored
    ///   content, or the disk refuses.
    public func takeContent(
        _ document: String, approvals: String, by caller: Caller, at now: BootInstant
    ) throws(Refusal) -> Content1.TakeContentReply {
        guard let document = Base64.bytes(document), let approvals = Base64.bytes(approvals) else {
            throw .contentRefused("notBase64", "The document or its signatures are not Base64.")
        }
        var slot = content
        let isNew: Bool
        do throws(ContentSlot.Refusal) {
            // The validity of keys is judged by what is certain; without that, as of always.
            isNew = try slot.offer(
                document: document, signatures: approvals, trust: trust, time: beacon.present(at: now).earliest?.seconds)
        } catch {
            throw .contentRefused(error.rule, error.reason)
        }
        guard isNew else { return Content1.TakeContentReply(version: slot.version, changed: false) }
        try ledger.record {
            try slot.store($0)
            try $0.audit(auditWriter.entry(.contentTaken, caller, at: now, ["version": "\(slot.version)"]))
        }
        content = slot
        log.notice("the health authority's content was taken", metadata: ["version": "\(slot.version)"])
        return Content1.TakeContentReply(version: slot.version, changed: true)
    }

    /// Returns the content in force, as the authority's document and its version; version 0 and no document if none was
    /// taken. Cannot fail.
    public func presentContent() -> Content1.ContentReply {
        Content1.ContentReply(
            version: content.version,
            content: content.version > 0 ? String(decoding: content.document, as: UTF8.self) : nil)
    }
}
