// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// Tests and what became of them. Results only where one was asked for.
enum TestViews {
    static func list(_ reply: Diagnosis1.TestsReply, _ screen: Screen, now: Int64) -> String {
        var text = ""
        if reply.tests.isEmpty {
            text = screen.paragraph("No test is known here. `vigil ctl tests enter` takes the code of one.")
        } else {
            var table = TextTable("#Test", "What", "Entered", "State")
            for test in reply.tests {
                table.add(
                    [
                        "\(test.number)", kind(test), Words.age(of: test.entered, at: now),
                        state(test) + goodUntil(test, reply.teleTANSeconds, now),
                    ],
                    test.news ? .attention : nil)
            }
            text = table.text(screen)
        }
        if let next = reply.nextExchange {
            text += screen.paragraph(
                "Next exchange \(Words.age(of: next, at: now)). There is one whether there is anything to say or not.",
                .quiet)
        }
        return text
    }

    static func entered(
        _ number: Int, byTelephone: Bool, _ all: Diagnosis1.TestsReply?, _ screen: Screen, now: Int64
    ) -> String {
        let next = all?.nextExchange.map { ", \(Words.age(of: $0, at: now))" } ?? ""
        var text =
            "This is test \(number). It is registered at the next exchange\(next); `vigil ctl tests` says whether there is news."
        if byTelephone, let seconds = all?.teleTANSeconds {
            text +=
                " A hotline's number is good for \(seconds / 3_600) \(seconds == 3_600 ? "hour" : "hours") from when it was given."
        }
        return screen.paragraph(text)
    }

    static func result(_ result: Diagnosis1.Result, _ number: Int, _ screen: Screen) -> String {
        switch result {
        case .pending: screen.paragraph("Test \(number): there is no result yet.")
        case .negative: screen.paragraph("Test \(number): negative. The virus was not found.")
        case .positive:
            screen.paragraph("Test \(number): positive. The virus was found.", .attention)
                + screen.paragraph(
                    "Stay away from others, and follow what your health authority says. If you agree, those whom you met can be warned, without your name: `vigil ctl tests warn \(number)`."
                )
        case .invalid: screen.paragraph("Test \(number): invalid. It says neither yes nor no; have another one done.")
        case .redeemed: screen.paragraph("Test \(number): the server keeps its result no longer.")
        }
    }

    /// Until when a hotline's number that waits is good at the latest: it was given before it was entered.
    private static func goodUntil(_ test: Diagnosis1.Test, _ seconds: Int64?, _ now: Int64) -> String {
        guard test.byTelephone, test.state == .registering, let seconds else { return "" }
        return "; the number ends \(Words.age(of: test.entered + seconds, at: now)) at the latest"
    }

    private static func kind(_ test: Diagnosis1.Test) -> String {
        if test.byTelephone { return "hotline" }
        return switch test.kind {
        case .pcr: "PCR"
        case .rapidAntigen: "rapid antigen"
        case .rapidPCR: "rapid PCR"
        }
    }

    private static func state(_ test: Diagnosis1.Test) -> String {
        let state =
            switch test.state {
            case .registering: "is registered at the next exchange"
            case .waiting: "waits for the laboratory"
            case .ready where test.news && test.warning == nil: "there is news: `vigil ctl tests result \(test.number)`"
            case .ready: "its result is here"
            case .refused: "was not taken"
            }
        return test.sentence.map { "\(state). \($0)" } ?? state
    }
}
