// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import Interfaces
import Ledger
import RiskConfiguration
import Trust

/// What the core keeps about risk: the authority's rules, the last judgement, and what the person was told. In memory; what must last is in
/// the ledger.
struct RiskKeeper {
    /// Days judged, and how.
    struct Judgement {
        let finding: RiskFinding
        let version: Int64
        /// The UTC day it was made on.
        let day: UInt32
        let time: Int64
        /// Hours of the last 14 days in which the radio listened; `nil` for models that say something from the first minute on.
        let listenedHours: Int?
        /// What the person is to be told of days.
        let verdicts: RiskRecord.Verdicts

        var assessment: RiskAssessment { finding.assessment }
        /// Too early for a model of the first generation to call a risk low (spec cwa-protocols 7.1, 7.3).
        var isInitial: Bool { listenedHours.map { Int64($0) * 3_600 < RiskPrecondition.leastTracing } ?? false }
    }

    /// The rules; empty until the first are taken.
    var slot = RiskConfigurationSlot()
    var record = RiskRecord()
    var judgement: Judgement?
    /// Whether something has happened since that may change it.
    var isDue = true
    /// The longest a judgement has taken.
    var longest = Duration.zero

    /// The rules are longer than one setting may be.
    private static let parts = ["risk.rules.0", "risk.rules.1"]
    private static let partByteCount = 32_000

    /// Reads what was kept; what cannot be used is said in the sentence that comes back, and is as if it had never been.
    static func load(_ ledger: Ledger, trust: TrustStore) -> (RiskKeeper, finding: String?) {
        var keeper = RiskKeeper()
        if let bytes = try? ledger.setting(RiskRecord.setting), let record = RiskRecord(bytes) { keeper.record = record }
        let bytes = parts.flatMap { (try? ledger.setting($0)) ?? [] }
        guard !bytes.isEmpty else { return (keeper, nil) }
        do throws(RiskConfigurationError) {
            keeper.slot = try RiskConfigurationSlot(encoded: bytes, trust: trust)
            return (keeper, nil)
        } catch {
            return (keeper, "\(error)")
        }
    }

    static func store(_ slot: RiskConfigurationSlot, _ transaction: LedgerTransaction) throws {
        let bytes = slot.encoded
        for (index, name) in parts.enumerated() {
            let part = bytes.dropFirst(index * partByteCount).prefix(partByteCount)
            try transaction.set(name, part.isEmpty ? nil : Array(part))
        }
    }
}
