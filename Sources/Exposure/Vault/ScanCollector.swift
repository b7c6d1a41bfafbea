// SPDX-License-Identifier: Apache-2.0

public import GAEN

/// Collects the packets of one scan into a ``ScanRecord``. It has no thread of its own; the owner of the radio uses
/// it.
///
/// Its size is bounded whatever is sent: when there are more senders than a record holds, a louder sender replaces
/// the quietest one, because near senders matter most. A packet costs O(log n).
///
/// Of a sender with more than 16 packets an even sample is collected: every second, fourth, … packet, 9 to 16 of
/// them, so that all parts of the scan count alike. At the end the strongest of all packets is added, and readings
/// are removed one by one, down to six, as long as that brings the mean of the sample nearer to the mean of all
/// packets. An exposure window needs the strongest packet, which is exact, and the mean, which is then right to a
/// fraction of a decibel.
public struct ScanCollector: Sendable {
    private struct Sender {
        var payload: AdvertisingPayload
        var offset: UInt8
        var readings: ScanRecord.Readings
        var strongest: Int8
        /// Of all its packets.
        var sum: Int
        var count = 1
        /// One packet of this many is kept.
        var stride = 1
        /// Where it is in the heap.
        var place: Int
    }

    /// "Not available" (Core Specification Vol 4 Part E 7.7.65.2).
    private static let noReading: Int8 = 127
    /// Readings that stay of an even sample at least.
    private static let leastSampleCount = 6

    private let capacity: Int
    private var senders: [Sender] = []
    private var numbers: [AdvertisingPayload: Int] = [:]
    /// Numbers of senders; the quietest is first, and none is quieter than the one above it.
    private var heap: [Int] = []

    /// The number of senders that were replaced plus the number of packets of senders that were not accepted, 0 or
    /// more; never less than the number of senders that are missing. 0 after
    /// ``finish(start:previousScan:profileRevision:)``.
    public private(set) var droppedCount = 0
    /// The number of senders collected so far, 0 to ``ScanRecord/maximumHeard``.
    public var count: Int { senders.count }

    /// Creates an empty collector with room for ``ScanRecord/maximumHeard`` senders.
    public init() { self.init(capacity: ScanRecord.maximumHeard) }

    init(capacity: Int) { self.capacity = capacity }

    /// Takes one packet. Packets with the same `payload` are of one sender. The first packet of a sender sets its
    /// offset; of further packets only `rssi` counts.
    ///
    /// - Parameters:
    ///   - rssi: The raw signal strength in dBm. A packet with 127, which means that the controller did not measure,
    ///     is left out.
    ///   - offset: The seconds since the scan began, 0 to 255.
    public mutating func add(payload: AdvertisingPayload, rssi: Int8, offset: UInt8) {
        guard rssi != Self.noReading else { return }
        if let number = numbers[payload] {
            add(rssi, to: number)
        } else if senders.count < capacity {
            numbers[payload] = senders.count
            heap.append(senders.count)
            senders.append(sender(payload, rssi, offset, place: heap.count - 1))
            rise(from: heap.count - 1)
        } else {
            droppedCount += 1
            guard let quietest = heap.first, senders[quietest].strongest < rssi else { return }
            numbers[senders[quietest].payload] = nil
            numbers[payload] = quietest
            senders[quietest] = sender(payload, rssi, offset, place: 0)
            sink(from: 0)
        }
    }

    /// Returns the record of the scan, with ``droppedCount`` (at most 65,535) as its `leftOut`, and empties the
    /// collector for the next scan. `start` and `previousScan` are in Unix seconds; `previousScan` is 0 when
    /// unknown, and `profileRevision` is as in ``ScanRecord/profileRevision``.
    public mutating func finish(start: UInt32, previousScan: UInt32, profileRevision: UInt16) -> ScanRecord {
        defer {
            senders.removeAll(keepingCapacity: true)
            numbers.removeAll(keepingCapacity: true)
            heap.removeAll(keepingCapacity: true)
            droppedCount = 0
        }
        return ScanRecord(
            start: start, previousScan: previousScan, profileRevision: profileRevision,
            heard: senders.map {
                ScanRecord.Heard(payload: $0.payload, offset: $0.offset, readings: Self.sample($0))
            }, leftOut: UInt16(clamping: droppedCount))
    }

    private func sender(_ payload: AdvertisingPayload, _ rssi: Int8, _ offset: UInt8, place: Int) -> Sender {
        Sender(
            payload: payload, offset: offset, readings: ScanRecord.Readings(rssi), strongest: rssi, sum: Int(rssi),
            place: place)
    }

    private mutating func add(_ rssi: Int8, to number: Int) {
        if senders[number].count.isMultiple(of: senders[number].stride) {
            if senders[number].readings.count == ScanRecord.Readings.maximumCount {
                senders[number].readings.halve()
                senders[number].stride *= 2
            }
            // The sixteenth place is always an even one, so this packet is one of those that stay.
            senders[number].readings.append(rssi)
        }
        senders[number].count += 1
        senders[number].sum += Int(rssi)
        if rssi > senders[number].strongest {
            senders[number].strongest = rssi
            sink(from: senders[number].place)
        }
    }

    /// The strongest of all packets and, of the even sample, what leaves the mean of all packets.
    private static func sample(_ sender: Sender) -> ScanRecord.Readings {
        guard sender.count > sender.readings.count else { return sender.readings }
        var values = Array(sender.readings)
        // Last, and so never the one to go.
        if let place = values.firstIndex(of: sender.strongest) { values.remove(at: place) }
        values.append(sender.strongest)
        var sum = values.reduce(0) { $0 + Int($1) }
        func error(_ sum: Int, _ count: Int) -> Double {
            abs(Double(sum) / Double(count) - Double(sender.sum) / Double(sender.count))
        }
        while values.count > leastSampleCount {
            let errors = values.dropLast().map { error(sum - Int($0), values.count - 1) }
            guard let place = errors.indices.min(by: { errors[$0] < errors[$1] }),
                values.count > ScanRecord.Readings.maximumCount || errors[place] < error(sum, values.count)
            else { break }
            sum -= Int(values.remove(at: place))
        }
        return ScanRecord.Readings(values) ?? ScanRecord.Readings(sender.strongest)
    }

    private mutating func rise(from place: Int) {
        var place = place
        while place > 0, isQuieter(place, (place - 1) / 2) {
            swap(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func sink(from place: Int) {
        var place = place
        while true {
            var quietest = place
            for child in (2 * place + 1)...(2 * place + 2) where child < heap.count && isQuieter(child, quietest) {
                quietest = child
            }
            if quietest == place { return }
            swap(place, quietest)
            place = quietest
        }
    }

    private func isQuieter(_ left: Int, _ right: Int) -> Bool {
        senders[heap[left]].strongest < senders[heap[right]].strongest
    }

    private mutating func swap(_ left: Int, _ right: Int) {
        heap.swapAt(left, right)
        senders[heap[left]].place = left
        senders[heap[right]].place = right
    }
}
