// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import LabKit
import Ledger
import RandomValues
import Testing

/// Whatever the file is: no crash, nothing believed that was not written, and a ledger afterwards.
@Suite struct HostileTests {
    /// A ledger in use as one file, without a log beside it.
    private func image(_ folder: Folder) throws -> [UInt8] {
        var ledger = try folder.open()
        try Sample.fill(ledger)
        ledger = try Ledger(path: nil, keys: MemoryLedgerKeys())
        #expect(try folder.names == ["ledger.sqlite"])
        return Array(try #require(FileManager.default.contents(atPath: folder.file)))
    }

    private func opened(_ bytes: [UInt8], _ folder: Folder) throws -> Ledger {
        for name in try folder.names { try FileManager.default.removeItem(atPath: folder.path + "/" + name) }
        #expect(FileManager.default.createFile(atPath: folder.file, contents: Data(bytes)))
        return try folder.open()
    }

    /// Everything in it is as it was stored, or is not there and there is a finding.
    private func judge(_ ledger: Ledger, _ expected: [String], _ place: Int) throws {
        let found = try Sample.contents(ledger)
        if found != expected {
            let verdict = try ledger.verifyAudit()
            #expect(!ledger.findings.isEmpty || verdict.firstBroken != nil, "byte \(place)")
            let empty = ["[]", "false", "0"]
            for (index, line) in found.enumerated() where line != expected[index] {
                #expect(empty.contains(line), "byte \(place): \(line)")
            }
        }
        try ledger.write { try $0.set("after", [1]) }
        #expect(try ledger.setting("after") == [1])
    }

    @Test func flippedBytesOverTheWholeFile() throws {
        let folder = try Folder()
        let bytes = try image(folder)
        let expected = try Sample.contents(try opened(bytes, folder))
        var generator = SeededGenerator(seed: 1)
        var losses = 0
        // Every byte of the header, and a share of the rest.
        let rest = stride(from: Int.random(in: 100..<116, using: &generator), to: bytes.count, by: place(bytes.count))
        for place in Array(0..<100) + Array(rest) {
            var changed = bytes
            changed[place] ^= UInt8.random(in: 1...255, using: &generator)
            let ledger: Ledger
            do {
                ledger = try opened(changed, folder)
            } catch let failure as LedgerFailure {
                Issue.record("byte \(place): \(failure)")
                continue
            }
            if !ledger.findings.isEmpty { losses += 1 }
            try judge(ledger, expected, place)
        }
        #expect(losses > 50)
    }

    private func place(_ count: Int) -> Int { max(1, count / 700) }

    @Test(arguments: 0..<20)
    func noiseAsADatabase(_ number: Int) throws {
        let folder = try Folder()
        var generator = SeededGenerator(seed: number)
        var noise = generator.bytes(.random(in: 1...20_000, using: &generator))
        if number.isMultiple(of: 2) {
            noise.replaceSubrange(0..<min(16, noise.count), with: Array("SQLite format 3\0".utf8).prefix(noise.count))
        }
        let ledger = try opened(noise, folder)
        #expect(ledger.findings.count == 1)
        #expect(try folder.names.contains("damaged-ledger.sqlite"))
        try Sample.fill(ledger)
    }

    @Test func stretchesOfNoiseAndCutFiles() throws {
        let folder = try Folder()
        let bytes = try image(folder)
        let expected = try Sample.contents(try opened(bytes, folder))
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<60 {
            var changed = bytes
            let start = Int.random(in: changed.indices, using: &generator)
            if Bool.random(using: &generator) {
                changed = Array(changed.prefix(max(1, start)))
            } else {
                for index in start..<min(changed.count, start + .random(in: 1...3_000, using: &generator)) {
                    changed[index] = .random(in: 0...255, using: &generator)
                }
            }
            try judge(try opened(changed, folder), expected, start)
        }
    }

    @Test func anotherKeyOpensNothing() throws {
        let folder = try Folder()
        _ = try image(folder)
        let ledger = try Ledger(path: folder.file, keys: MemoryLedgerKeys())
        #expect(ledger.findings == [.setAside(as: Ledger.damagedName, because: "it cannot be unsealed")])
        #expect(try ledger.matches().isEmpty)
    }

    @Test func aLogWithoutItsDatabaseIsNotBelieved() throws {
        let folder = try Folder()
        let other = try Folder()
        let ledger = try other.open()
        try Sample.fill(ledger)
        let log = try #require(FileManager.default.contents(atPath: other.file + "-wal"))
        #expect(FileManager.default.createFile(atPath: folder.file + "-wal", contents: log))
        let fresh = try folder.open()
        #expect(fresh.findings.isEmpty)
        try Sample.fill(fresh)
    }

    @Test func twoOwnersAreOneTooMany() throws {
        let folder = try Folder()
        let first = try folder.open()
        try Sample.fill(first)
        #expect(throws: LedgerFailure(.inUse)) { try folder.open() }
        #expect(try first.matches().count == 1)
    }
}
