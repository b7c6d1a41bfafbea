// SPDX-License-Identifier: Apache-2.0

import ForeignText
import Interfaces

/// What the device does, at a glance.
enum StateView {
    static func text(_ status: Exposure1.Status, _ screen: Screen, now: Int64) -> String {
        var pairs = [
            ("Takes part", status.enabled ? "yes" : "no"),
            ("Stands for", status.role == .person ? "a person" : "a place"),
            ("Time", words(status.timeState)),
            (
                "Last match",
                status.matching
                    ? "files are being matched now"
                    : status.lastMatched.map { "\(Words.moment($0)), \(Words.age(of: $0, at: now))" } ?? "never"
            ),
        ]
        if status.role == .person {
            let met = status.matchCount.map { "\(Words.count($0, "published person", "published people")) met, in " } ?? ""
            pairs.append(("Found", "\(met)\(Words.count(status.matchedFileCount, "file")) matched"))
            pairs.append(("Limit", limit(status.limit, now: now)))
        }
        return screen.paragraph("\(label(status.state)): \(status.sentence)", tone(status.state)) + screen.list(pairs)
    }

    /// How often files may still be provided, in a sentence.
    static func limit(_ limit: Exposure1.Limit, now: Int64) -> String {
        let used =
            limit.perDay.map { "\(limit.used) of \(Words.count($0, "call")) used this UTC day" }
            ?? "\(Words.count(limit.used, "call")) this UTC day; bound by distinct signed content, not by their number"
        guard let next = limit.nextPermitted else { return "\(used); the next is permitted now" }
        return "\(used); the next is permitted at \(Words.moment(next)), \(Words.age(of: next, at: now))"
    }

    /// One line of a watch.
    static func line(_ reply: Exposure1.WatchReply, _ screen: Screen, now: Int64) -> String {
        let event = reply.event.rawValue
        let gap = String(repeating: " ", count: max(0, 14 - event.count))
        let sentence = ForeignText.line(reply.status.sentence)
        return
            "\(clock(now))  \(event)\(gap)  \(screen.tint(label(reply.status.state), tone(reply.status.state))): \(sentence)\n"
    }

    private static func clock(_ now: Int64) -> String {
        let second = now % 60
        return Words.moment(now).replacing(" UTC", with: "") + ":" + (second < 10 ? "0" : "") + "\(second) UTC"
    }

    private static func label(_ state: Exposure1.State) -> String {
        switch state {
        case .active: "Active"
        case .disabled: "Switched off"
        case .timeUnknown: "Time not known"
        case .radioTrouble: "Radio trouble"
        case .stopping: "Stopping"
        }
    }

    private static func tone(_ state: Exposure1.State) -> Screen.Tone {
        switch state {
        case .active: .good
        case .disabled, .stopping, .timeUnknown: .attention
        case .radioTrouble: .bad
        }
    }

    static func words(_ state: Exposure1.TimeState) -> String {
        switch state {
        case .untrusted: "not known"
        case .plausible: "plausible, not proven"
        case .authenticated: "proven by a signature"
        }
    }
}
