// SPDX-License-Identifier: Apache-2.0

/// What the system found when it made its partitions ready (docs/image.md): a folder with a file for each, named after it, with one line of
/// words. Written by the system, and yet read as if by a stranger.
enum PartitionReport {
    static let mostPartitions = 8
    static let mostBytes = 256

    /// In the order of their names; files of other names, and what is no line of text, are passed over.
    static func read(_ folder: String) -> [(name: String, words: String)] {
        var found: [(name: String, words: String)] = []
        for name in Folders.names(folder) where found.count < mostPartitions && isName(name) {
            guard let bytes = Folders.read("\(folder)/\(name)", limit: mostBytes), let words = line(bytes) else { continue }
            found.append((name, words))
        }
        return found
    }

    private static func isName(_ name: String) -> Bool {
        (1...16).contains(name.utf8.count) && name.utf8.allSatisfy { (97...122).contains($0) || $0 == 45 }
    }

    /// The first line of ASCII, without its end; `nil` for anything else.
    static func line(_ bytes: [UInt8]) -> String? {
        guard let line = bytes.split(separator: 10, omittingEmptySubsequences: false).first, !line.isEmpty,
            line.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        return String(decoding: line, as: UTF8.self)
    }
}
