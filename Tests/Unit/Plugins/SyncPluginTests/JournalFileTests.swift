// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import RandomValues
import SyncPlan
import Testing

@testable import SyncPlugin

/// The journal on the disk stays within what its folder may have, however long a server's names are.
@Suite struct JournalFileTests {
    private static func folder() throws -> String {
        let path = FileManager.default.temporaryDirectory.path + "/vigil-journal-\(Unique.name())"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    private static func size(_ folder: String) throws -> Int {
        try Data(contentsOf: URL(filePath: folder + "/sync.journal")).count
    }

    private static let states: [PackageRecord.State] = [.waiting, .attempted, .accepted]

    /// 4,000 names with 260 characters, the most that a list has, in three stages each.
    @Test func longNamesAreWrittenAnewInTime() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let journal = JournalFile(folder: folder)
        var largest = 0
        for part in 0..<40 {
            for state in Self.states {
                let entries = (0..<100).map { number in
                    JournalEntry.package(
                        source: "s", id: "\(part)-\(number)-" + String(repeating: "a", count: 250),
                        PackageRecord(state: state, end: 0))
                }
                #expect(journal.append(entries))
                largest = max(largest, try Self.size(folder))
            }
        }
        // What it says takes 1.3 MB. Without a bound of its own it would have grown to 3.7 MB.
        #expect(largest < 3_000_000, "\(largest)")
        #expect(JournalFile(folder: folder).state.sources["s"]?.packages.count == 4_000)
    }

    @Test func oneThatIsTooLargeIsSetAside() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data(repeating: 65, count: 9 << 20).write(to: URL(filePath: folder + "/sync.journal"))
        let journal = JournalFile(folder: folder)
        #expect(journal.wasDamaged)
        #expect(journal.append([.wished(source: "s")]))
        #expect(JournalFile(folder: folder).state.sources["s"]?.isWished == true)
        #expect(!JournalFile(folder: folder).wasDamaged)
    }
}
