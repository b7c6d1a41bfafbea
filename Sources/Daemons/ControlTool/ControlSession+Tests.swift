// SPDX-License-Identifier: Apache-2.0

public import Interfaces
import JSON

/// Tests of the wearer and warnings that follow from them, as the plugin that serves `org.vigil.diagnosis1` knows them.
extension ControlSession {
    private var tests: CoreLink { plugin(Diagnosis1.name) }

    /// Shows every test that the wearer has entered, without results.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func listTests() throws(ControlFailure) {
        try show(tests.ask(Diagnosis1.Method.getTests), as: Diagnosis1.TestsReply.self) {
            TestViews.list($0, screen, now: now())
        }
    }

    /// Enters the code of a test or the number of a hotline. Without `text` the person is asked for it, so that it stands
    /// in no history.
    /// - Parameters:
    ///   - text: The code, a URL (a text with a colon counts as one), or the hotline's characters; the plugin
    ///     checks it. `nil` to ask the person for it.
    ///   - born: The date of birth of the tested person, `YYYY-MM-DD`, for a code only; `-` to ask the person for
    ///     it, `nil` for none.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown; `badUsage` if somebody has to
    ///   be asked and nobody is there.
    public func enterTest(_ text: String?, born: String? = nil) throws(ControlFailure) {
        guard
            let text = text
                ?? person.ask("The code of the test (https://…), or the characters that the hotline gave: ")
        else {
            throw ControlFailure(
                .badUsage, "Nobody is at the terminal to type a code. A script gives it as an argument.")
        }
        let isCode = text.utf8.contains(UInt8(ascii: ":"))
        guard born == nil || isCode else {
            throw ControlFailure(.badUsage, "A hotline's number needs no date of birth: leave --date-of-birth out.")
        }
        var date = born
        if born == "-" {
            date = person.ask("The date of birth of whoever was tested (YYYY-MM-DD): ")
            guard date != nil else { throw ControlFailure(.badUsage, "Nobody is at the terminal to type a date of birth.") }
        }
        let link = tests
        let reply =
            isCode
            ? try link.ask(Diagnosis1.Method.enterCode, Diagnosis1.CodeCall(code: text, dateOfBirth: date))
            : try link.ask(Diagnosis1.Method.enterTeleTAN, Diagnosis1.TypedCall(typed: text))
        // When it is looked at, and until when a number is good: that is what who was given one wants to know.
        let all = try? link.ask(Diagnosis1.Method.getTests).read(Diagnosis1.TestsReply.self)
        try show(reply, as: Diagnosis1.NumberCall.self) {
            TestViews.entered($0.number, byTelephone: !isCode, all, screen, now: now())
        }
    }

    /// Shows a result, which counts as seen then.
    /// - Parameter number: The test's number, as ``listTests()`` shows it.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func showResult(of number: Int) throws(ControlFailure) {
        let reply = try tests.ask(Diagnosis1.Method.getResult, Diagnosis1.NumberCall(number: number))
        try show(reply, as: Diagnosis1.ResultReply.self) { TestViews.result($0.result, number, screen) }
    }

    /// Warns the people who were met, after the person has agreed to the consequences. A consent to `releaseKeys`
    /// is given and passed on; the plugin uses it after its reply.
    /// - Parameters:
    ///   - number: The test's number, as ``listTests()`` shows it.
    ///   - symptoms: The wearer's statement about symptoms, which determines the days; the plugin checks it.
    ///   - isFederated: Whether authorities of other countries may publish the keys, too.
    ///   - isAgreed: Whether the person has agreed already (`--yes`); otherwise the person is asked.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func warn(
        _ number: Int, symptoms: Diagnosis1.Symptoms, isFederated: Bool, isAgreed: Bool
    ) throws(ControlFailure) {
        let link = tests
        try link.reach()
        let reach = reach(of: symptoms, link)
        // Who says --yes has agreed already; a script's JSON stays one answer.
        if isAgreed, !isJSON, let reach { try show(screen.paragraph(reach.sentence, reach.isToday ? nil : .attention)) }
        try person.agree(
            to: """
                The keys of the last 14 days are going to be published, without a name. Whoever was near this device learns that they met somebody \
                who tested positive, and not whom; whoever recorded identifiers can tell which were yours. Today's key is used no more; the key \
                of the rest of today follows after midnight (UTC), where the server takes it. Visits that were entered here, and not left out \
                (`vigil ctl visits drop`), go along where the server takes them: whoever has the code of a place can read that somebody who tested \
                positive was there, and when.
                \(isFederated ? "Health authorities of other countries may publish them, too." : "Only the health authority at home publishes them.")
                \(reach?.sentence ?? "")
                """, isAgreed: isAgreed)
        let ticket = try ticket(.releaseKeys)
        let reply = try link.ask(
            Diagnosis1.Method.warn,
            Diagnosis1.WarnCall(number: number, ticket: ticket, symptoms: symptoms, federation: isFederated))
        try show(reply, as: Diagnosis1.WarnReply.self) {
            let when =
                $0.nextExchange.map { "at the next exchange, \(Words.age(of: $0, at: now()))" } ?? "at the next exchange"
            return screen.paragraph(
                "Your warning is sent \(when). Until then `vigil ctl tests withdraw \(number)` takes it back; `vigil ctl tests` says how many visits go along."
            )
        }
    }

    /// Whom a warning reaches by what is said about symptoms; `nil` when the plugin of this board does not say.
    private func reach(of symptoms: Diagnosis1.Symptoms, _ link: CoreLink) -> (sentence: String, isToday: Bool)? {
        guard
            let reply = try? link.ask(Diagnosis1.Method.getWarnedDays, Diagnosis1.WarnedDaysCall(symptoms: symptoms)),
            let days = try? reply.read(Diagnosis1.WarnedDaysReply.self).days
        else { return nil }
        guard !days.isEmpty else {
            return (
                "By what you say about symptoms you were hardly infectious in the last 14 days: the health authority publishes none of the keys, and nobody is warned.",
                false
            )
        }
        let today = Int(now() / 86_400)
        let list = days.map { Words.day(today - $0) }.joined(separator: ", ")
        let sentence = "By what you say about symptoms, people are warned whom you met on these days (UTC): \(list)."
        return days.contains(0)
            ? (sentence, true)
            : ("\(sentence) Whom you met today is not warned: you are hardly infectious any more, or not yet.", false)
    }

    /// Withdraws a warning that was not sent, or the rest of its day; shows whether there was anything to withdraw.
    /// - Parameter number: The test's number, as ``listTests()`` shows it.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func withdrawWarning(_ number: Int) throws(ControlFailure) {
        let reply = try tests.ask(Diagnosis1.Method.withdraw, Diagnosis1.NumberCall(number: number))
        try show(reply, as: Diagnosis1.WithdrawReply.self) {
            screen.paragraph(
                $0.isWithdrawn
                    ? "Taken back: what had not left is erased, and will not be sent."
                    : "There is nothing to take back: no warning was agreed to, or it is on its way already.")
        }
    }

    /// Erases a test and all data that belongs to it, after asking; shows whether it was erased, which is not
    /// possible while its warning, or the rest of the warning's day, is being sent.
    /// - Parameters:
    ///   - number: The test's number, as ``listTests()`` shows it.
    ///   - isAgreed: Whether the person has agreed already (`--yes`) and is not asked again.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func forgetTest(_ number: Int, isAgreed: Bool) throws(ControlFailure) {
        let link = tests
        try link.reach()
        try person.agree(
            to:
                "Test \(number) is going to be forgotten: its result cannot be asked for again, and no warning can follow from it.",
            isAgreed: isAgreed)
        let reply = try link.ask(Diagnosis1.Method.forget, Diagnosis1.NumberCall(number: number))
        try show(reply, as: Diagnosis1.ForgetReply.self) {
            screen.paragraph(
                $0.isForgotten
                    ? "Forgotten." : "Not while its warning is being sent; try again after the next exchange.")
        }
    }

    /// Shows a line whenever there is news, until it is stopped.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func watchTests() throws(ControlFailure) {
        try tests.follow(Diagnosis1.Method.watch, Nothing(), .endless) { json in
            let reply = try json.read(Diagnosis1.WatchReply.self)
            try show(json, as: Diagnosis1.WatchReply.self) { _ in
                screen.paragraph(reply.news ? "There is news." : "No news.", reply.news ? .attention : .quiet)
            }
            return true
        }
    }
}
