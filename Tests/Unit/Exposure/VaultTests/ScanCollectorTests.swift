// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Glibc
import RandomValues
import Testing

@testable import Vault

@Suite struct ScanCollectorTests {
    private func payload(_ number: UInt64) -> AdvertisingPayload {
        AdvertisingPayload(
            identifier: RollingProximityIdentifier(Block(low: number, high: number)),
            metadata: AssociatedEncryptedMetadata(word: 7))
    }

    private func finish(_ collector: inout ScanCollector) -> ScanRecord {
        collector.finish(start: 1_700_000_000, previousScan: 1_699_999_750, profileRevision: 3)
    }

    @Test func packetsOfASenderAreGathered() {
        var collector = ScanCollector()
        for offset in 0..<8 as Range<UInt8> {
            collector.add(payload: payload(1), rssi: -70 - Int8(offset), offset: offset)
            collector.add(payload: payload(2), rssi: -60, offset: offset + 1)
            collector.add(payload: payload(3), rssi: 127, offset: offset)
        }
        let record = finish(&collector)
        #expect(record.heard.map(\.payload) == [payload(1), payload(2)])
        #expect(record.heard.map(\.offset) == [0, 1])
        #expect(record.heard.map { Array($0.readings) } == [(0..<8).map { -70 - $0 }, [Int8](repeating: -60, count: 8)])
        #expect(record.leftOut == 0)
        #expect(record.previousScan == 1_699_999_750)
        #expect(finish(&collector).isEmpty)
    }

    @Test func theSampleHasTheStrongestAndOnlyWhatWasHeard() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            let values = (0..<Int.random(in: 1...300, using: &generator)).map { _ in
                Int8.random(in: -95 ... -55, using: &generator)
            }
            var collector = ScanCollector()
            for value in values { collector.add(payload: payload(1), rssi: value, offset: 0) }
            let readings = finish(&collector).heard[0].readings
            #expect(readings.max() == values.max())
            #expect(readings.count == values.count || (6...16).contains(readings.count) && values.count > 16)
            if values.count <= 16 { #expect(Array(readings) == values) }
            // Each is a reading there was.
            #expect(readings.allSatisfy(values.contains))
        }
    }

    @Test func samplesAreRight() {
        var generator = SeededGenerator(seed: 2)
        var error = 0.0
        var size = 0.0
        let rounds = 2_000
        for _ in 0..<rounds {
            // A signal as indoors: 12 dB of fading.
            let values = (0..<100).map { _ in Int8.random(in: -76 ... -64, using: &generator) }
            var collector = ScanCollector()
            for value in values { collector.add(payload: payload(1), rssi: value, offset: 0) }
            let readings = finish(&collector).heard[0].readings
            let difference =
                Double(readings.reduce(0) { $0 + Int($1) }) / Double(readings.count)
                - Double(values.reduce(0) { $0 + Int($1) }) / Double(values.count)
            error += difference
            size += abs(difference)
        }
        // Putting in the strongest must not make everything louder; 13 of 100 packets alone are 0.8 dB off.
        #expect(abs(error / Double(rounds)) < 0.05)
        #expect(size / Double(rounds) < 0.1)
    }

    @Test func theLoudestStayAndTheRestIsCounted() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<50 {
            var collector = ScanCollector(capacity: 20)
            // Loudness by number, all different, so that the answer is one only.
            let order = (0..<100).shuffled(using: &generator)
            for number in order { collector.add(payload: payload(UInt64(number)), rssi: Int8(number - 110), offset: 0) }
            #expect(collector.droppedCount == 80)
            let record = finish(&collector)
            #expect(Set(record.heard.map(\.payload)) == Set((80..<100).map { payload(UInt64($0)) }))
            #expect(record.leftOut == 80)
        }
    }

    /// Against a collector that looks at everything each time.
    @Test func itDoesWhatAPlainOneDoes() {
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<200 {
            var collector = ScanCollector(capacity: 8)
            var plain: [(payload: AdvertisingPayload, strongest: Int8)] = []
            for _ in 0..<400 {
                let number = UInt64.random(in: 0..<24, using: &generator)
                let rssi = Int8.random(in: -128...126, using: &generator)
                collector.add(payload: payload(number), rssi: rssi, offset: 1)
                if let index = plain.firstIndex(where: { $0.payload == payload(number) }) {
                    plain[index].strongest = max(plain[index].strongest, rssi)
                } else if plain.count < 8 {
                    plain.append((payload(number), rssi))
                } else if let least = plain.map(\.strongest).min(), least < rssi {
                    // Which of several equally quiet ones goes is the heap's affair.
                    let equal = plain.indices.filter { plain[$0].strongest == least }
                    guard equal.count == 1 else { break }
                    plain[equal[0]] = (payload(number), rssi)
                }
                #expect(collector.count == plain.count)
            }
            let record = finish(&collector)
            #expect(record.heard.count == 8)
        }
    }

    /// 200,000 senders that are each louder than the last: the worst there is. Quadratic work would take minutes.
    @Test func aFloodIsNoQuadraticWork() {
        var collector = ScanCollector()
        let start = threadTime()
        for number in 0..<200_000 as Range<UInt64> {
            collector.add(payload: payload(number), rssi: Int8(-100 + Int(number / 1_100)), offset: 1)
        }
        let elapsed = threadTime() - start
        #expect(collector.count == 1_024)
        #expect(collector.droppedCount == 200_000 - 1_024)
        #expect(elapsed < .seconds(30))
        #expect(finish(&collector).leftOut == .max)
    }
}

/// What this thread has had of a processor: other work on the machine does not count.
private func threadTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
