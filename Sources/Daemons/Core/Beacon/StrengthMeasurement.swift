// SPDX-License-Identifier: Apache-2.0

import GAEN
import Interfaces

/// How the strongest sender sounds during some seconds, for a technician who puts a reference device beside the board. In memory only, and
/// what comes out is no more than three numbers.
struct StrengthMeasurement {
    /// Fewer say nothing about a median.
    static let leastCount = 30
    /// Half of the readings within more: somebody walked through, or the device was moved.
    static let mostSpread = 8
    /// A receiver that differs by more is broken, or the reference lies elsewhere.
    static let mostProposal = 30
    static let seconds = 10...120
    static let references = -90 ... -30
    /// Louder ones come soon enough: whoever is measured lies one metre away.
    private static let mostSenders = 64
    private static let noReading: Int8 = 127

    let end: Duration
    let reference: Int
    /// How often each strength was heard, from -128 up, by sender.
    private var senders: [AdvertisingPayload: [UInt16]] = [:]

    init(reference: Int, end: Duration) {
        self.reference = reference
        self.end = end
    }

    func isRunning(at now: Duration) -> Bool { now < end }

    mutating func add(_ payload: AdvertisingPayload, _ rssi: Int8, at moment: Duration) {
        guard rssi != Self.noReading, isRunning(at: moment), senders[payload] != nil || senders.count < Self.mostSenders
        else { return }
        senders[payload, default: [UInt16](repeating: 0, count: 256)][Int(rssi) + 128] &+= 1
    }

    /// What it has come to.
    func result(at now: Duration) -> Device1.Measurement {
        let left = max(end - now, .zero).components
        var result = Device1.Measurement(
            running: isRunning(at: now), secondsLeft: Int(left.seconds) + (left.attoseconds > 0 ? 1 : 0), count: 0,
            median: nil, spread: nil, proposal: nil)
        let all = senders.values.map(Figures.init)
        // One packet of a passer-by may be louder than all of the reference's.
        let enough = all.filter { $0.count >= Self.leastCount }
        let strongest = (enough.isEmpty ? all : enough).max { ($0.median, $0.count) < ($1.median, $1.count) }
        guard let strongest else { return result }
        result.count = strongest.count
        result.median = strongest.median
        result.spread = strongest.spread
        let proposal = reference - strongest.median
        if strongest.count >= Self.leastCount, strongest.spread <= Self.mostSpread, abs(proposal) <= Self.mostProposal {
            result.proposal = proposal
        }
        return result
    }

    /// Of one sender.
    private struct Figures {
        let count: Int
        let median: Int
        /// Between the quarters.
        let spread: Int

        init(_ counts: [UInt16]) {
            let total = counts.reduce(0) { $0 + Int($1) }
            func quantile(_ part: Double) -> Int {
                // The reading below which that part of the others lies.
                var rest = Int(Double(total - 1) * part)
                for (index, count) in counts.enumerated() {
                    if rest < Int(count) { return index - 128 }
                    rest -= Int(count)
                }
                return 127
            }
            count = total
            median = quantile(0.5)
            spread = quantile(0.75) - quantile(0.25)
        }
    }
}
