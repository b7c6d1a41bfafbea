// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import DeviceEvidence
import GAEN
import Interfaces
import JSON
import KeyExport
import Ledger
import PrivacyPass
import SelfCheck
import TestKit
import Testing
import TimeTrust
import Trust

@testable import Core
@testable import Donation

/// Data donation on a device: consent, evidence, tokens, donations, withdrawal. Issuer and donation server are played by their rules.
@Suite struct DonatingTests {
    let caller = ExposureServiceBench.caller()
    private let signer: P256.SigningKey
    let bench: ExposureServiceBench
    /// The document as the authority publishes it: every four days a new one, if there is one at all.
    private final class Published {
        var version: Int64 = 1
        var day: Int64?
        /// There are fifteen keys.
        var days: Int64 = 14
    }
    private let published = Published()
    /// The lengths of header fields, whether somebody donates or not.
    private static let evidenceLength = 342
    private static let authorizationLength = 493
    private static let name = KeyName(id: "262", version: "v1")
    private static let day: Int64 = 86_400
    /// Eighteen days before the noon of the bench.
    private static let start = ExposureServiceBench.noon - 18 * day
    private static let keys = PublishedKeys.all

    init() throws {
        signer = try P256.SigningKey.generate()
        bench = try ExposureServiceBench(
            hasTime: false,
            trust: TrustStore(keys: [TrustedKey(name: Self.name, role: .config, key: signer.verificationKey)]))
        bench.set(Self.start)
    }

    private static func keyPair(_ day: Int64) -> (issuer: IssuerKey, key: TokenKey) { keys[Int(day % Int64(keys.count))] }

    private static func terms(_ version: Int64 = 1, from: Int64 = start / day, days: Int64 = 14) throws -> DonationTerms {
        try #require(
            DonationTerms(
                version: version, issuerName: "issuer.example", issuerAddress: "https://issuer.example",
                origin: "donation.example", serverAddress: "https://donation.example", epsilon: 8,
                keys: (from..<from + days).map { .init(day: UTCDay(number: $0), key: keyPair($0).key) }))
    }

    private func signatures(_ document: [UInt8], by key: P256.SigningKey? = nil) throws -> [UInt8] {
        let encoder = ExportEncoder(
            startTimestamp: 0, endTimestamp: 0, region: "", signatureInfos: [ExportEncoder.signatureInfo(for: Self.name)])
        return try encoder.exportSig(for: document, keys: [key ?? signer])
    }

    private func offer(_ document: [UInt8], by key: P256.SigningKey? = nil) throws -> String {
        do throws(Refusal) {
            let reply = try bench.service.takeDonationTerms(
                Base64.string(document), approvals: Base64.string((try? signatures(document, by: key)) ?? []), by: caller,
                at: bench.now)
            return reply.changed ? "taken" : "known"
        } catch {
            #expect(error.name == "TermsRefused" && !error.parameters.reason.isEmpty)
            return error.parameters.rule ?? ""
        }
    }

    private var time: Int64 { Self.start + bench.now.nanoseconds.seconds }

    private func pass(_ seconds: Int64) {
        bench.pass(.seconds(seconds))
        bench.set(time)
        let today = time / Self.day
        guard let day = published.day, today >= day + 4 else { return }
        publish()
    }

    /// The next thing to do, after whatever wait it needs; `nil` when that would be after `end`. It is on the disk before it is answered.
    private func step(until end: Int64) throws -> Donation1.Step? {
        while true {
            let reply = try bench.service.donationStep(at: bench.now)
            if let step = reply.step {
                #expect(bench.again().donations.book == bench.service.donations.book)
                return step
            }
            guard time + reply.seconds < end else { return nil }
            pass(reply.seconds)
        }
    }

    /// The next thing to do that is no cover; cover is done meanwhile.
    private func genuineStep(until end: Int64) throws -> Donation1.Step? {
        while let step = try step(until: end) {
            guard try didCover(step) else { return step }
        }
        return nil
    }

    /// Does a step of cover as servers and plugin do it; returns whether it is one.
    private func didCover(_ step: Donation1.Step) throws -> Bool {
        let body = try #require(Base64.bytes(step.body))
        switch step.kind {
        case .request:
            guard DonationCover.truncatedKeyID(ofRequest: body) == Self.keyPair(step.day).key.truncatedID else {
                return false
            }
            let nonce = [UInt8](repeating: 7, count: 32)
            let field = try #require(try bench.service.issuanceEvidence(day: step.day, nonce: nonce, at: bench.now))
            // As long as what a donor proves, and by nobody's key.
            #expect(field.utf8.count == Self.evidenceLength)
            // Fresh as that is: an issuer would refuse it otherwise, and only it.
            let check = EvidenceCheck(
                issuerNonce: nonce, requestDigest: SHA256.digest(of: DonationCover.provenRequest), now: time)
            try check.checkFreshness(of: EvidenceScheme.evidence(inAuthorization: field) ?? [])
            #expect(
                try bench.service.takeToken(
                    day: step.day, answer: [UInt8](repeating: 9, count: 256), refusal: nil, at: bench.now) == true)
        case .donate:
            guard DonationCover.isAuthorization(step.authorization ?? "") else { return false }
            #expect(
                body.count == DonationPadding.byteCount && step.target == "https://donation.example/version/v1/device/dat")
            #expect(step.authorization?.utf8.count == Self.authorizationLength)
            #expect(try bench.service.endDonation(day: step.day, outcome: .taken, at: bench.now))
        }
        return true
    }

    /// The issuer: verifies the evidence, and signs.
    private func issue(_ step: Donation1.Step) throws -> [UInt8] {
        #expect(step.target == "https://issuer.example/token-request" && step.authorization == nil)
        let body = try #require(Base64.bytes(step.body))
        let request = try TokenRequest(decoding: body)
        let nonce = (0..<32).map { UInt8($0) }
        let field = try #require(try bench.service.issuanceEvidence(day: step.day, nonce: nonce, at: bench.now))
        #expect(field.utf8.count == Self.evidenceLength)
        let donor = try bench.service.donor()
        let key = try P256.VerificationKey(pemOrDER: Base64.bytes(donor.publicHalf) ?? [])
        let check = EvidenceCheck(issuerNonce: nonce, requestDigest: SHA256.digest(of: body), now: time)
        let evidence = try check.evidence(in: EvidenceScheme.evidence(inAuthorization: field) ?? []) { _ in key }
        #expect(Base64.string(evidence.ueid) == donor.name && evidence.tier == .software)
        #expect(step.day > UTCDay(containing: time).number + 1)
        return try Self.keyPair(step.day).issuer.sign(request.blindedMessage)
    }

    /// The donation server: verifies the token, and returns what it was given.
    private func receive(_ step: Donation1.Step, _ terms: DonationTerms) throws -> PPADataDevice {
        #expect(step.target == "https://donation.example/version/v1/device/dat")
        let token = try #require(PrivateTokenScheme.token(inAuthorization: step.authorization ?? ""))
        try token.verify(
            by: Self.keyPair(step.day).key, challengeDigest: terms.challenge(of: UTCDay(number: step.day)).digest)
        let body = try #require(Base64.bytes(step.body))
        #expect(body.count == 16_384 && step.authorization?.utf8.count == Self.authorizationLength)
        return try #require(PPADataDevice(decoding: DonationBody.content(of: body) ?? []))
    }

    /// Does all that there is to do until `end`; returns what was donated.
    private func live(until end: Int64) throws -> [(day: Int64, donation: PPADataDevice)] {
        var donated: [(day: Int64, donation: PPADataDevice)] = []
        while let step = try genuineStep(until: end) {
            switch step.kind {
            case .request:
                #expect(
                    try bench.service.takeToken(day: step.day, answer: issue(step), refusal: nil, at: bench.now) == true)
            case .donate:
                donated.append((step.day, try receive(step, Self.terms())))
                #expect(try bench.service.endDonation(day: step.day, outcome: .taken, at: bench.now))
            }
        }
        return donated
    }

    /// Has the device take a newer document, and one every four days from now on.
    func publish() {
        published.version += published.day == nil ? 0 : 1
        published.day = time / Self.day
        #expect(throws: Never.self) {
            try #expect(
                offer(Self.terms(published.version, from: time / Self.day, days: published.days).encoded) == "taken")
        }
    }

    func agree() throws { try bench.service.agreeToDonate(text: 1, by: caller, at: bench.now) }

    @Test func aConsentIsForTheServersOfTheDocument() throws {
        #expect(throws: Refusal.self) { try agree() }
        #expect(try offer(Self.terms().encoded) == "taken")
        try agree()
        #expect(try bench.service.donation(at: bench.now).stopped == nil)
        let old = try Self.terms()
        let moved = try #require(
            DonationTerms(
                version: 2, issuerName: "other.example", issuerAddress: "https://other.example", origin: old.origin,
                serverAddress: old.serverAddress, keys: old.keys))
        #expect(try offer(moved.encoded) == "taken")
        #expect(try bench.service.donation(at: bench.now).stopped == .otherServers)
        // Cover goes to the new ones, and nothing else.
        while let step = try step(until: Self.start + 16 * Self.day) { #expect(try didCover(step)) }
        try agree()
        #expect(try bench.service.donation(at: bench.now).stopped == nil)
        #expect(try bench.service.donation(at: bench.now).consent?.since == time)
    }

    /// Who runs the servers, who gets what is sent and for how long is told before a consent, outlasts a restart, and a change asks again.
    @Test func aConsentIsForWhomTheDocumentNames() throws {
        func document(_ version: Int64, _ days: Int64?) throws -> [UInt8] {
            let old = try Self.terms(version)
            let people = days.flatMap {
                DonationTerms.Responsible(issuer: "City", server: "Institute", recipients: "Institute", keptDays: $0)
            }
            return try #require(
                DonationTerms(
                    version: version, issuerName: old.issuerName, issuerAddress: old.issuerAddress, origin: old.origin,
                    serverAddress: old.serverAddress, keys: old.keys, responsible: people.map { [nil: $0] } ?? [:])
            ).encoded
        }
        #expect(try offer(document(1, nil)) == "taken")
        #expect(try bench.service.donation(at: bench.now).responsible == nil)
        try agree()
        // Said, changed, not said any more: each is another thing to agree to.
        for (version, days) in [(2, 90), (3, 91), (4, nil)] as [(Int64, Int64?)] {
            #expect(try offer(document(version, days)) == "taken")
            for service in [bench.service, bench.again()] {
                let held = try service.donation(at: bench.now)
                #expect(held.stopped == .otherServers && held.responsible?.keptDays == days)
                #expect(held.responsible == nil || held.responsible?.recipients == "Institute")
            }
            try agree()
            #expect(try bench.service.donation(at: bench.now).stopped == nil)
            #expect(try bench.again().donation(at: bench.now).stopped == nil)
        }
    }

    @Test func onlyTheSignedNewerDocumentIsTaken() throws {
        let first = try Self.terms(5).encoded
        #expect(try bench.service.donation(at: bench.now).isOffered == false)
        #expect(try offer(first, by: .generate()) == "notSigned")
        #expect(try offer(first) == "taken" && offer(first) == "known")
        #expect(try offer(Self.terms(4).encoded) == "older")
        #expect(try offer(Self.terms(5, from: Self.start / Self.day + 1).encoded) == "contradiction")
        #expect(try offer(Array(#"{"vigilConfig":1,"version":9}"#.utf8)) == "invalid")
        #expect(try offer([UInt8](repeating: 0x20, count: DonationTerms.maximumByteCount + 1)) == "tooLarge")
        #expect(try bench.service.donation(at: bench.now).issuer == "issuer.example")
        #expect(try bench.again().donation(at: bench.now).server == "donation.example")
        #expect(try offer(Self.terms(6).encoded) == "taken")
    }

    @Test func aLifeOfDonations() throws {
        publish()
        #expect(try live(until: Self.start + Self.day).isEmpty)
        pass(max(0, Self.start + Self.day - time))
        let before = time
        try agree()
        let held = try bench.service.donation(at: bench.now)
        #expect(held.consent == .init(since: before, text: 1) && held.begins == before + Self.day)
        // Nothing within a day but cover.
        #expect(try genuineStep(until: before + Self.day) == nil)
        let donated = try live(until: ExposureServiceBench.noon)
        #expect(donated.count >= 1 && Set(donated.map(\.day)).count == donated.count)
        let found = try #require(try ExposureServiceBench.match(1, onset: 0))
        try bench.ledger.write { try $0.merge([found]) }
        let preview = try bench.service.donationPreview(at: bench.now)
        #expect(preview.windows.count == preview.count && preview.truth > 0.99)
        let later = try live(until: ExposureServiceBench.noon + 4 * Self.day)
        #expect(later.count >= 3)
        // The encounter is in one of them, rounded, once.
        let windows = later.flatMap(\.donation.newExposureWindows)
        #expect(windows.count == 1)
        let window = try #require(windows.first?.exposureWindow)
        #expect(window.date == (ExposureServiceBench.noon / Self.day - 1) * Self.day)
        #expect(window.scanInstances.allSatisfy { $0.typicalAttenuation == 50 && $0.secondsSinceLastScan == 300 })
        for (_, donation) in donated + later {
            #expect(donation.exposureRiskMetadataSet.count == 1 && donation.userMetadata == nil)
            #expect(donation.testResultMetadataSet.isEmpty && donation.keySubmissionMetadataSet.isEmpty)
            #expect(donation.clientMetadata?.boardClass == .wearable && donation.clientMetadata?.configTag == [])
        }
        let history = try bench.service.donation(at: bench.now).history
        // A day whose second came while the device was busy has no donation. What is older than the listed days is forgotten, with the first step of a day.
        let days = (donated + later).map(\.day)
        #expect(history.map(\.day) == days.suffix(history.count) && history.count <= DonationBook.maximumHistory)
        let listed = days.filter { $0 >= time / Self.day - Int64(DonationBook.maximumHistory) }
        #expect(listed.suffix(DonationBook.maximumHistory).allSatisfy(history.map(\.day).contains))
        #expect(history.allSatisfy { $0.day >= time / Self.day - 1 - Int64(DonationBook.maximumHistory) })
        #expect(history.allSatisfy { $0.outcome == .taken })
    }

    /// Each way to know of an infection, as the preview shows it. A key that was taken back is in no donation.
    @Test(
        arguments: [
            (ReportType.confirmedTest, Exposure1.ReportType.confirmedTest),
            (.clinicalDiagnosis, .confirmedClinicalDiagnosis),
            (.selfReport, .selfReport), (.revoked, nil),
        ] as [(ReportType, Exposure1.ReportType?)])
    func whatIsKnownOfAnInfectionIsShown(type: ReportType, shown: Exposure1.ReportType?) throws {
        #expect(try offer(Self.terms().encoded) == "taken")
        pass(ExposureServiceBench.noon - time)
        let found = try #require(try ExposureServiceBench.match(1, type: type, onset: 0))
        try bench.ledger.write { try $0.merge([found]) }
        let windows = try bench.service.donationPreview(at: bench.now).windows
        #expect(windows.map(\.reportType) == [shown].compactMap { $0 })
        #expect(windows.allSatisfy { (0...3).contains($0.confidence) && !$0.scans.isEmpty })
        // An example before the consent; of days before it there is nothing afterwards.
        try agree()
        #expect(try bench.service.donationPreview(at: bench.now).count == 0)
    }

    /// Whoever compares two devices sees whether one has a document of its own.
    @Test func theDocumentCanBeCompared() throws {
        #expect(try bench.service.donation(at: bench.now).documentMark == nil)
        publish()
        let state = try bench.service.donation(at: bench.now)
        let terms = try #require(bench.service.donations.slot.terms)
        #expect(state.documentVersion == terms.version && state.documentMark == terms.fingerprint)
        #expect(try bench.again().donation(at: bench.now).documentMark == terms.fingerprint)
    }

    @Test func takingBackErasesTokensAndWhatIsUnderWay() throws {
        publish()
        try agree()
        // Until one is frozen and not sent.
        var frozen: Donation1.Step?
        while frozen == nil, let step = try genuineStep(until: Self.start + 24 * Self.day) {
            if step.kind == .donate {
                frozen = step
            } else {
                _ = try bench.service.takeToken(day: step.day, answer: issue(step), refusal: nil, at: bench.now)
            }
        }
        let open = try #require(frozen)
        let state = try bench.service.donation(at: bench.now)
        #expect(state.preparedDays > 0)
        #expect(state.lastKeyDay == bench.service.donations.slot.terms?.keys.last?.day.number)
        #expect(try bench.ledger.setting(DonationDesk.bodySetting) != nil)
        try bench.service.withdrawDonation(by: caller, at: bench.now)
        let kept = String(decoding: try bench.ledger.setting(DonationDesk.bookSetting) ?? [], as: UTF8.self)
        #expect(try bench.ledger.setting(DonationDesk.bodySetting) == nil && kept.utf8.count < 700, "\(kept)")
        // What is sent next is cover, and so is what was under way.
        #expect(!kept.contains("AAI") && !kept.contains("key") && !kept.contains("seed"), "\(kept)")
        // It is cover now, and no donation of the wearer's.
        #expect(try bench.service.endDonation(day: open.day, outcome: .taken, at: bench.now))
        #expect(try bench.service.donation(at: bench.now).history.isEmpty)
        #expect(
            try bench.service.issuanceEvidence(day: open.day + 1, nonce: [UInt8](repeating: 1, count: 32), at: bench.now)
                == nil)
        #expect(try bench.service.takeToken(day: open.day + 1, answer: [1], refusal: nil, at: bench.now) == nil)
        let later = time + 20 * Self.day
        while let step = try step(until: later) { #expect(try didCover(step)) }
        let kinds = try bench.service.audit(after: nil).records.map(\.kind)
        #expect(kinds.filter { $0.hasPrefix("consent") } == ["consentGiven", "consentWithdrawn"])
        // The name for the issuer stays: the same device asks for no key twice.
        let donor = try bench.service.donor()
        #expect(try bench.again().donor() == donor)
    }

    @Test func anotherKeyOfTheIssuerStopsEverything() throws {
        publish()
        try agree()
        var step = try #require(try genuineStep(until: Self.start + 16 * Self.day))
        for strike in 1...2 {
            let other = try Self.keyPair(step.day + 1).issuer.sign(
                TokenRequest(decoding: Base64.bytes(step.body) ?? []).blindedMessage)
            #expect(try bench.service.takeToken(day: step.day, answer: other, refusal: nil, at: bench.now) == false)
            // It asks for the next day.
            if strike == 1 { step = try #require(try genuineStep(until: time + 9 * Self.day)) }
            #expect(step.kind == .request)
        }
        #expect(try bench.service.donation(at: bench.now).stopped == .otherKey)
        #expect(try bench.again().donation(at: bench.now).stopped == .otherKey)
        #expect(try didCover(#require(try bench.service.donationStep(at: bench.now).step)))
        // Another version with the same key is no other word of the issuer's.
        publish()
        #expect(try genuineStep(until: (step.day - 1) * Self.day) == nil)
        published.days = 8
        #expect(try genuineStep(until: time + 14 * Self.day).map { $0.day > step.day } == true)
    }

    @Test func refusalsAreNotedAndTheDeviceSaysSo() throws {
        publish()
        try agree()
        let step = try #require(try genuineStep(until: Self.start + 16 * Self.day))
        #expect(try bench.service.takeToken(day: step.day, answer: nil, refusal: .deviceRefused, at: bench.now) == false)
        #expect(try bench.service.donation(at: bench.now).stopped == .deviceRefused)
        // The batch goes on with cover: who sees the network learns nothing.
        let next = try #require(try bench.service.donationStep(at: bench.now).step)
        #expect(try next.day == step.day + 1 && didCover(next))
    }

    @Test func aPlaceDonatesNothingAndAChangeOfRoleTakesEverything() throws {
        publish()
        try agree()
        let donor = try bench.service.donor()
        _ = try #require(try genuineStep(until: Self.start + 16 * Self.day))
        try bench.service.setRole(.place, by: caller, at: bench.now)
        for setting in DonationDesk.personal { #expect(try bench.ledger.setting(setting) == nil, "\(setting)") }
        let service = bench.again()
        #expect(throws: Refusal.self) { try service.donation(at: bench.now) }
        #expect(throws: Refusal.self) { try service.donationPreview(at: bench.now) }
        #expect(throws: Refusal.self) { try service.agreeToDonate(text: 1, by: caller, at: bench.now) }
        #expect(throws: Refusal.self) { try service.donor() }
        #expect(try service.donationStep(at: bench.now) == .init(seconds: 86_400))
        try service.setRole(.person, by: caller, at: bench.now)
        let next = bench.again()
        #expect(try next.donation(at: bench.now).consent == nil && next.donation(at: bench.now).isOffered)
        #expect(try next.donor() != donor)
    }

    @Test func withoutTheTimeNothingIsAgreedToOrSent() throws {
        let other = try ExposureServiceBench(hasTime: false)
        #expect(throws: Refusal.self) { try other.service.agreeToDonate(text: 1, by: caller, at: other.now) }
        #expect(try other.service.donation(at: other.now).consent == nil)
    }

    // MARK: Error logs

    /// By a key that no day has meanwhile.
    private static let monthKey = keys.last

    private func publishLogs() throws {
        let old = try Self.terms()
        let month = DonationEpoch.firstDay(ofMonth: UTCDay(containing: Self.start))
        let key = try #require(Self.monthKey?.key)
        let terms = try #require(
            DonationTerms(
                version: 1, issuerName: old.issuerName, issuerAddress: old.issuerAddress, origin: old.origin,
                serverAddress: old.serverAddress, keys: old.keys.filter { $0.key.truncatedID != key.truncatedID },
                monthlyKeys: [.log: [.init(day: month, key: key)]]))
        #expect(try offer(terms.encoded) == "taken")
    }

    @Test func nobodyAgreesToLogsThatNobodyAsksFor() throws {
        #expect(try offer(Self.terms().encoded) == "taken")
        #expect(throws: Refusal.self) { try bench.service.agree(to: .log, text: 1, by: caller, at: bench.now) }
        #expect(try bench.service.donation(at: bench.now).log == nil)
    }

    /// A consent to one purpose is none to the other, in both directions, on the disk as well.
    @Test func purposesAreAgreedToAndTakenBackByThemselves() throws {
        try publishLogs()
        #expect(try bench.service.donation(at: bench.now).log == .init(isOffered: true))
        try bench.service.agree(to: .log, text: 3, by: caller, at: bench.now)
        let held = try bench.again().donation(at: bench.now)
        #expect(held.consent == nil && held.log?.consent?.text == 3)
        #expect(held.log?.begins == held.log?.consent.map { $0.since + Self.day })
        try agree()
        try bench.service.withdraw(.log, by: caller, at: bench.now)
        let after = try bench.again().donation(at: bench.now)
        #expect(after.consent != nil && after.log?.consent == nil)
        try bench.service.agree(to: .log, text: 1, by: caller, at: bench.now)
        try bench.service.withdrawDonation(by: caller, at: bench.now)
        let last = try bench.again().donation(at: bench.now)
        #expect(last.consent == nil && last.log?.consent != nil)
        let kinds = try bench.service.audit(after: nil).records.map(\.kind).filter { $0.hasPrefix("consent") }
        #expect(kinds == ["consentGiven", "consentGiven", "consentWithdrawn", "consentGiven", "consentWithdrawn"])
    }

    @Test func aPlaceHasNoErrorLog() throws {
        try publishLogs()
        try bench.service.agree(to: .log, text: 3, by: caller, at: bench.now)
        try bench.service.setRole(.place, by: caller, at: bench.now)
        for setting in DonationDesk.personal { #expect(try bench.ledger.setting(setting) == nil, "\(setting)") }
        let place = bench.again()
        #expect(throws: Refusal.self) { try place.errorLog() }
        #expect(throws: Refusal.self) { try place.agree(to: .log, text: 1, by: caller, at: bench.now) }
        #expect(throws: Refusal.self) { try place.releaseErrorLog([.lostScans], by: caller, at: bench.now) }
    }

    /// Once the document names others than were agreed to, nothing more is noted: a consent that does not count is none.
    @Test func withoutAConsentThatCountsNoTroubleIsNoted() throws {
        try publishLogs()
        try bench.service.agree(to: .log, text: 1, by: caller, at: bench.now)
        pass(Self.day + 60)
        _ = try bench.service.donationStep(at: bench.now)
        let noted = try bench.service.errorLog().lines
        #expect(!noted.isEmpty && noted.allSatisfy { $0.day == time / Self.day })
        let terms = try #require(bench.service.donations.slot.terms)
        let people = try #require(
            DonationTerms.Responsible(issuer: "City", server: "Institute", recipients: "Institute", keptDays: 90))
        for (version, responsible, isNoted) in [(1, [.log: people], false), (2, [:], true)]
            as [(Int64, [MonthlyPurpose?: DonationTerms.Responsible], Bool)]
        {
            let changed = try #require(
                DonationTerms(
                    version: terms.version + version, issuerName: terms.issuerName, issuerAddress: terms.issuerAddress,
                    origin: terms.origin, serverAddress: terms.serverAddress, keys: [],
                    monthlyKeys: [.log: terms.keys(for: .log)], responsible: responsible))
            #expect(try offer(changed.encoded) == "taken")
            pass(Self.day)
            _ = try bench.service.donationStep(at: bench.now)
            let lines = try bench.service.errorLog().lines
            // As it was agreed to again, it counts again.
            #expect(lines.contains { $0.day == time / Self.day } == isNoted && (isNoted || lines == noted))
        }
    }

    /// What the device has is noted from the second day on, shown line by line, and let go only as it was shown.
    @Test func troublesOfTheBoardAreNotedAndShown() throws {
        try publishLogs()
        try bench.service.agree(to: .log, text: 1, by: caller, at: bench.now)
        _ = try bench.service.donationStep(at: bench.now)
        #expect(try bench.service.errorLog() == .init())
        pass(Self.day + 60)
        _ = try bench.service.donationStep(at: bench.now)
        // This bench's own troubles, and one more.
        #expect(bench.service.donations.book[.log]?.hasBegun(at: time) == true)
        try bench.service.donations.note([.lostScans], at: time)
        let lines = try bench.again().errorLog().lines
        #expect(lines.contains { $0.trouble == .lostScans && $0.day == time / Self.day })
        let troubles = lines.map(\.trouble)
        for wrong: [Donation1.Trouble] in [[], troubles + [.lostScans], Array(troubles.dropLast())] {
            #expect(throws: Refusal.self) { try bench.service.releaseErrorLog(wrong, by: caller, at: bench.now) }
        }
        // A consent that does not count any more lets nothing go: it would be erased, unsent, by the next one.
        let people = try #require(
            DonationTerms.Responsible(issuer: "City", server: "Institute", recipients: "Institute", keptDays: 90))
        let key = try #require(bench.service.donations.slot.terms?.keys(for: .log))
        let (version, old) = (try #require(bench.service.donations.slot.terms?.version), try Self.terms())
        for (version, responsible) in [(version + 1, [.log: people]), (version + 2, [:])]
            as [(Int64, [MonthlyPurpose?: DonationTerms.Responsible])]
        {
            let terms = try #require(
                DonationTerms(
                    version: version, issuerName: old.issuerName, issuerAddress: old.issuerAddress, origin: old.origin,
                    serverAddress: old.serverAddress, keys: [], monthlyKeys: [.log: key], responsible: responsible))
            #expect(try offer(terms.encoded) == "taken")
            if responsible.isEmpty { continue }
            #expect(try bench.service.donation(at: bench.now).log?.stopped == .otherServers)
            #expect(throws: Refusal.self) { try bench.service.releaseErrorLog(troubles, by: caller, at: bench.now) }
        }
        try bench.service.releaseErrorLog(troubles, by: caller, at: bench.now)
        #expect(try bench.again().errorLog().released == troubles)
        #expect(throws: Refusal.self) { try bench.service.releaseErrorLog(troubles, by: caller, at: bench.now) }
        // The wearer's own log has that, once, and not which troubles.
        let entries = try bench.service.audit(after: nil).records.filter { $0.kind == "errorLogReleased" }
        #expect(entries.count == 1 && entries.first?.details["lines"] == "\(troubles.count)")
        #expect(!String(describing: entries).lowercased().contains("scans"))
        // What the wearer may have of it.
        let kept = String(decoding: try bench.ledger.setting(DonationDesk.bookSetting) ?? [], as: UTF8.self)
        #expect(kept.contains("lost-scans"))
        try bench.service.withdraw(.log, by: caller, at: bench.now)
        let left = String(decoding: try bench.ledger.setting(DonationDesk.bookSetting) ?? [], as: UTF8.self)
        #expect(!left.contains("lost-scans") && !left.contains("released") && !left.contains("\"log\":{"), "\(left)")
        #expect(try bench.service.errorLog() == .init())
    }

    /// Each trouble is a finding of the self-check about the board itself, by its word, and has a place in the interface.
    @Test func troublesAreFindingsOfTheBoard() {
        #expect(DeviceTrouble.allCases.count == Donation1.Trouble.allCases.count)
        for trouble in DeviceTrouble.allCases {
            let finding = Finding(rawValue: trouble.rawValue)
            #expect(finding?.isOfTheBoard == true, "\(trouble)")
            #expect(Donation1.Trouble(trouble)?.finding == finding)
        }
        for finding in Finding.allCases where !finding.isOfTheBoard { #expect(Donation1.Trouble(finding) == nil) }
    }

    /// What a plugin says is judged here; a damaged book is an empty one, and says so.
    @Test func malformedCallsAndADamagedBook() throws {
        #expect(try offer(Self.terms().encoded) == "taken")
        try agree()
        let desk = try AccessDesk(bench)
        let line = try desk.connect("ctl")
        for (method, parameters, error) in [
            ("SetConsent", ["isAgreed": true], "org.varlink.service.InvalidParameter"),
            ("SetConsent", ["isAgreed": true, "text": 0], "org.varlink.service.InvalidParameter"),
            ("SetConsent", ["isAgreed": true, "purpose": "log"], "org.varlink.service.InvalidParameter"),
            ("SetConsent", ["isAgreed": true, "text": 1, "purpose": "log"], "TermsRefused"),
            ("ReleaseErrorLog", ["troubles": []], "LogChanged"),
            ("ReleaseErrorLog", ["troubles": ["lostScans"]], "LogChanged"),
            ("SignEvidence", ["day": 1, "challenge": "AA=="], "org.varlink.service.InvalidParameter"),
            (
                "SignEvidence", ["day": 1, "challenge": .string(Base64.string([UInt8](repeating: 0, count: 32)))],
                "NoSuchStep"
            ),
            ("TakeToken", ["day": 1, "answer": "no Base64!"], "NoSuchStep"), ("TakeToken", ["day": 1], ""),
            ("EndDonation", ["day": 1, "outcome": "taken"], "NoSuchStep"),
        ] as [(String, JSON, String)] {
            let reply = desk.call(line, "\(Donation1.name).\(method)", parameters)
            #expect(reply?["error"]?.string?.hasSuffix(error) ?? error.isEmpty, "\(method) \(parameters): \(reply as Any)")
        }
        try bench.ledger.write { try $0.set(DonationDesk.bookSetting, [1, 2, 3]) }
        let desk2 = DonationDesk(bench.ledger, trust: bench.nobody)
        #expect(desk2.book == DonationBook() && desk2.findings.count == 2)
    }
}

extension UInt64 {
    fileprivate var seconds: Int64 { Int64(self / 1_000_000_000) }
}

extension Int64 {
    fileprivate var seconds: Int64 { self / 1_000_000_000 }
}
