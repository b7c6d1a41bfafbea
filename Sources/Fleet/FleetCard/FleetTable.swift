// SPDX-License-Identifier: Apache-2.0

import ForeignText

/// The faults of a table of boards, each with its line. A table with a fault is not used at all.
public struct TableFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Most sentences that are kept; the rest is counted.
    static let most = 20

    /// The faults in the order of the file, 1 to 20 English sentences that begin with the line; further faults are only
    /// counted.
    public let problems: [String]
    /// The number of all faults, 1 or more, those that ``problems`` leaves out included.
    public let count: Int

    /// The sentences of ``problems``, one on each line, and a last line that says how many more faults there are, if any,
    /// and that nothing was planned.
    public var description: String {
        problems.joined(separator: "\n")
            + (count > problems.count
                ? "\nand \(count - problems.count) more. Nothing was planned." : "\nNothing was planned.")
    }
}

/// A table of many boards: comma-separated values (RFC 4180) in UTF-8, separated by commas or, if the first line
/// has semicolons and no comma, by semicolons. Empty lines are skipped; a line may end with LF or CR LF.
///
/// The first line names the columns, in any order and in any case: `name` (the operator's unique name for the
/// board), `use`, `language`, `network` and, optionally, `title` and `group`. Quotation marks, line breaks within them, and a
/// byte order mark are understood. A field that begins with a quotation mark is quoted: it ends with one, and one within it
/// is doubled. In any other field a quotation mark is a character like others.
public struct FleetTable: Sendable {
    /// A row of the table: one board and the answers for it.
    public struct Row: Sendable {
        /// The line of the file in which the row begins, counted from 1; line 1 has the names of the columns.
        public let line: Int
        /// The operator's name for the board, 1 to 100 Unicode scalars that can be shown and are not all blanks;
        /// unique in the table, without regard to case.
        public let name: String
        /// The use of the board: a person wears it, or it stands in a place.
        public let use: BoardAnswers.Use
        /// The language of the board's page, one of ``BoardAnswers/languages``.
        public let language: String
        /// The way in which the board gets its network address.
        public let network: NetworkAnswer
        /// The title at the head of each page, 1 to 60 Unicode scalars that can be shown; `nil` if the field is
        /// empty or the table has no such column.
        public let title: String?
        /// The board's group, for configurations that go to one group (docs/fleet.md): 1 to 32 small letters, digits
        /// and dashes; `nil` if the field is empty or the table has no such column.
        public let group: String?
    }

    /// The most bytes of a table that `vigil-fleet` reads: 64 MiB. ``init(parsing:)`` does not check it. Our own
    /// choice.
    public static let maximumByteCount = 64 << 20
    /// The most boards that one table may have: 200,000; ``init(parsing:)`` refuses more, and counts each fault as
    /// a board too. Our own choice.
    public static let maximumRowCount = 200_000
    private static let needed = ["name", "use", "language", "network"]

    /// The boards in the order of the file, 1 or more.
    public let rows: [Row]
    /// The possible mistakes in the table, a sentence each; empty if there are none. The only kind is that two boards have
    /// one address, which is right only in two networks.
    public let notes: [String]

    /// Reads a table from the bytes of its file, and checks every field of every row. Throws ``TableFault`` with
    /// the faults of all rows, at most one for each, of which it keeps the first 20; a table without boards is a
    /// fault too. After bytes that are not UTF-8, or a fault of the first line, no row is checked; after a
    /// quotation mark that is not closed, or too many boards, no further row.
    public init(parsing bytes: [UInt8]) throws(TableFault) {
        var problems: [String] = []
        var count = 0
        func report(_ line: Int, _ text: String) {
            count += 1
            if problems.count < TableFault.most { problems.append("Line \(line): \(text)") }
        }
        func fault() -> TableFault { TableFault(problems: problems, count: count) }
        var input = bytes[...]
        if input.starts(with: [0xEF, 0xBB, 0xBF]) { input = input.dropFirst(3) }
        guard String(validating: input, as: UTF8.self) != nil else {
            report(
                Self.firstLineOutsideUTF8(input),
                "the table is not in UTF-8, so names would be wrong. Save it as “CSV UTF-8”.")
            throw fault()
        }
        var reader = RecordReader(input)
        let first = reader.next()
        if let fault = first?.fault {
            report(1, fault.rawValue)
            throw TableFault(problems: problems, count: count)
        }
        let header = first?.fields.map { $0.lowercased() } ?? []
        for name in Self.needed where !header.contains(name) {
            report(1, "the column \(name) is missing. There must be \(Self.needed.joined(separator: ", ")).")
        }
        for name in header where !(Self.needed + ["title", "group"]).contains(name) {
            report(
                1,
                "there is no column “\(ForeignText.line(name, limit: 40))”. There are \(Self.needed.joined(separator: ", ")), title and group."
            )
        }
        if Set(header).count != header.count { report(1, "a column is there twice.") }
        guard count == 0 else { throw fault() }
        var rows: [Row] = []
        var names: [String: Int] = [:]
        while let record = reader.next() {
            guard record.fault != .isOpen else {
                report(record.line, RecordReader.Fault.isOpen.rawValue)
                break
            }
            guard rows.count + count < Self.maximumRowCount else {
                report(record.line, "these are more than \(Self.maximumRowCount) boards; divide the table.")
                break
            }
            if let fault = record.fault {
                report(record.line, fault.rawValue)
                continue
            }
            guard record.fields.count == header.count else {
                report(record.line, "has \(record.fields.count) fields, and the first line has \(header.count).")
                continue
            }
            let cells = Dictionary(uniqueKeysWithValues: zip(header, record.fields))
            do throws(AnswerFault) {
                let row = try Self.row(cells, record.line)
                if let first = names[row.name.lowercased()] {
                    report(
                        record.line,
                        "the name “\(ForeignText.line(row.name, limit: 60))” is in line \(first) already. Two boards cannot have one name."
                    )
                } else {
                    names[row.name.lowercased()] = record.line
                    rows.append(row)
                }
            } catch { report(record.line, "\(error)") }
        }
        if rows.isEmpty, count == 0 { report(1, "there is no board in the table.") }
        guard count == 0 else { throw fault() }
        self.rows = rows
        notes = Self.notes(rows)
    }

    private static func firstLineOutsideUTF8(_ input: ArraySlice<UInt8>) -> Int {
        var (line, rest) = (1, input)
        // No character has the byte of a line's end within it.
        while let end = rest.firstIndex(of: 10), String(validating: rest[..<end], as: UTF8.self) != nil {
            (line, rest) = (line + 1, rest[(end + 1)...])
        }
        return line
    }

    private static func notes(_ rows: [Row]) -> [String] {
        var places: [String: Int] = [:]
        var notes: [String] = []
        for row in rows {
            guard let address = row.network.address else { continue }
            if let first = places[address] {
                notes.append(
                    "Lines \(first) and \(row.line) give two boards the address \(address). That is right only if they stand in two networks."
                )
            } else {
                places[address] = row.line
            }
        }
        return notes
    }

    private static func row(_ cells: [String: String], _ line: Int) throws(AnswerFault) -> Row {
        func cell(_ name: String, _ question: Question) throws(AnswerFault) -> String {
            try BoardAnswers.trimmed(cells[name] ?? "", to: question)
        }
        let name = cells["name"] ?? ""
        let scalars = name.unicodeScalars
        guard (1...100).contains(scalars.count), scalars.allSatisfy(ForeignText.isHarmless),
            !scalars.allSatisfy({ $0 == " " })
        else {
            throw .badName
        }
        let use = try BoardAnswers.use(try cell("use", .use))
        let language = try BoardAnswers.language(try cell("language", .language))
        let network = try NetworkAnswer(parsing: try cell("network", .network))
        let title = cells["title"].flatMap { $0.isEmpty ? nil : $0 }
        // The title is checked where every board's is.
        _ = try BoardAnswers(use: use, language: language, network: network, authority: nil, technicians: nil, title: title)
        let group = cells["group"].flatMap { $0.isEmpty ? nil : $0 }
        if let group, !FleetMembership.isGroup(group) { throw .badGroup(group) }
        return Row(
            line: line, name: name, use: use, language: language, network: network, title: title, group: group)
    }
}

/// Records of comma-separated values, one after the other, with memory for one.
struct RecordReader {
    struct Record {
        let line: Int
        let fields: [String]
        /// Then the fields are not those that were meant.
        let fault: Fault?
    }

    /// What is wrong with a record's quotation marks, as a sentence.
    enum Fault: String {
        /// The file ends within them.
        case isOpen = "a quotation mark is not closed."
        case isFollowed =
            "a quotation mark ends a field, and the field goes on. Write one that belongs into the field twice: \"Room \"\"Blue\"\"\"."
    }

    private let bytes: ArraySlice<UInt8>
    private var place: Int
    private var line = 1
    private let separator: UInt8

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
        let first = bytes.prefix { $0 != 10 }
        separator =
            first.contains(UInt8(ascii: ";")) && !first.contains(UInt8(ascii: ",")) ? UInt8(ascii: ";") : UInt8(ascii: ",")
    }

    /// The next record that is not an empty line; `nil` at the end.
    mutating func next() -> Record? {
        while place < bytes.endIndex {
            let begin = line
            let record = read(begin)
            if record.fields != [""] || record.fault != nil { return record }
        }
        return nil
    }

    private mutating func read(_ begin: Int) -> Record {
        var fields: [String] = []
        var field: [UInt8] = []
        var isQuoted = false
        // Behind the mark that ends a quoted field.
        var isClosed = false
        var fault: Fault?
        func text() -> String { String(decoding: field, as: UTF8.self) }
        while place < bytes.endIndex {
            let byte = bytes[place]
            place += 1
            if byte == 10 { line += 1 }
            if isQuoted {
                guard byte == UInt8(ascii: "\"") else {
                    field.append(byte)
                    continue
                }
                if place < bytes.endIndex, bytes[place] == byte {
                    field.append(byte)
                    place += 1
                } else {
                    (isQuoted, isClosed) = (false, true)
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\"") where field.isEmpty && !isClosed: isQuoted = true
            case separator:
                fields.append(text())
                (field, isClosed) = ([], false)
            case 10: return Record(line: begin, fields: fields + [text()], fault: fault)
            case 13 where place == bytes.endIndex || bytes[place] == 10: continue
            default:
                if isClosed { fault = .isFollowed }
                field.append(byte)
            }
        }
        return Record(line: begin, fields: fields + [text()], fault: isQuoted ? .isOpen : fault)
    }
}
