// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import Glibc
import JSON
import PluginKit
import PresenceTracing
import RandomValues
import Testing
import VenuePlan
import VenuePlugin

@Suite final class VenueStoreTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/vigil-diary-\(Unique.name())"
    private let seal = SecretBytes(copying: [UInt8](repeating: 7, count: 32))
    private let now: Int64 = 1_614_850_000

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func open(_ seal: SecretBytes? = nil, limit: Int = VenueStore.storeBytes) throws -> VenueStore {
        VenueStore(
            try KeyValueStore(folder: folder, limit: limit, seal: seal ?? self.seal),
            choice: try KeyValueStore(
                folder: folder, name: VenueStore.choiceName, seal: seal ?? self.seal,
                slotBytes: VenueStore.choiceSlotBytes))
    }

    private func ticket(_ name: String) throws -> VenueTicket {
        .coronaWarnApp(
            try TraceLocation(
                name: name, address: "Canary Street", kind: .permanentFoodService,
                publicKey: [UInt8](repeating: 1, count: 96),
                seed: [UInt8](repeating: 2, count: 16)))
    }

    private var file: [UInt8] { FileManager.default.contents(atPath: folder + "/store").map { [UInt8]($0) } ?? [] }

    @Test func aChangeIsOnTheDiskWhenItReturns() throws {
        let store = try open()
        #expect(store.records == VenueRecords() && !store.wasDamaged)
        for number in 1...5 {
            let place = try ticket("Place \(number)")
            #expect(try store.change { try $0.diary.checkIn(place, at: now) } == number)
            // What is read after a power cut at this moment.
            #expect(try open().records.diary == store.records.diary)
        }
        try store.change { try $0.diary.delete(3) }
        #expect(try open().records.diary.visits.map(\.number) == [1, 2, 4, 5])
    }

    @Test func aRefusedChangeChangesNothing() throws {
        let store = try open()
        let place = try ticket("Place")
        _ = try store.change { try $0.diary.checkIn(place, at: now) }
        let (diary, bytes) = (store.records.diary, file)
        #expect(throws: DiaryError(.unknownVisit)) {
            try store.change { records in
                try records.diary.delete(1)
                try records.diary.delete(9)
            }
        }
        #expect(store.records.diary == diary && file == bytes)
        // Nothing to change, nothing to write.
        _ = try store.change { $0.diary.forget(at: self.now) }
        #expect(file == bytes)
    }

    @Test func whatDoesNotFitIsNotKeptHalf() throws {
        let store = try open(limit: 2_000)
        var kept = 0
        for number in 1...20 {
            let place = try ticket("Place \(number)")
            guard (try? store.change { try $0.diary.checkIn(place, at: now) }) != nil else { break }
            kept = number
        }
        #expect((1..<20).contains(kept))
        #expect(store.records.diary.visits.count == kept)
        #expect(try open().records.diary == store.records.diary)
    }

    /// Neither the text of a code nor the bytes of one, nor the names of what is kept.
    @Test func nobodyReadsThePlaceFromTheDisk() throws {
        let store = try open()
        let place = try ticket("Canary")
        _ = try store.change { try $0.diary.checkIn(place, at: now) }
        guard case .coronaWarnApp(let location) = place else { return }
        let bytes = file
        #expect(!bytes.isEmpty)
        for secret in [
            Array("Canary".utf8), Array("arrival".utf8), Array(location.payload.prefix(12)),
            Array(Base64.string(location.payload).utf8.prefix(12)),
        ] {
            let isThere = bytes.indices.contains { bytes[$0...].starts(with: secret) }
            #expect(!isThere)
        }
        // With another seal, as after a reset of the device, there is nothing to read.
        #expect(try open(SecretBytes(copying: [UInt8](repeating: 8, count: 32))).records.diary == VisitDiary())
    }

    @Test func everyDamagedByteLeavesTheDiaryOrNone() throws {
        let store = try open()
        let place = try ticket("Place")
        _ = try store.change { try $0.diary.checkIn(place, at: now) }
        let whole = file
        for index in stride(from: 0, to: whole.count, by: 7) {
            var bytes = whole
            bytes[index] ^= 0x20
            try Data(bytes).write(to: URL(filePath: folder + "/store"))
            #expect(try open().records.diary == VisitDiary(), "\(index)")
        }
        try Data(whole).write(to: URL(filePath: folder + "/store"))
        #expect(try open().records.diary == store.records.diary)
    }

    /// Until the wearer has acknowledged it, over restarts too.
    @Test func lostRecordsAreSaidUntilSomebodyHasSeenIt() throws {
        let store = try KeyValueStore(folder: folder, seal: seal)
        try store.update { $0["visits"] = ["last": -1] }
        #expect(try open().wasDamaged)
        #expect(try open().records.wasLost && open().records.diary == VisitDiary())
        #expect(try !open().wasDamaged)
        try open().change { $0.wasLost = false }
        #expect(try !open().records.wasLost)
        // A store that is damaged as a whole.
        _ = try open().change { try $0.diary.checkIn(self.ticket("Place"), at: self.now) }
        try Data([1, 2, 3]).write(to: URL(filePath: folder + "/store"))
        #expect(try open().wasDamaged)
        var lost = VenueRecords()
        lost.wasLost = true
        #expect(try open().records == lost)
        try open().change { $0.wasLost = false }
        #expect(try !open().wasDamaged && !open().records.wasLost)
    }

    @Test func placesAreKeptToo() throws {
        let store = try open()
        let maker = PlaceBook.Maker(publicKey: [], seed: [UInt8](repeating: 3, count: 16))
        _ = try store.change {
            try $0.places.describe(
                nil, name: "Canary", street: "Canary Street 1", kind: .foodService, stayMinutes: 90, making: maker,
                at: self.now)
        }
        #expect(try open().records == store.records && store.records.places.places.count == 1)
    }

    private func hiding(seed: UInt64) throws -> VisitHiding {
        var random = SeededGenerator(seed: seed)
        return try VisitHiding(secret: SecretBytes(copying: Array("a long secret".utf8)), using: &random)
    }

    private func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
    }

    /// That places are hidden does not end with a damaged store: the choice is in a file of its own, twice.
    @Test func theChoiceOutlivesADamagedStore() throws {
        var hiding = try hiding(seed: 1)
        let chosen = hiding
        try open().change { $0.hiding = chosen }
        try write([1, 2, 3], "store")
        var lost = VenueRecords()
        (lost.wasLost, lost.hiding) = (true, chosen)
        #expect(try open().records == lost)
        #expect(try open().records.hiding == chosen)
        // Either half of that file alone.
        let choice = try #require(FileManager.default.contents(atPath: "\(folder)/hiding").map { [UInt8]($0) })
        for half in 0...1 {
            var bytes = choice
            for index in 0..<VenueStore.choiceSlotBytes { bytes[half * VenueStore.choiceSlotBytes + index] = 0 }
            try write(bytes, "hiding")
            try write([1, 2, 3], "store")
            #expect(try open().records.hiding == chosen && open().records.isChoiceLost == false)
            try write(choice, "hiding")
        }
        // All of that file: then the store has it, and writes it there again.
        try write([4, 5, 6], "hiding")
        #expect(try open().records.hiding == chosen)
        try write([1, 2, 3], "store")
        #expect(try open().records.hiding == chosen)
        // The last word counts, and no half has a former key.
        hiding.isOn = false
        let off = hiding
        try open().change { $0.hiding = off }
        try write([1, 2, 3], "store")
        #expect(try open().records.hiding == off)
        try open().change { $0.hiding = nil }
        try write([1, 2, 3], "store")
        #expect(try open().records.hiding == nil && !open().records.isChoiceLost)
    }

    /// Where both are damaged nobody knows, and that is said until the wearer has chosen; also where an earlier release kept the choice in the store alone.
    @Test func whereNobodyKnowsTheChoiceThatIsSaid() throws {
        let hiding = try hiding(seed: 2)
        try open().change { $0.hiding = hiding }
        for name in ["store", "hiding"] { try write([1, 2, 3], name) }
        #expect(try open().records.isChoiceLost)
        #expect(try open().records.isChoiceLost && open().records.hiding == nil)
        try open().change { $0.wasLost = false }
        #expect(try open().records.isChoiceLost)
        try open().change { $0.isChoiceLost = false }
        #expect(try !open().records.isChoiceLost)
        for name in ["store", "hiding"] { try write([1, 2, 3], name) }
        let store = try open()
        try store.change { ($0.hiding, $0.isChoiceLost) = (hiding, false) }
        #expect(try open().records.hiding == hiding && !open().records.isChoiceLost)
        // Of before: no such file.
        #expect(unlink("\(folder)/hiding") == 0)
        #expect(try open().records.hiding == hiding)
        #expect(unlink("\(folder)/hiding") == 0)
        try write([1, 2, 3], "store")
        #expect(try open().records.isChoiceLost)
    }

    /// What others change meanwhile is not lost, and they do not wait.
    @Test func whatTakesLongDoesNotStopOthers() throws {
        let store = try open()
        let (first, second) = (try ticket("First"), try ticket("Second"))
        var calls = 0
        let number = try store.changeSlowly { records in
            calls += 1
            if calls == 1 { _ = try store.change { try $0.diary.checkIn(second, at: self.now) } }
            return try records.diary.checkIn(first, at: self.now)
        }
        #expect(calls == 2 && number == 2 && store.records.diary.visits.map(\.number) == [1, 2])
        #expect(try open().records == store.records)
        #expect(throws: DiaryError(.unknownVisit)) { try store.changeSlowly { try $0.diary.delete(9) } }
    }
}
