// SPDX-License-Identifier: Apache-2.0

import GAEN

/// The health authority's mapping as it is kept, with when it was set. 18 bytes: version (1), compact form (8), report type when
/// missing (1), Unix seconds (8), little-endian.
struct StoredMapping: Equatable {
    static let setting = "mapping"
    /// Seven days between two changes (gaen-core section 6).
    static let pause: Int64 = 7 * 86_400

    var mapping: DiagnosisKeyMapping
    /// Unix seconds.
    var changed: Int64

    /// From when it may be changed, Unix seconds; `nil` if it may be at `now`.
    func changeableFrom(_ now: Int64) -> Int64? {
        let due = changed + Self.pause
        return due > now ? due : nil
    }

    /// The same as of `now`: a change that lies in the future was recorded under a wrong clock and binds no longer than one made now.
    func settled(at now: Int64) -> StoredMapping { StoredMapping(mapping, changed: min(changed, now)) }

    var bytes: [UInt8] {
        [1] + Self.little(mapping.compact) + [mapping.reportTypeWhenMissing.rawValue]
            + Self.little(UInt64(bitPattern: changed))
    }

    init(_ mapping: DiagnosisKeyMapping, changed: Int64) {
        self.mapping = mapping
        self.changed = changed
    }

    init?(_ bytes: [UInt8]) {
        guard bytes.count == 18, bytes[0] == 1, let type = ReportType(rawValue: bytes[9]),
            let mapping = DiagnosisKeyMapping(compact: Self.number(bytes[1..<9]), reportTypeWhenMissing: type)
        else { return nil }
        self.init(mapping, changed: Int64(bitPattern: Self.number(bytes[10..<18])))
    }

    private static func little(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
}
