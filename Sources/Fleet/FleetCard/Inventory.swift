// SPDX-License-Identifier: Apache-2.0

import CivilTime
import ForeignText
import Glibc
public import JSON
package import SQLiteFile

/// The reason why the inventory cannot be used.
public struct InventoryFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// An English sentence for the operator: what is wrong, and what to do.
    public let description: String
}

extension InventoryFault: SQLiteFailure {
    /// Creates the sentence for a fault of the database: what is wrong, and what to do. Cannot fail.
    package init(_ fault: SQLiteFault) {
        switch fault.kind {
        case .unusable:
            description =
                "The inventory cannot be used: \(fault.detail). Give a file in a folder that is there and that you may write to."
        case .tooNew: description = "A newer release of vigil-fleet has written this inventory. Use that one."
        case .damaged:
            description =
                "The inventory is damaged or is no inventory: \(fault.detail). Take back the last copy of it; boards keep working without."
        case .inUse: description = "Another program holds the inventory. Try again when it has ended."
        case .full: description = "There is no room left for the inventory. Make room and try again; nothing was lost."
        }
    }
}

/// The boards of a fleet and the events in their lives, in one SQLite file. Events are added and never changed or removed.
/// Nothing in it is secret. Use it on one thread; other processes may have the file open. Calls block, for up to a minute
/// while another process writes.
public final class Inventory {
    /// An event in the life of a board; the cases are in the order in which they occur.
    public enum Event: String, Sendable, CaseIterable {
        /// The board was given a name and a serial number.
        case planned
        /// The board's folder was written; the detail is its `board.json`.
        case cardMade
        /// The card that was made is void, and another must be made, even if a power cut comes first.
        case cardVoid
        /// A medium was bound to the board, and its folder is being written to it; the detail is JSON (``Medium``).
        case cardWriting
        /// The medium that was bound was written and read back; the detail is the same.
        case cardWritten

        /// Whether the board's folder is made and not void, whatever became of it since.
        public var hasCard: Bool { self == .cardMade || self == .cardWriting || self == .cardWritten }
    }

    /// The kinds of ``Event`` as a list for SQL: a token's loans (``Pool``) are events, too, and say nothing about its card.
    static let cardKinds = Event.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")

    /// A board and the last event in its life.
    public struct Board: Sendable, Equatable {
        /// The board's serial number, as it is printed.
        public let serial: String
        /// The operator's name for the board, as it was first planned.
        public let name: String
        /// The last event: the raw value of an ``Event``.
        public let state: String
        /// The time of the last event by the clock of the operator's computer, in Unix seconds.
        public let time: Int64

        /// Whether the board's folder is made and not void.
        public var hasCard: Bool { Event(rawValue: state)?.hasCard == true }
    }

    let database: SQLiteDatabase<InventoryFault>

    private static let schema = SQLiteSchema(
        version: 1,
        statements: [
            // `key` is the name without letter case.
            "CREATE TABLE board (serial TEXT PRIMARY KEY, name TEXT NOT NULL, key TEXT NOT NULL UNIQUE) WITHOUT ROWID",
            """
            CREATE TABLE event (sequence INTEGER PRIMARY KEY, serial TEXT NOT NULL REFERENCES board, kind TEXT NOT NULL, \
            time INTEGER NOT NULL, detail TEXT NOT NULL)
            """,
            "CREATE INDEX event_serial ON event (serial, sequence)",
            "CREATE TRIGGER event_stays BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'events are only added'); END",
            "CREATE TRIGGER event_remains BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'events are only added'); END",
        ])

    /// Returns whether the file at `path` may be an inventory, by its first 100 bytes (SQLite's file format,
    /// section 1.3). An empty file may be one, because a power cut can leave one when an inventory is created; a
    /// file that is missing or cannot be opened is none. Changes nothing. Call it before the inventory is opened in
    /// this process.
    public static func canBe(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        // No database is open yet in this process, so closing drops no lock of it.
        defer { close(descriptor) }
        var header = [UInt8](repeating: 0, count: 100)
        let count = header.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        if count == 0 { return true }
        guard count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else { return false }
        // Pages, and the version of the tables: a foreign database has tables and no version. The log may say otherwise.
        let (pages, version) = (header[28..<32], header[60..<64])
        return version.contains { $0 != 0 } || pages.elementsEqual([0, 0, 0, 1]) || access("\(path)-wal", F_OK) == 0
    }

    /// Opens the inventory at `path`, and creates it, readable by its owner only, if there is none. Throws
    /// ``InventoryFault`` when it cannot be opened or created, is not an inventory, or was written by a newer release; when
    /// another process keeps it busy; and when the disk is full.
    public init(path: String) throws(InventoryFault) { database = try SQLiteDatabase(path: path, schema: Self.schema) }

    /// Gives a serial number, drawn from `generator`, to each name that has none yet; names that have one keep it, and so does a board that came
    /// into the pool without a card.
    /// Upper and lower case do not differ. The form of names is not checked. Either all names are planned or none
    /// is. `time` is in Unix seconds. Waits for up to a minute while another process writes. Throws
    /// ``InventoryFault`` when the file cannot be written, is damaged or busy, or the disk is full; then nothing
    /// was planned.
    public func plan(
        _ names: [String], at time: Int64, using generator: inout some RandomNumberGenerator
    ) throws(InventoryFault) {
        var made: [(String, BoardSerial)] = []
        for name in names { made.append((name, BoardSerial(using: &generator))) }
        try database.transaction { () throws(InventoryFault) in
            for (name, serial) in made {
                try database.run(
                    "INSERT INTO board (serial, name, key) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING",
                    [.text("\(serial)"), .text(name), .text(name.lowercased())])
                if database.changes == 1 {
                    try add(.planned, to: serial, at: time)
                } else if let known = try withoutCard(name) {
                    try add(.planned, to: known, at: time)
                }
            }
        }
    }

    /// The serial number of the board of this name that is here without any event of a card: it came into the pool by its number.
    private func withoutCard(_ name: String) throws(InventoryFault) -> BoardSerial? {
        let found = try database.first(
            """
            SELECT serial FROM board WHERE key = ? AND NOT EXISTS \
            (SELECT 1 FROM event WHERE event.serial = board.serial AND kind IN (\(Self.cardKinds)))
            """, [.text(name.lowercased())])
        return found?.text.flatMap { BoardSerial($0) }
    }

    /// Adds an event to the life of a planned board; durable when this returns. `time` is in Unix seconds; `detail`
    /// is the text of `board.json` for ``Event/cardMade``, otherwise free. That the board was planned is not
    /// checked. Waits for up to a minute while another process writes. Throws ``InventoryFault`` when the file
    /// cannot be written, is damaged or busy, or the disk is full; then nothing was added.
    public func note(_ event: Event, of serial: BoardSerial, at time: Int64, detail: String = "") throws(InventoryFault) {
        try database.transaction { () throws(InventoryFault) in try add(event, to: serial, at: time, detail: detail) }
    }

    func add(_ event: Event, to serial: BoardSerial, at time: Int64, detail: String = "") throws(InventoryFault) {
        try database.run(
            "INSERT INTO event (serial, kind, time, detail) VALUES (?, ?, ?, ?)",
            [.text("\(serial)"), .text(event.rawValue), .integer(time), .text(detail)])
    }

    /// Returns the board of this name, without regard to case; `nil` if there is none. Throws ``InventoryFault``
    /// when the file cannot be read, is damaged or stays busy for a minute.
    public func board(named name: String) throws(InventoryFault) -> Board? {
        var found: Board?
        try database.run(Self.select + " WHERE board.key = ?", [.text(name.lowercased())]) { found = Self.board($0) }
        return found
    }

    /// Returns the board with this serial number; `nil` if there is none. Throws ``InventoryFault`` when the file cannot be
    /// read.
    public func board(_ serial: BoardSerial) throws(InventoryFault) -> Board? {
        var found: Board?
        try database.run(Self.select + " WHERE board.serial = ?", [.text("\(serial)")]) { found = Self.board($0) }
        return found
    }

    /// Returns the `board.json` of the last card that was made for this board; `nil` if none was made, or the stored text
    /// is not JSON. Throws ``InventoryFault`` when the file cannot be read.
    public func record(of serial: BoardSerial) throws(InventoryFault) -> JSON? {
        var text: String?
        try database.run(
            "SELECT detail FROM event WHERE serial = ? AND kind = ? ORDER BY sequence DESC LIMIT 1",
            [.text("\(serial)"), .text(Event.cardMade.rawValue)]
        ) { text = $0[0].text }
        return text.flatMap { try? JSON(parsing: Array($0.utf8)) }
    }

    /// Returns all boards, sorted by name; empty if there are none. Throws ``InventoryFault`` when the file cannot be read.
    public func boards() throws(InventoryFault) -> [Board] {
        var found: [Board] = []
        try database.run(Self.select + " ORDER BY board.key") { found.append(Self.board($0)) }
        return found
    }

    static let select = """
        SELECT board.serial, name, kind, time FROM board JOIN event ON event.serial = board.serial \
        AND sequence = (SELECT max(sequence) FROM event WHERE serial = board.serial AND kind IN (\(cardKinds)))
        """

    static func board(_ row: [SQLiteValue]) -> Board {
        Board(serial: row[0].text ?? "", name: row[1].text ?? "", state: row[2].text ?? "", time: row[3].integer ?? 0)
    }
}

extension Inventory.Board {
    /// The board as a JSON object for programs: `serial`, `name`, `state`, and `time` in Unix seconds.
    public var json: JSON {
        ["serial": .string(serial), "name": .string(name), "state": .string(state), "time": .int(time)]
    }

    /// The board as a line of comma-separated values (RFC 4180) without a line break: serial number, name, state,
    /// time in Unix seconds, and that time's UTC date. The name is always in quotation marks; one that begins with
    /// `=`, `+`, `-` or `@`, which a spreadsheet would take for a formula, is preceded by an apostrophe.
    public var csv: String {
        let harmless = name.first.map { "=+-@".contains($0) } == true ? "'" + name : name
        return
            "\(serial),\"\(harmless.replacing("\"", with: "\"\""))\",\(state),\(time),\(UTCDay.text(time: UInt64(max(0, time))))"
    }

    /// The header line of ``csv``: the names of its columns.
    public static let columns = "serial,name,state,time,date"
}
