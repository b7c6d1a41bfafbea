// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
package import DiagnosisPlan
import GAEN
import Glibc
package import Interfaces
import JSON
import PluginKit
import VarlinkSocket

/// The plugin's interface `org.vigil.diagnosis1`: it answers the wearer's questions and takes entries and consents.
/// A call that is the wearer's needs the core's proof, and writes to the disk even if it changes nothing. Used only
/// on the loop.
package final class DiagnosisService {
    let store: TestStore
    let settings: DiagnosisSettings
    let way: WarningWay
    private let clock: SlotClock
    private var watchers: [IncomingCall] = []
    private var toldNews: Bool?

    /// When the next slot is, Unix seconds of the machine.
    var nextExchange: () -> Int64? = { nil }
    /// Called after somebody has changed the registry.
    var onChange: () -> Void = {}
    /// Called when the plugin with the visits asks which of them are out, at each of its starts.
    var onPublishedAsked: () -> Void = {}
    /// The batch of visits that was asked for and is not in the registry yet.
    var expectedBatch: () -> Int64? = { nil }
    /// What a call that is the wearer's has to pass.
    var gate = ProofGate()
    /// Has something done after a while.
    var after: (Duration, @escaping () -> Void) -> Void = { _, _ in }
    /// - Throws: `DiagnosisSettings.Fault` if the settings cannot be used.
    package init(store: TestStore, settings: DiagnosisSettings, clock: SlotClock = .life) throws {
        self.store = store
        self.settings = settings
        way = try settings.warningWay()
        self.clock = clock
    }

    func open(_ interface: ServedInterface) throws {
        try interface.answer(Diagnosis1.Method.self) { method in
            switch method {
            case .getTests:
                proven(method) { [unowned self] (_: NoFields) in
                    let registry = store.registry
                    return Diagnosis1.TestsReply(
                        tests: registry.tests.map { .init($0, clock) }, news: registry.hasNews,
                        nextExchange: nextExchange(),
                        teleTANSeconds: way.kind == .cwa ? settings.teleTANSeconds : nil)
                }
            case .watch:
                .call { [unowned self] call in gate.prove(call, method) { [unowned self] in watch(call, for: $0) } }
            case .enterCode: proven(method) { [unowned self] in try enterCode($0) }
            case .enterTeleTAN: proven(method) { [unowned self] in try enterTeleTAN($0) }
            case .checkTeleTAN: .reply { [unowned self] in checkTeleTAN($0) }
            case .getResult:
                proven(method) { [unowned self] (call: Diagnosis1.NumberCall) in
                    let test = try test(call.number)
                    guard case .made = test.registration else {
                        throw Self.notPossible(test.sentence ?? Self.notRegistered)
                    }
                    try changed { $0.see(call.number, on: UTCDay(containing: Int64(time(nil))).number) }
                    return Diagnosis1.ResultReply(result: Diagnosis1.Result(test.result))
                }
            case .getWarnedDays:
                .reply { [unowned self] (call: Diagnosis1.WarnedDaysCall) in
                    Diagnosis1.WarnedDaysReply(
                        days: warnedAges(
                            try statement(call.symptoms), today: UTCDay(containing: Int64(time(nil))).number))
                }
            case .warn: proven(method) { [unowned self] in try warn($0) }
            case .withdraw:
                proven(method) { [unowned self] (call: Diagnosis1.NumberCall) in
                    _ = try test(call.number)
                    return Diagnosis1.WithdrawReply(isWithdrawn: try changed { $0.withdraw(call.number) })
                }
            case .forget:
                proven(method) { [unowned self] (call: Diagnosis1.NumberCall) in
                    _ = try test(call.number)
                    return Diagnosis1.ForgetReply(isForgotten: try changed { $0.forget(call.number) })
                }
            case .getPublished:
                .reply { [unowned self] (call: Diagnosis1.BatchesCall) in
                    onPublishedAsked()
                    let registry = store.registry
                    let uncertain = registry.uncertain(call.batches)
                    return Diagnosis1.PublishedReply(
                        published: registry.published(call.batches),
                        over: registry.over(call.batches, expected: expectedBatch()),
                        uncertain: uncertain.isEmpty ? nil : uncertain)
                }
            }
        }
    }

    private func watch(_ call: IncomingCall, for life: Duration?) {
        call.reply(Diagnosis1.WatchReply(news: store.registry.hasNews), continues: true)
        watchers.append(call)
        guard let life else { return }
        after(life) { Self.refuse(call) }
    }

    private func enterCode(_ call: Diagnosis1.CodeCall) throws -> Diagnosis1.NumberCall {
        if way.kind != .cwa { return try enterForeign(call.code) }
        let today = UTCDay(containing: Int64(time(nil))).number
        let code = try refusing { () throws(DiagnosisPlanError) in
            let birth = try call.dateOfBirth.map { text throws(DiagnosisPlanError) in
                try DateOfBirth(text, today: today)
            }
            return try TestCode(pasted: call.code, birth: birth)
        }
        return try enter(RegistrationKey(code), code.kind, sampleCollected: code.created)
    }

    private func enterTeleTAN(_ call: Diagnosis1.TypedCall) throws -> Diagnosis1.NumberCall {
        if way.kind != .cwa { return try enterForeign(call.typed) }
        let prefixes = settings.teleTANPrefixes ?? []
        let teleTAN = try refusing { () throws(DiagnosisPlanError) in
            try TeleTAN(typed: call.typed, prefixes: prefixes)
        }
        return try enter(RegistrationKey(teleTAN), .pcr, sampleCollected: nil)
    }

    private func checkTeleTAN(_ call: Diagnosis1.TypedCall) -> Diagnosis1.CheckReply {
        if way.kind != .cwa {
            return Diagnosis1.CheckReply(problems: [], isWhole: (try? foreignKey(call.typed)) != nil)
        }
        let prefixes = settings.teleTANPrefixes ?? []
        return Diagnosis1.CheckReply(
            problems: TeleTAN.problemsWhileTyping(call.typed, prefixes: prefixes).prefix(16).map(\.description),
            isWhole: TeleTAN.problems(in: call.typed, prefixes: prefixes).isEmpty)
    }

    private func warn(_ call: Diagnosis1.WarnCall) throws -> Diagnosis1.WarnReply {
        _ = try test(call.number)
        let agreement = WarningStage.Agreement(
            ticket: call.ticket, symptoms: try statement(call.symptoms), isFederated: call.federation)
        let now = clock.now()
        try changed { try $0.agree(call.number, agreement, at: now) }
        return Diagnosis1.WarnReply(nextExchange: nextExchange())
    }

    /// - Throws: `Refused`, before anything is spent, if the statement and its days do not belong together: days decide who is warned.
    private func statement(_ symptoms: Diagnosis1.Symptoms) throws -> SymptomStatement {
        try refusing { () throws(DiagnosisPlanError) in try SymptomStatement(symptoms) }
    }

    /// Answers a method that is the wearer's.
    private func proven<Parameters: Decodable, Result: Encodable>(
        _ method: Diagnosis1.Method, _ handler: @escaping (Parameters) throws -> Result
    ) -> MethodHandler {
        .call { [unowned self] call in
            let parameters = try call.decode(Parameters.self)
            gate.prove(call, method) { [unowned self] _ in
                let before = store.writeCount
                // Looking and being refused are written down like entering and agreeing.
                defer {
                    if store.writeCount == before {
                        try? store.rewrite()
                        onChange()
                    }
                }
                do { call.reply(try handler(parameters)) } catch let failure as CallFailure {
                    call.fail(failure.name, parameters: failure.parameters)
                } catch {
                    call.fail("org.varlink.service.MethodNotImplemented", parameters: ["method": .string(call.method)])
                }
            }
        }
    }

    private static func refuse(_ call: IncomingCall) { call.fail("\(Diagnosis1.name).NotSignedIn") }

    /// Tells whoever watches, if there is something else to tell.
    func tell() {
        let news = store.registry.hasNews
        defer { toldNews = news }
        guard news != toldNews else { return }
        watchers.removeAll { !$0.isOpen }
        for watcher in watchers { watcher.reply(Diagnosis1.WatchReply(news: news), continues: true) }
    }

    /// Makes the submission of the keys that the core has handed out, and waits until it is on the disk. If no key counts, the warning ends with the reason `noKeys`, or at Google's servers
    /// with `nothingTaken` if there are keys but the server would drop all. Has no effect on the registry unless
    /// the test waits for keys.
    /// - Parameters:
    ///   - number: The test's number.
    ///   - agreement: The wearer's agreement, whose statement decides the levels of the keys.
    ///   - keys: The keys as the core gave them; those that cannot be read are left out.
    ///   - remainder: The core's offer of the rest of the day; `nil` if there is none. It is kept for this
    ///     project's servers only; for others it ends with the reason `notOffered`.
    ///   - visits: The visits that go along, at most as many as ``roomForReports(_:_:_:)`` says; `nil` if nobody here keeps
    ///     visits. Ignored where the authority takes none.
    /// - Throws: `DiagnosisPlanError` if no submission can be made of the keys, and `StorageError` if the store
    ///   cannot be written.
    package func prepare(
        _ number: Int, _ agreement: WarningStage.Agreement, _ keys: [Release1.TemporaryExposureKey],
        remainder: Release1.Remainder? = nil, visits: GivenVisits? = nil
    ) throws {
        let own = Self.own(keys)
        let hours = remainder.flatMap { $0.from < $0.after ? $0.from..<$0.after : nil }
        switch way {
        case .cwa: break
        case .ens: return try prepareENS(number, agreement, own, hours)
        case .nhs: return try prepareNHS(number, agreement, own, hours)
        }
        var payload = payload(number, agreement, own)
        payload.reports = visits?.reports ?? []
        guard !payload.keys.isEmpty else {
            return try store.change { $0.loseKeys(number, because: .noKeys) }
        }
        var random = SystemRandomNumberGenerator()
        try payload.check()
        var note = visits?.note
        let body: [UInt8]
        do throws(DiagnosisPlanError) { body = try payload.encoded(as: .standard, using: &random) } catch {
            guard !payload.reports.isEmpty else { throw error }
            // Better a warning without visits than none.
            (payload.reports, note) = ([], VisitsInWarning.none(.noRoom))
            body = try payload.encoded(as: .standard, using: &random)
        }
        let request = ExchangeRequest.requestName(using: &random)
        var stage: RemainderStage?
        if let remainder, remainder.from < remainder.after {
            stage =
                settings.promise == .exactlyOnce
                ? .waiting(
                    .init(
                        ticket: agreement.ticket, credential: ServerToken(using: &random).text,
                        symptoms: agreement.symptoms,
                        isFederated: agreement.isFederated, after: remainder.after, until: remainder.until))
                : .ended(.notOffered)
        }
        let rest = stage
        try store.change {
            $0.prepare(number, body, request: request, remainder: rest, hours: hours, visits: note)
        }
    }

    /// Returns the room for reports of visits that a warning with these keys has: none where the authority takes none, and
    /// after so many warnings with visits that one more could not be noted.
    package func roomForReports(
        _ number: Int, _ agreement: WarningStage.Agreement, _ keys: [Release1.TemporaryExposureKey]
    ) -> RoomForReports {
        guard way.kind == .cwa else { return .none(.noRoom) }
        guard store.registry.canNotePublished(besides: number) else { return .none(.tooMany) }
        let count = payload(number, agreement, Self.own(keys)).roomForReports(in: .standard)
        return count > 0 ? .some(count) : .none(.noRoom)
    }

    /// For the Corona-Warn-App's way, and ours.
    private func payload(
        _ number: Int, _ agreement: WarningStage.Agreement, _ own: [DiagnosisKey]
    ) -> SubmissionPayload {
        let day = UInt32(clamping: UTCDay(containing: Int64(time(nil))).number)
        let kind: SubmissionPayload.Kind = store.registry.test(number)?.kind.isRapid == true ? .rapidTest : .pcrTest
        return SubmissionPayload(
            keys: SubmissionPayload.keys(own, stating: agreement.symptoms, day: day),
            visitedCountries: agreement.isFederated ? settings.countries ?? [] : [], origin: settings.origin ?? "",
            consentToFederation: agreement.isFederated, kind: kind)
    }

    /// Makes the submission for the rest of a day, with the statements that the wearer made when agreeing, and
    /// waits until it is on the disk. If there is no key, it ends with the reason `noKeys`. Has no effect on the
    /// registry unless a claim of the test waits for keys.
    /// - Parameters:
    ///   - number: The test's number.
    ///   - claim: The claim that the keys were handed out for.
    ///   - keys: The keys as the core gave them; those that cannot be read are left out.
    /// - Throws: `DiagnosisPlanError` if no submission can be made of the keys, and `StorageError` if the store
    ///   cannot be written.
    package func prepareRemainder(
        _ number: Int, _ claim: RemainderStage.Claim, _ keys: [Release1.TemporaryExposureKey]
    ) throws {
        let own = Self.own(keys)
        guard let day = own.map(\.rollingStart.day).max() else {
            return try store.change { $0.loseRemainder(number, because: .noKeys) }
        }
        let kind: SubmissionPayload.Kind = store.registry.test(number)?.kind.isRapid == true ? .rapidTest : .pcrTest
        let payload = SubmissionPayload(
            keys: SubmissionPayload.keys(own, stating: claim.symptoms, day: day),
            visitedCountries: claim.isFederated ? settings.countries ?? [] : [], origin: settings.origin ?? "",
            consentToFederation: claim.isFederated, kind: kind)
        var random = SystemRandomNumberGenerator()
        try payload.check()
        let body = try payload.encoded(as: .standard, using: &random)
        let request = ExchangeRequest.requestName(using: &random)
        let now = clock.now()
        try store.change { $0.prepareRemainder(number, body, request: request, at: now) }
    }

    private static func own(_ keys: [Release1.TemporaryExposureKey]) -> [DiagnosisKey] {
        keys.compactMap { key -> DiagnosisKey? in
            guard let data = Base64.bytes(key.keyData).flatMap({ Block($0) }),
                let start = UInt32(exactly: key.rollingStartIntervalNumber),
                let period = UInt32(exactly: key.rollingPeriod)
            else { return nil }
            return DiagnosisKey(data: data, rollingStart: ENIN(start), rollingPeriod: period)
        }
    }

    // MARK: Steps

    private func test(_ number: Int) throws -> RegisteredTest {
        guard let test = store.registry.test(number) else { throw CallFailure("\(Diagnosis1.name).NoSuchTest") }
        return test
    }

    private func enter(
        _ key: RegistrationKey, _ kind: TestKind, sampleCollected: Int64?
    ) throws -> Diagnosis1.NumberCall {
        var random = SystemRandomNumberGenerator()
        let request = ExchangeRequest.requestName(using: &random)
        let (now, way) = (clock.now(), way)
        return Diagnosis1.NumberCall(
            number: try changed {
                try $0.enter(
                    key, kind: kind, sampleCollected: sampleCollected, request: request, way: way.kind, at: now)
            })
    }

    private func enterForeign(_ text: String) throws -> Diagnosis1.NumberCall {
        let key = try refusing { () throws(DiagnosisPlanError) in try foreignKey(text) }
        return try enter(key, .pcr, sampleCollected: nil)
    }

    private func changed<Result: Sendable>(_ change: (inout TestRegistry) throws -> Result) throws -> Result {
        do {
            let result = try store.change(change)
            tell()
            onChange()
            return result
        } catch let error as DiagnosisPlanError { throw Self.failure(error) }
    }

    private func refusing<Value>(_ make: () throws(DiagnosisPlanError) -> Value) throws -> Value {
        do throws(DiagnosisPlanError) { return try make() } catch { throw Self.failure(error) }
    }

    private static let notRegistered = "The test is not registered yet; that happens at the next exchange."

    private static func notPossible(_ reason: String) -> CallFailure {
        CallFailure("\(Diagnosis1.name).NotPossible", ["reason": .string(reason)])
    }

    private static func failure(_ error: DiagnosisPlanError) -> CallFailure {
        switch error.code {
        case .noWarningPossible, .tooManyTests: notPossible("\(error)")
        default:
            CallFailure(
                "\(Diagnosis1.name).Refused", ["rule": .string(error.code.rawValue), "reason": .string("\(error)")])
        }
    }
}

extension RegisteredTest {
    var refusal: Refusal? {
        @inline(never) get {
            guard case .refused(let refusal) = registration else { return nil }
            return refusal
        }
    }

    /// What there is to say beside the result.
    var sentence: String? {
        if let refusal { return refusal.sentence(way ?? .cwa) }
        if let trouble, warning?.isOver != true { return trouble.sentence }
        switch warning {
        case .ended(let reason)?: return reason.sentence(way ?? .cwa)
        case .sent?:
            let taken =
                "Your warning was taken. Whoever was near you on one of the days that count learns of it within hours, and not from whom."
            return [taken, visits?.sentence(isSent: true), remainder?.sentence].compactMap(\.self).joined(separator: " ")
        case .sending?:
            let sending = "Your warning is being sent; that is repeated until it has arrived."
            return [sending, visits?.sentence(isSent: false)].compactMap(\.self).joined(separator: " ")
        case .agreed?, .prepared?, .askingTAN?, .ready?:
            let next = "Your warning is sent at the next exchange."
            return [next, visits?.sentence(isSent: false)].compactMap(\.self).joined(separator: " ")
        case nil: return nil
        }
    }
}

extension RemainderStage {
    /// What there is to say of it.
    var sentence: String {
        switch self {
        case .waiting, .prepared:
            "The rest of that day follows after midnight (UTC), by the same consent; you can withdraw it until it leaves."
        case .sending: "The rest of that day is being sent."
        case .sent: "The rest of that day was taken, too."
        case .ended(let reason): reason.sentence
        }
    }
}

extension Diagnosis1.Remainder {
    init(_ stage: RemainderStage) {
        self =
            switch stage {
            case .waiting: .waiting
            case .prepared: .prepared
            case .sending: .sending
            case .sent: .sent
            case .ended(.notOffered): .notOffered
            case .ended(.withdrawn): .withdrawn
            case .ended(.noKeys): .nothing
            case .ended(.tooLate), .ended(.keysLost), .ended(.refused): .dropped
            }
    }
}

// Apart from the initialiser below, and not put back into it: Swift 6.3.1 crashes when it optimises all of this as one.
extension RegisteredTest {
    fileprivate var state: Diagnosis1.State {
        @inline(never) get {
            switch registration {
            case .wanted: .registering
            case .refused: .refused
            case .made: result?.isFinal == true ? .ready : .waiting
            }
        }
    }

    fileprivate var toldWarning: Diagnosis1.Warning? {
        @inline(never) get {
            switch warning {
            case .agreed?: .agreed
            case .prepared?, .askingTAN?, .ready?: .prepared
            case .sending?: .sending
            case .sent?: .sent
            case .ended?: .ended
            case nil: nil
            }
        }
    }
}

extension Diagnosis1.Test {
    init(_ test: RegisteredTest, _ clock: SlotClock) {
        self.init(
            number: test.number, kind: Diagnosis1.Kind(test.kind), byTelephone: test.isTeleTAN,
            entered: clock.machine(test.entered),
            state: test.state, warning: test.toldWarning, sentence: test.sentence, news: test.hasNews,
            refusal: test.refusal.flatMap { .init(rawValue: $0.rawValue) },
            remainder: test.remainder.map { .init($0) }, remainderFrom: test.remainderHours?.lowerBound,
            remainderTo: test.remainderHours?.upperBound, visits: test.visits?.count,
            noVisits: test.visits?.absence.flatMap { .init(rawValue: $0.rawValue) })
    }
}

extension Diagnosis1.Kind {
    init(_ kind: TestKind) {
        self =
            switch kind {
            case .pcr: .pcr
            case .rapidAntigen: .rapidAntigen
            case .rapidPCR: .rapidPCR
            }
    }
}

extension Diagnosis1.Result {
    init(_ result: TestResult?) {
        self =
            switch result?.meaning {
            case .pending?, nil: .pending
            case .negative?: .negative
            case .positive?: .positive
            case .invalid?: .invalid
            case .redeemed?: .redeemed
            }
    }
}

extension SymptomStatement {
    /// - Throws: `malformedSymptoms` if `since` comes without days or with others than 0 to ``earliestOnset``, or another statement with days.
    init(_ symptoms: Diagnosis1.Symptoms) throws(DiagnosisPlanError) {
        let isDated = symptoms.statement == .since
        guard isDated == (symptoms.daysAgo != nil), (0...Self.earliestOnset).contains(symptoms.daysAgo ?? 0) else {
            throw DiagnosisPlanError(.malformedSymptoms)
        }
        self =
            switch symptoms.statement {
            case .since: .since(daysAgo: symptoms.daysAgo ?? 0)
            case .lastSevenDays: .lastSevenDays
            case .oneToTwoWeeksAgo: .oneToTwoWeeksAgo
            case .moreThanTwoWeeksAgo: .moreThanTwoWeeksAgo
            case .unknownSince: .unknownSince
            case .noSymptoms: .noSymptoms
            case .noStatement: .noStatement
            }
    }
}
