// SPDX-License-Identifier: Apache-2.0

import Varlink

/// The table of roles for people: a part of a page in Markdown, between two marks.
enum RolePage {
    private static let begin = "<!-- table of roles: made from the interface texts by `make generate` -->\n"
    private static let end = "<!-- end of the table of roles -->\n"

    /// `page` with the table of what the core answers; `nil` if it has not each mark once.
    static func page(_ page: String, _ interfaces: [AnnotatedInterface]) -> String? {
        let before = page.split(separator: begin, maxSplits: 2, omittingEmptySubsequences: false)
        guard before.count == 2 else { return nil }
        let after = before[1].split(separator: end, maxSplits: 2, omittingEmptySubsequences: false)
        guard after.count == 2 else { return nil }
        return "\(before[0])\(begin)\(table(interfaces.filter(\.isCore)))\(end)\(after[1])"
    }

    private static func table(_ interfaces: [AnnotatedInterface]) -> String {
        var lines = [["method"] + AnnotatedInterface.roles, AnnotatedInterface.roles.map { _ in "---" } + ["---"]]
        for interface in interfaces {
            let name = interface.description.name.split(separator: ".").last ?? ""
            for method in interface.description.methods {
                guard let rules = interface.rules[method.name], !(rules.roles + rules.inPlaces).isEmpty else { continue }
                let marks = AnnotatedInterface.roles.map {
                    rules.roles.contains($0) ? "yes" : rules.inPlaces.contains($0) ? "in a place" : "–"
                }
                lines.append(["`\(name).\(method.name)`"] + marks)
            }
        }
        return lines.map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    }
}
