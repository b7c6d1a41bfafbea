// SPDX-License-Identifier: Apache-2.0

public import JSON
import Poster

/// The labels of the boards of a table, in one file to print. What it makes is secret: each label opens its board's page.
public struct FleetLabels: Sendable {
    /// The most boards of one file: 5,000. Our own choice: a file of 60 MB that a printer's program still opens.
    public static let mostBoards = 5_000

    private var labels: [Label] = []
    private let paper: LabelPaper

    /// Begins a file without labels.
    public init(on paper: LabelPaper) { self.paper = paper }

    /// The number of labels.
    public var count: Int { labels.count }

    /// Draws the label of a board, whose code is read back to check it. `folder` is the board's folder of cards, and `record` the `board.json` that the
    /// inventory has of its card. Throws the errors of ``CardFolder/files(at:of:)`` when the folder has another card, or none; ``LabelFault`` `noCode` when the
    /// code cannot be drawn, or says something else when it is read back; and `noSecret` when the card has no code.
    public mutating func add(_ serial: BoardSerial, folder: String, record: JSON) throws {
        let files = try CardFolder.files(at: folder, of: record)
        func bytes(_ path: String) -> [UInt8]? { files.first { $0.path == path }?.bytes }
        let codes = bytes("first-secrets").flatMap { try? JSON(parsing: $0) }?.object?.members ?? []
        guard codes.count == 1, let printed = codes[0].value.string, let name = bytes("name") else {
            throw LabelFault.noSecret
        }
        let host = String(decoding: name.prefix { $0 != 32 && $0 != 10 }, as: UTF8.self) + ".local"
        let given = try? NetworkAnswer(parsing: record["network"]?.string ?? "").address
        labels.append(
            try Card.label(
                serial, printed, title: record["title"]?.string, page: "\((given ?? nil) ?? host):\(CardGrants.pagePort)",
                paper.size))
    }

    /// The pages as a PDF, with the first `skipped` places of the first page left empty: those of a sheet that was begun.
    public func pdf(skipped: Int = 0) -> [UInt8] { Sheet.pdf(paper.arranged(labels, skipped: skipped)) }
}
