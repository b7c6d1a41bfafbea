// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The person at the terminal, if there is one, who can be asked.
public struct Person {
    private let answer: ((String) -> String?)?

    /// Creates the person at the terminal, or nobody, as in scripts.
    ///
    /// - Parameter answer: Shows a question, and returns the line that was typed; `nil` at the end of input. The
    ///   closure is `nil` if there is nobody.
    public init(answer: ((String) -> String?)?) { self.answer = answer }

    /// Returns the person at standard input and standard error if both are a terminal; otherwise nobody. Of a line
    /// at most 4,096 bytes are kept, the most that a terminal passes on in canonical mode (termios(3)).
    public static func atTerminal() -> Person {
        guard isatty(0) == 1, isatty(2) == 1 else { return Person(answer: nil) }
        return Person { question in
            var line: [UInt8] = []
            _ = question.withCString { write(2, $0, strlen($0)) }
            var byte: UInt8 = 0
            while true {
                let count = read(0, &byte, 1)
                if count < 0, errno == EINTR { continue }
                guard count == 1 else { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
                guard byte != UInt8(ascii: "\n") else { return String(decoding: line, as: UTF8.self) }
                // As much as a terminal gives in a line.
                if line.count < 4_096 { line.append(byte) }
            }
        }
    }

    /// Whether somebody can be asked.
    package var isThere: Bool { answer != nil }

    /// The line that was typed, without blanks around it; `nil` if no one is there, or at the end of input. Blocks.
    package func ask(_ question: String) -> String? { answer?(question).map(Self.trimmed) }

    /// Likewise, as it was typed and without showing it.
    package func askSecret(_ question: String) -> String? {
        guard let answer else { return nil }
        var shown = termios()
        let isTerminal = isatty(0) == 1 && tcgetattr(0, &shown) == 0
        if isTerminal {
            var quiet = shown
            quiet.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(0, TCSAFLUSH, &quiet)
        }
        defer {
            if isTerminal {
                tcsetattr(0, TCSAFLUSH, &shown)
                _ = "\n".withCString { write(2, $0, 1) }
            }
        }
        return answer(question)
    }

    /// Whether the person says yes; anything else, and no one at the terminal, is a no. Blocks.
    package func confirms(_ question: String) -> Bool {
        ["y", "Y", "yes", "Yes"].contains(ask("\(question) [y/N] ") ?? "")
    }

    /// Goes on if `isAgreed` (`--yes`), or if the person types `word`, or y where there is no word. Blocks.
    /// - Throws: `ControlFailure`: `badUsage` if no one can be asked, `declined` if the person does not agree.
    package func agree(to question: String, word: String? = nil, isAgreed: Bool) throws(ControlFailure) {
        guard !isAgreed else { return }
        guard let answer else {
            throw ControlFailure(
                .badUsage,
                "This needs somebody's agreement, and nobody is at the terminal. With --yes a script says that somebody agreed."
            )
        }
        let typed = Self.trimmed(answer("\(question)\n\(word.map { "Type \($0) to go on: " } ?? "Go on? [y/N] ")") ?? "")
        guard word.map({ typed == $0 }) ?? ["y", "Y", "yes", "Yes"].contains(typed) else {
            throw ControlFailure(.declined, "Nothing was changed.")
        }
    }

    private static func trimmed(_ text: String) -> String {
        func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" || character == "\r" }
        return String(text.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}
