// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import WebPages
import WebPagesGallery

/// Writes every page of the board's web UI, in every state and language, into a folder, to be looked at.
struct PagesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pages",
        abstract: "Writes every page of the board's web UI, in every state and language, into a folder.",
        discussion: "The pages ask for /style.css and /live.js: serve the folder, e.g. with python3 -m http.server.")

    @Argument(help: "Where to; it is made if need be.") var folder: String
    @Option(help: "Folder of the texts.") var texts = "Plugins/WebUI/texts"

    func run() throws {
        mkdir(folder, 0o755)
        var catalogs: [Language: TextCatalog] = [:]
        var count = 0
        for language in Language.allCases {
            let behind = catalogs[language == .plainGerman ? .german : .english]
            let texts = try TextCatalog.parse(
                try read("\(texts)/\(language.rawValue).txt"), language: language, behind: behind)
            catalogs[language] = texts
            mkdir("\(folder)/\(language.rawValue)", 0o755)
            for piece in Gallery.pieces(texts) {
                try write(piece.page.bytes, to: "\(folder)/\(language.rawValue)/\(piece.name).html")
                count += 1
            }
        }
        try write(Array(Assets.styleSheet.utf8), to: "\(folder)/style.css")
        try write(Array(Assets.liveScript.utf8), to: "\(folder)/live.js")
        print("\(count) pages in \(catalogs.count) languages")
    }

    private func read(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "r") else {
            throw ValidationError("\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&block, 1, block.count, file), count > 0 { bytes += block[..<count] }
        return bytes
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        guard let file = fopen(path, "w") else {
            throw ValidationError("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw ValidationError("\(path) cannot be written") }
    }
}
