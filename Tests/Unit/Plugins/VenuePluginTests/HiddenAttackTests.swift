// SPDX-License-Identifier: Apache-2.0

import BLS12381
import CivilTime
import CrowdNotifier
import Cryptography
import FoundationEssentials
import JSON
import PluginKit
import RandomValues
import Testing
import VenuePlan

@testable import VenuePlugin

/// Whoever has the disk, the plugin's keys and the codes of 10,000 places finds every visit that is kept in the clear, and none that is hidden.
@Suite final class HiddenAttackTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/vigil-attack-\(Unique.name())"
    private let seal = SecretBytes(copying: [UInt8](repeating: 7, count: 32))
    /// The fourth of March 2021, 09:26:40 UTC.
    private let now: Int64 = 1_614_850_000
    private let keys: VisitDiary.HidingKeys
    private let hiding: VisitHiding
    private let town: [CrowdNotifierVenue]

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var random = SeededGenerator(seed: 1)
        let secret = SecretBytes(copying: Array("a long secret".utf8))
        hiding = try VisitHiding(secret: secret, using: &random)
        keys = VisitDiary.HidingKeys(
            authority: try MasterPublicKey(secret: .random(using: &random)), wearer: try MasterPublicKey(hiding.publicKey))
        // Names, addresses and delays of all lengths: much of it is of one place alone.
        town = try (0..<10_000).map { try Self.venue($0, using: &random) }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private static func venue(_ number: Int, using random: inout SeededGenerator) throws -> CrowdNotifierVenue {
        var data = SwissCovidVenueData()
        data.automaticCheckOutDelay = Int64.random(in: 20...10_000, using: &random) * 60_000
        return try CrowdNotifierVenue(
            name: "\(100_000 + number) canary " + String(repeating: "n", count: Int.random(in: 0...60, using: &random)),
            address: String(repeating: "a", count: Int.random(in: 0...100, using: &random)), start: 0, end: 2_000_000_000,
            publicKey: [UInt8](repeating: 1, count: 96), seed: SHA256.digest(of: Array("\(number)".utf8)),
            countryData: data.encoded)
    }

    private func store(_ name: String) throws -> VenueStore {
        let path = "\(folder)/\(name)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return try VenueStore.open(folder: path, seal: seal, hides: true)
    }

    /// The life of a wearer who goes to these places, one on each day but the last, which is open at the end.
    private func live(
        _ store: VenueStore, _ places: [CrowdNotifierVenue], isHidden: Bool, seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let (keys, hiding) = (keys, hiding)
        if isHidden { try store.change { $0.hiding = hiding } }
        for (index, place) in places.enumerated() {
            let start = now - Int64(places.count - 1 - index) * 86_400
            try store.change { records in
                let number =
                    isHidden
                    ? try records.diary.checkInHidden(place, at: start, keys: keys, using: &random)
                    : try records.diary.checkIn(.swissCovid(place), at: start)
                guard index < places.count - 1 else { return }
                // Some are ended by hand, some end by themselves.
                if index.isMultiple(of: 2) {
                    try records.diary.checkOut(number, at: start + 1_000 + Int64(index) * 2_000, using: &random)
                }
            }
            if index < places.count - 1 { try store.change { _ = $0.diary.checkOutDue(at: start + 86_399) } }
        }
    }

    /// How many places each visit can be, by its number, over all versions that the folder has.
    private func attack(
        _ attack: VenueAttack, _ name: String, _ forms: [Int: [(place: CrowdNotifierVenue, form: String)]],
        only: Int? = nil, opensBoxes: Bool = true, changing: (Int, JSON) -> JSON = { $1 }
    ) throws -> [Int: Set<Int>] {
        var found: [Int: Set<Int>] = [:]
        let versions = try VenueAttack.versions(in: "\(folder)/\(name)", seal: seal)
        let most = versions.map { VenueAttack.visits(in: $0).count }.max()
        for version in versions {
            let visits = VenueAttack.visits(in: version)
            for (number, visit) in visits where only.map({ $0 == number }) ?? true {
                // Boxes of an older version are those of the newest.
                let candidates = attack.candidates(
                    changing(number, visit), forms: forms[number] ?? [], opensBoxes: opensBoxes && visits.count == most)
                if candidates.count < found[number]?.count ?? .max { found[number] = candidates }
            }
        }
        return found
    }

    @Test func whoHasTheDiskAndTheKeysFindsNoHiddenVisit() throws {
        let visited = [17, 4_242, 9_999, 256, 5, 7_777].map { town[$0] }
        let positions = [17, 4_242, 9_999, 256, 5, 7_777]
        let hours = Set((0..<visited.count).map { VisitHours.start(now - Int64($0) * 86_400) })
        let attacker = VenueAttack(town, hours: hours)
        try live(store("clear"), visited, isHidden: false, seed: 2)
        try live(store("hidden"), visited, isHidden: true, seed: 3)
        // The attacker's own board, at the same times, at places as different as can be.
        typealias Forms = [Int: [(place: CrowdNotifierVenue, form: String)]]
        var (hiddenForms, clearForms): (Forms, Forms) = ([:], [:])
        for sample in 0..<4 {
            let places = (0..<visited.count).map { index in
                sample == 0 ? visited[index] : town[(sample * 2_111 + index * 37) % town.count]
            }
            for isHidden in [true, false] {
                let name = "sample-\(sample)-\(isHidden)"
                try live(store(name), places, isHidden: isHidden, seed: UInt64(10 + sample))
                let newest = try #require(
                    try VenueAttack.versions(in: "\(folder)/\(name)", seal: seal).max {
                        VenueAttack.visits(in: $0).count < VenueAttack.visits(in: $1).count
                    })
                for (number, visit) in VenueAttack.visits(in: newest) {
                    let entry = (places[number - 1], VenueAttack.form(visit))
                    if isHidden {
                        hiddenForms[number, default: []].append(entry)
                    } else {
                        clearForms[number, default: []].append(entry)
                    }
                }
            }
        }
        // In the clear every visit is found, and rightly.
        let clear = try attack(attacker, "clear", clearForms)
        for (index, position) in positions.enumerated() { #expect(clear[index + 1] == [position], "visit \(index + 1)") }
        // Hidden, each of them can be any of the 10,000 places.
        let hidden = try attack(attacker, "hidden", hiddenForms)
        #expect(hidden.count == visited.count)
        for (number, candidates) in hidden { #expect(candidates.count == town.count, "visit \(number)") }
        // Not even the sizes of files differ between wearers who were at other places.
        func size(_ name: String) -> Int { FileManager.default.contents(atPath: "\(folder)/\(name)/store")?.count ?? 0 }
        for sample in 0..<4 { #expect(size("sample-\(sample)-true") == size("hidden") && size("hidden") > 0) }

        // The same program with faults that are made on purpose: each of its senses works.
        let one = positions[0]
        func found(
            opensBoxes: Bool = false, _ change: @escaping (JSON.Object, CrowdNotifierVenue) -> JSON.Object
        ) throws -> Set<Int>? {
            var forms = hiddenForms
            for (number, samples) in hiddenForms {
                forms[number] = try samples.enumerated().map { index, sample in
                    let versions = try VenueAttack.versions(in: "\(folder)/sample-\(index)-true", seal: seal)
                    let visit = versions.compactMap { VenueAttack.visits(in: $0)[number] }.last?.object ?? JSON.Object()
                    return (sample.place, VenueAttack.form(.object(change(visit, sample.place))))
                }
            }
            return try attack(attacker, "hidden", forms, only: 1, opensBoxes: opensBoxes) { number, visit in
                .object(change(visit.object ?? JSON.Object(), visited[number - 1]))
            }[1]
        }
        // An entry as long as its venue's texts.
        let byLength = try #require(
            try found { visit, place in
                var visit = visit
                visit["note"] = .string(String(repeating: "A", count: 3 * place.payload.count))
                return visit
            })
        #expect(byLength.contains(one) && byLength.count < town.count / 10)
        // A visit that ends when its code says.
        let byTime = try #require(
            try found { visit, place in
                var visit = visit
                let delay = SwissCovidVenueData(place.countryData)?.automaticCheckOutMinutes ?? 0
                visit["departure"] = .int((visit["arrival"]?.int ?? 0) + Int64(delay) * 60)
                return visit
            })
        #expect(byTime.contains(one) && byTime.count < town.count / 10)
        // The identity of an hour, somewhere in the middle of other bytes.
        let byIdentity = try #require(
            try found { visit, place in
                var visit = visit
                let hour = VisitHours.start(self.now - 5 * 86_400)
                visit["x"] = .string(Base64.string([1, 2, 3] + place.keys.identity(start: hour) + [4]))
                return visit
            })
        #expect(byIdentity == [one])
        // A box under the venue's own key.
        let byKey = try #require(
            try found(opensBoxes: true) { visit, place in
                var visit = visit
                let nonce = [UInt8](repeating: 1, count: 24)
                let box =
                    (try? SecretBox.seal([UInt8](repeating: 3, count: 40), key: place.keys.notificationKey, nonce: nonce))
                    ?? []
                visit["x"] = .string(Base64.string([UInt8](repeating: 2, count: 128) + nonce + box))
                return visit
            })
        #expect(byKey == [one])
    }

    /// Nobody can tell from the length of the file how many hidden visits there are: none, one, or three on each of fourteen days, one of them open.
    @Test func theFileIsAsLongForEveryWearer() throws {
        var sizes: Set<Int> = []
        for count in [0, 1, 42] {
            let store = try store("count-\(count)")
            var diary = VisitDiary()
            var random = SeededGenerator(seed: 5)
            for number in 0..<count {
                let start = now - Int64(number / 3) * 86_400 - Int64(number % 3 + 1) * 7_200
                let visit = try diary.checkInHidden(town[number], at: start, keys: keys, using: &random)
                if number > 0 { try diary.checkOut(visit, at: start + 2_400, using: &random) }
            }
            let (wanted, hiding) = (diary, hiding)
            try store.change { ($0.diary, $0.hiding) = (wanted, hiding) }
            #expect(store.records.diary.visits.count == count)
            for name in ["store", VenueStore.choiceName] {
                sizes.insert(FileManager.default.contents(atPath: "\(folder)/count-\(count)/\(name)")?.count ?? 0)
            }
        }
        #expect(sizes == [2 * VenueStore.hidingSlotBytes + 8 * 4_096, 2 * VenueStore.choiceSlotBytes])
    }

    /// A visit that the wearer deletes, or that is forgotten, is gone from both halves of the file, and from what was written between, when the change returns.
    @Test func whatWasDeletedIsOverwritten() throws {
        let store = try store("deleted")
        try live(store, [town[3], town[4], town[5]], isHidden: false, seed: 4)
        func isThere(_ venue: CrowdNotifierVenue) throws -> Bool {
            let needle = Base64.string(Array(venue.payload.dropLast(venue.payload.count % 3)))
            return try VenueAttack.versions(in: "\(folder)/deleted", seal: seal).contains {
                String(decoding: $0.bytes, as: UTF8.self).contains(needle)
            }
        }
        let numbers = store.records.diary.visits.map(\.number)
        #expect(numbers.count == 3)
        for (number, venue) in zip(numbers, [town[3], town[4]]) {
            #expect(try isThere(venue))
            try store.change { try $0.diary.delete(number) }
            #expect(try !isThere(venue) && isThere(town[5]) && !store.records.hasTrace)
        }
        try store.change { records in
            _ = records.diary.checkOutDue(at: now + 40 * 86_400)
            records.diary.forget(at: now + 40 * 86_400)
        }
        #expect(try store.records.diary.visits.isEmpty && !isThere(town[5]))
    }

    /// Visits of before are gone from both halves of the file once they are hidden.
    @Test func whatWasInTheClearIsOverwritten() throws {
        let store = try store("later")
        try live(store, [town[3], town[4]], isHidden: false, seed: 4)
        let payload = town[3].payload
        let needle = Base64.string(Array(payload.dropLast(payload.count % 3)))
        func isThere() throws -> Bool {
            try VenueAttack.versions(in: "\(folder)/later", seal: seal).contains {
                String(decoding: $0.bytes, as: UTF8.self).contains(needle)
            }
        }
        #expect(try isThere())
        let hiding = hiding
        try store.change { $0.hiding = hiding }
        #expect(try HiddenVisits.hideRest(store, keys.authority, at: now) == 2)
        #expect(try !isThere())
        #expect(try HiddenVisits.hideRest(store, keys.authority, at: now) == 2)
    }
}
