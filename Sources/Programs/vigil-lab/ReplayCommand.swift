// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import GAEN
import JSON
import Reality
import Vault

/// Captures heard by a board in virtual time.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Plays Bluetooth captures (btsnoop) to the firmware's own code, in virtual time.",
        discussion: """
            Tells what each capture has of Exposure Notification: receptions, own identifiers, scans. A board then listens in the same \
            scans, from framing to the sealed log: what it heard and stored, and how many exposure windows that would be if every \
            identifier were somebody who warned. Exit status: 0 when all were read, 2 when one cannot be used.
            """)

    @Argument(help: "Captures in the btsnoop format.") var files: [String]
    @Option(help: "Seconds by which the recorder's clock was ahead of UTC.") var clockOffset: Int64 = 0
    @Flag(help: "Read a file that ends in the middle of a record, as after a power cut, up to there.") var torn = false
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard (-86_400...86_400).contains(clockOffset) else {
            throw ValidationError("--clock-offset must be a day at most")
        }
    }

    func run() throws {
        let rows = try files.map(row)
        if json { return print(JSON.object(["captures": .array(rows)])) }
        print("records  receptions  identifiers  sent  scans  refused  heard  stored  windows  file")
        for row in rows {
            let columns = [
                ("records", 7), ("receptions", 12), ("identifiers", 13), ("sent", 6), ("scans", 7), ("refusedEvents", 9),
                ("heard", 7), ("storedScans", 8), ("windows", 9),
            ]
            let numbers = columns.map { name, width in TextColumn.right("\(row[name]?.int ?? 0)", width) }
            print(numbers.joined() + "  \(row["file"]?.string ?? "")")
            if row["torn"]?.bool == true { print("  it ends in the middle of a record, which was left out") }
            let steps = row["clockStepsBack"]?.int ?? 0
            guard steps > 0 else { continue }
            let longest = Terminal.fixed(Double(row["longestStepBackMicroseconds"]?.int ?? 0) / 1e6, 1)
            print("  its clock runs backwards \(steps) times, by \(longest) s at most: scans around there are uncertain")
        }
    }

    private func row(_ file: String) throws -> JSON {
        let capture = try PhoneCapture(path: file, clockOffset: clockOffset, allowsTorn: torn)
        let board = try capture.replay(path: file)
        var numbers: [RollingProximityIdentifier: Int] = [:]
        for heard in board.records.flatMap(\.heard) where numbers[heard.payload.identifier] == nil {
            numbers[heard.payload.identifier] = numbers.count
        }
        let windows = RebuiltWindows(board.records) { numbers[$0] }
        let strengths = capture.receptions.compactMap(\.rssi).sorted()
        return [
            "file": .string(file), "records": .int(Int64(capture.recordCount)),
            "receptions": .int(Int64(capture.receptions.count)),
            "identifiers": .int(Int64(Set(capture.receptions.map(\.payload.identifier)).count)),
            "sent": .int(Int64(Set(capture.sent.map(\.payload.identifier)).count)),
            "scans": .int(Int64(capture.scans.count)), "refusedEvents": .int(Int64(capture.refusedEvents)),
            "torn": .bool(capture.isTorn), "clockStepsBack": .int(Int64(capture.clockStepsBack)),
            "longestStepBackMicroseconds": .int(capture.longestStepBack),
            "medianStrength": strengths.isEmpty ? .null : .int(Int64(strengths[strengths.count / 2])),
            "heard": .int(Int64(board.heardCount)), "quietScans": .int(Int64(board.quietScanCount)),
            "storedScans": .int(Int64(board.records.count)), "windows": .int(Int64(windows.windows.count)),
        ]
    }
}
