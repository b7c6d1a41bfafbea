// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Poster
import Testing
import WebPagesGallery

@testable import WebPages

/// The page about data donation: what is said in each state, and what can be done.
struct DonatePageTests {
    private static let agree = "value=\"agreeToDonation\""
    private static let takeBack = "value=\"takeBackDonation\""

    private func context(_ language: Language = .english, _ device: Exposure1.Role = .person) throws -> PageContext {
        PageContext(
            texts: try Files.catalog(language), reader: .wearer, formToken: "token", path: "/donate", device: device,
            now: Samples.now, timeIsKnown: true)
    }

    private func page(
        _ state: Donation1.DonationReply, _ context: PageContext,
        preview: Donation1.PreviewReply? = DonationSamples.preview, fault: WearerPages.DonationFault? = nil
    ) -> String { WearerPages.donate(.reply(state, preview: preview), fault: fault, context).html }

    private func says(_ html: String, _ key: String, _ context: PageContext) -> Bool {
        html.contains(HTML(context.texts.text(key)).markup)
    }

    /// Every sentence of the consent text, with the servers' names, above the form that agrees to it; the preview between them.
    @Test(arguments: Language.allCases) func theWholeTextStandsBeforeTheForm(language: Language) throws {
        let context = try context(language)
        let html = page(DonationSamples.offered, context)
        let border = try #require(html.firstRange(of: Self.agree)).lowerBound
        let (text, form) = (html[..<border], html[border...])
        let names = ["issuer": "issuer.example", "server": "donation.example"]
        for family in TextFamily.donationParts + [.donationHeading] {
            for member in family.members {
                #expect(text.contains(HTML(context.t(family, member, names)).markup), "\(family.prefix).\(member)")
            }
        }
        #expect(text.contains("issuer.example") && text.contains("donation.example"))
        #expect(text.contains("id=\"preview-title\"") && text.contains("id=\"text-title\""))
        // What is agreed to is what was read.
        for (name, value) in [
            ("text", "\(Donation1.consentTextVersion)"), ("issuer", "issuer.example"), ("server", "donation.example"),
        ] {
            #expect(form.contains("name=\"\(name)\" value=\"\(value)\""))
        }
        #expect(form.contains("name=\"consent\"") && form.contains(" required"))
        #expect(text.contains("href=\"/hotlines\"") && says(html, "donate.not-now", context))
        #expect(!html.contains(Self.takeBack) && says(html, "donate.none", context))
        #expect(says(html, "donate.preview-example", context))
    }

    @Test(arguments: Language.allCases) func whereNothingIsAskedForNothingCanBeAgreedTo(language: Language) throws {
        let context = try context(language)
        let html = page(DonationSamples.notOffered, context)
        #expect(says(html, "donate.not-offered", context))
        #expect(!html.contains(Self.agree) && !html.contains(Self.takeBack) && !html.contains("id=\"preview-title\""))
        // Nor can what nobody can show.
        let blind = page(DonationSamples.offered, context, preview: nil)
        #expect(says(blind, "donate.no-preview", context) && !blind.contains(Self.agree))
        for (answer, key) in [
            (.notThere, "donate.not-there"), (.otherRole, "donate.other-role"), (.silent, "donate.silent"),
        ] as [(WearerPages.DonationAnswer, String)] {
            let html = WearerPages.donate(answer, context).html
            #expect(says(html, key, context) && !html.contains(Self.agree) && !html.contains(Self.takeBack), "\(key)")
        }
    }

    @Test(arguments: Language.allCases) func aDocumentWithoutKeysForComingDaysIsSaid(language: Language) throws {
        let context = try context(language)
        #expect(says(page(DonationSamples.outOfKeys, context), "donate.no-keys", context))
        for state in [DonationSamples.offered, DonationSamples.agreed, DonationSamples.notOffered] {
            #expect(!says(page(state, context), "donate.no-keys", context))
        }
    }

    @Test(arguments: Language.allCases) func withAConsentItCanBeTakenBack(language: Language) throws {
        let context = try context(language)
        for state in [
            DonationSamples.agreed, DonationSamples.fresh, DonationSamples.stopped(.otherKey),
            DonationSamples.stopped(.deviceRefused),
        ] {
            let html = page(state, context)
            #expect(html.contains(Self.takeBack) && !html.contains(Self.agree))
            #expect(!says(html, "donate.none", context) && !says(html, "donate.preview-example", context))
            #expect(says(html, "donate.begins", context) == (state == DonationSamples.fresh))
            #expect(says(html, "donate.next", context) && !says(html, "donate.lead", context))
            #expect(html.contains(HTML(context.t("donate.withdraw-days", ["days": "180"])).markup))
        }
        // Agreed for other servers: both are there.
        let others = page(DonationSamples.stopped(.otherServers), context)
        #expect(others.contains(Self.takeBack) && others.contains(Self.agree) && !says(others, "donate.next", context))
        // What the document says now is not what was agreed to.
        #expect(!others.contains(HTML(context.t("donate.withdraw-days", ["days": "180"])).markup))
        #expect(!page(DonationSamples.stopped(.otherServers), context, preview: nil).contains(Self.agree))
        // Also while the preview is not there.
        #expect(page(DonationSamples.agreed, context, preview: nil).contains(Self.takeBack))
    }

    /// Where nobody asks any more nothing is promised: no next donation, no ticket, no preview, no reason of before; what stays is said on the page itself.
    @Test(arguments: Language.allCases) func aConsentOfWhichNothingComesPromisesNothing(language: Language) throws {
        let context = try context(language)
        for stop in [nil] + Donation1.Stop.allCases {
            var left = DonationSamples.agreed
            (left.isOffered, left.issuer, left.server, left.responsible) = (false, nil, nil, nil)
            left.stopped = stop
            let html = page(left, context)
            #expect(html.contains(Self.takeBack) && !html.contains(Self.agree))
            for key in ["donate.not-offered", "donate.left", "donate.withdraw", "donate.back.3"] {
                #expect(says(html, key, context), "\(key)")
            }
            // Whole words of an element: sentences have some of them, too.
            for key in ["donate.lead", "donate.next", "donate.prepared", "donate.preview", "donate.text-title"] {
                #expect(!html.contains(">\(HTML(context.texts.text(key)).markup)<"), "\(key)")
            }
            if let stop { #expect(!says(html, "donate.stopped.\(stop.rawValue)", context)) }
            let logs = DonationSamples.logs { ($0.isOffered, $0.stopped, $0.responsible) = (false, stop, nil) }
            let log = WearerPages.errorLog(.reply(logs, log: DonationSamples.log), context).html
            #expect(log.contains("takeBackLogs") && !log.contains("agreeToLogs") && !log.contains("releaseLog"))
            for key in ["donate.log-not-offered", "donate.left", "donate.log-lines-stopped", "donate.log-back.3"] {
                #expect(says(log, key, context), "\(key)")
            }
            for key in ["donate.log-lead", "donate.log-prepared", "donate.text-title"] {
                #expect(!says(log, key, context), "\(key)")
            }
            if let stop { #expect(!says(log, "donate.stopped.\(stop.rawValue)", context)) }
        }
        let over = survey(
            DonationSamples.survey(.expired) {
                $0.held?.stopped = .otherServers
                $0.held?.isOffered = false
                $0.survey = nil
            }, context)
        #expect(says(over, "donate.survey-over", context) && says(over, "donate.survey-back.3", context))
        #expect(!says(over, "donate.survey-changed", context) && over.contains("takeBackSurvey"))
    }

    /// Without a ticket nobody reads of "the next 0 days".
    @Test(arguments: Language.allCases) func withoutTicketsNoDaysAreCounted(language: Language) throws {
        let context = try context(language)
        for count in [0, 1, 6] {
            var state = DonationSamples.agreed
            state.preparedDays = count
            let html = page(state, context)
            #expect(says(html, "donate.prepared-none", context) == (count == 0))
            let days = HTML(context.t("donate.prepared-days", counting: Int64(count))).markup
            #expect(html.contains(days) == (count > 0))
        }
    }

    @Test(arguments: Language.allCases) func itSaysWhyItHasStopped(language: Language) throws {
        let context = try context(language)
        for stop in Donation1.Stop.allCases {
            let html = page(DonationSamples.stopped(stop), context)
            for other in Donation1.Stop.allCases {
                #expect(says(html, "donate.stopped.\(other.rawValue)", context) == (other == stop), "\(stop) \(other)")
            }
        }
        #expect(!says(page(DonationSamples.agreed, context), "donate.stopped.otherKey", context))
    }

    @Test(arguments: Language.allCases) func whatWasSentIsToldByTheDay(language: Language) throws {
        let context = try context(language)
        let whole = page(DonationSamples.agreed, context)
        let html = whole[try #require(whole.firstRange(of: "id=\"sent-title\"")).lowerBound...]
        let today = Int(Samples.now / 86_400)
        for (index, outcome) in Donation1.Outcome.allCases.enumerated() {
            #expect(html.contains(HTML(context.longDay(today - 3 + index)).markup))
            #expect(html.contains(HTML(context.t(.donationOutcome, outcome.rawValue)).markup))
        }
        // The newest first.
        let days = (0..<3).compactMap { html.firstRange(of: context.longDay(today - 3 + $0))?.lowerBound }
        let newestFirst = Array(days.sorted().reversed())
        #expect(days.count == 3 && days == newestFirst)
        #expect(says(page(DonationSamples.fresh, context), "donate.history-none", context))
        let unsent = DonationSamples.logs { $0.history = [] }
        let logs = WearerPages.errorLog(.reply(unsent, log: .init()), context).html
        #expect(says(logs, "donate.log-history-none", context) && !says(logs, "donate.history-none", context))
    }

    @Test(arguments: Language.allCases) func thePreviewHasEachField(language: Language) throws {
        let context = try context(language)
        let html = page(DonationSamples.offered, context)
        for text in [
            context.t("donate.truth", ["wrong": "4"]), context.t("donate.truth-rare"), context.t("donate.risk.increased"),
            context.t("donate.encounters-example", counting: 2),
            context.t("donate.device", ["version": "1.2"]),
            context.longDay(Int(Samples.now / 86_400) - 4), context.t("why.report.confirmedTest"),
            context.t("why.report.selfReport"), context.t("why.infectious.high"), context.t("why.infectious.standard"),
            context.t("why.confidence.high"), context.t("why.confidence.lowest"),
            context.t("donate.scan", ["minutes": "4", "typical": "50", "least": "40"]),
            context.t("donate.scan", ["minutes": "0", "typical": "90", "least": "70"]),
        ] { #expect(html.contains(HTML(text).markup), "\(text)") }
        // Before a consent nothing of that can be sent; after it, it can.
        let agreed = page(DonationSamples.agreed, context)
        let told = HTML(context.t("donate.encounters", counting: 2)).markup
        #expect(agreed.contains(told) && !html.contains(told))
        // A table that is cut says so, and why.
        for (state, key) in [(DonationSamples.offered, "donate.more-example"), (DonationSamples.agreed, "donate.more")] {
            let long = page(state, context, preview: DonationSamples.longPreview)
            let text = context.texts.text(key, counting: 3, ["n": "3", "shown": "100"])
            #expect(long.contains(HTML(text).markup) && !page(state, context).contains("100"), "\(text)")
        }
        let empty = page(DonationSamples.offered, context, preview: DonationSamples.emptyPreview)
        #expect(says(empty, "donate.risk.other", context) && says(empty, "donate.encounters-none", context))
        #expect(!empty.contains("<table"))
    }

    /// What may be false never looks certain, and no number traps.
    @Test func whatMayBeFalseIsRoundedUp() throws {
        let context = try context()
        for (truth, count) in [
            (0.999_999, 1), (0.999_665, 4), (1, 0), (0.5, 5_000), (0.750_59, 2_495), (-1, 10_000), (7, 0), (.nan, 10_000),
            (.infinity, 10_000),
        ] {
            var preview = DonationSamples.preview
            preview.truth = truth
            #expect(preview.oppositesInTenThousand == count, "\(truth)")
            let html = page(DonationSamples.offered, context, preview: preview)
            #expect(says(html, "donate.truth-rare", context) == (count < 500), "\(truth)")
        }
    }

    /// Names come from a signed document, and change no page all the same.
    @Test(arguments: HTMLTests.hostile + [""]) func noNameChangesThePage(name: String) throws {
        let context = try context()
        func html(_ name: String) -> String {
            var (state, preview) = (DonationSamples.offered, DonationSamples.preview)
            (state.issuer, state.server) = (name, name)
            return page(state, context, preview: preview)
        }
        #expect(structure(html(name)) == structure(html("plain")))
    }

    /// What the form was refused for is said in the reader's language.
    @Test(arguments: Language.allCases) func faultsAreSaid(language: Language) throws {
        let context = try context(language)
        for (fault, key) in [(WearerPages.DonationFault.noConsent, "donate.fault"), (.textChanged, "donate.fault-text")] {
            #expect(says(page(DonationSamples.offered, context, fault: fault), key, context))
            #expect(!says(page(DonationSamples.offered, context), key, context))
        }
    }

    private func survey(_ reply: Donation1.SurveyReply, _ context: PageContext) -> String {
        WearerPages.survey(
            .reply(DonationSamples.offered, reply, drawing: reply.passwordLink.flatMap { try? QRCode($0) }), context
        ).html
    }

    /// The whole text, and the survey, before the form; what is agreed to is what was read.
    @Test(arguments: Language.allCases) func theWholeTextOfASurveyStandsBeforeTheForm(language: Language) throws {
        let context = try context(language)
        let html = survey(DonationSamples.survey(nil), context)
        let border = try #require(html.firstRange(of: "value=\"agreeToSurvey\"")).lowerBound
        let (text, form) = (html[..<border], html[border...])
        let names = ["issuer": "issuer.example", "server": "donation.example"]
        for family in TextFamily.surveyParts + [.surveyHeading] {
            for member in family.members {
                #expect(text.contains(HTML(context.t(family, member, names)).markup), "\(family.prefix).\(member)")
            }
        }
        for name in ["City of Example", "Example Institute", "University of Example", "https://survey.example/start"] {
            #expect(text.contains(name), "\(name)")
        }
        // What it tells of the wearer's risk stands only where it does.
        #expect(says(html, "donate.survey-learn-risk", context))
        let forAll = survey(DonationSamples.survey(nil) { $0.survey?.invited = .everybody }, context)
        #expect(!says(forAll, "donate.survey-learn-risk", context) && forAll.contains("agreeToSurvey"))
        #expect(
            text.contains(HTML(DonationSamples.survey(nil).survey?.about[language.rawValue] ?? "?").markup)
                && says(html, "donate.survey-invited.increasedRisk", context))
        for (name, value) in [
            ("text", "\(Donation1.surveyTextVersion)"), ("issuer", "issuer.example"), ("server", "donation.example"),
        ] {
            #expect(form.contains("name=\"\(name)\" value=\"\(value)\""))
        }
        #expect(form.contains("name=\"survey\"") && form.contains("name=\"consent\"") && !html.contains("takeBackSurvey"))
    }

    /// Who is not invited sees no text, no form and no name of a survey; nor is there a link to it.
    @Test(arguments: Language.allCases) func whoIsNotInvitedToASurveySeesNothing(language: Language) throws {
        let context = try context(language)
        let html = survey(.init(), context)
        #expect(
            says(html, "donate.survey-not-invited", context) && !html.contains("agreeToSurvey")
                && !html.contains("survey.example"))
        for (reply, isThere) in [
            (Donation1.SurveyReply?.none, false), (.init(), false), (DonationSamples.survey(nil), true),
        ] {
            let page = WearerPages.donate(
                .reply(DonationSamples.offered, preview: DonationSamples.preview, survey: reply), context
            ).html
            #expect(page.contains("href=\"/donate/survey\"") == isThere)
            #expect(!says(page, "donate.survey-stays", context))
        }
        let agreed = WearerPages.donate(
            .reply(DonationSamples.offered, preview: DonationSamples.preview, survey: DonationSamples.survey()), context
        ).html
        #expect(says(agreed, "donate.survey-stays", context))
    }

    /// The password, its code and the address are there only once the server has the digest.
    @Test(arguments: Language.allCases) func thePasswordIsShownWhenItIsGood(language: Language) throws {
        let context = try context(language)
        for state in Donation1.SurveyState.allCases {
            let html = survey(DonationSamples.survey(state), context)
            #expect(
                html.contains("0123-4567") == (state == .accepted) && html.contains("class=\"qr\"") == (state == .accepted))
            #expect(says(html, "donate.survey-secret", context) == (state == .accepted))
            #expect(says(html, "donate.survey-state.\(state.rawValue)", context) && html.contains("takeBackSurvey"))
            #expect(!html.contains("agreeToSurvey"))
        }
        // The password is in no link: a browser would keep it, and send it on.
        #expect(!survey(DonationSamples.survey(.accepted), context).contains("href=\"https"))
        let other = survey(DonationSamples.survey(.waits) { $0.held?.stopped = .otherServers }, context)
        #expect(says(other, "donate.survey-changed", context) && other.contains("agreeToSurvey"))
        #expect(!says(other, "donate.survey-state.waits", context))
    }

    /// What a survey is about, in the reader's language where the document has it, and otherwise in another one that is named and marked for voices.
    @Test(arguments: Language.allCases) func aSurveyIsToldInTheReadersLanguage(language: Language) throws {
        let context = try context(language)
        let all = ["en": "How was it?", "de": "Wie war es?", "fr": "C’était comment ?", "de-simple": "Wie ging es Ihnen?"]
        func html(_ about: [String: String]) -> String {
            survey(DonationSamples.survey(nil) { $0.survey?.about = about }, context)
        }
        let own = try #require(all[language.rawValue])
        // The form names all of them: agreed to is the whole survey.
        func shown(_ html: String, _ about: [String: String]) -> [String] {
            about.values.filter { html.contains(">\($0)<") }
        }
        #expect(shown(html(all), all) == [own] && !html(all).contains(context.t(.onlyIn, "en")))
        // Plain language before English is the language that it is plain of.
        for (about, name, tag) in [
            (
                all.filter { $0.key != language.rawValue },
                language == .plainGerman ? "de" : language == .english ? "de" : "en", nil
            ),
            (["fr": "C’était comment ?", "it": "Com’era?"], "fr", nil),
            (["it": "Com’era?", "nl": "Hoe was het?"], "it", "it"),
        ] as [([String: String], String, String?)] {
            let html = html(about), text = try #require(about[name])
            let isOwn = name == language.rawValue
            #expect(shown(html, about) == [text])
            let marks = "<bdi lang=\"\(tag ?? Language(rawValue: name)?.tag ?? "?")\">\(text)"
            #expect(html.contains(marks) == !isOwn, "\(name) for \(language)")
            #expect(tag != nil || html.contains(context.t(.onlyIn, name)) == !isOwn)
        }
    }

    /// Names and sentences come from a signed document, and change no page all the same.
    @Test(arguments: HTMLTests.hostile + [""]) func noSurveyChangesThePage(name: String) throws {
        let context = try context()
        func html(_ name: String, _ language: String? = nil) -> String {
            survey(
                DonationSamples.survey(.accepted) {
                    $0.survey?.about = [language ?? "en": name]
                    $0.survey?.link = name
                    $0.password = name
                    $0.held?.responsible?.recipients = name
                }, context)
        }
        #expect(structure(html(name)) == structure(html("plain")))
        #expect(structure(html("plain", "x" + name)) == structure(html("plain", "xx")))
    }

    /// Whoever has agreed to logs alone is not told that nothing but empty messages leaves; whose log was refused is told, and may let it go again.
    @Test(arguments: Language.allCases) func logsAreSaid(language: Language) throws {
        let context = try context(language)
        #expect(says(page(DonationSamples.logs(), context), "donate.log-stays", context))
        #expect(!says(page(DonationSamples.offered, context), "donate.log-stays", context))
        for isRefused in [false, true] {
            let state = DonationSamples.logs {
                $0.history = [.init(day: 20_770, outcome: isRefused ? .refused : .taken)]
            }
            var log = DonationSamples.log
            #expect(
                says(WearerPages.errorLog(.reply(state, log: log), context).html, "donate.log-refused", context)
                    == isRefused)
            // Not while the next one is on its way.
            log.released = [.lostScans]
            let page = WearerPages.errorLog(.reply(state, log: log), context).html
            #expect(!says(page, "donate.log-refused", context) && !page.contains("releaseLog"))
            // What is not in that log is said to be so, and nothing is said twice.
            #expect(says(page, "donate.log-released", context) && says(page, "donate.log-lines-later", context))
            #expect(!says(page, "donate.log-lines", context))
            log.released = log.lines.map(\.trouble)
            #expect(!says(WearerPages.errorLog(.reply(state, log: log), context).html, "donate.log-lines-later", context))
        }
    }

    /// Who has to agree again cannot send a log: there is no form that would be refused.
    @Test(arguments: Language.allCases) func withoutAConsentThatCountsNoLogIsSent(language: Language) throws {
        let context = try context(language)
        let state = DonationSamples.logs { $0.stopped = .otherServers }
        var log = DonationSamples.log
        for released in [[], [.lostScans]] as [[Donation1.Trouble]] {
            log.released = released
            let page = WearerPages.errorLog(.reply(state, log: log), context).html
            #expect(says(page, "donate.log-lines-stopped", context) && !page.contains("releaseLog"))
            #expect(!says(page, "donate.log-released", context) && page.contains("agreeToLogs"))
        }
    }

    /// In the first 24 hours nothing is noted, so it cannot be said that there was nothing.
    @Test(arguments: Language.allCases) func aDayLongNothingIsNoted(language: Language) throws {
        let context = try context(language)
        for isEarly in [false, true] {
            let state = DonationSamples.logs { $0.begins = Samples.now + (isEarly ? 1 : 0) }
            let page = WearerPages.errorLog(.reply(state, log: .init(lines: [])), context).html
            #expect(says(page, "donate.log-lines-early", context) == isEarly)
            #expect(says(page, "donate.log-lines-none", context) != isEarly)
        }
    }

    /// Who is responsible for it stands in the text, or else where to ask.
    @Test(arguments: Language.allCases) func whoIsResponsibleIsSaid(language: Language) throws {
        let context = try context(language)
        let told = context.t(
            "donate.who-told",
            [
                "issuerOperator": DonationSamples.responsible.issuer, "serverOperator": DonationSamples.responsible.server,
                "recipients": DonationSamples.responsible.recipients, "days": "180",
            ])
        let offered = page(DonationSamples.offered, context)
        #expect(offered.contains(told) && !says(offered, "donate.who-ask", context))
        var silent = DonationSamples.offered
        silent.responsible = nil
        #expect(says(page(silent, context), "donate.who-ask", context))
        for isSaid in [false, true] {
            let state = DonationSamples.logs { $0.responsible = isSaid ? DonationSamples.responsible : nil }
            let logs = WearerPages.errorLog(.reply(state, log: DonationSamples.log), context).html
            #expect(says(logs, "donate.log-who-ask", context) != isSaid)
            #expect(logs.contains(DonationSamples.responsible.issuer) == isSaid)
        }
    }

    /// The way there is with the wearer's settings; a place has none.
    @Test func onlyAPersonsSettingsLeadThere() throws {
        let settings = WearerPages.Settings(status: Samples.status(), notifications: true, language: nil)
        let (person, place) = (try context(), try context(.english, .place))
        #expect(WearerPages.settings(settings, person).html.contains("href=\"/donate\""))
        #expect(!WearerPages.settings(settings, place).html.contains("href=\"/donate\""))
        for piece in Gallery.pieces(try Files.catalog(.english))
        where !["/settings", "/donate", "/donate/log", "/donate/survey"].contains(piece.path) {
            #expect(!piece.page.html.contains("href=\"/donate\""), "\(piece.name)")
        }
    }
}
