// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import RandomValues
import SandboxC
import Testing
import Vault

@testable import LabKit

/// The real folder, and what stands in for it in tests.
@Suite struct StorageTests {
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.path + "/vigil-storage-\(Unique.name())"
        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    /// What a thread reads, and hands back.
    private final class Reading {
        let storage: PosixStorage
        var names: Result<[String], StorageFailure> = .success([])
        init(_ storage: PosixStorage) { self.storage = storage }
    }

    /// Logs that a listing leaves out would be forgotten by whoever believes it.
    @Test func aListingThatBreaksOffIsNone() throws {
        let folder = try Folder()
        let reading = Reading(try PosixStorage(folder: folder.path))
        try reading.storage.write([1], to: "a", at: 0)
        #expect(try reading.storage.names() == ["a"])
        let status = sandbox_run_without_listing(
            { context in
                guard let context else { return }
                let reading = Unmanaged<Reading>.fromOpaque(context).takeUnretainedValue()
                do throws(StorageFailure) { reading.names = .success(try reading.storage.names()) } catch {
                    reading.names = .failure(error)
                }
            }, Unmanaged.passUnretained(reading).toOpaque())
        try #require(status == 0)
        #expect(throws: StorageFailure.self) { try reading.names.get() }
    }

    /// Shorter and longer, as the kernel does it; also after a power cut.
    @Test func cuttingFillsUpToo() throws {
        let folder = try Folder()
        let simulated = SimulatedStorage()
        let media: [any StorageMedium] = [try PosixStorage(folder: folder.path), simulated, MemoryStorage()]
        for medium in media {
            try medium.write([1, 2, 3, 4], to: "a", at: 0)
            try medium.truncate("a", to: 2)
            #expect(try medium.read("a", limit: 99) == [1, 2])
            try medium.truncate("a", to: 5)
            #expect(try medium.read("a", limit: 99) == [1, 2, 0, 0, 0])
            try medium.sync("a")
            try medium.syncFolder()
        }
        var generator = SeededGenerator(seed: 1)
        #expect(try simulated.afterCut(using: &generator).read("a", limit: 99) == [1, 2, 0, 0, 0])
        simulated.capacity = 6
        #expect(throws: StorageFailure(.full, "a")) { try simulated.truncate("a", to: 7) }
        #expect(try simulated.read("a", limit: 99) == [1, 2, 0, 0, 0])
    }

    /// What is looked for may be at the very end of a disk.
    @Test func bytesAreFoundAtEitherEnd() {
        let disk: [UInt8] = [1, 2, 3, 1, 2, 9]
        func has(_ bytes: [UInt8]) -> Bool {
            disk.withUnsafeBytes { DiskImage.has(bytes, beginningWith: bytes[0], in: $0) }
        }
        #expect(has([1]) && has([9]) && has([1, 2]) && has([1, 2, 9]) && has(disk))
        #expect(!has([8]) && !has([9, 9]) && !has([2, 1]) && !has(disk + [9]))
    }
}
