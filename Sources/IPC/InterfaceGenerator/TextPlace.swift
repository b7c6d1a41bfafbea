// SPDX-License-Identifier: Apache-2.0

/// Where annotations and members stand in a text. The parser keeps what stands above what, and forgets comments that stand above nothing; here
/// those are found.
struct TextPlace {
    private let lines: [Substring]

    init(_ text: String) { lines = text.split(separator: "\n", omittingEmptySubsequences: false) }

    /// The line of the first member whose first words are `words`, counted from 1; 1 if there is none.
    func line(of words: String...) -> Int {
        let found = lines.firstIndex { line in
            guard line.first != "#" else { return false }
            return line.split { !$0.isLetter && !$0.isNumber && $0 != "." && $0 != "-" }.prefix(words.count)
                .elementsEqual(words) { $0 == $1 }
        }
        return found.map { $0 + 1 } ?? 1
    }

    /// Lines with an `@` right behind a `#` that nobody reads, counted from 1, and what to do about each.
    func unread() -> [(line: Int, advice: String)] {
        lines.indices.compactMap { index in
            let line = lines[index]
            guard let mark = line.firstIndex(of: "#"),
                line[mark...].drop(while: { $0 == "#" || $0 == " " || $0 == "\t" }).first == "@"
            else { return nil }
            let comment = line[mark...]
            if !line[..<mark].allSatisfy({ $0 == " " || $0 == "\t" }) || !comment.hasPrefix("# @") {
                return (
                    index + 1, "an annotation is a line of its own, such as `# @roles wearer`, with one space before the @"
                )
            }
            let below = lines[(index + 1)...].first { !$0.trimmed.hasPrefix("#") }
            if below?.trimmed.isEmpty ?? true {
                return (
                    index + 1, "this annotation stands above nothing: take away the empty line below it, or the annotation"
                )
            }
            return nil
        }
    }
}

extension Substring {
    fileprivate var trimmed: Substring { drop { $0 == " " || $0 == "\t" || $0 == "\r" } }
}
