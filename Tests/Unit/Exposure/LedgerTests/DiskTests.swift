// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import LabKit
import Ledger
import Testing

/// Disks that refuse: simulated, and real ones where this process may mount them.
@Suite struct DiskTests {
    static let mayMount: Bool = {
        guard geteuid() == 0 else { return false }
        let place = FileManager.default.temporaryDirectory.path + "/vigil-mount-\(getpid())"
        guard mkdir(place, 0o700) == 0 else { return false }
        defer { rmdir(place) }
        guard mount("tmpfs", place, "tmpfs", 0, "size=64k") == 0 else { return false }
        return umount(place) == 0
    }()

    private func onTmpfs(_ size: String, _ body: (String) throws -> Void) throws {
        let folder = try Folder()
        #expect(mount("tmpfs", folder.path, "tmpfs", 0, size) == 0)
        defer { umount2(folder.path, Int32(MNT_DETACH)) }
        try body(folder.path)
    }

    /// Adds settings until there is no space.
    private func fill(_ ledger: Ledger) throws -> Int {
        for number in 0..<250 {
            do {
                try ledger.write { try $0.set("\(number)", [UInt8](repeating: 7, count: 20_000)) }
            } catch let failure as LedgerFailure {
                #expect(failure.code == .full)
                return number
            }
        }
        return 250
    }

    @Test(.enabled(if: mayMount)) func aFullDiskRefusesAndKeeps() throws {
        try onTmpfs("size=400k") { place in
            let keys = MemoryLedgerKeys()
            var ledger = try Ledger(path: place + "/ledger.sqlite", keys: keys)
            try Sample.fill(ledger)
            let count = try fill(ledger)
            #expect((3...20).contains(count))
            let before = try Sample.contents(ledger)
            ledger = try Ledger(path: nil, keys: keys)
            ledger = try Ledger(path: place + "/ledger.sqlite", keys: keys)
            #expect(try Sample.contents(ledger) == before)
            #expect(try ledger.setting("\(count)") == nil)
            #expect(try ledger.setting("\(count - 1)")?.count == 20_000)
            // With space again it goes on.
            #expect(mount("tmpfs", place, "tmpfs", UInt(MS_REMOUNT), "size=4m") == 0)
            try ledger.write { try $0.set("more", [1]) }
            try ledger.renewKey()
            #expect(try Sample.contents(ledger) == before)
        }
    }

    /// With a log beside the file, as a kill leaves it, and without.
    @Test(.enabled(if: mayMount), arguments: [false, true])
    func aReadOnlyDiskCanBeRead(_ hasLog: Bool) throws {
        try onTmpfs("size=4m") { place in
            let (file, keys) = (place + "/ledger.sqlite", MemoryLedgerKeys())
            var ledger = try Ledger(path: file, keys: keys)
            try Sample.fill(ledger)
            let before = try Sample.contents(ledger)
            if hasLog {
                for part in ["", "-wal"] {
                    try FileManager.default.copyItem(atPath: file + part, toPath: place + "/copy" + part)
                }
            }
            ledger = try Ledger(path: nil, keys: keys)
            #expect(mount(nil, place, nil, UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
            ledger = try Ledger(path: hasLog ? place + "/copy" : file, keys: keys)
            #expect(ledger.findings == [.readOnly])
            #expect(try Sample.contents(ledger) == before)
            #expect(throws: LedgerFailure(.readOnly)) { try ledger.write { try $0.set("a", [1]) } }
            #expect(throws: LedgerFailure(.readOnly)) { try ledger.renewKey() }
        }
    }

    @Test func aSimulatedFullDiskRefusesAndKeeps() throws {
        let storage = SimulatedStorage()
        let vfs = SimulatedVFS(storage)
        let ledger = try Ledger(path: "ledger.sqlite", keys: MemoryLedgerKeys(), vfs: vfs.name, folder: vfs)
        try Sample.fill(ledger)
        storage.capacity = try ledger.byteCount + 60_000
        #expect((1...4).contains(try fill(ledger)))
        let before = try Sample.contents(ledger)
        storage.capacity = .max
        try ledger.write { try $0.set("more", [1]) }
        #expect(try Sample.contents(ledger) == before)
    }

    /// The transaction is over when the log cannot be folded into the file: then the new log's key is the one that counts.
    @Test func aLifeBeginsOnADiskThatIsFullAfterwards() throws {
        let storage = SimulatedStorage()
        let vfs = SimulatedVFS(storage)
        let keys = MemoryLedgerKeys()
        let ledger = try Ledger(path: "ledger.sqlite", keys: keys, vfs: vfs.name, folder: vfs)
        try Sample.fill(ledger)
        let begun = AuditEntry(kind: "begun", actor: "test", time: 1, details: [:])
        let next = AuditEntry(kind: "next", actor: "test", time: 2, details: [:])
        ledger.stepHook = { if $0 == "ledger.renew.committed" { storage.capacity = 0 } }
        try ledger.beginLife(forgetting: ["name"]) { _ = try $0.audit(begun) }
        // It was full indeed: the log is still there.
        #expect(vfs.byteCount("ledger.sqlite-wal") ?? 0 > 0)
        storage.capacity = .max
        ledger.stepHook = nil
        #expect(try ledger.auditEntries(limit: 9).map(\.entry) == [begun])
        try ledger.write { _ = try $0.audit(next) }
        #expect(try ledger.auditEntries(limit: 9).map(\.entry) == [begun, next])
        #expect(try ledger.verifyAudit() == AuditVerdict(intact: 2, firstBroken: nil, dropped: 0))
        #expect(try ledger.setting("name") == nil && ledger.matches().isEmpty)
    }

    @Test func theFileHasALargestSize() throws {
        let ledger = try Ledger(path: nil, keys: MemoryLedgerKeys())
        var refused = false
        for number in 0..<100 where !refused {
            do {
                try ledger.write { try $0.merge([try Sample.match(UInt64(number), sightings: 20_000)]) }
            } catch let failure as LedgerFailure {
                #expect(failure.code == .full)
                refused = true
            }
        }
        #expect(refused)
        #expect((15 << 20...16 << 20).contains(try ledger.byteCount))
        try ledger.write { try $0.forgetMatches(endedBefore: .max) }
        try ledger.vacuum()
        #expect(try ledger.byteCount < 100_000)
    }

    /// What `docs/storage.md` says a transaction costs.
    @Test func aTransactionIsOneSync() throws {
        let storage = SimulatedStorage()
        let vfs = SimulatedVFS(storage)
        let ledger = try Ledger(path: "ledger.sqlite", keys: MemoryLedgerKeys(), vfs: vfs.name, folder: vfs)
        for day in 0..<15 as Range<UInt32> { try Sample.fill(ledger, day: Sample.day + day) }
        let (bytes, blocks, syncs) = (storage.bytesWritten, vfs.blocks, vfs.syncs)
        for _ in 0..<300 {
            try ledger.write { try $0.record(EvidenceHour(hour: Sample.day * 24)) }
        }
        print(
            "per transaction: \(Double(storage.bytesWritten - bytes) / 300) bytes, \(Double(vfs.blocks - blocks) / 300) blocks"
        )
        #expect(vfs.syncs - syncs <= 303)
        #expect(storage.bytesWritten - bytes < 300 * 2_500)
        #expect(vfs.blocks - blocks < 300 * 2)
    }
}
