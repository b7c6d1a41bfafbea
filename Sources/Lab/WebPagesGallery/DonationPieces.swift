// SPDX-License-Identifier: Apache-2.0

public import Interfaces
import Poster
import WebPages

/// Invented states of data donation, the same at every call.
public enum DonationSamples {
    /// The authority asks; there is no consent.
    public static let offered = Donation1.DonationReply(
        isOffered: true, issuer: "issuer.example", server: "donation.example", lastKeyDay: Int64(Samples.today + 9),
        responsible: responsible, documentVersion: 31, documentMark: "3f0a 91c2 77de 04b8 e6a1 5c2d 9b30 f417")
    /// Who is responsible for what is sent.
    public static let responsible = Donation1.Responsible(
        issuer: "City of Example, IT department", server: "Example Institute for Public Health",
        recipients: "Example Institute for Public Health", keptDays: 180)
    /// The authority does not ask; there is no consent.
    public static let notOffered = Donation1.DonationReply(isOffered: false)
    /// A consent of three weeks ago, with donations of each outcome.
    public static let agreed = with {
        $0.next = Samples.now + 20_000
        $0.preparedDays = 6
        $0.history = Donation1.Outcome.allCases.enumerated().map { index, outcome in
            .init(day: Int64(Samples.today - 3 + index), outcome: outcome)
        }
    }
    /// A consent of an hour ago: nothing is sent yet.
    public static let fresh = with {
        $0.consent = .init(since: Samples.now - 3_600, text: Donation1.consentTextVersion)
        $0.begins = Samples.now + 82_800
    }

    /// The authority has published no new document for a week.
    public static let outOfKeys = with { $0.lastKeyDay = Int64(Samples.today + 1) }

    /// Returns a state in which donating has stopped.
    public static func stopped(_ stop: Donation1.Stop) -> Donation1.DonationReply { with { $0.stopped = stop } }

    /// A preview with two encounters.
    public static let preview = Donation1.PreviewReply(
        isIncreased: true, truth: 0.999_66,
        windows: [
            .init(
                day: Int64(Samples.today - 4), reportType: .confirmedTest, infectiousness: .high, confidence: 3,
                scans: [.init(typical: 50, least: 40, minutes: 4), .init(typical: 60, least: 50, minutes: 5)]),
            .init(
                day: Int64(Samples.today - 2), reportType: .selfReport, infectiousness: .standard, confidence: 0,
                scans: [.init(typical: 90, least: 70, minutes: 0)]),
        ], count: 2)
    /// A preview with more encounters than a page shows.
    public static let longPreview = Donation1.PreviewReply(
        isIncreased: true, truth: 0.999_66,
        windows: (0..<100).map { _ in preview.windows[1] }, count: 103)
    /// A preview without an encounter, by the same rules: chance turns as many answers around.
    public static let emptyPreview = Donation1.PreviewReply(
        isIncreased: false, truth: 0.999_66, windows: [], count: 0)

    /// An error log with two lines.
    public static let log = Donation1.ErrorLogReply(
        lines: [
            .init(trouble: .lostScans, day: Int64(Samples.today - 3)),
            .init(trouble: .diskNearlyFull, day: Int64(Samples.today)),
        ])

    /// Returns a state in which error logs are asked for, and what holds of them.
    public static func logs(_ change: (inout Donation1.Monthly) -> Void = { _ in }) -> Donation1.DonationReply {
        var held = Donation1.Monthly(
            isOffered: true, consent: .init(since: Samples.now - 1_814_400, text: Donation1.logTextVersion),
            begins: Samples.now - 1_728_000,
            isPrepared: true, history: [.init(day: Int64(Samples.today - 30), outcome: .taken)],
            responsible: responsible)
        change(&held)
        var state = offered
        state.log = held
        return state
    }

    /// Returns what the core says of a survey to which the wearer has agreed.
    public static func survey(
        _ state: Donation1.SurveyState? = .waits, _ change: (inout Donation1.SurveyReply) -> Void = { _ in }
    ) -> Donation1.SurveyReply {
        let people = Donation1.Responsible(
            issuer: responsible.issuer, server: responsible.server, recipients: "University of Example", keptDays: 14)
        var reply = Donation1.SurveyReply(
            held: .init(isOffered: true, responsible: people),
            survey: .init(
                link: "https://survey.example/start",
                about: [
                    "en": "How did you find the warning?", "de": "Wie fanden Sie die Warnung?",
                    "fr": "Comment avez-vous trouvé l’avertissement ?", "de-simple": "Wie war die Warnung für Sie?",
                ], invited: .increasedRisk))
        if let state {
            reply.held?.consent = .init(since: Samples.now - 1_814_400, text: Donation1.surveyTextVersion)
            reply.held?.begins = Samples.now - 1_728_000
            reply.state = state
        }
        if state == .accepted {
            reply.lastDay = Int64(Samples.today + 3)
            reply.password = "0123-4567-89AB-CDEF-GHJK-MNPQ-RSTV"
            reply.passwordLink = "https://survey.example/start?otp=0123-4567-89AB-CDEF-GHJK-MNPQ-RSTV"
        }
        change(&reply)
        return reply
    }

    private static func with(_ change: (inout Donation1.DonationReply) -> Void) -> Donation1.DonationReply {
        var state = offered
        state.consent = .init(since: Samples.now - 1_814_400, text: Donation1.consentTextVersion)
        state.begins = Samples.now - 1_728_000
        change(&state)
        return state
    }
}

/// The page about data donation.
extension Shelf {
    mutating func donations() {
        let (preview, empty) = (DonationSamples.preview, DonationSamples.emptyPreview)
        var left = DonationSamples.agreed
        left.isOffered = false
        (left.issuer, left.server, left.responsible) = (nil, nil, nil)
        (left.documentVersion, left.documentMark) = (nil, nil)
        for (name, state, preview) in [
            ("offered", DonationSamples.offered, preview), ("no-preview", DonationSamples.offered, nil),
            ("not-offered", DonationSamples.notOffered, preview), ("fresh", DonationSamples.fresh, empty),
            ("agreed", DonationSamples.agreed, preview),
            ("agreed-no-preview", DonationSamples.agreed, nil),
            ("left", left, empty), ("no-keys", DonationSamples.outOfKeys, empty),
            ("other-key", DonationSamples.stopped(.otherKey), empty),
            ("device-refused", DonationSamples.stopped(.deviceRefused), empty),
            ("other-servers", DonationSamples.stopped(.otherServers), empty),
        ] as [(String, Donation1.DonationReply, Donation1.PreviewReply?)] {
            add("donate-\(name)", context("/donate")) { WearerPages.donate(.reply(state, preview: preview), $0) }
        }
        for (name, fault) in [("consent", WearerPages.DonationFault.noConsent), ("text", .textChanged)] {
            add("donate-fault-\(name)", context("/donate")) {
                WearerPages.donate(.reply(DonationSamples.offered, preview: preview), fault: fault, $0)
            }
        }
        // Of a wearer who has agreed to error logs alone.
        add("donate-logs-alone", context("/donate")) {
            WearerPages.donate(.reply(DonationSamples.logs(), preview: preview), $0)
        }
        add("donate-survey-alone", context("/donate")) {
            WearerPages.donate(
                .reply(DonationSamples.offered, preview: preview, survey: DonationSamples.survey()), $0)
        }
        errorLogs()
        surveys()
        add("donate-not-there", context("/donate")) { WearerPages.donate(.notThere, $0) }
        add("donate-other-role", context("/donate", device: .place)) { WearerPages.donate(.otherRole, $0) }
        add("donate-silent", context("/donate")) { WearerPages.donate(.silent, $0) }
    }

    private mutating func errorLogs() {
        var released = DonationSamples.log
        released.released = [.noController]
        for (name, state, log) in [
            ("offered", DonationSamples.logs { ($0.consent, $0.begins, $0.history) = (nil, nil, []) }, .init()),
            ("lines", DonationSamples.logs(), DonationSamples.log), ("released", DonationSamples.logs(), released),
            ("empty", DonationSamples.logs { $0.isPrepared = false }, .init()),
            (
                "fresh",
                DonationSamples.logs {
                    $0 = .init(
                        isOffered: true, consent: .init(since: Samples.now - 3_600, text: Donation1.logTextVersion),
                        begins: Samples.now + 82_800, responsible: DonationSamples.responsible)
                }, .init()
            ),
            ("silent", DonationSamples.logs(), nil), ("not-offered", DonationSamples.offered, .init()),
            (
                "refused",
                DonationSamples.logs {
                    ($0.isPrepared, $0.history) = (false, [.init(day: Int64(Samples.today - 1), outcome: .refused)])
                }, DonationSamples.log
            ),
            ("other-servers", DonationSamples.logs { $0.stopped = .otherServers }, DonationSamples.log),
            (
                "left", DonationSamples.logs { ($0.isOffered, $0.stopped, $0.responsible) = (false, .otherServers, nil) },
                DonationSamples.log
            ),
        ] as [(String, Donation1.DonationReply, Donation1.ErrorLogReply?)] {
            add("donate-log-\(name)", context("/donate/log")) { WearerPages.errorLog(.reply(state, log: log), $0) }
        }
        for (name, fault) in [
            ("consent", WearerPages.ErrorLogFault.noConsent), ("text", .textChanged), ("read", .notRead),
            ("changed", .logChanged),
        ] {
            add("donate-log-fault-\(name)", context("/donate/log")) {
                WearerPages.errorLog(.reply(DonationSamples.logs(), log: DonationSamples.log), fault: fault, $0)
            }
        }
        for (name, reason) in [("not-there", WearerPages.DonationAnswer.notThere), ("other-role", .otherRole)] {
            add("donate-log-\(name)", context("/donate/log")) { WearerPages.errorLog(.none(reason), $0) }
        }
    }

    private mutating func surveys() {
        for (name, reply) in [
            ("offered", DonationSamples.survey(nil)), ("waits", DonationSamples.survey()),
            (
                "fresh",
                DonationSamples.survey {
                    $0.held?.consent?.since = Samples.now - 3_600
                    $0.held?.begins = Samples.now + 82_800
                }
            ),
            ("sent", DonationSamples.survey(.sent)), ("accepted", DonationSamples.survey(.accepted)),
            ("refused", DonationSamples.survey(.refused)), ("expired", DonationSamples.survey(.expired)),
            ("not-invited", .init()),
            (
                "other-survey",
                DonationSamples.survey(.accepted) {
                    $0.held?.stopped = .otherServers
                    ($0.password, $0.passwordLink) = (nil, nil)
                }
            ),
            (
                "over",
                DonationSamples.survey(.expired) {
                    $0.held?.stopped = .otherServers
                    $0.held?.isOffered = false
                    $0.survey = nil
                }
            ),
        ] as [(String, Donation1.SurveyReply)] {
            add("donate-survey-\(name)", context("/donate/survey")) {
                WearerPages.survey(
                    .reply(
                        DonationSamples.offered, reply, drawing: reply.passwordLink.flatMap { try? QRCode($0) }), $0)
            }
        }
        for (name, fault) in [
            ("consent", WearerPages.SurveyFault.noConsent), ("text", .textChanged), ("not-invited", .notInvited),
        ] {
            add("donate-survey-fault-\(name)", context("/donate/survey")) {
                WearerPages.survey(
                    .reply(DonationSamples.offered, DonationSamples.survey(nil), drawing: nil), fault: fault, $0)
            }
        }
        for (name, reason) in [("not-there", WearerPages.DonationAnswer.notThere), ("other-role", .otherRole)] {
            add("donate-survey-\(name)", context("/donate/survey")) { WearerPages.survey(.none(reason), $0) }
        }
    }
}
