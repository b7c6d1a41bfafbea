// SPDX-License-Identifier: Apache-2.0

extension Ledger {
    /// The maximum number of hours kept, those begun last: 15 days and as many again for clocks that jump. The number
    /// is this project's own.
    public static let maximumEvidenceHours = 720

    private static func name(_ hour: UInt32) -> [UInt8] { withUnsafeBytes(of: hour.littleEndian) { Array($0) } }

    /// Returns the hours with evidence from `first` to `last`, both inclusive and in hours since 1970, UTC, in time
    /// order; empty if there are none. Throws ``LedgerFailure`` when the database cannot be read.
    public func evidence(from first: UInt32, to last: UInt32) throws -> [EvidenceHour] {
        try rows(.evidence).compactMap { EvidenceHour($0.content) }
            .filter { $0.hour >= first && $0.hour <= last }
            .sorted { $0.hour < $1.hour }
    }

    static func isEvidence(_ row: Row, before day: UInt32) -> Bool {
        EvidenceHour(row.content).map { $0.hour / 24 < day } ?? true
    }

    func forgetEvidence(before day: UInt32) throws { try delete(.evidence) { Self.isEvidence($0, before: day) } }

    func record(_ evidence: EvidenceHour) throws {
        let known = try row(.evidence, Self.name(evidence.hour)).flatMap(EvidenceHour.init)
        var sum = known ?? EvidenceHour(hour: evidence.hour)
        sum.add(evidence)
        // In its place: one row is written instead of two pages.
        try put(.evidence, Self.name(evidence.hour), sum.bytes, keepsPlace: true)
        if known == nil { try trim(.evidence, to: Self.maximumEvidenceHours) }
    }
}

extension LedgerTransaction {
    /// Adds the counts of `evidence` to the stored counts of its hour. Throws ``LedgerFailure`` when the disk
    /// refuses.
    public func record(_ evidence: EvidenceHour) throws { try ledger.record(evidence) }
}
