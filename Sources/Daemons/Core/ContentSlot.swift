// SPDX-License-Identifier: Apache-2.0

import AppConfig
import ContentBundle
import Ledger
import Trust

/// The content that holds, as it was published. A value: stored before it is acted upon.
struct ContentSlot {
    /// Why an offer changes nothing.
    struct Refusal: Error {
        /// One stable word.
        let rule: String
        let reason: String
    }

    private(set) var document: [UInt8] = []
    private(set) var signatures: [UInt8] = []
    /// Of ``document``; 0 without one.
    private(set) var version: Int64 = 0

    /// Bytes of signatures that are looked at.
    static let mostSignatures = 4 << 10

    /// Takes a bundle if it is signed by a configuration key in force, free of faults, and newer; gives whether it was new. `time` is in
    /// Unix seconds, `nil` when unknown.
    mutating func offer(
        document: [UInt8], signatures: [UInt8], trust: TrustStore, time: Int64?
    ) throws(Refusal) -> Bool {
        guard document.count <= ContentBundle.maximumByteCount, signatures.count <= Self.mostSignatures else {
            throw Refusal(
                rule: "tooLarge",
                reason:
                    "The document may have \(ContentBundle.maximumByteCount) bytes and its signatures \(Self.mostSignatures)."
            )
        }
        guard SignedConfiguration.isSigned(exportBin: document, exportSig: signatures, trust: trust, time: time) else {
            throw Refusal(
                rule: "notSigned",
                reason:
                    "No key that may sign configurations signed the content. Provision the authority's key of role config.")
        }
        let bundle: ContentBundle
        do throws(ContentProblems) { bundle = try ContentBundle(parsing: document) } catch {
            throw Refusal(rule: "invalid", reason: "\(error)")
        }
        if document == self.document { return false }
        guard bundle.version >= version else {
            throw Refusal(
                rule: "older",
                reason:
                    "The content is older than the one in force: \(bundle.version), after \(version). Publish it with a higher version."
            )
        }
        guard bundle.version > version else {
            throw Refusal(
                rule: "contradiction",
                reason: "The content has the version of another one: \(version). Publish it with a higher version.")
        }
        (self.document, self.signatures, version) = (document, signatures, bundle.version)
        return true
    }

    // MARK: Storage

    private static let stored = StoredDocument(parts: ["content.0", "content.1"])

    /// Reads and verifies what was kept; what cannot be used is said in the sentence that comes back, and is as if it had never been. Dates of
    /// validity of keys are not looked at: they limit what may be taken.
    static func load(_ ledger: Ledger, trust: TrustStore) -> (ContentSlot, finding: String?) {
        let kept: (document: [UInt8], signatures: [UInt8])?
        do { kept = try stored.load(ledger) } catch {
            return (ContentSlot(), "the stored content is damaged; fetch it again")
        }
        guard let kept else { return (ContentSlot(), nil) }
        var slot = ContentSlot()
        do throws(Refusal) {
            _ = try slot.offer(document: kept.document, signatures: kept.signatures, trust: trust, time: nil)
            return (slot, nil)
        } catch {
            return (ContentSlot(), "the stored content cannot be used: \(error.reason)")
        }
    }

    func store(_ transaction: LedgerTransaction) throws { try Self.stored.store(document, signatures, transaction) }
}
