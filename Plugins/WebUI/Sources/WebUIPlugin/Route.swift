// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// One path of the page and what can be done with it. All of them are one table: nothing else is answered, and nothing is looked for in files.
struct Route {
    /// How a request is judged and how it is refused.
    enum Kind {
        /// A page for people: whoever is not signed in is sent to sign in.
        case page
        /// What a page's form sends: needs its token.
        case form
        /// For scripts: JSON, and problems as JSON.
        case api
        /// Neither: style, health.
        case plain
    }

    struct Action {
        let kind: Kind
        /// Who may; `nil` for everybody.
        let roles: [Access1.Role]?
        var bodyLimit = 0
        /// Whether to find out who it is though everybody may.
        var wantsRole = true
        /// Whether somebody has asked for it, and not a page that is open by itself: only the former keeps a session from ending.
        var isAttended = true
        let run: (IncomingRequest) -> Void
    }

    enum Part: Equatable {
        case word(String)
        case named(String)
    }

    let pattern: [Part]
    /// By method. `HEAD` goes with `GET`.
    let actions: [String: Action]

    init(_ path: String, _ actions: [String: Action]) {
        pattern = Self.parts(path).map {
            $0.hasPrefix("{") ? .named(String($0.dropFirst().dropLast())) : .word($0)
        }
        self.actions = actions
    }

    /// `nil` when it is not this path; else what its named parts are.
    func match(_ parts: [String]) -> [String: String]? {
        guard parts.count == pattern.count else { return nil }
        var values: [String: String] = [:]
        for (part, wanted) in zip(parts, pattern) {
            switch wanted {
            case .word(let word): guard part == word else { return nil }
            case .named(let name):
                // What is written into pages, calls and logs: nothing but what names are made of.
                guard (1...64).contains(part.utf8.count),
                    part.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != 0x2F })
                else { return nil }
                values[name] = part
            }
        }
        return values
    }

    /// `/` has none; an empty part or one too many is a part, so that `//` is no other spelling of `/`.
    static func parts(_ path: String) -> [String] {
        guard path != "/" else { return [] }
        return path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }

    func action(_ method: String) -> Action? { actions[method == "HEAD" ? "GET" : method] }

    /// For the header `Allow`.
    var allow: String {
        (actions.keys.sorted() + (actions["GET"] == nil ? [] : ["HEAD"])).joined(separator: ", ")
    }
}
