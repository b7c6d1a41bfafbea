// SPDX-License-Identifier: Apache-2.0

import HCI
import RandomValues
import Testing

private typealias Status = AdvertisingEventType.DataStatus

private func fragment(
    _ status: Status, _ data: [UInt8], from address: UInt64 = 1, set: UInt8? = 1, rssi: Int8? = -70,
    type: AdvertisingEventType = []
) -> AdvertisingReport {
    AdvertisingReport(
        eventType: AdvertisingEventType(rawValue: type.rawValue | UInt16(status.rawValue) << 5),
        address: BluetoothAddress(value: address, type: .random), rssi: rssi, data: data,
        extended: .init(setIdentifier: set))
}

@Suite struct ExtendedReportAssemblerTests {
    @Test func wholeReportsPassUnchanged() throws {
        var assembler = ExtendedReportAssembler()
        let legacy = AdvertisingReport(
            eventType: [.legacy], address: BluetoothAddress(value: 9, type: .random), rssi: nil, data: Samples.iPhone)
        #expect(assembler.push(legacy) == legacy)
        #expect(assembler.push(fragment(.complete, [1])) == fragment(.complete, [1]))
        // Also while something else is unfinished.
        #expect(assembler.push(fragment(.moreToCome, [1], from: 2)) == nil)
        #expect(assembler.push(legacy) == legacy)
        #expect(assembler.push(fragment(.complete, [1])) == fragment(.complete, [1]))
        #expect(assembler.pendingCount == 1)
    }

    @Test(arguments: 1...20)
    func anyCutsGiveTheSameData(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let data = generator.bytes(Int.random(in: 0...1650, using: &generator))
        var assembler = ExtendedReportAssembler()
        var start = 0
        var result: AdvertisingReport?
        while result == nil {
            let end = min(start + Int.random(in: 0...229, using: &generator), data.count)
            let status: Status = end == data.count ? .complete : .moreToCome
            result = assembler.push(fragment(status, Array(data[start..<end])))
            start = end
        }
        #expect(result == fragment(.complete, data))
        #expect(assembler.pendingCount == 0)
        #expect(assembler.pendingByteCount == 0)
    }

    @Test func interleavedAdvertisersAreKeptApart() {
        var assembler = ExtendedReportAssembler()
        let kinds: [(UInt64, UInt8?, AdvertisingEventType)] = [
            (1, 1, []), (1, 2, []), (1, nil, []), (2, 1, []), (1, 1, [.scannable, .scanResponse]),
        ]
        for (index, (address, set, type)) in kinds.enumerated() {
            #expect(assembler.push(fragment(.moreToCome, [UInt8(index)], from: address, set: set, type: type)) == nil)
        }
        #expect(assembler.pendingCount == 5)
        for (index, (address, set, type)) in kinds.enumerated().reversed() {
            let whole = assembler.push(fragment(.complete, [99], from: address, set: set, type: type))
            #expect(whole?.data == [UInt8(index), 99])
        }
        #expect(assembler.pendingCount == 0)
    }

    @Test func theLatestMeasurementCounts() {
        var assembler = ExtendedReportAssembler()
        #expect(assembler.push(fragment(.moreToCome, [1], rssi: -80)) == nil)
        #expect(assembler.push(fragment(.moreToCome, [2], rssi: -60)) == nil)
        #expect(assembler.push(fragment(.complete, [3], rssi: nil))?.rssi == -60)
    }

    @Test(arguments: [AdvertisingEventType.DataStatus.truncated, .reserved])
    func truncatedDataSaysSo(_ status: AdvertisingEventType.DataStatus) {
        var assembler = ExtendedReportAssembler()
        #expect(assembler.push(fragment(.moreToCome, [1])) == nil)
        #expect(assembler.push(fragment(status, [2])) == fragment(.truncated, [1, 2]))
        #expect(assembler.push(fragment(status, [3])) == fragment(.truncated, [3]))
        #expect(assembler.truncatedCount == 2)
        #expect(assembler.pendingCount == 0)
    }

    @Test func oversizedAdvertisementsAreThrownAwayToTheirEnd() {
        var assembler = ExtendedReportAssembler()
        let piece = [UInt8](repeating: 7, count: 229)
        for _ in 0..<30 {
            #expect(assembler.push(fragment(.moreToCome, piece)) == nil)
            #expect(assembler.pendingByteCount <= 1650)
        }
        #expect(assembler.push(fragment(.complete, [1])) == nil)
        #expect(assembler.oversizedCount == 1)
        #expect(assembler.pendingCount == 0)
        // The next one is a fresh start.
        #expect(assembler.push(fragment(.moreToCome, [1])) == nil)
        #expect(assembler.push(fragment(.complete, [2]))?.data == [1, 2])
    }

    @Test func exactly1650BytesAreWhole() {
        var assembler = ExtendedReportAssembler()
        for _ in 0..<10 { #expect(assembler.push(fragment(.moreToCome, [UInt8](repeating: 7, count: 150))) == nil) }
        #expect(assembler.push(fragment(.complete, [UInt8](repeating: 7, count: 150)))?.data.count == 1650)
        for _ in 0..<11 { #expect(assembler.push(fragment(.moreToCome, [UInt8](repeating: 7, count: 150))) == nil) }
        #expect(assembler.push(fragment(.complete, [7])) == nil)
        #expect(assembler.oversizedCount == 1)
    }

    @Test func theOneThatWaitedLongestMakesRoom() {
        var assembler = ExtendedReportAssembler(capacity: 3)
        for address: UInt64 in 1...3 { #expect(assembler.push(fragment(.moreToCome, [1], from: address)) == nil) }
        #expect(assembler.push(fragment(.moreToCome, [2], from: 1)) == nil)  // 2 is the oldest now
        #expect(assembler.push(fragment(.moreToCome, [1], from: 4)) == nil)
        #expect(assembler.droppedCount == 1)
        #expect(assembler.pendingCount == 3)
        #expect(assembler.push(fragment(.complete, [3], from: 1))?.data == [1, 2, 3])
        #expect(assembler.push(fragment(.complete, [3], from: 3))?.data == [1, 3])
        #expect(assembler.push(fragment(.complete, [3], from: 4))?.data == [1, 3])
        // As documented: of the one that was dropped, the tail looks whole.
        #expect(assembler.push(fragment(.complete, [3], from: 2))?.data == [3])
    }

    @Test(arguments: [-1, 0, 1, 8, 64])
    func memoryIsBoundedWhateverComes(_ capacity: Int) {
        var generator = SeededGenerator(seed: 21)
        var assembler = ExtendedReportAssembler(capacity: capacity)
        let limit = max(capacity, 1)
        for round in 0..<5_000 {
            let status: Status = round % 10 == 0 ? .complete : .moreToCome
            let report = fragment(
                status, generator.bytes(Int.random(in: 0...229, using: &generator)),
                from: .random(in: 0...200, using: &generator),
                set: .random(in: 0...15, using: &generator))
            if let whole = assembler.push(report) { #expect(whole.data.count <= 1650) }
            #expect(assembler.pendingCount <= limit)
        }
        #expect(assembler.pendingByteCount <= limit * 1650)
        #expect(assembler.droppedCount > 1_000)
        assembler.discardPending()
        #expect(assembler.pendingCount == 0)
    }

    @Test func fragmentsFromTheWire() throws {
        var assembler = ExtendedReportAssembler()
        var whole: [AdvertisingReport] = []
        let data = (0..<600).map { UInt8(truncatingIfNeeded: $0) }
        for (status, range) in [(UInt16(1), 0..<229), (1, 229..<458), (0, 458..<600)] {
            let bytes = Wire.extendedReports([Wire.extendedReport(type: status << 5, data: Array(data[range]))])
            guard case .advertisingReports(let reports) = try parse(bytes) else { continue }
            whole += reports.compactMap { assembler.push($0) }
        }
        #expect(whole.map(\.data) == [data])
    }
}
