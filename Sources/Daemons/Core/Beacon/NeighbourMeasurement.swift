// SPDX-License-Identifier: Apache-2.0

import GAEN
import Interfaces

/// How loud the loudest sender near is, for a calibration at the console, and whether another one was as near. In memory only; what comes
/// out are numbers, and never who it was. Two identifiers are two senders here: nothing links them.
struct NeighbourMeasurement {
    static let seconds = 2...60
    /// 140 KB; whoever is measured lies one metre away and is heard in the first second.
    private static let mostSenders = 256
    /// Fewer receptions say nothing about another sender.
    private static let leastOfOthers = 5
    /// A sender that begins when another one has ended is probably the same one if it is about as strong, dB.
    private static let sameStrength = 6
    private static let noReading: Int8 = 127

    let end: Duration
    /// Scans begun for it.
    private(set) var scanCount = 0
    private var senders: [AdvertisingPayload: Sender] = [:]

    init(end: Duration) { self.end = end }

    func isRunning(at now: Duration) -> Bool { now < end }

    mutating func scanStarted(at now: Duration) { if isRunning(at: now) { scanCount += 1 } }

    mutating func add(_ payload: AdvertisingPayload, _ rssi: Int8, at moment: Duration) {
        guard rssi != Self.noReading, isRunning(at: moment), senders[payload] != nil || senders.count < Self.mostSenders
        else { return }
        senders[payload, default: Sender(first: moment)].add(rssi, at: moment)
    }

    /// What it has come to.
    func result(at now: Duration) -> Device1.Neighbours {
        let left = max(end - now, .zero).components
        var result = Device1.Neighbours(
            running: isRunning(at: now), secondsLeft: Int(left.seconds) + (left.attoseconds > 0 ? 1 : 0),
            scanCount: scanCount, count: 0, median: nil, lowerQuartile: nil, upperQuartile: nil, deviation: nil,
            otherCount: 0, otherMedian: nil, changed: false)
        // Who passes by for some seconds may be louder, and is not what lies there all the time.
        let most = senders.values.map(\.count).max() ?? 0
        guard let (name, loudest) = loudest({ $1.count * 2 >= most }) else { return result }
        result.count = loudest.count
        result.median = loudest.quantile(0.5)
        result.lowerQuartile = loudest.quantile(0.25)
        result.upperQuartile = loudest.quantile(0.75)
        result.deviation = loudest.deviation
        let others = senders.filter { $0.key != name && $0.value.count >= Self.leastOfOthers }
        if let (_, other) = self.loudest({ others[$0] != nil && $1.overlaps(loudest) }) {
            result.otherCount = other.count
            result.otherMedian = other.quantile(0.5)
        }
        result.changed = others.values.contains {
            !$0.overlaps(loudest) && abs($0.quantile(0.5) - loudest.quantile(0.5)) <= Self.sameStrength
        }
        return result
    }

    private func loudest(_ counts: (AdvertisingPayload, Sender) -> Bool) -> (key: AdvertisingPayload, value: Sender)? {
        senders.filter(counts).map { (key: $0.key, value: $0.value, median: $0.value.quantile(0.5)) }
            .max { ($0.median, $0.value.count) < ($1.median, $1.value.count) }.map { ($0.key, $0.value) }
    }

    /// The strengths of one sender.
    private struct Sender {
        let first: Duration
        private(set) var last: Duration
        private(set) var count = 0
        /// How often each strength was heard, from -128 up.
        private var counts = [UInt16](repeating: 0, count: 256)

        init(first: Duration) {
            self.first = first
            last = first
        }

        mutating func add(_ rssi: Int8, at moment: Duration) {
            let place = Int(rssi) + 128
            last = max(last, moment)
            guard counts[place] < .max else { return }
            counts[place] += 1
            count += 1
        }

        func overlaps(_ other: Sender) -> Bool { first <= other.last && other.first <= last }

        /// The reading below which that part of the others lies, dBm.
        func quantile(_ part: Double) -> Int {
            var rest = Int(Double(count - 1) * part)
            for (index, count) in counts.enumerated() {
                if rest < Int(count) { return index - 128 }
                rest -= Int(count)
            }
            return 127
        }

        /// The median of the distances from the median, dB.
        var deviation: Int {
            let middle = quantile(0.5) + 128
            var rest = (count - 1) / 2
            for distance in counts.indices {
                let places = distance == 0 ? [middle] : [middle - distance, middle + distance]
                for place in places where counts.indices.contains(place) {
                    if rest < Int(counts[place]) { return distance }
                    rest -= Int(counts[place])
                }
            }
            return 255
        }
    }
}
