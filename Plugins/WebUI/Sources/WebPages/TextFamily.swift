// SPDX-License-Identifier: Apache-2.0

import Interfaces
import SelfCheck

/// Texts of which one is chosen while a page is made: `PREFIX.MEMBER`. Listed here, so that a test can compare them with the files.
struct TextFamily: Sendable {
    let prefix: String
    let members: [String]

    init(_ prefix: String, _ members: [String]) {
        self.prefix = prefix
        self.members = members
    }

    init(_ prefix: String, upTo last: Int) { self.init(prefix, (1...last).map { "\($0)" }) }

    static let weekdays = TextFamily("date.weekday", upTo: 7)
    static let shortWeekdays = TextFamily("date.weekday-short", upTo: 7)
    static let months = TextFamily("date.month", upTo: 12)

    private static let moods = TodayState.allCases.map(\.rawValue)
    static let stateWord = TextFamily("today.word", moods)
    static let stateSentence = TextFamily("today.sentence", moods)
    static let stateAdvice = TextFamily("today.advice", moods)

    static let levelWord = TextFamily("risk.level", Risk1.Level.allCases.map(\.rawValue) + ["none"])
    private static let sourceStates = Risk1.SourceState.allCases.map(\.rawValue)
    static let sourceWord = TextFamily("sources.word", sourceStates)
    static let sourceSentence = TextFamily("sources.sentence", sourceStates)
    static let outcome = TextFamily("why.outcome", Risk1.Outcome.allCases.map(\.rawValue))
    static let reportType = TextFamily("why.report", Risk1.ReportType.allCases.map(\.rawValue))
    static let infectiousness = TextFamily("why.infectious", Risk1.Infectiousness.allCases.map(\.rawValue))
    static let confidence = TextFamily("why.confidence", ["lowest", "low", "medium", "high"])
    static let unit = TextFamily("why.unit", Risk1.Unit.allCases.map(\.rawValue))

    static let testKind = TextFamily("tests.kind", Diagnosis1.Kind.allCases.map(\.rawValue))
    static let testState = TextFamily("tests.state", Diagnosis1.State.allCases.map(\.rawValue))
    static let testMeaning = TextFamily("tests.meaning", Diagnosis1.State.allCases.map(\.rawValue))
    static let warningState = TextFamily("tests.warning", Diagnosis1.Warning.allCases.map(\.rawValue))
    static let testRefusal = TextFamily("tests.refusal", Diagnosis1.Refusal.allCases.map(\.rawValue))
    static let remainder = TextFamily("tests.remainder", Diagnosis1.Remainder.allCases.map(\.rawValue))
    static let resultWord = TextFamily("result.word", Diagnosis1.Result.allCases.map(\.rawValue))
    static let resultMeaning = TextFamily("result.meaning", Diagnosis1.Result.allCases.map(\.rawValue))
    static let resultNext = TextFamily("result.next", Diagnosis1.Result.allCases.map(\.rawValue))
    static let symptoms = TextFamily("warn.symptoms", Diagnosis1.Statement.allCases.map(\.rawValue))

    static let venueSystem = TextFamily("venue.system", Checkin1.System.allCases.map(\.rawValue))
    static let placeKind = TextFamily("places.kind", Checkin1.Kind.allCases.map(\.rawValue))
    static let eventKind = TextFamily("places.event-kind", Checkin1.EventKind.allCases.map(\.rawValue))
    static let placeFault = TextFamily("places.fault", HostPages.Fault.allCases.map(\.rawValue))
    static let codeState = TextFamily("places.state", Checkin1.CodeState.allCases.map(\.rawValue))
    static let doorState = TextFamily("places.door", Device1.Door.allCases.map(\.rawValue) + ["unknown"])
    static let noVisits = TextFamily("warn.no-visits", Diagnosis1.NoVisits.allCases.map(\.rawValue))
    static let visitAdvice = TextFamily("visits.notice-advice", Checkin1.Advice.allCases.map(\.rawValue) + ["message"])

    static let donationStop = TextFamily("donate.stopped", Donation1.Stop.allCases.map(\.rawValue))
    static let donationOutcome = TextFamily("donate.outcome", Donation1.Outcome.allCases.map(\.rawValue))
    static let donationRisk = TextFamily("donate.risk", ["increased", "other"])
    /// The consent text in its order; each part has a heading of its name.
    static let donationParts = [
        TextFamily("donate.choice", upTo: 1), TextFamily("donate.who", upTo: 2), TextFamily("donate.sent", upTo: 4),
        TextFamily("donate.not-sent", upTo: 7), TextFamily("donate.when", upTo: 3), TextFamily("donate.learn", upTo: 5),
        TextFamily("donate.back", upTo: 3),
    ]
    static let donationHeading = TextFamily(
        "donate.heading", ["choice", "who", "sent", "not-sent", "when", "learn", "back"])

    /// The consent text about error logs, likewise.
    static let logParts = [
        TextFamily("donate.log-choice", upTo: 1), TextFamily("donate.log-who", upTo: 2),
        TextFamily("donate.log-sent", upTo: 2), TextFamily("donate.log-not-sent", upTo: 5),
        TextFamily("donate.log-when", upTo: 2), TextFamily("donate.log-learn", upTo: 4),
        TextFamily("donate.log-back", upTo: 3),
    ]
    static let logHeading = TextFamily(
        "donate.log-heading", ["choice", "who", "sent", "not-sent", "when", "learn", "back"])

    /// The consent text about surveys, likewise.
    static let surveyParts = [
        TextFamily("donate.survey-choice", upTo: 1), TextFamily("donate.survey-who", upTo: 2),
        TextFamily("donate.survey-sent", upTo: 2), TextFamily("donate.survey-not-sent", upTo: 5),
        TextFamily("donate.survey-when", upTo: 3), TextFamily("donate.survey-learn", upTo: 5),
        TextFamily("donate.survey-back", upTo: 3),
    ]
    static let surveyHeading = TextFamily(
        "donate.survey-heading", ["choice", "who", "sent", "not-sent", "when", "learn", "back"])
    static let surveyState = TextFamily("donate.survey-state", Donation1.SurveyState.allCases.map(\.rawValue))
    static let surveyInvited = TextFamily("donate.survey-invited", Donation1.Survey.Invited.allCases.map(\.rawValue))

    static let welcome = TextFamily("welcome.how", upTo: 4)
    static let sent = TextFamily("warn.sent", upTo: 5)
    static let notSent = TextFamily("warn.not-sent", upTo: 4)
    static let offLost = TextFamily("off.lost", upTo: 4)
    static let offKept = TextFamily("off.kept", upTo: 4)
    static let resetLost = TextFamily("reset.lost", upTo: 5)
    static let question = TextFamily("help.question", upTo: 11)
    static let answer = TextFamily("help.answer", upTo: 11)
    static let terms = TextFamily("terms.part", upTo: 5)
    static let privacyHeading = TextFamily("privacy.heading", upTo: 6)
    static let privacyPart = TextFamily("privacy.part", upTo: 6)
    static let placeDoes = TextFamily("place.does", upTo: 3)
    static let placeDoesNot = TextFamily("place.does-not", upTo: 4)
    /// Of a place, under the headings of the same numbers in ``privacyHeading``.
    static let placePrivacy = TextFamily("place.privacy", upTo: 5)
    static let hotline = TextFamily("hotlines.topic", ["technical", "privacy", "health", "psychological", "verification"])

    /// Every kind that the core writes, and what stands for one that is newer than these pages.
    static let audit = TextFamily("audit", AuditKind.allCases.map(\.rawValue) + ["other"])
    /// Through whom something was done: callers of the core with a name that people do not know.
    static let auditActor = TextFamily(
        "audit.by", ["ctl", "webui", "sync", "diagnosis", "button", "provisioning", "authority", "supervisor"])
    /// Before words of the authority that it has in another language only.
    static let onlyIn = TextFamily("content.only", Language.allCases.map(\.rawValue))

    private static let errors = ErrorPages.statuses.map { "\($0)" }
    static let errorTitle = TextFamily("error.title", errors)
    static let errorWhy = TextFamily("error.why", errors)
    static let errorNext = TextFamily("error.next", errors)

    static let findingTitle = TextFamily("tech.finding.title", Finding.allCases.map(\.rawValue))
    static let findingMeaning = TextFamily("tech.finding.meaning", Finding.allCases.map(\.rawValue))
    static let findingFix = TextFamily("tech.finding.fix", Finding.allCases.map(\.rawValue))
    static let severity = TextFamily("tech.severity", Severity.allCases.map(\.rawValue))
    static let processState = TextFamily("tech.process", Technician1.ProcessState.allCases.map(\.rawValue))
    static let timeState = TextFamily("tech.time.state", ["untrusted", "plausible", "authenticated"])
    static let statusState = TextFamily(
        "tech.status", ["active", "disabled", "timeUnknown", "radioTrouble", "stopping"])
    static let sourceKind = TextFamily("tech.sync.kind", Sync1.Kind.allCases.map(\.rawValue))
    static let reader = TextFamily("access.role", ["wearer", "technicianReadOnly", "technician"])
    static let networkMethod = TextFamily("tech.network.method", ["automatic", "manual"])
    static let level = TextFamily("tech.log.level", ["debug", "info", "notice", "warning", "error", "critical"])
    static let calibrationStep = TextFamily("tech.calibration.step", upTo: 4)
    static let updateMissing = TextFamily("tech.update.missing", upTo: 3)
    static let identityMissing = TextFamily("tech.identity.missing", upTo: 3)

    static let all =
        [
            weekdays, shortWeekdays, months, stateWord, stateSentence, stateAdvice, levelWord, sourceWord, sourceSentence,
            outcome, reportType,
            infectiousness, confidence, unit, testKind, testState, testMeaning, warningState, testRefusal, remainder,
            resultWord, resultMeaning,
            resultNext, symptoms, venueSystem, placeKind, eventKind, placeFault, codeState, doorState, noVisits,
            visitAdvice,
            welcome, sent, notSent, offLost, offKept, resetLost, question, answer, terms, privacyHeading, privacyPart,
            placeDoes,
            placeDoesNot, placePrivacy, hotline, audit, auditActor, onlyIn, errorTitle, errorWhy, errorNext, findingTitle,
            findingMeaning,
            findingFix, severity,
            processState, timeState, statusState, sourceKind, reader, networkMethod, level, calibrationStep, updateMissing,
            identityMissing, donationStop, donationOutcome, donationRisk, donationHeading, logHeading, surveyHeading,
            surveyState, surveyInvited,
        ] + donationParts + logParts + surveyParts
}
