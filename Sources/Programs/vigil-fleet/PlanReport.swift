// SPDX-License-Identifier: Apache-2.0

import FleetCard
import ForeignText
import JSON

/// What a run of `plan` did, or would do, and what it found.
struct PlanReport {
    /// A card that is not as the table, the inventory or the folder says.
    struct Finding {
        /// In what.
        enum Kind: String {
            /// The table or an option says something else.
            case differs
            /// Its folder is not there.
            case noFolder
            /// Its folder has a card that the inventory does not know.
            case otherCard
            /// Its folder is something else, or cannot be read.
            case unreadable
        }

        let kind: Kind
        let line: Int
        let name: String
        let serial: BoardSerial
        let text: String

        var json: JSON {
            [
                "kind": .string(kind.rawValue), "line": .int(Int64(line)), "name": .string(name),
                "serial": .string("\(serial)"), "text": .string(text),
            ]
        }
    }

    /// Most findings that are printed for a person; JSON has all.
    private static let most = 20

    let rows: Int
    let isWritten: Bool
    let notes: [String]
    var made = 0
    /// Boards whose card was made anew.
    var void: [BoardSerial] = []
    var findings: [Finding] = []

    mutating func add(_ more: [Finding]) { findings += more }

    var json: JSON {
        [
            "boards": .int(Int64(rows)), "made": .int(Int64(made)), "there": .int(Int64(rows - made)),
            "written": .bool(isWritten), "void": .array(void.map { .string("\($0)") }),
            "findings": .array(findings.map(\.json)), "notes": .array(notes.map(JSON.string)),
        ]
    }

    var text: String {
        func count(_ number: Int, _ one: String) -> String { "\(number) \(one)\(number == 1 ? "" : "s")" }
        var lines = [
            isWritten
                ? "\(count(made, "card")) made, \(rows - made) \(rows - made == 1 ? "was" : "were") there already. The inventory says which serial number each board has."
                : "\(count(rows, "board")); the table is good. \(count(made, "card")) would be made, \(rows - made) \(rows - made == 1 ? "is" : "are") there already. Nothing was written."
        ]
        lines += findings.prefix(Self.most).map {
            "Line \($0.line) (\(ForeignText.line($0.name, limit: 100))): \($0.text)"
        }
        if findings.count > Self.most { lines.append("and \(findings.count - Self.most) more; --json has all.") }
        lines += notes.prefix(Self.most).map { "Note: \($0)" }
        if notes.count > Self.most { lines.append("and \(notes.count - Self.most) more notes; --json has all.") }
        if !void.isEmpty {
            lines.append(
                "The old card and the old label of \(void.map { "\($0)" }.joined(separator: ", ")) are void: overwrite the card, and destroy the label."
            )
        }
        if isWritten, made > 0 {
            lines.append(
                "Next: print the labels (vigil-fleet labels --help), then write the cards (vigil-fleet flash --help), or copy each board's folder \(Card.folder) onto its card's disk VIGIL; then delete both here and keep board.json."
            )
        }
        return lines.joined(separator: "\n")
    }
}
