// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import JSON
import PluginTestKit
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
}
