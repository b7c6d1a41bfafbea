// SPDX-License-Identifier: Apache-2.0

import Interfaces
import SelfCheck
public import WebPages

/// Makes every page of the web plugin in every state, with invented models, so that pages can be viewed, measured and
/// tested.
public enum Gallery {
    /// One page in one state.
    public struct Piece: Sendable {
        /// The name for a file, without its extension, such as `today-increased`; unique in the gallery.
        public let name: String
        /// The path of the page on a board, such as `/tech/plugins`; several pages may have the same one.
        public let path: String
        /// The page, made with invented models.
        public let page: Page
    }

    /// Returns the pages in every state, in the language of `texts`, always in the same order.
    public static func pieces(_ texts: TextCatalog) -> [Piece] {
        var shelf = Shelf(texts: texts)
        shelf.today()
        shelf.wearer()
        shelf.tests()
        shelf.visits()
        shelf.donations()
        shelf.screen()
        shelf.host(.technician, suffix: "")
        shelf.host(.technicianReadOnly, suffix: "-read-only")
        shelf.reading()
        shelf.technician(.technician, suffix: "")
        shelf.technician(.technicianReadOnly, suffix: "-read-only")
        return shelf.pieces
    }
}

/// Collects pages.
struct Shelf {
    let texts: TextCatalog
    var pieces: [Gallery.Piece] = []

    func context(
        _ path: String, _ reader: PageContext.Reader = .wearer, device: Exposure1.Role = .person,
        content: AuthorityContent? = Samples.content,
        notice: PageContext.Notice? = nil, timeIsKnown: Bool = true
    ) -> PageContext {
        PageContext(
            texts: texts, reader: reader, formToken: "0123456789abcdef", path: path, notice: notice, device: device,
            content: content, now: Samples.now,
            timeIsKnown: timeIsKnown)
    }

    mutating func add(_ name: String, _ context: PageContext, _ make: (PageContext) -> Page) {
        pieces.append(Gallery.Piece(name: name, path: context.path, page: make(context)))
    }

    mutating func today() {
        let states: [(TodayState, Exposure1.State, Risk1.State)] = [
            (.low, .active, .low), (.increased, .active, .increased), (.unknown, .active, .unknown),
            (.unjudged, .active, .unknown), (.outdated, .active, .outdated),
            (.paused, .active, .paused), (.ended, .disabled, .ended), (.off, .disabled, .inactive),
            (.timeUnknown, .timeUnknown, .unknown),
            (.radioTrouble, .radioTrouble, .low), (.stopping, .stopping, .low),
        ]
        let visits: [TodayState: VisitWarnings] = [
            .low: .init(.news), .increased: .init(.kept), .unknown: .init(.unknown), .paused: .init(.none),
        ]
        for (state, status, risk) in states {
            let model = WearerPages.Today(
                status: Samples.status(status),
                risk: Samples.risk(risk, news: state == .increased, unjudged: state == .unjudged ? 1 : nil),
                freshness: Samples.freshness(trouble: state == .outdated),
                evidence: state == .off ? [] : Samples.evidence, testNews: state == .low,
                visitWarnings: visits[state])
            add("today-\(state.rawValue)", context("/", timeIsKnown: state != .timeUnknown)) {
                WearerPages.today(model, $0)
            }
            // What it warned of before, where nothing is judged.
            guard [.unknown, .outdated, .paused, .ended, .off, .timeUnknown].contains(state) else { continue }
            var told = model
            told.risk = model.risk.map(Samples.withTold)
            add("today-\(state.rawValue)-told", context("/", timeIsKnown: state != .timeUnknown)) {
                WearerPages.today(told, $0)
            }
        }
        // What visits add, beside encounters that are increased or not.
        for (name, level) in [("increased", .increased), ("unjudged", .unknown), ("low", .low)]
            as [(String, Checkin1.Level)]
        {
            for risk in [Risk1.State.low, .increased] {
                let warnings = VisitWarnings(.kept, days: [Samples.today - 2: level, Samples.today - 4: .low])
                let model = WearerPages.Today(
                    status: Samples.status(), risk: Samples.risk(risk), freshness: Samples.freshness(),
                    evidence: Samples.evidence, testNews: false, visitWarnings: warnings)
                add("today-visit-\(name)-\(risk.rawValue)", context("/")) { WearerPages.today(model, $0) }
                let why = WearerPages.Why(
                    status: Samples.status(), risk: Samples.risk(risk), contributions: [], day: nil,
                    visitWarnings: warnings)
                add("why-visit-\(name)-\(risk.rawValue)", context("/why")) { WearerPages.why(why, $0) }
            }
        }
        for state in [Risk1.State.low, .increased] {
            let model = WearerPages.Today(
                status: Samples.status(), risk: Samples.withTakenBack(Samples.risk(state)), freshness: Samples.freshness(),
                evidence: Samples.evidence, testNews: false)
            add("today-\(state.rawValue)-taken-back", context("/")) { WearerPages.today(model, $0) }
        }
        let model = WearerPages.Today(
            status: Samples.status(), risk: Samples.risk(.increased), freshness: Samples.freshness(),
            evidence: Samples.evidence, testNews: false)
        add("today-silent", context("/")) {
            WearerPages.today(
                .init(status: Samples.status(), risk: nil, freshness: nil, evidence: nil, testNews: false), $0)
        }
        add("today-without-content", context("/", content: nil)) { WearerPages.today(model, $0) }
        for state in [Exposure1.State.active, .disabled, .radioTrouble] {
            let model = WearerPages.Today(
                status: Samples.status(state, role: .place), risk: nil, freshness: nil, evidence: [], testNews: false)
            add("place-\(state.rawValue)", context("/", .nobody, device: .place)) { WearerPages.today(model, $0) }
        }
    }

    mutating func wearer() {
        for step in 1...WearerPages.welcomeSteps {
            add("welcome-\(step)", context("/welcome")) { WearerPages.welcome(step: step, fault: false, $0) }
        }
        add("welcome-fault", context("/welcome")) { WearerPages.welcome(step: 4, fault: true, $0) }
        for (name, risk, day) in [
            ("why", Risk1.State.increased, nil), ("why-day", .increased, Samples.today - 3), ("why-empty", .low, nil),
            ("why-unjudged", .unknown, nil),
        ] as [(String, Risk1.State, Int?)] {
            let model = WearerPages.Why(
                status: Samples.status(), risk: Samples.risk(risk, unjudged: risk == .unknown ? 2 : nil),
                contributions: Samples.contributions, day: day)
            add(name, context("/why")) { WearerPages.why(model, $0) }
        }
        for (name, day) in [("why-taken-back", nil), ("why-day-taken-back", Samples.today - 2)] as [(String, Int?)] {
            let model = WearerPages.Why(
                status: Samples.status(), risk: Samples.withTakenBack(Samples.risk(.low)), contributions: [], day: day)
            add(name, context("/why")) { WearerPages.why(model, $0) }
        }
        add("history-taken-back", context("/history")) {
            WearerPages.history(
                evidence: Samples.evidence, risk: Samples.withTakenBack(Samples.risk(.increased)), $0)
        }
        add("history", context("/history")) {
            WearerPages.history(evidence: Samples.evidence, risk: Samples.risk(.increased), $0)
        }
        add("history-empty", context("/history")) { WearerPages.history(evidence: [], risk: nil, $0) }
        add("history-silent", context("/history")) { WearerPages.history(evidence: nil, risk: nil, $0) }
        add("proof", context("/proof")) { WearerPages.proof(evidence: Samples.evidence, radio: Samples.radio(), $0) }
        add("proof-empty", context("/proof")) {
            WearerPages.proof(evidence: [], radio: Samples.radio(trouble: true), $0)
        }
        add("proof-silent", context("/proof")) { WearerPages.proof(evidence: nil, radio: nil, $0) }
        for (name, state, fault) in [
            ("settings", Exposure1.State.active, nil), ("settings-off", .disabled, nil),
            ("settings-fault", .active, .wrongPresent),
        ] as [(String, Exposure1.State, WearerPages.SecretFault?)] {
            let model = WearerPages.Settings(
                status: Samples.status(state), notifications: true, language: .german, secretFault: fault)
            add(name, context("/settings")) { WearerPages.settings(model, $0) }
        }
        add("off", context("/settings/off")) { WearerPages.off($0) }
        add("reset", context("/reset")) { WearerPages.reset(fault: false, $0) }
        add("reset-fault", context("/reset")) { WearerPages.reset(fault: true, $0) }
        add("reset-done", context("/reset", .nobody)) { WearerPages.resetDone($0) }
        add("data", context("/data")) { WearerPages.data(audit: Samples.audit(), $0) }
        add("data-broken", context("/data")) { WearerPages.data(audit: Samples.audit(isIntact: false), $0) }
    }

    mutating func tests() {
        let all = Diagnosis1.TestsReply(
            tests: [
                Samples.test(.waiting, number: 1), Samples.test(.ready, kind: .rapidAntigen, news: true, number: 2),
                Samples.test(.refused, kind: .rapidPCR, number: 3),
            ], news: true, nextExchange: Samples.now + 900, teleTANSeconds: 86_400)
        let fault = WearerPages.EntryFault(field: .teleTAN, typed: "wxa-23<\"'>")
        add("tests", context("/tests", notice: PageContext.Notice(.good, "<em>OK</em>"))) { WearerPages.tests(all, $0) }
        add("tests-none", context("/tests")) {
            WearerPages.tests(Diagnosis1.TestsReply(tests: [], news: false, nextExchange: nil), $0)
        }
        add("tests-fault", context("/tests")) { WearerPages.tests(all, fault: fault, $0) }
        let birthFault = WearerPages.EntryFault(field: .dateOfBirth, typed: "")
        add("tests-fault-birth", context("/tests")) { WearerPages.tests(all, fault: birthFault, $0) }
        add("tests-not-there", context("/tests")) { WearerPages.tests(nil, $0) }
        for state in Diagnosis1.State.allCases {
            let model = WearerPages.TestDetails(
                test: Samples.test(state), result: nil, nextExchange: Samples.now + 900, teleTANSeconds: 86_400)
            add("test-\(state.rawValue)", context("/tests/3")) { WearerPages.test(model, $0) }
        }
        for refusal in Diagnosis1.Refusal.allCases {
            let model = WearerPages.TestDetails(
                test: Samples.test(.refused, refusal: refusal), result: nil, nextExchange: nil)
            add("test-refused-\(refusal.rawValue)", context("/tests/3")) { WearerPages.test(model, $0) }
        }
        for result in Diagnosis1.Result.allCases {
            // Only a final result makes an answer: who asks too early sees the test as it was.
            let test = Samples.test(result == .pending ? .waiting : .ready)
            let model = WearerPages.TestDetails(
                test: test, result: result, nextExchange: result == .pending ? Samples.now + 900 : nil)
            add("result-\(result.rawValue)", context("/tests/3")) { WearerPages.test(model, $0) }
        }
        add("warn", context("/tests/3/warn")) {
            WearerPages.warn(WearerPages.Warn(test: Samples.test(.ready), nextExchange: nil), $0)
        }
        for (name, fault) in [("consent", WearerPages.Warn.Fault.noConsent), ("day", .noDay), ("button", .buttonNeeded)] {
            let model = WearerPages.Warn(
                test: Samples.test(.ready), nextExchange: nil, chosen: Diagnosis1.Symptoms(statement: .since, daysAgo: 2),
                federation: false, fault: fault)
            add("warn-fault-\(name)", context("/tests/3/warn")) { WearerPages.warn(model, $0) }
        }
        for (name, days) in [("some", Array(3...11)), ("none", [])] {
            let model = WearerPages.Warn(
                test: Samples.test(.ready), nextExchange: nil, chosen: Diagnosis1.Symptoms(statement: .since, daysAgo: 7),
                fault: .notToday(days: days))
            add("warn-reach-\(name)", context("/tests/3/warn")) { WearerPages.warn(model, $0) }
        }
        for warning in Diagnosis1.Warning.allCases {
            let model = WearerPages.Warn(test: Samples.test(.ready, warning: warning), nextExchange: Samples.now + 1_500)
            add("warn-\(warning.rawValue)", context("/tests/3/warn")) { WearerPages.warn(model, $0) }
        }
        for (visits, warning) in [(0, Diagnosis1.Warning.prepared), (0, .sent), (1, .prepared), (2, .sent)] {
            let model = WearerPages.Warn(
                test: Samples.test(.ready, warning: warning, visits: visits), nextExchange: Samples.now + 1_500)
            add("warn-visits-\(visits)-\(warning.rawValue)", context("/tests/3/warn")) { WearerPages.warn(model, $0) }
        }
        for remainder in Diagnosis1.Remainder.allCases {
            let model = WearerPages.Warn(
                test: Samples.test(.ready, warning: .sent, remainder: remainder), nextExchange: Samples.now + 1_500)
            add("warn-rest-\(remainder.rawValue)", context("/tests/3/warn")) { WearerPages.warn(model, $0) }
        }
        let rest = WearerPages.Warn(
            test: Samples.test(.ready, warning: .sent, remainder: .withdrawn), nextExchange: nil, withdrawn: true)
        add("warn-rest-taken-back", context("/tests/3/warn")) { WearerPages.warn(rest, $0) }
        for withdrawn in [true, false] {
            let model = WearerPages.Warn(test: Samples.test(.ready), nextExchange: nil, withdrawn: withdrawn)
            add("warn-withdrawn-\(withdrawn)", context("/tests/3/warn")) { WearerPages.warn(model, $0) }
        }
    }

    mutating func reading() {
        for (suffix, content) in [("", Samples.content), ("-without-content", nil)] as [(String, AuthorityContent?)] {
            add("help" + suffix, context("/help", .nobody, content: content)) { WearerPages.help($0) }
            add("hotlines" + suffix, context("/hotlines", .nobody, content: content)) { WearerPages.hotlines($0) }
            add("imprint" + suffix, context("/imprint", .nobody, content: content)) { WearerPages.imprint($0) }
        }
        add("terms", context("/terms", .nobody)) { WearerPages.terms($0) }
        add("privacy", context("/privacy", .nobody)) { WearerPages.privacy($0) }
        add("place-help", context("/help", .nobody, device: .place)) { WearerPages.help($0) }
        add("place-privacy", context("/privacy", .nobody, device: .place)) { WearerPages.privacy($0) }
        let roles: [PageContext.Reader] = [.wearer, .technicianReadOnly, .technician]
        add("sign-in", context("/sign-in", .nobody)) { WearerPages.signIn(WearerPages.SignIn(roles: roles), $0) }
        add("sign-in-wrong", context("/sign-in", .nobody)) {
            WearerPages.signIn(WearerPages.SignIn(roles: roles, chosen: .technician, reason: .wrong, wait: 8), $0)
        }
        add("sign-in-ended", context("/sign-in", .nobody)) {
            WearerPages.signIn(WearerPages.SignIn(roles: roles, reason: .ended), $0)
        }
        add("sign-in-changed", context("/sign-in", .nobody)) {
            WearerPages.signIn(WearerPages.SignIn(roles: roles, reason: .changed), $0)
        }
        let made = TechnicianPages.Access(roles: [], tokens: [], made: "KXQP-7M4T-9WHD-22RB", hasEnded: true)
        add("tech-access-changed", context("/tech/access", .nobody)) { TechnicianPages.access(made, $0) }
        add("sign-in-no-roles", context("/sign-in", .nobody)) { WearerPages.signIn(WearerPages.SignIn(roles: []), $0) }
        add("signed-out", context("/signed-out", .nobody)) { WearerPages.signedOut($0) }
        for status in ErrorPages.statuses {
            add("error-\(status)", context("/nowhere", .nobody)) {
                ErrorPages.page(status, wait: status == 429 ? 30 : nil, $0)
            }
        }
    }

    mutating func technician(_ reader: PageContext.Reader, suffix: String) {
        for trouble in [false, true] {
            let inputs = Samples.checks(trouble: trouble)
            let found = SelfCheck.run(inputs)
            let end = (trouble ? "-trouble" : "") + suffix
            add("tech" + end, context("/tech", reader)) { TechnicianPages.overview(inputs, found: found, $0) }
            add("tech-checks" + end, context("/tech/checks", reader)) { TechnicianPages.checks(found: found, $0) }
            add("tech-radio" + end, context("/tech/radio", reader)) {
                TechnicianPages.radio(Samples.radio(trouble: trouble), evidence: Samples.evidence, found: found, $0)
            }
            add("tech-time" + end, context("/tech/time", reader)) {
                TechnicianPages.time(inputs.time, found: found, fault: trouble, $0)
            }
            add("tech-sync" + end, context("/tech/sync", reader)) {
                TechnicianPages.sync(inputs.freshness, found: found, $0)
            }
            add("tech-plugins" + end, context("/tech/plugins", reader)) {
                TechnicianPages.plugins(inputs.processes, found: found, $0)
            }
            let plugin = TechnicianPages.Plugin(
                name: "diagnosis", plugin: Samples.plugin,
                process: Samples.process("diagnosis", "Tests", trouble ? .quarantined : .running),
                problems: trouble ? ["settings.interval: must be at most 1440"] : [],
                typed: trouble ? ["set.interval": "9999"] : [:])
            add("tech-plugin" + end, context("/tech/plugins/diagnosis", reader)) { TechnicianPages.plugin(plugin, $0) }
            add("tech-storage" + end, context("/tech/storage", reader)) { TechnicianPages.storage(inputs.storage, $0) }
            add("tech-network" + end, context("/tech/network", reader)) {
                TechnicianPages.network(TechnicianPages.NetworkModel(reply: Samples.network(pending: trouble)), $0)
            }
            add("tech-audit" + end, context("/tech/audit", reader)) {
                TechnicianPages.audit(Samples.audit(isIntact: !trouble), $0)
            }
            let log = TechnicianPages.Log(
                lines: trouble ? [] : Samples.log, droppedCount: 7, processes: ["core", "sync"],
                process: trouble ? "sync" : nil, level: "info")
            add("tech-log" + end, context("/tech/log", reader)) { TechnicianPages.log(log, $0) }
            let measurement = Device1.MeasurementReply(
                measurement: Device1.Measurement(
                    running: trouble, secondsLeft: trouble ? 41 : 0, count: 212, median: -58, spread: 3,
                    proposal: trouble ? nil : 3), correction: 0)
            add("tech-calibration" + end, context("/tech/calibration", reader)) {
                TechnicianPages.calibration(measurement, $0)
            }
            let access = TechnicianPages.Access(
                roles: [.wearer, .technicianReadOnly, .technician], tokens: trouble ? [] : Samples.tokens,
                made: trouble ? "KXQP-7M4T-9WHD-22RB" : nil)
            add("tech-access" + end, context("/tech/access", reader)) { TechnicianPages.access(access, $0) }
        }
        add("tech-reboot" + suffix, context("/tech/reboot", reader)) { TechnicianPages.reboot($0) }
        add("tech-rebooting" + suffix, context("/tech/reboot", reader)) { TechnicianPages.rebooting($0) }
        add("tech-update" + suffix, context("/tech/update", reader)) { TechnicianPages.update(version: "0.9.0", $0) }
        add("tech-identity" + suffix, context("/tech/identity", reader)) { TechnicianPages.identity($0) }
        add("tech-checks-silent" + suffix, context("/tech/checks", reader)) {
            TechnicianPages.checks(found: [], isKnown: false, $0)
        }
        add("tech-silent" + suffix, context("/tech/radio", reader)) {
            TechnicianPages.radio(nil, evidence: [], found: [], $0)
        }
    }
}
