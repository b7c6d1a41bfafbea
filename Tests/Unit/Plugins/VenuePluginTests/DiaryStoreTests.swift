// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import JSON
import PluginKit
import PresenceTracing
import RandomValues
import Testing
import VenuePlan
import VenuePlugin

@Suite final class DiaryStoreTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/vigil-diary-\(Unique.name())"
    private let seal = SecretBytes(copying: [UInt8](repeating: 7, count: 32))
    private let now: Int64 = 1_614_850_000

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func open(_ seal: SecretBytes? = nil, limit: Int = DiaryStore.storeBytes) throws -> DiaryStore {
        DiaryStore(try KeyValueStore(folder: folder, limit: limit, seal: seal ?? self.seal))
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
        #expect(store.diary == VisitDiary() && !store.wasDamaged)
        for number in 1...5 {
            let place = try ticket("Place \(number)")
            #expect(try store.change { try $0.checkIn(place, at: now) } == number)
            // What is read after a power cut at this moment.
            #expect(try open().diary == store.diary)
        }
        try store.change { try $0.delete(3) }
        #expect(try open().diary.visits.map(\.number) == [1, 2, 4, 5])
    }

    @Test func aRefusedChangeChangesNothing() throws {
        let store = try open()
        let place = try ticket("Place")
        _ = try store.change { try $0.checkIn(place, at: now) }
        let (diary, bytes) = (store.diary, file)
        #expect(throws: DiaryError(.unknownVisit)) {
            try store.change { diary in
                try diary.delete(1)
                try diary.delete(9)
            }
        }
        #expect(store.diary == diary && file == bytes)
        // Nothing to change, nothing to write.
        _ = try store.change { $0.forget(at: self.now) }
        #expect(file == bytes)
    }

    @Test func whatDoesNotFitIsNotKeptHalf() throws {
        let store = try open(limit: 2_000)
        var kept = 0
        for number in 1...20 {
            let place = try ticket("Place \(number)")
            guard (try? store.change { try $0.checkIn(place, at: now) }) != nil else { break }
            kept = number
        }
        #expect((1..<20).contains(kept))
        #expect(store.diary.visits.count == kept)
        #expect(try open().diary == store.diary)
    }

    /// Neither the text of a code nor the bytes of one, nor the names of what is kept.
    @Test func nobodyReadsThePlaceFromTheDisk() throws {
        let store = try open()
        let place = try ticket("Canary")
        _ = try store.change { try $0.checkIn(place, at: now) }
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
        #expect(try open(SecretBytes(copying: [UInt8](repeating: 8, count: 32))).diary == VisitDiary())
    }

    @Test func everyDamagedByteLeavesTheDiaryOrNone() throws {
        let store = try open()
        let place = try ticket("Place")
        _ = try store.change { try $0.checkIn(place, at: now) }
        let whole = file
        for index in stride(from: 0, to: whole.count, by: 7) {
            var bytes = whole
            bytes[index] ^= 0x20
            try Data(bytes).write(to: URL(filePath: folder + "/store"))
            #expect(try open().diary == VisitDiary(), "\(index)")
        }
        try Data(whole).write(to: URL(filePath: folder + "/store"))
        #expect(try open().diary == store.diary)
    }

    @Test func somethingElseThanADiaryIsSaid() throws {
        let store = try KeyValueStore(folder: folder, seal: seal)
        try store.update { $0["visits"] = ["last": -1] }
        #expect(try open().wasDamaged)
        #expect(try open().diary == VisitDiary())
    }
}
