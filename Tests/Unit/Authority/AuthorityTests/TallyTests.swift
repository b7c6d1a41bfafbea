// SPDX-License-Identifier: Apache-2.0

import Authority
import CSQLite
import JSON
import Testing

/// When warnings came is known by the hour, and by nothing finer.
@Suite struct TallyTests {
    /// Odd seconds of one hour, and of the next: multiples of no round number that something else would store.
    private static let moments: [Int64] = [61, 1_913, 3_331, 3_607].map { Scene.start + $0 }

    @Test(arguments: ["submission", "call"])
    func anHourIsOneEventPerSource(_ source: String) throws {
        let scene = try Scene()
        try scene.publish(Scene.start)
        for (number, moment) in Self.moments.enumerated() {
            let keys = [number * 2, number * 2 + 1].map { SubmittedKey(Scene.key($0)) }
            // Sent twice, as after a lost answer.
            for _ in 0..<2 { _ = try scene.authority.accept(keys, source: source, now: moment) }
            _ = try scene.authority.accept([SubmittedKey(Scene.key(99, days: 40))], source: "other", now: moment)
        }
        try scene.reopen()
        try scene.publish(Scene.start + 2 * Scene.hour)
        try scene.publish(Scene.start + 2 * Scene.hour + 1)
        let (events, isWhole) = try scene.authority.audit()
        #expect(isWhole)
        let told = events.filter { $0.event == "keys-accepted" }
        #expect(told.map(\.time) == [1, 1, 2, 2].map { Scene.start + $0 * Scene.hour })
        let own = told.filter { $0.detail["source"]?.string == source }
        #expect(own.map { $0.detail["accepted"]?.int } == [6, 2])
        #expect(own.map { $0.detail["known"]?.int } == [6, 2])
        let other = told.filter { $0.detail["source"]?.string == "other" }
        #expect(other.map { $0.detail["accepted"]?.int } == [0, 0])
        #expect(other.map { $0.detail["tooOld"]?.int } == [3, 1])
    }

    /// Before and after publication: no number in any table is a second in which something came.
    @Test func noSecondOfASubmissionIsStored() throws {
        let scene = try Scene()
        try scene.publish(Scene.start)
        for (number, moment) in Self.moments.enumerated() {
            _ = try scene.authority.accept([SubmittedKey(Scene.key(number))], source: "submission", now: moment)
        }
        for publication in [nil, Scene.start + 2 * Scene.hour] {
            if let publication { try scene.publish(publication) }
            let numbers = try everyNumber(in: scene.path + "/authority.db")
            #expect(numbers.contains(Scene.start / 3_600))
            for moment in Self.moments { #expect(!numbers.contains(moment), "\(moment)") }
        }
    }

    /// Tables with a number for each row in the order of insertion tell the order; those that hold keys have none.
    @Test func noTableOfKeysKeepsTheOrderInWhichTheyCame() throws {
        let scene = try Scene()
        var found: [String] = []
        try scene.ask(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%data BLOB%' AND sql NOT LIKE '%WITHOUT ROWID%'"
        ) { found += $0 }
        #expect(found == [])
    }

    private func everyNumber(in path: String) throws -> Set<Int64> {
        var handle: OpaquePointer?
        try #require(sqlite3_open(path, &handle) == SQLITE_OK)
        defer { sqlite3_close(handle) }
        var tables: [String] = []
        try Scene.ask(handle, "SELECT name FROM sqlite_master WHERE type = 'table'") { tables += $0 }
        #expect(tables.count > 8)
        var numbers: Set<Int64> = []
        for table in tables {
            try Scene.ask(handle, "SELECT * FROM \"\(table)\"") { numbers.formUnion($0.compactMap { Int64($0) }) }
        }
        return numbers
    }
}

extension Scene {
    /// Every row of an answer, as texts.
    func ask(_ statement: String, _ row: ([String]) -> Void) throws {
        var handle: OpaquePointer?
        try #require(sqlite3_open(path + "/authority.db", &handle) == SQLITE_OK)
        defer { sqlite3_close(handle) }
        try Self.ask(handle, statement, row)
    }

    fileprivate static func ask(_ handle: OpaquePointer?, _ statement: String, _ row: ([String]) -> Void) throws {
        var prepared: OpaquePointer?
        try #require(sqlite3_prepare_v2(handle, statement, -1, &prepared, nil) == SQLITE_OK)
        defer { sqlite3_finalize(prepared) }
        while sqlite3_step(prepared) == SQLITE_ROW {
            row(
                (0..<sqlite3_column_count(prepared)).map {
                    sqlite3_column_text(prepared, $0).map { String(cString: $0) } ?? ""
                })
        }
    }
}
