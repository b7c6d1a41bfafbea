// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Interfaces
import SelfCheck

/// What holds about data donation, and what would be sent.
enum DonationViews {
    static func state(_ state: Donation1.DonationReply, _ screen: Screen, now: Int64) -> String {
        var text = ""
        if !state.isOffered {
            text += screen.paragraph(
                "The health authority does not ask for donations: this device has no signed document about them. No donation is sent."
            )
        }
        if let stopped = state.stopped, state.isOffered { text += screen.paragraph(sentence(stopped), .attention) }
        if state.isOutOfKeys(at: now) {
            text += screen.paragraph(
                "The health authority's document has no keys for the days after tomorrow, so no more tickets can be had. Those that are there are still used; it goes on by itself with a new document.",
                .attention)
        }
        var pairs: [(String, String)] = []
        if state.isOffered {
            pairs.append(("Asked for by", "the health authority"))
            pairs.append(("Tickets from", state.issuer ?? "not known"))
            pairs.append(("Donations to", state.server ?? "not known"))
            if let version = state.documentVersion, let digest = state.documentMark {
                pairs.append(("Document", "version \(version), \(digest)"))
            }
        }
        if let consent = state.consent {
            pairs.append(("Consent", "since \(Words.moment(consent.since)), to text \(consent.text)"))
            if let begins = state.begins, begins > now {
                pairs.append(("Begins", "\(Words.moment(begins)), \(Words.age(of: begins, at: now))"))
            }
            // Without a document nothing is sent, whatever is there.
            if state.isOffered {
                pairs.append(("Next donation", next(state, now: now)))
                pairs.append(
                    (
                        "Tickets",
                        state.preparedDays == 0
                            ? "none yet" : "for \(Words.count(state.preparedDays, "day")) to come"
                    ))
            }
        } else {
            pairs.append(
                (
                    "Consent",
                    state.isOffered
                        ? "none: in place of donations messages with nothing in them are sent, so that nobody sees from outside who donates"
                        : "none, so no donation is sent"
                ))
        }
        text += screen.list(pairs)
        if !state.history.isEmpty { text += "\n" + history(state.history, screen) }
        if state.consent != nil {
            text += screen.paragraph("`vigil ctl donation withdraw` takes the consent back.", .quiet)
        } else if state.isOffered {
            text += screen.paragraph(
                "`vigil ctl donation preview` shows what would be sent; `vigil ctl donation agree` shows the whole text before it asks.",
                .quiet)
        }
        return text
    }

    private static func next(_ state: Donation1.DonationReply, now: Int64) -> String {
        if state.stopped == .otherServers { return "none" }
        return state.next.map { "\(Words.moment($0)), \(Words.age(of: $0, at: now))" }
            ?? "not known yet: there is no ticket for a day to come"
    }

    static func sentence(_ stop: Donation1.Stop) -> String {
        switch stop {
        case .otherKey:
            "No more tickets are asked for: the ticket server has used a key that is not in the health authority's signed document. The device could have been recognised by it. Tickets that are there are still used; it asks again when that key is not in the document any more."
        case .otherServers:
            "Stopped: the health authority's document names other servers than you have agreed to, or says otherwise who runs them, who gets what is sent, or how long it is kept. Messages with nothing in them are sent in place of what you agreed to. Agree again if you want to (`vigil ctl donation agree`, for error logs `agree-log`)."
        case .deviceRefused:
            "No more tickets are asked for: at the moment the ticket server gives this device none. Perhaps its operator has to add it (`vigil ctl donation key`), or the device's clock is wrong. The device asks again by itself, about once a week. Tickets that are there are still used."
        }
    }

    private static func history(_ history: [Donation1.Past], _ screen: Screen) -> String {
        var table = TextTable("Day", "Result")
        for past in history {
            let outcome =
                switch past.outcome {
                case .taken: "the server has it"
                case .refused: "sent, but the server refused it; not sent again by itself"
                case .lapsed: "not sent: the time for it had passed; it will not be sent later"
                }
            table.add([Words.day(Int(clamping: past.day)), outcome])
        }
        return table.text(screen)
    }

    // MARK: Error logs

    static func errorLog(
        _ log: Donation1.ErrorLogReply, _ held: Donation1.Monthly?, _ screen: Screen, now: Int64
    ) -> String {
        guard let held else { return screen.paragraph("The health authority does not ask for error logs. None is sent.") }
        var text = ""
        if !held.isOffered { text += screen.paragraph("The health authority does not ask for error logs any more.") }
        if let stopped = held.stopped, held.isOffered { text += screen.paragraph(sentence(stopped), .attention) }
        guard let consent = held.consent else {
            text += screen.list([("Consent", "none: nothing is noted or sent")])
            return text
                + screen.paragraph("`vigil ctl donation agree-log` shows the whole text before it asks.", .quiet)
        }
        var pairs = [("Consent", "since \(Words.moment(consent.since)), to text \(consent.text)")]
        if let begins = held.begins, begins > now {
            pairs.append(("Begins", "\(Words.moment(begins)), \(Words.age(of: begins, at: now))"))
        }
        pairs.append(("Ticket", held.isPrepared ? "there is one for this month" : "none yet for this month"))
        text += screen.list(pairs)
        // A consent that does not count sends nothing, whatever was allowed.
        let isStopped = (held.stopped == .otherServers || !held.isOffered) && !log.lines.isEmpty
        if !log.released.isEmpty, !isStopped {
            text += screen.paragraph(
                "The device was allowed to send a log. It leaves on a day that chance decides, this month or next; withdrawing the consent stops it. These faults are in it, and nothing else:"
            )
            text += log.released.map { screen.paragraph("- " + $0.finding.words.title) }.joined()
        }
        text += "\n"
        let rest = log.lines.filter { !log.released.contains($0.trouble) }
        if isStopped {
            text += screen.paragraph(
                "The device has noted these faults. None of them is sent now, not even in a log that was allowed. If you agree again, the list and any such log are erased, and the list begins anew."
            )
            text += lines(log.lines, screen)
        } else if let begins = held.begins, begins > now, log.lines.isEmpty {
            text += screen.paragraph("The device notes nothing yet. It begins at the time above.")
        } else if !log.released.isEmpty {
            if !rest.isEmpty {
                text += screen.paragraph(
                    "The device has noted these faults besides. They are not in that log; you can send them with a later one, if the device still has them then."
                )
                text += lines(rest, screen)
            }
        } else if log.lines.isEmpty {
            text += screen.paragraph("The device has noted no fault. There is nothing to send.")
        } else {
            if held.history.last?.outcome == .refused {
                text += screen.paragraph(
                    "The server did not accept the last log. Its faults are still here, and you can send them again: the device tries it with the ticket of a later month.",
                    .attention)
            }
            text += screen.paragraph("The log as it would be sent, without the days. Nothing was sent.")
            text += lines(log.lines, screen)
        }
        if !held.history.isEmpty { text += "\n" + history(held.history, screen) }
        return text
            + screen.paragraph(
                "`vigil ctl donation send-log` sends the log; `vigil ctl donation withdraw-log` takes the consent back.",
                .quiet)
    }

    static func lines(_ lines: [Donation1.LogLine], _ screen: Screen) -> String {
        var table = TextTable("Fault", "Last seen (is not sent)")
        for line in lines { table.add([line.trouble.finding.words.title, Words.day(Int(clamping: line.day))]) }
        return table.text(screen)
    }

    // MARK: Preview

    static func preview(_ preview: Donation1.PreviewReply, isExample: Bool, _ screen: Screen) -> String {
        var text =
            isExample
            ? screen.paragraph(
                "There is no consent, so this is only an example. A real donation would be as detailed. If you agree now, none of these encounters is sent: only later ones are. Nothing was sent.",
                .attention)
            : screen.paragraph("This is what a donation of now would contain. Nothing was sent.")
        text += screen.list([
            ("Risk from encounters", risk(preview)),
            (
                "Encounters",
                preview.count == 0
                    ? "none"
                    : Terminal.grouped(preview.count)
                        + (isExample ? "" : ", each sent once at most; chance may leave them out of a donation")
            ), ("Device", "for a person"),
        ])
        guard !preview.windows.isEmpty else { return text }
        text += "\n" + encounters(preview.windows, screen)
        if preview.count > preview.windows.count {
            text += screen.paragraph(
                "\(Words.count(preview.count - preview.windows.count, "encounter")) more that are not shown.", .quiet)
        }
        return text
    }

    /// Both halves are said: what holds, and how likely it is that it is what is sent.
    private static func risk(_ preview: Donation1.PreviewReply) -> String {
        let truth = preview.isIncreased ? "increased" : "not increased (low, or not known)"
        let opposite = preview.isIncreased ? "not increased" : "increased"
        return
            "\(truth). This is the real answer. About \(Terminal.grouped(preview.oppositesInTenThousand)) in 10,000 donations, picked by chance, give the opposite answer: \(opposite)."
            + (preview.isAnswerAlmostCertain
                ? " That is rare: the answer says almost certainly what your device knows." : "")
    }

    private static func encounters(_ windows: [Donation1.Window], _ screen: Screen) -> String {
        var table = TextTable(
            "Day", "Infection known by", "Infectious", "Measured", "#Minutes",
            "Minutes at dB by which the signal was weaker (least)")
        for window in windows {
            let infectious = window.infectiousness == .high ? "highly" : "normally"
            let minutes = window.scans.reduce(0) { $0.addingReportingOverflow($1.minutes).partialValue }
            table.add([
                Words.day(Int(clamping: window.day)), known(window.reportType), infectious,
                exactness(window.confidence), "\(minutes)",
                window.scans.map { "\($0.minutes) at \($0.typical) (\($0.least))" }.joined(separator: ", "),
            ])
        }
        return table.text(screen)
    }

    private static func known(_ type: Exposure1.ReportType) -> String {
        switch type {
        case .confirmedTest: "a laboratory test"
        case .confirmedClinicalDiagnosis: "a doctor"
        case .selfReport: "the person’s own report"
        }
    }

    private static func exactness(_ confidence: Int) -> String {
        switch confidence {
        case ..<1: "very roughly"
        case 1: "roughly"
        case 2: "well"
        default: "very well"
        }
    }
}
