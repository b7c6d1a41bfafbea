// SPDX-License-Identifier: Apache-2.0

import Ledger

/// A signed document with its signatures, in as many settings of the ledger as it needs: a document is longer than one setting may be.
struct StoredDocument {
    /// The names of the settings, which say how much room there is.
    let parts: [String]
    private static let partByteCount = 32_000

    /// What is kept; `nil` if there is nothing. Throws ``Damage`` if it is not whole.
    func load(_ ledger: Ledger) throws(Damage) -> (document: [UInt8], signatures: [UInt8])? {
        let bytes = parts.flatMap { (try? ledger.setting($0)) ?? [] }
        guard !bytes.isEmpty else { return nil }
        guard bytes.count >= 4 else { throw Damage() }
        let count = Int(bytes[..<4].reversed().reduce(0) { $0 << 8 | UInt32($1) })
        guard count <= bytes.count - 4 else { throw Damage() }
        return (Array(bytes[4..<(4 + count)]), Array(bytes[(4 + count)...]))
    }

    /// What is kept cannot be read.
    struct Damage: Error {}

    /// Keeps a document, in place of the one before. It must fit.
    func store(_ document: [UInt8], _ signatures: [UInt8], _ transaction: LedgerTransaction) throws {
        let count = UInt32(document.count)
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } + document + signatures
        precondition(bytes.count <= parts.count * Self.partByteCount)
        for (index, name) in parts.enumerated() {
            let part = bytes.dropFirst(index * Self.partByteCount).prefix(Self.partByteCount)
            try transaction.set(name, part.isEmpty ? nil : Array(part))
        }
    }
}
