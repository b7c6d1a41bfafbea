// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Interfaces

/// What a call with key files came to.
enum ProvideView {
    static func text(_ result: Exposure1.ProvideResult, _ screen: Screen) -> String {
        var table = TextTable("File", "#Keys", "Outcome")
        for file in result.files.prefix(ControlSession.mostFiles) {
            table.add([
                file.name, Terminal.grouped(file.keyCount),
                file.outcome == .matched ? "matched" : "matched before: nothing new in it",
            ])
        }
        var text = table.text(screen) + "\n"
        // Absent for callers that cannot read results.
        if let new = result.newMatchCount {
            let met =
                new == 0
                ? "Nobody new was found to have been met."
                : "\(Words.count(new, "published person was", "published people were")) newly found to have been met: `vigil ctl exposures daily` tells more."
            text += screen.paragraph(met, new == 0 ? .good : .attention)
        }
        if let changed = result.changedMatchCount, changed > 0 {
            text += screen.paragraph(
                "Of \(Words.count(changed, "person", "people")) met before something else is published now."
            )
        }
        if result.refusedKeyCount > 0 {
            text += screen.paragraph(
                "\(Words.count(result.refusedKeyCount, "entry", "entries")) left out: they break the format's rules.",
                .attention)
        }
        return text
    }
}

/// A line on standard error while files are matched, gone when it is done. Nothing where nobody watches.
struct ProvideProgress {
    private let fileCount: Int
    private let isShown: Bool
    private var isThere = false

    init(fileCount: Int, isShown: Bool) {
        self.fileCount = fileCount
        self.isShown = isShown
    }

    /// The line for a reply: a bar over the files, and how much of the present one is read.
    static func line(done: Int, bytes: Int64, of fileCount: Int) -> String {
        let done = min(max(done, 0), fileCount)
        let filled = fileCount == 0 ? 30 : done * 30 / fileCount
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 30 - filled)
        return
            "matching \(bar) file \(min(done + 1, fileCount)) of \(fileCount), \(Words.bytes(UInt64(clamping: bytes))) read"
    }

    mutating func update(_ reply: Exposure1.ProvideReply) {
        guard isShown else { return }
        isThere = true
        Terminal.error(
            "\r\u{1B}[K" + Self.line(done: reply.progressFileCount ?? 0, bytes: reply.progressByteCount ?? 0, of: fileCount)
        )
    }

    mutating func end() {
        if isThere { Terminal.error("\r\u{1B}[K") }
        isThere = false
    }
}
