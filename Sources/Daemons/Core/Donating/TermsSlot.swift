// SPDX-License-Identifier: Apache-2.0

import AppConfig
import Donation
import Ledger
import Trust

/// The signed document about donations that holds, as it was published. A value: stored before it is acted upon.
struct TermsSlot {
    /// What the document says; `nil` without one.
    private(set) var terms: DonationTerms?
    private var document: [UInt8] = []
    private var signatures: [UInt8] = []

    /// What people compare to see that they have the same document; `nil` without one.
    var fingerprint: String? { terms == nil ? nil : DonationTerms.fingerprint(of: document) }

    /// Bytes of signatures that are looked at.
    static let mostSignatures = 4 << 10
    private static let stored = StoredDocument(parts: ["donation.terms.0", "donation.terms.1", "donation.terms.2"])

    /// The highest version that was ever taken: an older document is refused although the one after it cannot be read any more.
    private var highest: Int64 = 0
    private static let highestSetting = "donation.terms.version"

    /// Takes a document if it is signed by a configuration key in force, free of faults, and newer. Returns whether it was new. `time` is in Unix seconds,
    /// `nil` when unknown. Throws ``Refusal`` otherwise.
    mutating func offer(
        document: [UInt8], signatures: [UInt8], trust: TrustStore, time: Int64?
    ) throws(Refusal) -> Bool {
        guard document.count <= DonationTerms.maximumByteCount, signatures.count <= Self.mostSignatures else {
            throw .termsRefused("tooLarge", "The document or its signatures are too long.")
        }
        guard SignedConfiguration.isSigned(exportBin: document, exportSig: signatures, trust: trust, time: time) else {
            throw .termsRefused(
                "notSigned",
                "No key that may sign configurations signed the document. Provision the authority's key of role config.")
        }
        guard let offered = DonationTerms(decoding: document) else {
            throw .termsRefused("invalid", "The document is not one about donations, or a part of it is out of range.")
        }
        if document == self.document { return false }
        guard offered.version >= highest, offered.version != terms?.version else {
            throw .termsRefused(
                offered.version == highest ? "contradiction" : "older",
                "The document has version \(offered.version), and there was one with \(highest). Publish it with a higher one."
            )
        }
        (terms, self.document, self.signatures, highest) = (offered, document, signatures, offered.version)
        return true
    }

    /// Reads and verifies what was kept; what cannot be used is as if it had never been, and is said in the sentence that comes back.
    static func load(_ ledger: Ledger, trust: TrustStore) -> (TermsSlot, finding: String?) {
        var slot = TermsSlot()
        slot.highest = ((try? ledger.setting(highestSetting)) ?? nil).flatMap { Int64(bytes: $0) } ?? 0
        let empty = slot
        do {
            guard let kept = try stored.load(ledger) else { return (slot, nil) }
            _ = try slot.offer(document: kept.document, signatures: kept.signatures, trust: trust, time: nil)
            return (slot, nil)
        } catch { return (empty, "the stored document about donations cannot be used: \(error)") }
    }

    func store(_ transaction: LedgerTransaction) throws {
        try Self.stored.store(document, signatures, transaction)
        try transaction.set(Self.highestSetting, highest.bytes)
    }
}
