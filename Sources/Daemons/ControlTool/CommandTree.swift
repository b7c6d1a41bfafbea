// SPDX-License-Identifier: Apache-2.0

import ForeignText

/// The commands of a program by their names, for those who typed one that is not there.
public struct CommandTree: Sendable {
    /// The command's name as it is typed, such as `status`.
    public let name: String
    /// The commands below it; empty for one that does something.
    public let subcommands: [CommandTree]

    /// Creates a command with its subcommands, in the order in which help shows them. Cannot fail.
    ///
    /// - Parameter subcommands: The commands below it; empty for a command that does something.
    public init(_ name: String, _ subcommands: [CommandTree] = []) {
        self.name = name
        self.subcommands = subcommands
    }

    /// Most commands that are named to somebody.
    private static let most = 3

    /// The English answer to `words` (without the program's name) if one of the first is no command: it names that word and
    /// the commands that may have been meant. `nil` if all words before the first option are commands, or if there are
    /// none; faults of the rest are reported by the parser.
    public func correction(of words: [String]) -> String? {
        var place = self
        var path = [name]
        for word in words {
            guard !word.hasPrefix("-"), !place.subcommands.isEmpty else { return nil }
            guard let next = place.subcommands.first(where: { $0.name == word }) else {
                return Self.sentence(ForeignText.line(word, limit: 40), at: path, meant: meant(word, at: path, place))
            }
            place = next
            path.append(next.name)
        }
        return nil
    }

    private static func sentence(_ word: String, at path: [String], meant: [String]) -> String {
        let here = path.joined(separator: " ")
        let question = meant.isEmpty ? "" : " Did you mean \(meant.map { "`\($0)`" }.joined(separator: " or "))?"
        return "`\(here)` has no command \(word).\(question) `\(here) --help` lists what there is."
    }

    /// Those here with nearly this name, and those elsewhere with this very name or nearly.
    private func meant(_ word: String, at path: [String], _ place: CommandTree) -> [String] {
        var found: [(distance: Int, path: String)] = []
        let tolerance = max(1, min(2, word.utf8.count / 3))
        func look(_ tree: CommandTree, _ path: [String], more: Int) {
            for command in tree.subcommands {
                let distance = Self.distance(command.name, word)
                let whole = path + [command.name]
                if distance <= (more == 0 ? tolerance : min(1, tolerance)) {
                    found.append((distance + more, whole.joined(separator: " ")))
                }
                look(command, whole, more: more + 1)
            }
        }
        look(place, path, more: 0)
        if path.count > 1 { look(self, [name], more: 1) }
        // Who is in the right place meant what is there.
        let here = found.filter {
            $0.path.split(separator: " ").count == path.count + 1 && $0.path.hasPrefix(path.joined(separator: " "))
        }
        if !here.isEmpty { found = here }
        var seen: Set<String> = []
        return found.sorted { ($0.distance, $0.path) < ($1.distance, $1.path) }.map(\.path).filter {
            seen.insert($0).inserted
        }
        .prefix(Self.most).map { $0 }
    }

    /// Letters left out, added, changed, or two beside each other exchanged.
    static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one.utf8.prefix(64)), Array(other.utf8.prefix(64)))
        var before: [Int] = []
        var last = Array(0...other.count)
        for row in one.indices {
            var line = [row + 1]
            for column in other.indices {
                var cost = min(
                    last[column + 1] + 1, line[column] + 1, last[column] + (one[row] == other[column] ? 0 : 1))
                if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
                    cost = min(cost, before[column - 1] + 1)
                }
                line.append(cost)
            }
            (before, last) = (last, line)
        }
        return last[other.count]
    }
}
