// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import JSON
import PluginTestKit
import RandomValues
import Testing

@testable import PluginKit

/// A store whose file tells nothing of what is kept: neither by its size, nor by its blocks, nor by its name.
@Suite struct ConstantStoreTests {
    private struct Looks: Equatable {
        let inode: UInt64
        let size: Int
        let blocks: Int

        init(_ folder: String) {
            var status = stat()
            #expect(stat("\(folder)/store", &status) == 0)
            (inode, size, blocks) = (UInt64(status.st_ino), Int(status.st_size), Int(status.st_blocks))
        }
    }

    private static func read(_ folder: String) -> [UInt8] {
        guard let file = fopen("\(folder)/store", "r") else { return [] }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = bytes.withUnsafeMutableBytes { fread($0.baseAddress, 1, $0.count, file) }
        return Array(bytes[..<count])
    }

    private static func write(_ bytes: [UInt8], _ folder: String) {
        guard let file = fopen("\(folder)/store", "w") else { return }
        _ = bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) }
        fclose(file)
    }

    private static let key = SecretBytes(copying: [UInt8](repeating: 7, count: 32))

    @Test(arguments: [false, true]) func whatIsKeptDoesNotShow(isSealed: Bool) throws {
        let folder = try TemporaryFolder()
        let seal = isSealed ? Self.key : nil
        let store = try KeyValueStore(folder: folder.path, seal: seal, slotBytes: 5_000)
        let first = Looks(folder.path)
        #expect(first.size == 2 * 8_192)
        for length in [0, 1, 100, 4_000, 7_000, 3, 0] {
            let before = store.writeCount
            try store.set(String(repeating: "x", count: length), for: "a")
            #expect(Looks(folder.path) == first && store.writeCount == before + 1)
            let again = try KeyValueStore(folder: folder.path, seal: seal, slotBytes: 5_000)
            #expect(again.value("a") == String(repeating: "x", count: length) && again.writeCount == 0)
        }
        try store.rewrite()
        #expect(Looks(folder.path) == first)
        // What does not fit makes it larger, and it stays so.
        try store.set(String(repeating: "y", count: 9_000), for: "b")
        let larger = Looks(folder.path)
        #expect(larger.size == 2 * 16_384)
        try store.remove("b")
        let again = try KeyValueStore(folder: folder.path, seal: seal, slotBytes: 5_000)
        try again.set("z", for: "a")
        #expect(Looks(folder.path) == larger && again.values.members.count == 1)
        #expect(throws: StorageError(.full, "")) { try again.set(String(repeating: "y", count: 70_000), for: "b") }
        #expect(again.value("a") == "z")
    }

    /// Two writes after something was removed, nothing of it is there.
    @Test func whatWasRemovedIsOverwritten() throws {
        let folder = try TemporaryFolder()
        let store = try KeyValueStore(folder: folder.path, slotBytes: 4_096)
        try store.set("canary", for: "a")
        try store.remove("a")
        try store.rewrite()
        #expect(!String(decoding: Self.read(folder.path), as: UTF8.self).utf8.contains("canary".utf8))
    }

    /// Files from before, sealed or not, are read, and are of the new kind from then on.
    @Test(arguments: [(false, false), (false, true), (true, true)])
    func oldFilesAreRead(wasSealed: Bool, isSealed: Bool) throws {
        let folder = try TemporaryFolder()
        let old = try KeyValueStore(folder: folder.path, seal: wasSealed ? Self.key : nil)
        try old.set("old", for: "a")
        let store = try KeyValueStore(folder: folder.path, seal: isSealed ? Self.key : nil, slotBytes: 4_096)
        #expect(store.value("a") == "old" && store.damageCount == 0)
        let looks = Looks(folder.path)
        #expect(looks.size == 8_192)
        if isSealed { #expect(!String(decoding: Self.read(folder.path), as: UTF8.self).utf8.contains("old".utf8)) }
        let again = try KeyValueStore(folder: folder.path, seal: isSealed ? Self.key : nil, slotBytes: 4_096)
        #expect(again.value("a") == "old" && Looks(folder.path) == looks)
    }

    /// The power goes at any byte of a write: the values of before it or those of after it are there.
    @Test(arguments: [false, true]) func aCutLeavesOldOrNew(isSealed: Bool) throws {
        let folder = try TemporaryFolder()
        let seal = isSealed ? Self.key : nil
        let store = try KeyValueStore(folder: folder.path, seal: seal, slotBytes: 4_096)
        for number in 1...4 {
            let before = Self.read(folder.path)
            try store.set(number, for: "a")
            let after = Self.read(folder.path)
            let changed = before.indices.filter { before[$0] != after[$0] }
            let slot = try #require(changed.first) / 4_096
            #expect(changed.allSatisfy { $0 / 4_096 == slot })
            for place in stride(from: slot * 4_096, through: slot * 4_096 + 4_096, by: 64) {
                Self.write(Array(after[..<place] + before[place...]), folder.path)
                let found = try KeyValueStore(folder: folder.path, seal: seal, slotBytes: 4_096)
                let value: Int? = found.value("a")
                #expect(found.damageCount == 0 && (value == number || (value ?? 0) == number - 1), "cut at \(place)")
                // And it goes on from there.
                try found.set(100, for: "a")
                let next = try KeyValueStore(folder: folder.path, seal: seal, slotBytes: 4_096)
                #expect(next.value("a") == 100)
            }
            Self.write(after, folder.path)
        }
        // Both slots: set aside and begun anew.
        var damaged = Self.read(folder.path)
        for place in [28, 4_096 + 28] { damaged[place] ^= 1 }
        Self.write(damaged, folder.path)
        let anew = try KeyValueStore(folder: folder.path, seal: seal, slotBytes: 4_096)
        #expect(anew.values.isEmpty && anew.damageCount == 1)
    }

    // MARK: Brief changes

    @Test(arguments: [false, true]) func briefChangesWriteOneBlock(isSealed: Bool) throws {
        let folder = try TemporaryFolder()
        let seal = isSealed ? Self.key : nil
        func open() throws -> KeyValueStore {
            try KeyValueStore(folder: folder.path, seal: seal, slotBytes: 12_288, hasPatches: true)
        }
        let store = try open()
        try store.set(String(repeating: "x", count: 9_000), for: "large")
        let looks = Looks(folder.path)
        #expect(looks.size == 2 * 12_288 + StoreSlots.ring * 4_096)
        var written: [Int] = []
        for number in 0..<40 {
            let before = store.writtenByteCount
            if number.isMultiple(of: 3) {
                try store.rewrite(briefly: true)
            } else {
                try store.set(number, for: "a", briefly: true)
            }
            written.append(store.writtenByteCount - before)
            let again = try open()
            #expect(again.values == store.values && again.writeCount == 0 && again.damageCount == 0)
            #expect(Looks(folder.path) == looks)
        }
        // Eight, and then all of it.
        #expect(written == (0..<40).map { $0 % 9 == 8 ? 12_288 : 4_096 })
        // What is no brief change, and what fits no block, writes all of it.
        let before = store.writtenByteCount
        try store.set(1, for: "b")
        var noise = SeededGenerator(seed: 4)
        let text = String(decoding: (0..<5_000).map { _ in UInt8.random(in: 97...122, using: &noise) }, as: UTF8.self)
        try store.set(text, for: "large", briefly: true)
        #expect(store.writtenByteCount - before == 2 * 12_288)
        #expect(try open().values == store.values && Looks(folder.path) == looks)
        // One of the kind before becomes one of this, and back.
        let plain = try KeyValueStore(folder: folder.path, seal: seal, slotBytes: 12_288)
        #expect(plain.values == store.values && Looks(folder.path).size == 2 * 12_288)
        #expect(try open().values == store.values && Looks(folder.path).size == looks.size)
    }

    /// The power goes at any byte of a write, of a block or of a slot: the values of before it or those of after it are there.
    @Test(arguments: [false, true]) func aCutOfABriefChangeLeavesOldOrNew(isSealed: Bool) throws {
        let folder = try TemporaryFolder()
        let seal = isSealed ? Self.key : nil
        func open() throws -> KeyValueStore {
            try KeyValueStore(folder: folder.path, seal: seal, slotBytes: 8_192, hasPatches: true)
        }
        let store = try open()
        for number in 1...20 {
            let before = Self.read(folder.path)
            try store.set(number, for: "a", briefly: number != 13)
            let after = Self.read(folder.path)
            let changed = before.indices.filter { before[$0] != after[$0] }
            let (first, last) = (try #require(changed.first), try #require(changed.last))
            for place in stride(from: first / 512 * 512, through: last + 512, by: 512) {
                Self.write(Array(after.prefix(place) + before.dropFirst(place)), folder.path)
                let found = try open()
                let value: Int? = found.value("a")
                #expect(found.damageCount == 0 && (value == number || (value ?? 0) == number - 1), "cut at \(place)")
                try found.set(100, for: "a", briefly: place.isMultiple(of: 1_024))
                #expect(try open().value("a") == 100)
            }
            Self.write(after, folder.path)
        }
    }

    @Test func patchesMakeTheNewFromTheOld() throws {
        var random = SeededGenerator(seed: 7)
        func noise(_ count: Int, _ most: UInt8) -> [UInt8] {
            (0..<count).map { _ in UInt8.random(in: 0...most, using: &random) }
        }
        for round in 0..<300 {
            let most: UInt8 = round.isMultiple(of: 2) ? 3 : 255
            let old = noise(Int.random(in: 0...2_000, using: &random), most)
            var new = old
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                let from = Int.random(in: 0...new.count, using: &random)
                let to = Int.random(in: from...min(new.count, from + 40), using: &random)
                new.replaceSubrange(from..<to, with: noise(Int.random(in: 0...30, using: &random), 255))
            }
            let patch = StorePatch.make(from: old, to: new)
            #expect(StorePatch.apply(patch, to: old, limit: 4_096) == new)
            // Two orders for each place that has changed, what was inserted, and what is left of pieces around it.
            if most == 255 { #expect(patch.count <= 4 + 7 * (2 * 9 + 30 + 2 * 16)) }
            // Damage is found, and nothing is believed that reaches beyond what there is.
            var damaged = patch
            damaged[Int.random(in: 0..<patch.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            #expect([nil, new].contains(StorePatch.apply(damaged, to: old, limit: 4_096)))
            #expect([nil, new].contains(StorePatch.apply(Array(patch.dropLast()), to: old, limit: 4_096)))
        }
        #expect(StorePatch.apply([], to: [], limit: 10) == nil)
    }
}
