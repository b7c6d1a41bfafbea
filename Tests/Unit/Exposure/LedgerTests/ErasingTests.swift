// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import LabKit
import Ledger
import Testing

/// What is erased is gone together with the key that it was under, whenever the power fails.
@Suite struct ErasingTests {
    /// Keys as they stood at one moment.
    private final class KeptKeys: LedgerKeys {
        private(set) var keys: [SecretBytes]

        init(_ keys: [SecretBytes]) { self.keys = keys }

        func stage() throws -> SecretBytes { throw LedgerFailure(.failed) }
        func retireOthers() { keys = Array(keys.prefix(1)) }
    }

    private func copy(_ folder: Folder, _ name: String) throws -> String {
        let target = "\(folder.path)/\(name)"
        for part in ["", "-wal"] where FileManager.default.fileExists(atPath: folder.file + part) {
            try FileManager.default.copyItem(atPath: folder.file + part, toPath: target + part)
        }
        return target
    }

    @Test func atEachStepAllOrNothingIsErased() throws {
        let folder = try Folder()
        let ledger = try folder.open()
        try Sample.fill(ledger)
        try ledger.write { try $0.set("secret", [1, 2, 3]) }
        let contents = try Sample.contents(ledger)
        _ = try copy(folder, "before")
        var moments: [(step: String, file: String, keys: [SecretBytes])] = []
        var failure: (any Error)?
        ledger.stepHook = { step in
            do {
                moments.append((step, try copy(folder, "\(moments.count)"), folder.keys.keys))
            } catch { failure = error }
        }
        try ledger.erase {
            try $0.set("secret", nil)
            try $0.set("erased", [1])
        }
        ledger.stepHook = nil
        moments.append(("answer", try copy(folder, "\(moments.count)"), folder.keys.keys))
        #expect(
            failure == nil && Ledger.steps.filter { $0.hasPrefix("ledger.renew") }.allSatisfy(moments.map(\.step).contains))
        for (number, moment) in moments.enumerated() {
            let keys = KeptKeys(moment.keys)
            let after = try Ledger(path: moment.file, keys: keys)
            #expect(try Sample.contents(after) == contents, "\(moment.step)")
            let isErased = try after.setting("erased") != nil
            #expect(try after.setting("secret") == (isErased ? nil : [1, 2, 3]), "\(moment.step)")
            #expect(keys.keys.count == 1)
            if number == moments.count - 1 { #expect(isErased) }
            guard isErased else { continue }
            let scratch = "\(folder.path)/again-\(number)"
            for part in ["", "-wal"] where FileManager.default.fileExists(atPath: folder.path + "/before" + part) {
                try FileManager.default.copyItem(atPath: folder.path + "/before" + part, toPath: scratch + part)
            }
            let old = try Ledger(path: scratch, keys: keys)
            #expect(old.findings.contains { if case .setAside = $0 { true } else { false } }, "\(moment.step)")
            #expect(try old.setting("secret") == nil, "\(moment.step)")
        }
    }

    @Test func aRefusedEraseChangesNothing() throws {
        struct Reason: Error {}
        let folder = try Folder()
        var ledger = try folder.open()
        try Sample.fill(ledger)
        let contents = try Sample.contents(ledger)
        #expect(throws: Reason.self) {
            try ledger.erase {
                try $0.set("name", nil)
                throw Reason()
            }
        }
        #expect(try Sample.contents(ledger) == contents)
        // A key was made already; the next one goes on with it.
        try ledger.erase { try $0.set("other", [1]) }
        #expect(try Sample.contents(ledger) == contents && folder.keys.keys.count == 1)
        ledger.close()
        ledger = try folder.open()
        #expect(try Sample.contents(ledger) == contents && ledger.setting("other") == [1])
    }

    /// A disk without room for a second copy of everything says so, and has everything.
    @Test func aFullDiskRefusesToErase() throws {
        let storage = SimulatedStorage()
        let vfs = SimulatedVFS(storage)
        let ledger = try Ledger(path: "ledger.sqlite", keys: MemoryLedgerKeys(), vfs: vfs.name, folder: vfs)
        try Sample.fill(ledger)
        try ledger.write { for name in 0..<20 { try $0.set("\(name)", [UInt8](repeating: 7, count: 20_000)) } }
        let contents = try Sample.contents(ledger)
        storage.capacity = try ledger.byteCount + 8_000
        #expect(throws: LedgerFailure(.full)) { try ledger.erase { try $0.set("0", nil) } }
        #expect(try Sample.contents(ledger) == contents && ledger.setting("0")?.count == 20_000)
    }
}
