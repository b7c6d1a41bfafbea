// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BoardCheck
import BoardFile
import CommandFiles
import ControlTool
import Glibc
import JSON

/// The board as hardware.
struct BoardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "board", abstract: "What the running board really has, and whether it can start with a card.",
        subcommands: [Check.self, Provision.self, Secret.self, Wireless.self])

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Compares this board with its description.",
            discussion: """
                Reads what the kernel shows and changes nothing. Exit status: 0 nothing is missing; 1 something is; 2 the board's file \
                cannot be used. docs/board-check.md has every line.
                """)

        @Option(help: "The board's file; \(RunCommand.standardBoard) if it is there.", completion: .file())
        var board: String?

        @Option(name: .customLong("run"), help: "Run folder of the core, which is asked for its controller.")
        var folder = "/run/vigil"

        @Option(help: "Look at a copy of a board's files below this folder.", completion: .directory)
        var root = "/"

        @Flag(help: "Print JSON: a list of objects with id, title, state, found and fix.")
        var json = false

        func run() throws {
            let items = BoardCheck(
                try description(), root: root.count > 1 && root.hasSuffix("/") ? String(root.dropLast()) : root,
                controller: root == "/" ? RunningCore.controller(socket: "\(folder)/ctl.sock") : nil, machine: Self.machine
            ).run()
            if json {
                print("\(try JSON(encoding: items))")
            } else {
                var table = TextTable("", "What", "Found, and what to do")
                for item in items {
                    let mark = item.state == .good ? "✓" : item.state == .missing ? "✗" : "?"
                    let tone: Screen.Tone? = item.state == .missing ? .bad : nil
                    table.add([mark, item.title, item.found + (item.fix.map { ". \($0)" } ?? "")], tone)
                }
                print(table.text(.standardOutput()), terminator: "")
                let count = items.count { $0.state == .missing }
                print(count == 0 ? "\nNothing is missing." : "\n\(count) of \(items.count) missing.")
            }
            if items.contains(where: { $0.state == .missing }) { throw ExitStatus.refused }
        }

        private func description() throws -> BoardFile? {
            guard let path = board ?? (access(RunCommand.standardBoard, F_OK) == 0 ? RunCommand.standardBoard : nil) else {
                return nil
            }
            do {
                return try BoardFile(parsing: try Files.read(path, limit: BoardFile.maximumByteCount))
            } catch let refusal as BoardFile.Refusal {
                throw InputError(file: path, "\(refusal)")
            }
        }

        private static var machine: String {
            var names = utsname()
            uname(&names)
            return withUnsafePointer(to: &names.machine) {
                $0.withMemoryRebound(to: CChar.self, capacity: 65) { String(cString: $0) }
            }
        }
    }
}
