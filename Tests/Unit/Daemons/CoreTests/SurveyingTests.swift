// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import ExposureRisk
import GAEN
import Interfaces
import JSON
import KeyExport
import Ledger
import Logging
import Matching
import PrivacyPass
import RiskConfiguration
import Synchronization
import TestKit
import Testing
import TimeTrust
import Trust

@testable import Core
@testable import Donation

/// Surveys on a device: invitation, consent, the password and who may see it, withdrawal. Issuer and donation server are played by their rules.
@Suite struct SurveyingTests {
    /// What the core logs, as text.
    private final class Lines: Sendable {
        private let text = Mutex("")
        func add(_ line: String) { text.withLock { $0 += line + "\n" } }
        var all: String { text.withLock { $0 } }
    }

    private struct LineHandler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) { lines.add("\(event.message) \(event.metadata ?? [:])") }
    }

    private let caller = ExposureServiceBench.caller()
    private let signer: P256.SigningKey
    private let bench: ExposureServiceBench
    private let lines = Lines()
    private static let name = KeyName(id: "262", version: "v1")
    private static let day: Int64 = 86_400
    /// Eighteen days before the noon of the bench: the third of a month.
    private static let start = ExposureServiceBench.noon - 18 * day
    private static let keys = PublishedKeys.all
    /// By a key that no day has meanwhile.
    private static let monthKey = keys.last

    init() throws {
        signer = try P256.SigningKey.generate()
        let lines = lines
        bench = try ExposureServiceBench(
            hasTime: false,
            trust: TrustStore(keys: [TrustedKey(name: Self.name, role: .config, key: signer.verificationKey)]),
            log: Logger(label: "test") { _ in LineHandler(lines: lines) })
        bench.set(Self.start)
    }

    private static func survey(
        _ invited: DonationTerms.Survey.Invited = .everybody, about: String = "How was your warning?"
    ) -> DonationTerms.Survey? {
        DonationTerms.Survey(link: "https://survey.example/start", about: ["en": about], invited: invited)
    }

    private func document(_ survey: DonationTerms.Survey?, days: Int64 = 31) throws -> [UInt8] {
        let (today, month) = (time / Self.day, DonationEpoch.firstDay(ofMonth: UTCDay(containing: Self.start)))
        let monthKey = try #require(Self.monthKey?.key)
        let people = try #require(
            DonationTerms.Responsible(issuer: "City", server: "Institute", recipients: "University", keptDays: days))
        return try #require(
            DonationTerms(
                version: time, issuerName: "issuer.example", issuerAddress: "https://issuer.example",
                origin: "donation.example", serverAddress: "https://donation.example",
                keys: (today..<today + 14).compactMap { day in
                    let key = Self.keys[Int(day % Int64(Self.keys.count))].key
                    return key == monthKey ? nil : .init(day: UTCDay(number: day), key: key)
                },
                monthlyKeys: survey == nil ? [:] : [.survey: [.init(day: month, key: monthKey)]],
                responsible: survey == nil ? [:] : [.survey: people], survey: survey)
        ).encoded
    }

    private func signatures(_ document: [UInt8]) throws -> String {
        let encoder = ExportEncoder(
            startTimestamp: 0, endTimestamp: 0, region: "", signatureInfos: [ExportEncoder.signatureInfo(for: Self.name)])
        return Base64.string(try encoder.exportSig(for: document, keys: [signer]))
    }

    private func publish(_ survey: DonationTerms.Survey? = survey()) throws {
        let document = try document(survey)
        let reply = try bench.service.takeDonationTerms(
            Base64.string(document), approvals: signatures(document), by: caller, at: bench.now)
        #expect(reply.changed)
    }

    private var time: Int64 { Self.start + Int64(bench.now.nanoseconds / 1_000_000_000) }

    private func pass(_ seconds: Int64) {
        bench.pass(.seconds(seconds))
        bench.set(time)
    }

    private func agree() throws { try bench.service.agree(to: .survey, text: 1, by: caller, at: bench.now) }

    private func state() throws -> Donation1.SurveyState? { try bench.service.survey(at: bench.now).state }

    /// Does all that there is to do until `isOver`, with a new document every four days; returns the digests that came, and notes each body that left.
    private func live(
        outcome: Donation1.EndDonationCall.Outcome? = .taken, sent: inout [[UInt8]], until isOver: () throws -> Bool
    ) throws -> [[UInt8]] {
        var digests: [[UInt8]] = []
        var published = time
        while try !isOver() {
            if time >= published + 4 * Self.day {
                try publish()
                published = time
            }
            let reply = try bench.service.donationStep(at: bench.now)
            guard let step = reply.step else {
                pass(min(reply.seconds, Self.day / 2))
                continue
            }
            let body = try #require(Base64.bytes(step.body))
            sent.append(body)
            switch step.kind {
            case .request:
                var answer = [UInt8](repeating: 9, count: 256)
                if let request = try? TokenRequest(decoding: body) {
                    let pair = try #require(Self.keys.first { $0.key.truncatedID == request.truncatedKeyID })
                    answer = try pair.issuer.sign(request.blindedMessage)
                }
                #expect(
                    try bench.service.takeToken(day: step.day, answer: answer, refusal: nil, at: bench.now) == true)
            case .donate:
                #expect(body.count == DonationPadding.byteCount)
                if step.target == "https://donation.example/version/v1/device/otp" {
                    let token = try #require(PrivateTokenScheme.token(inAuthorization: step.authorization ?? ""))
                    #expect(token.keyID == Self.monthKey?.key.id)
                    digests.append(try #require(SurveyReport.digest(ofBody: body)))
                    #expect(try bench.service.endDonation(day: step.day, outcome: outcome, at: bench.now))
                } else {
                    #expect(try bench.service.endDonation(day: step.day, outcome: .taken, at: bench.now))
                }
            }
        }
        return digests
    }

    // MARK: Who is invited

    @Test func withoutASurveyThereIsNothingToAgreeTo() throws {
        #expect(try bench.service.survey(at: bench.now) == .init())
        #expect(throws: Refusal.self) { try agree() }
        try publish(nil)
        #expect(try bench.service.survey(at: bench.now) == .init())
        #expect(throws: Refusal.self) { try agree() }
    }

    /// A survey for those who were warned is not there for anybody else, and so does not tell that there is one.
    @Test func whoIsNotInvitedSeesNothing() throws {
        try publish(Self.survey(.increasedRisk))
        #expect(try bench.service.survey(at: bench.now) == .init())
        do {
            try agree()
            Issue.record("agreed without an invitation")
        } catch { #expect(error as? Refusal == DonationDesk.notAsked) }
        #expect(bench.service.donations.book[.survey] == nil)
        // The same words as without a survey at all.
        #expect(throws: DonationDesk.notAsked) { try bench.service.agree(to: .log, text: 1, by: caller, at: bench.now) }
    }

    @Test func whoWasWarnedIsInvitedAndStaysSo() throws {
        pass(18 * Self.day)
        let found = try #require(try ExposureServiceBench.match(1))
        try bench.ledger.write {
            _ = try $0.merge([found])
            try $0.set("lastMatched", Array("\(time - 3_600)".utf8))
        }
        try bench.service.enable(by: caller, at: bench.now)
        try publish(Self.survey(.increasedRisk))
        #expect(try bench.service.survey(at: bench.now) == .init())
        try take(increasedFrom: 600, version: 1)
        #expect(try bench.service.warnings.risk(at: bench.now).state == .increased)
        let reply = try bench.service.survey(at: bench.now)
        #expect(reply.held?.isOffered == true && reply.held?.consent == nil && reply.state == nil)
        #expect(
            reply.survey
                == .init(
                    link: "https://survey.example/start", about: ["en": "How was your warning?"], invited: .increasedRisk))
        #expect(reply.held?.responsible?.recipients == "University" && reply.password == nil)
        try agree()
        // The risk is not increased any more: who has agreed stays invited, or servers would learn of it.
        try take(increasedFrom: 100_000, version: 2)
        #expect(try bench.service.warnings.risk(at: bench.now).state != .increased)
        let later = try bench.service.survey(at: bench.now)
        #expect(later.held?.isOffered == true && later.held?.consent?.text == 1 && later.state == .waits)
        // Another survey is for the invited again, and this one is over.
        pass(60)
        try publish(Self.survey(.increasedRisk, about: "Another"))
        let other = try bench.service.survey(at: bench.now)
        #expect(other.held?.isOffered == false && other.held?.stopped == .otherServers)
        #expect(throws: Refusal.self) { try agree() }
        try bench.service.withdraw(.survey, by: caller, at: bench.now)
        #expect(try bench.service.survey(at: bench.now) == .init())
    }

    private func take(increasedFrom: Double, version: Int64) throws {
        let summaries = try #require(
            DailySummariesConfiguration(
                attenuationThresholds: [55, 63, 73], attenuationWeights: [1, 1, 0.5, 0],
                reportTypeWeights: [0, 1, 1, 1, 0, 0], infectiousnessWeights: [0, 1, 2]))
        var parameters = DailySummariesParameters(summaries: summaries)
        parameters.increasedFrom = increasedFrom
        let rules = RiskConfiguration(
            version: version, models: [.dailySummaries(parameters)], mapping: .standard, service: .running)
        _ = try bench.service.warnings.takeRules(
            Base64.string(rules.document), approvals: signatures(rules.document), by: caller, at: bench.now)
        bench.pass(.seconds(1))
    }

    // MARK: The password

    /// The digest leaves, once, and the wearer alone gets the password: not the plugin that carries, no technician, no log, no entry, no export, nothing else that the core says.
    @Test func thePasswordIsTheWearersAlone() throws {
        try publish()
        try agree()
        #expect(try state() == .waits && bench.again().survey(at: bench.now).state == .waits)
        var sent: [[UInt8]] = []
        let digests = try live(sent: &sent) { try state() == .accepted }
        let reply = try bench.again().survey(at: bench.now)
        let text = try #require(reply.password)
        let password = try #require(SurveySecret(typed: text))
        #expect(digests == [password.digest] && reply.lastDay == time / Self.day + 30)
        #expect(reply.passwordLink == "https://survey.example/start?otp=\(text)")
        #expect("\(reply)" == "accepted")
        // Everything that left, and everything that is said elsewhere.
        let forms = [
            text, text.filter { $0 != "-" }, Base64.string(password.bytes), Hex.string(password.bytes),
            Base64.string(Array(text.utf8)),
        ]
        func isTold(_ said: String) -> Bool {
            forms.contains { said.lowercased().contains($0.lowercased()) } || said.contains("\(password.bytes)")
        }
        #expect(isTold("otp=\(text)") && isTold("\(password.bytes)"))
        for body in sent {
            #expect(!body.indices.dropLast(16).contains { body[$0...].starts(with: password.bytes) })
            #expect(!isTold(String(decoding: body, as: UTF8.self)))
        }
        #expect(!lines.all.isEmpty && !isTold(lines.all))
        #expect(!isTold(String(describing: try bench.service.audit(after: nil).records)))
        let desk = try AccessDesk(bench)
        let wearer = try desk.connect(as: .wearer)
        let own = desk.call(wearer, "\(Donation1.name).GetSurvey")
        #expect(own?["parameters"]?["password"]?.string == text)
        for role in [Access1.Role.technician, .technicianReadOnly] {
            let refused = desk.call(try desk.connect(as: role), "\(Donation1.name).GetSurvey")
            #expect(refused?["error"]?.string != nil && !isTold("\(refused as Any)"))
        }
        #expect(desk.call(try desk.connect(), "\(Donation1.name).GetSurvey")?["error"]?.string != nil)
        for method in [
            "org.vigil.donation1.GetDonation", "org.vigil.donation1.GetPreview", "org.vigil.donation1.GetErrorLog",
            "org.vigil.device1.ExportMyData", "org.vigil.device1.GetAudit", "org.vigil.device1.GetStorage",
        ] {
            let said = desk.call(wearer, method)
            #expect(said != nil && !isTold(String(decoding: said?.bytes ?? [], as: UTF8.self)), "\(method)")
        }
        let export = desk.call(wearer, "org.vigil.device1.ExportMyData")
        let exported = String(decoding: export?.bytes ?? [], as: UTF8.self)
        #expect(exported.contains("surveys"))
        // On the disk it is in the book alone, and a withdrawal takes it.
        let secret = Base64.string(password.bytes)
        func kept() throws -> String {
            String(decoding: try bench.ledger.setting(DonationDesk.bookSetting) ?? [], as: UTF8.self)
        }
        #expect(try kept().contains(secret))
        try bench.service.withdraw(.survey, by: caller, at: bench.now)
        #expect(try !kept().contains(secret) && !kept().contains("\"survey\":{"))
        let invited = try bench.again().survey(at: bench.now)
        #expect(invited.held?.consent == nil && invited.state == nil && invited.password == nil)
        let kinds = try bench.service.audit(after: nil).records.filter { $0.kind.hasPrefix("consent") }
        #expect(kinds.map(\.kind) == ["consentGiven", "consentWithdrawn"])
        #expect(kinds.allSatisfy { $0.details["purpose"] ?? "" == "survey" })
    }

    @Test func aRefusedDigestAndOneWithoutAnAnswer() throws {
        try publish()
        try agree()
        var sent: [[UInt8]] = []
        let first = try live(outcome: nil, sent: &sent) { try state() == .sent }
        #expect(first.count == 1)
        let again = try live(outcome: .refused, sent: &sent) { try state() == .refused }
        #expect(again.allSatisfy { $0 == first.first } && !again.isEmpty)
        let reply = try bench.service.survey(at: bench.now)
        #expect(reply.state == .refused && reply.password == nil && reply.passwordLink == nil)
    }

    /// Another survey, or other days, and the password is not shown any more; a document without a survey ends it.
    @Test func aPasswordIsForTheSurveyThatWasAgreedTo() throws {
        try publish()
        try agree()
        var sent: [[UInt8]] = []
        _ = try live(sent: &sent) { try state() == .accepted }
        for survey in [Self.survey(about: "Another"), nil] {
            pass(60)
            try publish(survey)
            let reply = try bench.service.survey(at: bench.now)
            #expect(reply.held?.stopped == .otherServers && reply.held?.isOffered == (survey != nil))
            #expect(reply.password == nil && reply.passwordLink == nil)
        }
        pass(60)
        try publish()
        #expect(try bench.service.survey(at: bench.now).password != nil)
        pass(60)
        try publish(Self.survey(about: "Another"))
        try agree()
        #expect(try state() == .waits)
    }

    @Test func aPlaceIsInvitedToNothing() throws {
        try publish()
        try agree()
        try bench.service.setRole(.place, by: caller, at: bench.now)
        for setting in DonationDesk.personal { #expect(try bench.ledger.setting(setting) == nil, "\(setting)") }
        let place = bench.again()
        #expect(throws: Refusal.self) { try place.survey(at: bench.now) }
        #expect(throws: Refusal.self) { try place.agree(to: .survey, text: 1, by: caller, at: bench.now) }
    }
}
