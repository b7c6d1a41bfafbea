// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Interfaces
import JSON
import SelfCheck
import Synchronization
import Testing

@testable import ControlTool

/// `vigil ctl donation` against a server that holds its answers against the interface.
@Suite struct DonationCommandTests {
    private func with(
        _ replies: [String: TestCore.Answer] = [:], _ body: (Desk) throws -> Void
    ) throws {
        let core = try TestCore { method, parameters in
            replies[String(method.split(separator: ".").last ?? "")] ?? Canned.answer(method, parameters)
        }
        defer { core.end() }
        try body(Desk(core))
        #expect(core.unsendable == 0, "an answer of this test is not what the interface says")
    }

    private static let offered: JSON = [
        "isOffered": true, "issuer": "issuer.example", "server": "donation.example", "preparedDays": 0, "history": [],
    ]
    private static let notOffered: JSON = ["isOffered": false, "preparedDays": 0, "history": []]
    private static func stopped(_ why: String) -> JSON {
        var object = offered.object ?? [:]
        object["consent"] = ["since": 1_795_080_000, "text": 1]
        object["begins"] = 1_795_166_400
        object["stopped"] = .string(why)
        return .object(object)
    }

    private func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

    // MARK: What holds

    @Test func whatHoldsIsShown() throws {
        try with { desk in
            let lines = try desk.shows { try $0.showDonation() }.split(separator: "\n").map { words(String($0)) }
            #expect(
                lines == [
                    "Asked for by the health authority", "Tickets from issuer-1.example",
                    "Donations to donation-1.example", "Consent since 2026-11-19 09:20 UTC, to text 1",
                    "Next donation 2026-11-21 11:30 UTC, in 1 hour", "Tickets for 6 days to come",
                    "Day Result", "2026-11-19 not sent: the time for it had passed; it will not be sent later",
                    "2026-11-20 the server has it", "`vigil ctl donation withdraw` takes the consent back.",
                ])
            let asJSON = try json(desk.shows(json: true) { try $0.showDonation() })
            #expect(asJSON["issuer"] == "issuer-1.example")
            #expect(
                asJSON["history"]?.array?.last == ["day": 20_777, "date": "2026-11-20", "outcome": "taken"])
        }
    }

    @Test func withoutAnOfferOrAConsentItSaysSo() throws {
        try with(["GetDonation": .reply(Self.notOffered)]) { desk in
            let text = words(try desk.shows { try $0.showDonation() })
            #expect(text.hasPrefix("The health authority does not ask for donations"))
            #expect(text.hasSuffix("Consent none, so no donation is sent"))
        }
        try with(["GetDonation": .reply(Self.offered)]) { desk in
            let text = words(try desk.shows { try $0.showDonation() })
            #expect(
                text.contains("Consent none: in place of donations messages with nothing in them are sent")
                    && text.contains("`vigil ctl donation agree`"))
            #expect(!text.contains("Next donation"))
        }
    }

    @Test func aDocumentWithoutKeysForComingDaysIsSaid() throws {
        let today = Desk.now / 86_400
        for (last, isSaid) in [(today + 2, false), (today + 1, true), (today - 3, true), (nil, true)] {
            var object = Self.offered.object ?? [:]
            object["lastKeyDay"] = last.map { .int($0) }
            try with(["GetDonation": .reply(.object(object))]) { desk in
                let text = words(try desk.shows { try $0.showDonation() })
                #expect(text.contains("has no keys for the days after tomorrow") == isSaid, "\(last ?? 0)")
            }
        }
    }

    @Test func aNewConsentSaysWhenItBegins() throws {
        var object = Self.offered.object ?? [:]
        object["consent"] = ["since": .int(Desk.now - 60), "text": 1]
        object["begins"] = .int(Desk.now + 86_340)
        try with(["GetDonation": .reply(.object(object))]) { desk in
            let text = words(try desk.shows { try $0.showDonation() })
            #expect(text.contains("Begins 2026-11-22 10:29 UTC, in 23 hours 59 minutes"))
            #expect(text.contains("Next donation not known yet: there is no ticket"))
        }
    }

    /// Without a document nothing is sent, whatever tickets there are and whatever held before.
    @Test func aConsentOfWhichNothingComesPromisesNothing() throws {
        var object = Self.stopped("deviceRefused").object ?? [:]
        object["isOffered"] = false
        object["next"] = .int(Desk.now + 3_600)
        object["preparedDays"] = 6
        try with(["GetDonation": .reply(.object(object))]) { desk in
            let text = words(try desk.shows { try $0.showDonation() })
            #expect(text.contains("does not ask for donations") && text.contains("withdraw"))
            #expect(!text.contains("Next donation") && !text.contains("Tickets") && !text.contains("No more tickets"))
        }
    }

    @Test(arguments: [
        ("otherKey", "a key that is not in the health authority's signed document"),
        ("deviceRefused", "gives this device none"), ("otherServers", "other servers than you have agreed to"),
    ])
    func itSaysWhyItHasStopped(why: String, sentence: String) throws {
        try with(["GetDonation": .reply(Self.stopped(why))]) { desk in
            let text = words(try desk.shows { try $0.showDonation() })
            #expect(text.hasPrefix(why == "otherServers" ? "Stopped:" : "No more tickets are asked for:"))
            #expect(text.contains(sentence) && text.contains("Next donation none") == (why == "otherServers"))
        }
    }

    // MARK: Preview

    @Test func thePreviewShowsEachField() throws {
        try with { desk in
            let lines = try desk.shows { try $0.previewDonation() }.split(separator: "\n").map { words(String($0)) }
            let text = lines.joined(separator: " ")
            #expect(lines.first == "This is what a donation of now would contain. Nothing was sent.")
            #expect(!text.contains("example"))
            // Rounded down: 99.966.
            #expect(
                text.contains(
                    "Risk from encounters increased. This is the real answer. About 4 in 10,000 donations, picked by chance, give the opposite answer: not increased. That is rare: the answer says almost certainly what your device knows."
                ))
            #expect(text.contains("Device for a person"))
            #expect(
                lines.suffix(2) == [
                    "2026-11-18 a laboratory test highly very well 9 4 at 50 (40), 5 at 60 (50)",
                    "2026-11-19 the person’s own report normally very roughly 0 0 at 70 (70)",
                ])
            let asJSON = try json(desk.shows(json: true) { try $0.previewDonation() })
            #expect(asJSON["windows"]?.array?.first?["date"] == "2026-11-18" && asJSON["truth"] == 0.99966)
            #expect(!desk.core.calls.contains { $0.method.hasSuffix("SetConsent") })
        }
    }

    @Test func beforeAConsentThePreviewIsAnExample() throws {
        let many: JSON = [
            "isIncreased": false, "truth": 0.75, "count": 3,
            "windows": [
                [
                    "day": 20_775, "reportType": "confirmedClinicalDiagnosis", "infectiousness": "high", "confidence": 1,
                    "scans": [],
                ]
            ],
        ]
        try with(["GetDonation": .reply(Self.offered), "GetPreview": .reply(many)]) { desk in
            let text = words(try desk.shows { try $0.previewDonation() })
            #expect(text.contains("There is no consent, so this is only an example"))
            #expect(text.contains("none of these encounters is sent: only later ones are") && !text.contains("sent once"))
            #expect(!text.contains("That is rare"))
            #expect(
                text.contains(
                    "not increased (low, or not known). This is the real answer. About 2,500 in 10,000 donations, picked by chance, give the opposite answer"
                ))
            #expect(text.contains("a doctor") && text.hasSuffix("2 encounters more that are not shown."))
        }
        let none: JSON = ["isIncreased": false, "truth": 1.0, "count": 0, "windows": []]
        try with(["GetPreview": .reply(none)]) { desk in
            let text = words(try desk.shows { try $0.previewDonation() })
            #expect(text.contains("Encounters none") && !text.contains("Infection known by"))
        }
    }

    // MARK: Consent

    @Test func agreeingShowsTheWholeTextFirst() throws {
        try with(["GetDonation": .reply(Self.offered)]) { desk in
            let agree = { (session: ControlSession) throws in try session.agreeToDonation(isAgreed: false) }
            // Nobody there, and a no: nothing is agreed.
            #expect(desk.failure(agree)?.status == .usage)
            #expect(desk.failure(answers: ["n"], agree)?.code == .declined)
            #expect(!desk.core.calls.contains { $0.method.hasSuffix("SetConsent") })
            let agreed = try desk.shows(answers: ["y"], agree)
            #expect(agreed.hasPrefix("Agreed. In the next 24 hours no donation is sent."))
            #expect(desk.core.calls.last?.parameters == ["isAgreed": true, "text": .int(Donation1.consentTextVersion)])
            let question = words(desk.questions.last ?? "")
            for part in DonationConsentText.parts {
                #expect(question.contains(part.heading))
                for paragraph in part.paragraphs where !paragraph.contains("{") {
                    #expect(question.contains(paragraph), "\(paragraph)")
                }
            }
            #expect(question.contains("The ticket server, issuer.example, gives"))
            #expect(
                question.contains("the donation server, donation.example, takes no donation") && !question.contains("{"))
            #expect(question.contains("Ask it who runs the servers, who gets the donations"))
            // A script says that somebody agreed; the text is shown, and not within JSON.
            let shown = try desk.shows { try $0.agreeToDonation(isAgreed: true) }
            #expect(shown.contains("You can withdraw your consent") && shown.contains("Agreed."))
            #expect(try json(desk.shows(json: true) { try $0.agreeToDonation(isAgreed: true) }) == .empty)
        }
    }

    /// Who is responsible for it is said as the page says it; what no terminal should show is not shown.
    @Test func whoIsResponsibleIsSaid() throws {
        var offered = Self.offered.object ?? [:]
        offered["responsible"] = [
            "issuer": "City\u{1B}[31m", "server": "Institute", "recipients": "Institute", "keptDays": 90,
        ]
        try with(["GetDonation": .reply(.object(offered))]) { desk in
            _ = try desk.shows(answers: ["y"]) { try $0.agreeToDonation(isAgreed: false) }
            let question = words(desk.questions.last ?? "")
            #expect(question.contains("the ticket server is run by City?[31m, and the donation server by Institute."))
            #expect(
                question.contains(
                    "Who gets the donations: Institute. The health authority also says that the donations are deleted within 90 days of their arrival."
                ))
            #expect(!question.contains("Ask the health authority who runs"))
        }
    }

    /// Reading takes minutes: whoever is named by then is not who was read of.
    @Test(arguments: [false, true]) func whatChangesWhileItIsReadIsNotAgreedTo(isLog: Bool) throws {
        let people: @Sendable (Int64) -> JSON = { days in
            ["issuer": "City", "server": "Institute", "recipients": "Institute", "keptDays": .int(days)]
        }
        let asked = Mutex(0)
        let core = try TestCore { method, parameters in
            guard method.hasSuffix("GetDonation") else { return Canned.answer(method, parameters) }
            let days = asked.withLock { count -> Int64 in
                count += 1
                return count == 2 ? 91 : 90
            }
            var state = Self.offered.object ?? [:]
            state["log"] = [
                "isOffered": true, "isPrepared": false, "history": [], "responsible": people(isLog ? days : 90),
            ]
            state["responsible"] = people(isLog ? 90 : days)
            return .reply(.object(state))
        }
        defer { core.end() }
        let desk = Desk(core)
        let agree = { (session: ControlSession) throws in
            try isLog ? session.agreeToErrorLogs(isAgreed: false) : session.agreeToDonation(isAgreed: false)
        }
        let failure = desk.failure(answers: ["y"], agree)
        #expect(failure?.status == .refused && failure?.description.contains("changed the text meanwhile") == true)
        #expect(!core.calls.contains { $0.method.hasSuffix("SetConsent") })
        // The third and the fourth time it stays.
        #expect(try desk.shows(answers: ["y"], agree).hasPrefix("Agreed."))
        #expect(core.unsendable == 0)
    }

    /// A log that was allowed before the document changed is not on its way.
    @Test func aConsentThatDoesNotCountSendsNoLog() throws {
        var state = Self.logs(true).object ?? [:]
        var log = state["log"]?.object ?? [:]
        log["stopped"] = "otherServers"
        state["log"] = .object(log)
        for released in [[], ["lostScans"]] as [JSON] {
            let lines: JSON = ["lines": [["trouble": "lostScans", "day": 20_770]], "released": released]
            try with(["GetDonation": .reply(.object(state)), "GetErrorLog": .reply(lines)]) { desk in
                let shown = words(try desk.shows { try $0.showErrorLog() })
                #expect(shown.contains("None of them is sent now") && !shown.contains("was allowed to send"))
            }
        }
    }

    /// One version of the text is one text: the page says the same words, word for word.
    @Test func thePageHasTheSameText() throws {
        let root = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let file = String(
            decoding: try Data(contentsOf: root.appending(path: "Plugins/WebUI/texts/en.txt")), as: UTF8.self)
        var page: [String: String] = [:]
        for line in file.split(separator: "\n") where line.hasPrefix("donate.") {
            guard let sign = line.firstRange(of: " = ") else { continue }
            page[String(line[..<sign.lowerBound])] = String(line[sign.upperBound...])
        }
        for part in DonationConsentText.parts {
            #expect(page["donate.heading.\(part.name)"] == part.heading)
            for (index, paragraph) in part.paragraphs.enumerated() {
                #expect(page["donate.\(part.name).\(index + 1)"] == paragraph)
            }
            #expect(page["donate.\(part.name).\(part.paragraphs.count + 1)"] == nil)
        }
        for part in DonationConsentText.logParts {
            #expect(page["donate.log-heading.\(part.name)"] == part.heading)
            for (index, paragraph) in part.paragraphs.enumerated() {
                #expect(page["donate.log-\(part.name).\(index + 1)"] == paragraph)
            }
            #expect(page["donate.log-\(part.name).\(part.paragraphs.count + 1)"] == nil)
        }
        let told = Donation1.Responsible(
            issuer: "{issuerOperator}", server: "{serverOperator}", recipients: "{recipients}", keptDays: 77)
        for (key, responsible) in [("who-told", told), ("who-ask", nil)] {
            for part in DonationConsentText.surveyParts(responsible, .everybody) {
                #expect(page["donate.survey-heading.\(part.name)"] == part.heading)
                let own = part.name == "who" ? Array(part.paragraphs.dropLast()) : part.paragraphs
                for (index, paragraph) in own.enumerated() {
                    #expect(page["donate.survey-\(part.name).\(index + 1)"] == paragraph)
                }
                #expect(page["donate.survey-\(part.name).\(own.count + 1)"] == nil)
                if part.name == "who" {
                    #expect(page["donate.survey-\(key)"]?.replacing("{days}", with: "77") == part.paragraphs.last)
                }
            }
        }
        // What is said in addition where only people are invited who were told of a risk.
        #expect(page["donate.survey-learn-risk"] == DonationConsentText.surveyRisk)
        let forAll = DonationConsentText.surveyParts(told, .everybody).flatMap(\.paragraphs)
        let forWarned = DonationConsentText.surveyParts(told, .increasedRisk).flatMap(\.paragraphs)
        #expect(!forAll.contains(DonationConsentText.surveyRisk))
        #expect(forWarned.filter { $0 != DonationConsentText.surveyRisk } == forAll && forWarned.count == forAll.count + 1)
        #expect(
            DonationConsentText.surveyParts.count == page.keys.count { $0.hasPrefix("donate.survey-heading.") })
        for (prefix, what) in [("donate.", "donations"), ("donate.log-", "error logs")] {
            let people = Donation1.Responsible(
                issuer: "{issuerOperator}", server: "{serverOperator}", recipients: "{recipients}", keptDays: 77)
            for (key, responsible) in [("who-told", people), ("who-ask", nil)] {
                let part = DonationConsentText.told(DonationConsentText.parts, responsible, what: what).first {
                    $0.name == "who"
                }
                #expect(page[prefix + key]?.replacing("{days}", with: "77") == part?.paragraphs.last)
            }
        }
        #expect(DonationConsentText.logParts.count == page.keys.count { $0.hasPrefix("donate.log-heading.") })
        let headings = page.keys.filter { $0.hasPrefix("donate.heading.") }
        #expect(DonationConsentText.parts.count == headings.count)
    }

    @Test func thereMustBeSomethingToAgreeTo() throws {
        try with(["GetDonation": .reply(Self.notOffered)]) { desk in
            let failure = desk.failure { try $0.agreeToDonation(isAgreed: true) }
            #expect(failure?.status == .refused && failure?.description.contains("nothing to agree to") == true)
            #expect(!desk.core.calls.contains { $0.method.hasSuffix("SetConsent") })
        }
        // Once is enough, and nobody is asked twice.
        try with { desk in
            let again = try desk.shows { try $0.agreeToDonation(isAgreed: false) }
            #expect(again.hasPrefix("You have agreed already"))
            #expect(desk.questions.isEmpty && !desk.core.calls.contains { $0.method.hasSuffix("SetConsent") })
        }
    }

    @Test func takingItBackAsksNobody() throws {
        try with { desk in
            let text = try desk.shows { try $0.withdrawDonation() }
            #expect(text.hasPrefix("There is no consent to donations now."))
            #expect(desk.core.calls.last?.parameters == ["isAgreed": false])
        }
    }

    @Test func theKeyIsOneLine() throws {
        try with { desk in
            let text = try desk.shows { try $0.showDonor() }
            #expect(text == "AQABAgMEBQYHCAkKCwwNDg8= MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE+A/x==\n")
            let asJSON = try json(desk.shows(json: true) { try $0.showDonor() })
            #expect(asJSON["name"] == "AQABAgMEBQYHCAkKCwwNDg8=" && asJSON["publicHalf"] != nil)
        }
    }

    @Test(arguments: ["WrongRole", "TimeUnknown", "StorageUnavailable"])
    func whatTheCoreRefusesIsSaidInItsWords(error: String) throws {
        let answer = TestCore.Answer.error("org.vigil.donation1.\(error)", ["reason": "This is why."])
        try with(["GetDonation": answer, "SetConsent": answer, "GetDonor": answer]) { desk in
            let commands: [(ControlSession) throws -> Void] = [
                { try $0.showDonation() }, { try $0.previewDonation() }, { try $0.agreeToDonation(isAgreed: true) },
                { try $0.withdrawDonation() }, { try $0.showDonor() },
            ]
            for command in commands {
                let failure = desk.failure(command)
                #expect(failure?.status == .refused && failure?.description == "This is why. [\(error)]")
            }
        }
    }

    // MARK: Error logs

    private static func logs(_ consent: Bool) -> JSON {
        var object = offered.object ?? [:]
        object["log"] =
            consent
            ? [
                "isOffered": true, "consent": ["since": 1_795_080_000, "text": 1], "begins": 1_795_166_400,
                "isPrepared": true,
                "history": [["day": 20_770, "outcome": "taken"]],
            ] : ["isOffered": true, "isPrepared": false, "history": []]
        return .object(object)
    }

    @Test func theErrorLogIsShownLineByLine() throws {
        try with(["GetDonation": .reply(Self.logs(true))]) { desk throws in
            let text = words(try desk.shows { try $0.showErrorLog() })
            #expect(text.contains("Ticket there is one for this month") && text.contains("Nothing was sent."))
            #expect(text.contains("2026-11-19") && text.contains("2026-11-20") && text.contains("the server has it"))
            #expect(try json(desk.shows(json: true) { try $0.showErrorLog() })["lines"]?.array?.count == 2)
            #expect(!desk.core.calls.contains { $0.method.hasSuffix("ReleaseErrorLog") })
        }
        try with(["GetDonation": .reply(Self.offered), "GetErrorLog": .reply(["lines": [], "released": []])]) {
            desk throws in
            #expect(try desk.shows { try $0.showErrorLog() }.hasPrefix("The health authority does not ask for error logs."))
            #expect(desk.failure { try $0.agreeToErrorLogs(isAgreed: true) }?.status == .refused)
            #expect(desk.failure { try $0.sendErrorLog(isAgreed: true) }?.status == .refused)
            #expect(
                !desk.core.calls.contains { $0.method.hasSuffix("SetConsent") || $0.method.hasSuffix("ReleaseErrorLog") })
        }
    }

    @Test func exactlyTheLinesThatWereReadAreLetGo() throws {
        try with(["GetDonation": .reply(Self.logs(true))]) { desk throws in
            let send = { (session: ControlSession) throws in try session.sendErrorLog(isAgreed: false) }
            #expect(desk.failure(send)?.status == .usage)
            #expect(desk.failure(answers: ["n"], send)?.code == .declined)
            #expect(!desk.core.calls.contains { $0.method.hasSuffix("ReleaseErrorLog") })
            #expect(try desk.shows(answers: ["y"], send).hasPrefix("The device will send this log"))
            #expect(desk.core.calls.last?.parameters == ["troubles": ["lostScans", "diskNearlyFull"]])
            #expect(words(desk.questions.last ?? "").contains("These lines are sent, without the days, and nothing else:"))
        }
    }

    @Test func agreeingToLogsShowsTheirTextAndSaysNothingOfDonations() throws {
        try with(["GetDonation": .reply(Self.logs(false))]) { desk throws in
            let agree = { (session: ControlSession) throws in try session.agreeToErrorLogs(isAgreed: false) }
            #expect(desk.failure(answers: ["n"], agree)?.code == .declined)
            #expect(try desk.shows(answers: ["y"], agree).hasPrefix("Agreed."))
            #expect(
                desk.core.calls.last?.parameters
                    == ["isAgreed": true, "text": .int(Donation1.logTextVersion), "purpose": "log"])
            let question = words(desk.questions.last ?? "")
            for part in DonationConsentText.logParts {
                #expect(question.contains(part.heading))
                for paragraph in part.paragraphs where !paragraph.contains("{") { #expect(question.contains(paragraph)) }
            }
            for trouble in Donation1.Trouble.allCases { #expect(question.contains(trouble.finding.words.title)) }
            #expect(try desk.shows { try $0.withdrawErrorLogs() }.hasPrefix("There is no consent to error logs now."))
            #expect(desk.core.calls.last?.parameters == ["isAgreed": false, "purpose": "log"])
        }
        try with(["GetDonation": .reply(Self.logs(true))]) { desk throws in
            #expect(try desk.shows { try $0.agreeToErrorLogs(isAgreed: false) }.hasPrefix("You have agreed already"))
        }
    }

    // MARK: Surveys

    private static func survey(_ state: String?, stopped: Bool = false) -> JSON {
        var held: JSON.Object = [
            "isOffered": true, "isPrepared": false, "history": [],
            "responsible": ["issuer": "City", "server": "Institute", "recipients": "University", "keptDays": 7],
        ]
        if state != nil {
            held["consent"] = ["since": 1_795_000_000, "text": 1]
            held["begins"] = 1_795_086_400
        }
        if stopped { held["stopped"] = "otherServers" }
        var reply: JSON.Object = [
            "held": .object(held),
            "survey": [
                "link": "https://survey.example", "about": ["de": "Wie war es?", "en": "How\u{1B}[31m was it?"],
                "invited": "everybody",
            ],
        ]
        if let state { reply["state"] = .string(state) }
        if state == "accepted", !stopped {
            reply["lastDay"] = 20_780
            reply["password"] = "0123-4567-89AB-CDEF-GHJK-MNPQ-RSTV"
            reply["passwordLink"] = "https://survey.example?otp=0123-4567-89AB-CDEF-GHJK-MNPQ-RSTV"
        }
        return .object(reply)
    }

    @Test func aSurveyIsShownWithItsPasswordOnceThereIsOne() throws {
        for state in Donation1.SurveyState.allCases {
            try with(["GetSurvey": .reply(Self.survey(state.rawValue))]) { desk throws in
                let text = words(try desk.shows { try $0.showSurvey() })
                #expect(text.contains("0123-4567-89AB") == (state == .accepted), "\(state)")
                #expect(
                    text.contains("How?[31m was it?") && text.contains("University") && text.contains("withdraw-survey"))
                #expect(!text.contains("agree-survey"))
            }
        }
        try with(["GetSurvey": .reply(Self.survey("accepted", stopped: true))]) { desk throws in
            let text = words(try desk.shows { try $0.showSurvey() })
            #expect(text.contains("has changed the survey") && text.contains("agree-survey") && !text.contains("0123"))
        }
        try with(["GetDonation": .reply(Self.offered), "GetSurvey": .reply([:])]) { desk throws in
            #expect(try desk.shows { try $0.showSurvey() }.hasPrefix("You are not invited to a survey now."))
            #expect(desk.failure { try $0.agreeToSurvey(isAgreed: true) }?.status == .refused)
            #expect(!desk.core.calls.contains { $0.method.hasSuffix("SetConsent") })
        }
    }

    @Test func agreeingToASurveyShowsItsTextAndSaysNothingOfOthers() throws {
        try with(["GetDonation": .reply(Self.offered), "GetSurvey": .reply(Self.survey(nil))]) { desk throws in
            let agree = { (session: ControlSession) throws in try session.agreeToSurvey(isAgreed: false) }
            #expect(desk.failure(answers: ["n"], agree)?.code == .declined)
            #expect(try desk.shows(answers: ["y"], agree).hasPrefix("Agreed."))
            #expect(
                desk.core.calls.last?.parameters
                    == ["isAgreed": true, "text": .int(Donation1.surveyTextVersion), "purpose": "survey"])
            let question = words(desk.questions.last ?? "")
            for part in DonationConsentText.surveyParts {
                #expect(question.contains(part.heading))
                for paragraph in part.paragraphs where !paragraph.contains("{") { #expect(question.contains(paragraph)) }
            }
            #expect(
                question.contains("https://survey.example") && question.contains("valid for 7 days"))
            #expect(question.contains("How?[31m was it?") && !question.contains("{"))
            #expect(try desk.shows { try $0.withdrawSurvey() }.hasPrefix("There is no consent to a survey now."))
            #expect(desk.core.calls.last?.parameters == ["isAgreed": false, "purpose": "survey"])
        }
        try with(["GetDonation": .reply(Self.offered), "GetSurvey": .reply(Self.survey("waits"))]) { desk throws in
            #expect(try desk.shows { try $0.agreeToSurvey(isAgreed: false) }.hasPrefix("You have agreed already"))
        }
    }
}
