// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import JSON
import PluginTestKit
import RandomValues
import SystemCalls
import Testing

@testable import PluginKit

@Suite struct StoreTests {
    private func bytes(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 100_000)
        let count = bytes.withUnsafeMutableBytes { fread($0.baseAddress, 1, $0.count, file) }
        return Array(bytes[..<count])
    }

    private func write(_ path: String, _ bytes: [UInt8]) {
        guard let file = fopen(path, "w") else { return }
        _ = bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) }
        fclose(file)
    }

    @Test func valuesOutlastTheProcess() throws {
        let folder = try TemporaryFolder()
        let store = try KeyValueStore(folder: folder.path)
        #expect(store.value("count", as: Int.self) == nil)
        try store.set(5, for: "count")
        try store.set(["a", "b"], for: "list")
        try store.update { values in
            values["count"] = 6
            values["other"] = "x"
        }
        try store.remove("other")
        let again = try KeyValueStore(folder: folder.path)
        #expect(again.value("count") == 6 && again.value("list") == ["a", "b"] && again.values["other"] == nil)
        #expect(again.value("list", as: Int.self) == nil, "another type than was kept")
        #expect(again.damageCount == 0)
    }

    /// A seal that is there and cannot be used must not be taken for none: the sealed store would be set aside as damaged.
    @Test func aSealIsWholeOrSaidToBeUnusable() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/seal"
        #expect(try SealFile.read(folder.path) == nil)
        for count in [0, 1, 31, 33, 4_096] {
            try WholeFile.replace(path, with: [UInt8](repeating: 7, count: count), mode: 0o600, .process)
            #expect(throws: StorageError(.system, ""), "\(count) bytes") { try SealFile.read(folder.path) }
        }
        let whole = [UInt8](repeating: 7, count: 32)
        try WholeFile.replace(path, with: whole, mode: 0o600, .process)
        #expect(try SealFile.read(folder.path)?.withBytes { Array($0) } == whole)
        #expect(rename(path, path + ".other") == 0 && symlink("seal.other", path) == 0)
        #expect(throws: StorageError(.system, "")) { try SealFile.read(folder.path) }
        #expect(unlink(path) == 0 && mkdir(path, 0o700) == 0)
        #expect(throws: StorageError(.system, "")) { try SealFile.read(folder.path) }
    }

    /// Nothing of what is kept stands in the file; another key, a changed byte or an end too early opens nothing.
    @Test func sealed() throws {
        var random = SeededGenerator(seed: 1)
        let key = SecretBytes(count: 32, from: &random)
        let other = SecretBytes(count: 32, from: &random)
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/store"
        // From before there was a key.
        try KeyValueStore(folder: folder.path).set("0123456789", for: "canary")
        let store = try KeyValueStore(folder: folder.path, seal: key)
        #expect(store.value("canary") == "0123456789")
        try store.set("more", for: "next")
        let good = bytes(path)
        let text = String(decoding: good, as: UTF8.self)
        #expect(!text.utf8.contains("0123456789".utf8) && !text.utf8.contains("canary".utf8))
        let again = try KeyValueStore(folder: folder.path, seal: key)
        #expect(again.value("canary") == "0123456789" && again.value("next") == "more" && again.damageCount == 0)
        #expect(StoreFile.values(in: good, seal: key) != nil)
        #expect(StoreFile.values(in: good, seal: other) == nil && StoreFile.values(in: good) == nil)
        for place in good.indices {
            var bad = good
            bad[place] ^= 1
            #expect(StoreFile.values(in: bad, seal: key) == nil, "byte \(place)")
        }
        for length in good.indices { #expect(StoreFile.values(in: Array(good[..<length]), seal: key) == nil) }
        // The same values are other bytes each time.
        try store.set("more", for: "next")
        #expect(bytes(path) != good)
        let stranger = try KeyValueStore(folder: folder.path, seal: other)
        #expect(stranger.values.isEmpty && stranger.damageCount == 1)
    }

    /// Whatever one byte becomes, and wherever the file ends, the values are the old ones or none.
    @Test func damageIsFoundWhereverItIs() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/store"
        try KeyValueStore(folder: folder.path).set(["words": "0123456789"], for: "a")
        let good = bytes(path)
        var damaged = 0
        for place in good.indices {
            for other in [good[place] ^ 1, good[place] ^ 0x80, 0, 10, 32] as [UInt8] where other != good[place] {
                var bad = good
                bad[place] = other
                write(path, bad)
                let store = try KeyValueStore(folder: folder.path)
                #expect(store.values.isEmpty, "byte \(place) became \(other)")
                damaged += 1
                #expect(store.damageCount == damaged)
            }
        }
        for length in 0..<good.count {
            write(path, Array(good[..<length]))
            #expect(try KeyValueStore(folder: folder.path).values.isEmpty)
        }
        write(path, good)
        #expect(try KeyValueStore(folder: folder.path).values["a"] == ["words": "0123456789"])
        // Only the last two are kept.
        let names = try #require(popen("ls \(folder.path) | grep -c damaged", "r"))
        defer { pclose(names) }
        var count = [UInt8](repeating: 0, count: 8)
        _ = count.withUnsafeMutableBytes { fread($0.baseAddress, 1, 8, names) }
        #expect(count[0] == UInt8(ascii: "2") && count[1] == 10)
    }

    /// A cut before the rename leaves the new file beside the old one, whole or not.
    @Test func aCutBeforeTheRenameChangesNothing() throws {
        let folder = try TemporaryFolder()
        try KeyValueStore(folder: folder.path).set(1, for: "a")
        write("\(folder.path)/store.new", Array("vigil-store 1 9".utf8))
        let store = try KeyValueStore(folder: folder.path)
        #expect(store.value("a") == 1 && store.damageCount == 0)
        #expect(access("\(folder.path)/store.new", F_OK) != 0)
    }

    @Test func aFullStoreKeepsWhatItHas() throws {
        let folder = try TemporaryFolder()
        let store = try KeyValueStore(folder: folder.path, limit: 200)
        try store.set("x", for: "a")
        #expect(throws: StorageError(.full, "")) { try store.set(String(repeating: "y", count: 300), for: "b") }
        #expect(store.value("a") == "x" && store.values["b"] == nil)
        #expect(try KeyValueStore(folder: folder.path, limit: 200).value("a") == "x")
        #expect(throws: StorageError(.notEncodable, "")) { try store.set(Double.infinity, for: "c") }
    }

    @Test func aFolderThatIsGoneIsSaid() throws {
        let store: KeyValueStore
        do {
            let folder = try TemporaryFolder()
            store = try KeyValueStore(folder: folder.path)
        }
        #expect(throws: StorageError(.system, "")) { try store.set(1, for: "a") }
        #expect(store.values.isEmpty)
    }

    @Test func theChecksumIsTheCommonOne() { #expect(StoreFile.checksum(Array("123456789".utf8)) == 0xCBF4_3926) }
}
