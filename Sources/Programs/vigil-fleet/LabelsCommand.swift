// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import FleetCard
import ForeignText
import Glibc
import JSON

/// The labels of the boards of a table, as one file to print.
struct LabelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "labels", abstract: "Draws the labels of all boards of an inventory, as one PDF to print.",
        discussion: """
            In the order of the table, with the codes that are in the folders of the cards; each is read back. A board whose folder has no \
            code any more, because its card was written and the folder deleted, is counted and left out. Print at 100 %, not fitted to the \
            page, and delete the file then: each label opens its board's page.

              vigil-fleet labels fleet.sqlite labels.pdf --cards cards --paper a4
            """)

    @Argument(help: "The inventory.")
    var inventory: String

    @Argument(help: "The new PDF.")
    var file: String

    @Option(help: "Folder of the boards' folders.")
    var cards: String

    @Option(
        help:
            "50x25, 62x29 or 89x36 mm: a label a page, for a printer of labels; a4: sheets of 27 labels of 63.5 x 29.6 mm (Avery Zweckform L6114)."
    )
    var paper = "62x29"

    @Option(help: "How many labels of the first sheet are gone already.")
    var skip = 0

    @Option(help: "Serial number of a board whose label is wanted; may be given several times. All boards, if not given.")
    var board: [String] = []

    @OptionGroup
    var output: NewFileOptions

    func run() throws {
        let paper = try LabelPaper(parsing: paper)
        guard (0..<paper.labelsPerPage).contains(skip) else {
            throw InputError(file: "--skip", "give 0 to \(paper.labelsPerPage - 1): a page has \(paper.labelsPerPage)")
        }
        try output.admit(file)
        try checkCards()
        guard access(inventory, F_OK) == 0, Inventory.canBe(inventory) else {
            throw InputError(file: inventory, "this is no inventory of vigil-fleet; vigil-fleet plan makes one")
        }
        let inventory = try Inventory(path: inventory)
        var labels = FleetLabels(on: paper)
        var (gone, problems): ([BoardSerial], [String]) = ([], [])
        let boards = try wanted(inventory)
        var progress = ProgressBar("Labels")
        for (index, serial) in boards.enumerated() {
            progress.update(UInt64(index), of: UInt64(boards.count))
            guard let record = try inventory.record(of: serial) else { continue }
            let folder = "\(cards)/\(serial)"
            if access("\(folder)/provision/first-secrets", F_OK) != 0, errno == ENOENT {
                gone.append(serial)
                continue
            }
            do { try labels.add(serial, folder: folder, record: record) } catch let error as FolderFault {
                problems.append(error.description)
            } catch let error as LabelFault { problems.append("\(serial): \(error)") }
        }
        let isWritten = !output.dryRun && labels.count > 0
        if isWritten { try Files.write(labels.pdf(skipped: skip), to: file, mode: 0o600) }
        report(labels.count, paper.pages(labels.count, skipped: skip), gone, problems, isWritten: isWritten)
        if !problems.isEmpty { throw ExitCode(1) }
    }

    /// With a name typed wrongly no board would have a code.
    private func checkCards() throws(InputError) {
        var status = stat()
        guard stat(cards, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw InputError(
                file: cards, "there is no such folder; give the one that vigil-fleet plan was given with --cards")
        }
    }

    private func wanted(_ inventory: Inventory) throws -> [BoardSerial] {
        let boards = try named(inventory.boards().filter(\.hasCard).compactMap { BoardSerial($0.serial) })
        guard boards.count <= FleetLabels.mostBoards else {
            throw InputError(
                file: "--board",
                "these are \(boards.count) boards, and a file has \(FleetLabels.mostBoards) labels at most; name the boards, in several runs"
            )
        }
        return boards
    }

    /// Those of `made` that are wanted, in the order in which they are named.
    private func named(_ made: [BoardSerial]) throws(InputError) -> [BoardSerial] {
        guard !board.isEmpty else { return made }
        let known = Set(made)
        return try board.map { text throws(InputError) in
            guard let serial = BoardSerial(text), known.contains(serial) else {
                throw InputError(
                    file: "--board",
                    "\(ForeignText.line(text, limit: 40)) is no board of this inventory that has a card; vigil-fleet inventory lists them"
                )
            }
            return serial
        }
    }

    private func report(_ count: Int, _ pages: Int, _ gone: [BoardSerial], _ problems: [String], isWritten: Bool) {
        for problem in problems { Terminal.error("vigil-fleet: \(problem)\n") }
        if output.json {
            return print(
                JSON.object([
                    "file": .string(file), "written": .bool(isWritten), "labels": .int(Int64(count)),
                    "pages": .int(Int64(pages)),
                    "withoutCode": .array(gone.map { .string("\($0)") }), "problems": .array(problems.map(JSON.string)),
                ]))
        }
        let drawn = "\(count) \(count == 1 ? "label" : "labels") on \(pages) \(pages == 1 ? "page" : "pages")"
        if isWritten {
            print(
                "\(drawn): \(ForeignText.line(file)). Print it at 100 %, not fitted to the page, and delete it: each label opens its board's page."
            )
        } else {
            print(
                output.dryRun
                    ? "Nothing was written. It would be \(drawn)." : "There is no label to draw, and nothing was written.")
        }
        if !gone.isEmpty {
            print(
                "\(gone.count) \(gone.count == 1 ? "board has" : "boards have") no code here any more. A board in use makes a new one: vigil-fleet label --help."
            )
        }
    }
}
