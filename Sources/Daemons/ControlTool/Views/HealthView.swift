// SPDX-License-Identifier: Apache-2.0

import ForeignText
import SelfCheck

/// The self-check, for people.
enum HealthView {
    static func text(_ verdict: HealthVerdict, _ found: [Found], _ screen: Screen) -> String {
        var text = screen.paragraph(sentence(verdict), tone(verdict))
        for one in found {
            let words = one.finding.words
            let about = one.name.map { ": \(ForeignText.line($0))" } ?? ""
            text += screen.paragraph("\(mark(one.finding.severity)) \(words.title)\(about)", tone(one.finding.severity))
            var pairs = [("Means", words.meaning), ("Helps", words.fix)]
            if let detail = one.detail { pairs.insert(("Says", ForeignText.line(detail, limit: 400)), at: 0) }
            pairs.append(("More", one.finding.documentation))
            text += screen.list(pairs)
        }
        return text
    }

    private static func sentence(_ verdict: HealthVerdict) -> String {
        switch verdict {
        case .good: "Good: nothing about the board itself is seriously wrong."
        case .bad: "Bad: until this is mended people are not warned, or not protected."
        case .unknown: "Unknown: a part did not answer, or the time is not known."
        }
    }

    private static func tone(_ verdict: HealthVerdict) -> Screen.Tone {
        switch verdict {
        case .good: .good
        case .bad: .bad
        case .unknown: .attention
        }
    }

    private static func mark(_ severity: Severity) -> String {
        switch severity {
        case .serious: "!!"
        case .attention: "!"
        case .hint: "-"
        }
    }

    private static func tone(_ severity: Severity) -> Screen.Tone? {
        switch severity {
        case .serious: .bad
        case .attention: .attention
        case .hint: nil
        }
    }
}
