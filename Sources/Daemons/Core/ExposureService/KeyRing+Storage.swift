// SPDX-License-Identifier: Apache-2.0

import Ledger
import Trust

/// Where successions are kept: in settings of the ledger, by source and by whose numbers they use, so that nobody's take the room of another's.
/// A setting holds whole ones only.
extension KeyRing {
    private static let partByteCount = 32_000
    /// The operator's have more room: about 70 of the usual size; a role's own about 18.
    private static func mostParts(_ signer: KeyRole) -> Int { signer == .operator ? 4 : 1 }

    private static func setting(_ source: String, _ signer: KeyRole, _ part: Int) -> String {
        "succession.\(source).\(signer.rawValue).\(part)"
    }

    /// What was damaged last, for whoever wants to look at it.
    private static let asideSetting = "succession.aside"

    /// The settings' contents for entries of one source and signer; `nil` when they do not fit.
    static func parts(_ entries: [Entry]) -> [[UInt8]]? {
        guard let signer = entries.first?.signer else { return [] }
        var parts: [[UInt8]] = []
        for entry in entries {
            let bytes = encode(entry)
            if let last = parts.last, last.count + bytes.count <= partByteCount {
                parts[parts.count - 1] += bytes
            } else {
                parts.append(bytes)
            }
        }
        return parts.count <= mostParts(signer) && parts.allSatisfy({ $0.count <= partByteCount }) ? parts : nil
    }

    /// Writes what belongs to the last entry's source and signer. A file that moved there from another signer's is gone from its old place.
    func store(_ transaction: LedgerTransaction) throws {
        guard let last = entries.last else { return }
        for signer in KeyRole.allCases {
            let parts = Self.parts(entries.filter { $0.source == last.source && $0.signer == signer }) ?? []
            for part in 0..<Self.mostParts(signer) {
                try transaction.set(Self.setting(last.source, signer, part), part < parts.count ? parts[part] : nil)
            }
        }
    }

    /// Reads what was kept. What is damaged is set aside, and what cannot be verified is left alone; each is said in a sentence that comes back.
    static func load(
        _ ledger: Ledger, standard: TrustStore, _ sources: [AuthoritySource]
    ) -> (KeyRing, findings: [String]) {
        var ring = KeyRing(standard: standard, sources)
        var kept: [Entry] = []
        var findings: [String] = []
        for source in ring.stores.keys.sorted() {
            for signer in KeyRole.allCases {
                for part in 0..<mostParts(signer) {
                    let name = setting(source, signer, part)
                    guard let bytes = (try? ledger.setting(name)) ?? nil else { continue }
                    if let entries = decode(bytes, source, signer) {
                        kept += entries
                    } else {
                        findings.append("kept changes of keys are damaged and set aside (\(name)): sync brings them again")
                        try? ledger.write {
                            try $0.set(asideSetting, bytes)
                            try $0.set(name, nil)
                        }
                    }
                }
            }
        }
        findings += ring.replay(kept).map { "a kept change of keys does not count: \($0)" }
        return (ring, findings)
    }

    // MARK: Form

    // order (4), whether there is a time (1), time (8), bytes (2), the file; little-endian.
    private static func encode(_ entry: Entry) -> [UInt8] {
        little(UInt64(entry.order), 4) + [entry.time == nil ? 0 : 1]
            + little(UInt64(bitPattern: entry.time ?? 0), 8) + little(UInt64(entry.file.count), 2) + entry.file
    }

    private static func decode(_ bytes: [UInt8], _ source: String, _ signer: KeyRole) -> [Entry]? {
        var rest = bytes[...]
        var entries: [Entry] = []
        func number(_ count: Int) -> UInt64 {
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        while !rest.isEmpty {
            guard rest.count >= 15 else { return nil }
            let order = UInt32(truncatingIfNeeded: number(4)), hasTime = number(1)
            let time = Int64(bitPattern: number(8)), count = Int(number(2))
            guard hasTime <= 1, count <= rest.count else { return nil }
            entries.append(
                Entry(
                    order: order, time: hasTime == 1 ? time : nil, source: source, signer: signer,
                    file: Array(rest.prefix(count))))
            rest = rest.dropFirst(count)
        }
        return entries
    }

    private static func little(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }
}
