// SPDX-License-Identifier: Apache-2.0

import AppConfig
import Cryptography
import ExposureRisk
import GAEN
import JSON
import KeyExport
import Matching
import RandomValues
import Testing
import Trust

@testable import RiskConfiguration

/// Rules of every form: verified by that form's own signature, ordered by what they have, and refused with a reason of its own.
@Suite struct RuleAuthorityTests {
    private typealias Slot = RiskConfigurationSlot
    private typealias Outcome = Result<RiskConfigurationSlot.Outcome, RiskConfigurationError>

    private let key: P256.SigningKey
    private let trust: TrustStore
    private let noon: Int64 = 1_795_219_200
    private static let name = KeyName(id: "262", version: "v1")

    init() throws {
        key = try P256.SigningKey.generate()
        trust = try Self.trust(key)
    }

    private static func trust(_ key: P256.SigningKey, _ name: KeyName = name) throws -> TrustStore {
        try TrustStore(keys: [TrustedKey(name: name, role: .config, key: key.verificationKey)])
    }

    private func authority(_ form: RuleForm, country: String? = nil) -> RuleAuthority {
        RuleAuthority(form: form, trust: trust, country: country)
    }

    // MARK: Proofs

    private func file(_ document: [UInt8], by signer: P256.SigningKey? = nil, called name: KeyName = name) throws -> [UInt8]
    {
        let encoder = ExportEncoder(
            startTimestamp: 0, endTimestamp: 0, region: "", signatureInfos: [ExportEncoder.signatureInfo(for: name)])
        return try encoder.exportSig(for: document, keys: [signer ?? key])
    }

    private func headers(
        _ document: [UInt8], _ date: String = "Fri, 20 Nov 2026 12:00:00 UTC", by signer: P256.SigningKey? = nil,
        called id: String = "262"
    ) throws -> [UInt8] {
        let digest = SHA256.digest(of: NHSSignature.content(date: date, body: document))
        let header = NHSSignature.header(keyID: id, signature: try (signer ?? key).sign(digest))
        return NHSSignature.lines(header: header, date: date)
    }

    private func token(
        _ document: [UInt8], issued: Int64? = nil, lives: Int64 = 1_209_600, by signer: P256.SigningKey? = nil
    ) throws -> [UInt8] {
        let issued = issued ?? noon
        return try #require(
            try ContentToken.text(body: document, issued: issued, expires: issued + lives) {
                try (signer ?? key).sign($0)
            })
    }

    // MARK: Documents

    private static func cases(_ id: String) throws -> [UInt8] {
        let cases = try Samples.vector("cwa-configurations")["cases"]?.array
        return try #require(cases?.first { $0["id"]?.string == id }?["bytes"]?.string.flatMap(Base64.bytes))
    }

    private static func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        var rest = content.count
        while rest >= 0x80 {
            length.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return [number << 3 | 2] + length + [UInt8(rest)] + content
    }

    /// The fields of a message, as they are written; of messages and texts also what is in them.
    private static func fields(_ bytes: [UInt8]) -> [(number: UInt8, whole: [UInt8], content: [UInt8])] {
        var result: [(number: UInt8, whole: [UInt8], content: [UInt8])] = []
        var index = 0
        while index < bytes.count {
            let start = index
            let tag = bytes[index]
            index += 1
            var (value, shift) = (0, 0)
            repeat {
                value |= Int(bytes[index] & 0x7F) << shift
                shift += 7
                index += 1
            } while bytes[index - 1] >= 0x80
            let body = index
            if tag & 7 == 2 { index += value }
            result.append((tag >> 3, Array(bytes[start..<index]), Array(bytes[body..<index])))
        }
        return result
    }

    private static func without(_ numbers: Set<UInt8>, _ bytes: [UInt8]) -> [UInt8] {
        fields(bytes).filter { !numbers.contains($0.number) }.flatMap(\.whole)
    }

    /// How often may be compared.
    private static func detection(_ count: UInt8) -> [UInt8] { field(6, count == 0 ? [] : [1 << 3, count]) }

    /// The Corona-Warn-App's last configuration for Android, with what a server adds.
    private func android(
        latest: UInt8 = 1, countries: [String] = ["DE", "FR"], detections: UInt8 = 6
    ) throws -> [UInt8] {
        Self.without([2, 4, 6], try Self.cases("android-default-v2")) + [2 << 3, latest]
            + countries.flatMap { Self.field(4, Array($0.utf8)) } + Self.detection(detections)
    }

    /// The same rules as iOS gets them: version and mapping are elsewhere.
    private func iOS(latest: UInt8 = 1, detections: UInt8 = 6) throws -> [UInt8] {
        let source = Self.fields(try Self.cases("android-default-v2"))
        let risk = try #require(source.first { $0.number == 7 }).whole
        let mapping = [[UInt8(1), 1], [2, 2]].flatMap { Self.field(1, [1 << 3, $0[0], 2 << 3, $0[1]]) }
        return Self.field(2, [1 << 3, latest]) + Self.field(4, Array("DE".utf8)) + Self.detection(detections) + risk
            + Self.field(8, mapping)
    }

    private func nhs(threshold: JSON = 100) throws -> [UInt8] {
        try #require(try Samples.vector("nhs-exposure-configuration")["document"])
            .with("v2RiskCalculation/riskThreshold", threshold).bytes
    }

    private func swiss(_ text: String = #""lowerThreshold":53,"higherThreshold":60"#, more: String = "") -> [UInt8] {
        Array(
            #"{"forceUpdate":false,"infoBox":{"de":{"title":"x"}},"iOSGaenSdkConfig":{"lowerThreshold":1},\#(more)"androidGaenSdkConfig":{\#(text)}}"#
                .utf8)
    }

    /// A document of that form and what proves it; a higher number is newer.
    private func published(_ form: RuleForm, _ number: Int) throws -> (document: [UInt8], proof: [UInt8]) {
        switch form {
        case .vigil, .profile:
            let document = try Samples.plain(version: Int64(number)).document
            return (document, try file(document))
        case .cwa:
            let document = try android(latest: UInt8(number))
            return (document, try file(document))
        case .cwaIOS:
            let document = try iOS(latest: UInt8(number))
            return (document, try file(document))
        case .nhs:
            let document = try nhs(threshold: .int(Int64(100 + number)))
            return (document, try headers(document, "Fri, \(10 + number) Nov 2026 12:00:00 UTC"))
        case .swissCovid:
            let document = swiss(#""triggerThreshold":\#(10 + number)"#)
            return (document, try token(document, issued: noon + Int64(number)))
        }
    }

    private func offer(_ form: RuleForm, _ number: Int, to slot: inout Slot) throws -> Outcome {
        let (document, proof) = try published(form, number)
        return slot.offer(document: document, signatures: proof, authority: authority(form), time: noon)
    }

    private func code(_ outcome: Outcome) -> RiskConfigurationError.Code? {
        if case .failure(let error) = outcome { error.code } else { nil }
    }

    static let carried: [RuleForm] = [.vigil, .cwa, .cwaIOS, .nhs, .swissCovid]

    // MARK: Order

    @Test(arguments: carried)
    func anOlderOneNeverComesBack(_ form: RuleForm) throws {
        var slot = Slot()
        #expect(try offer(form, 3, to: &slot) == .success(.inForce))
        let first = slot
        #expect(try offer(form, 3, to: &slot) == .success(.unchanged) && slot == first)
        #expect(try offer(form, 5, to: &slot) == .success(.inForce))
        let second = slot
        #expect(second.version > first.version)
        #expect(try offer(form, 3, to: &slot) == .failure(RiskConfigurationError(.older)))
        #expect(try offer(form, 4, to: &slot) == .failure(RiskConfigurationError(.older)))
        #expect(slot == second)
    }

    @Test(arguments: carried)
    func whatIsStoredIsVerifiedAgain(_ form: RuleForm) throws {
        var slot = Slot()
        for number in 1...3 { #expect(try offer(form, number, to: &slot) == .success(.inForce)) }
        let bytes = slot.encoded
        #expect(try Slot(encoded: bytes, authority: authority(form)) == slot)
        #expect(slot.version == 3)
        // Neither another's key nor another form.
        let stranger = RuleAuthority(form: form, trust: try Self.trust(P256.SigningKey.generate()))
        #expect(throws: RiskConfigurationError(.notSigned)) { try Slot(encoded: bytes, authority: stranger) }
        for other in RuleForm.allCases where other != form {
            #expect(throws: RiskConfigurationError.self) { try Slot(encoded: bytes, authority: authority(other)) }
        }
        for count in stride(from: 0, to: bytes.count, by: 7) {
            #expect(throws: RiskConfigurationError.self) {
                try Slot(encoded: Array(bytes.prefix(count)), authority: authority(form))
            }
        }
        if form != .vigil {
            // The number of the document is not signed, and must be one.
            var bad = bytes
            for index in 16..<20 { bad[index] = 0xFF }
            #expect(throws: RiskConfigurationError(.damaged)) { try Slot(encoded: bad, authority: authority(form)) }
        }
    }

    @Test func theSameDateWithOtherContentIsRefused() throws {
        for form in [RuleForm.nhs, .swissCovid] {
            var slot = Slot()
            let one = form == .nhs ? try nhs() : swiss()
            let two = form == .nhs ? try nhs(threshold: 900) : swiss(#""triggerThreshold":99"#)
            func proof(_ document: [UInt8]) throws -> [UInt8] { form == .nhs ? try headers(document) : try token(document) }
            let first = slot.offer(document: one, signatures: try proof(one), authority: authority(form), time: noon)
            #expect(first == .success(.inForce))
            let second = slot.offer(document: two, signatures: try proof(two), authority: authority(form), time: noon)
            #expect(second == .failure(RiskConfigurationError(.contradiction)))
        }
    }

    /// Signed anew it is no news; but what lay between is older from then on.
    @Test func aLaterSignatureMovesTheDate() throws {
        var slot = Slot()
        let (one, two) = (swiss(), swiss(#""triggerThreshold":99"#))
        func offer(_ document: [UInt8], _ seconds: Int64) throws -> Outcome {
            slot.offer(
                document: document, signatures: try token(document, issued: noon + seconds),
                authority: authority(.swissCovid),
                time: noon)
        }
        #expect(try offer(one, 0) == .success(.inForce))
        #expect(try offer(one, 50) == .success(.renewed))
        #expect(slot.version == 1)
        #expect(try offer(one, 20) == .success(.unchanged))
        #expect(try offer(two, 30) == .failure(RiskConfigurationError(.older)))
        #expect(try offer(two, 60) == .success(.inForce) && slot.version == 2)
        #expect(try Slot(encoded: slot.encoded, authority: authority(.swissCovid)) == slot)
    }

    /// The Corona-Warn-App's have no version: of two with the same latest app the one that came last holds, and the first generation never
    /// comes after the second.
    @Test func coronaWarnAppsGenerationsAreOrdered() throws {
        var slot = Slot()
        func offer(_ document: [UInt8]) throws -> Outcome {
            slot.offer(document: document, signatures: try file(document), authority: authority(.cwa), time: noon)
        }
        let first = try Self.cases("android-1-7-1-v1")
        #expect(try offer(first) == .success(.inForce))
        #expect(slot.configuration(at: noon)?.models.map(\.name) == [.cwaFirst])
        #expect(try offer(android()) == .success(.inForce))
        #expect(try offer(android(countries: ["DE"])) == .success(.inForce))
        #expect(try offer(first) == .failure(RiskConfigurationError(.older)))
        #expect(slot.configuration(at: noon)?.models.map(\.name) == [.cwaSecond] && slot.version == 3)
    }

    /// Where the authority numbers its configurations, the number goes before the app's version; one without follows none that has one.
    @Test(arguments: [RuleForm.cwa, .cwaIOS]) func aNumberTellsAnOlderConfiguration(_ form: RuleForm) throws {
        var slot = Slot()
        func varint(_ value: UInt64) -> [UInt8] {
            value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
        }
        func numbered(_ number: Int64?, detections: UInt8 = 3) throws -> [UInt8] {
            let document = form == .cwa ? try android(detections: detections) : try iOS(detections: detections)
            guard let number else { return document }
            let feature =
                Self.field(1, Array(ConfigurationNumber.label.utf8)) + [2 << 3] + varint(UInt64(bitPattern: number))
            return document + Self.field(3, Self.field(1, feature))
        }
        func offer(_ document: [UInt8], at present: Int64?) throws -> Outcome {
            slot.offer(
                document: document, signatures: try file(document), authority: authority(form), time: nil, present: present)
        }
        let number = noon / 60
        #expect(try offer(numbered(nil), at: nil) == .success(.inForce))
        // The first with a number says the same: nothing is judged anew, and it counts from then on.
        #expect(try offer(numbered(number), at: nil) == .failure(RiskConfigurationError(.ofTheFuture)))
        #expect(try offer(numbered(number), at: noon) == .success(.renewed) && slot.version == 1)
        #expect(try offer(numbered(number), at: noon) == .success(.unchanged))
        #expect(try Slot(encoded: slot.encoded, authority: authority(form)) == slot)
        for older in [nil, 1, number - 1] as [Int64?] {
            #expect(try offer(numbered(older, detections: 2), at: noon) == .failure(RiskConfigurationError(.older)))
            #expect(try offer(numbered(older), at: 0) == .failure(RiskConfigurationError(.older)))
        }
        let ahead = try numbered(number + 1_441, detections: 0)
        #expect(try offer(ahead, at: noon) == .failure(RiskConfigurationError(.ofTheFuture)) && slot.version == 1)
        #expect(!slot.isSwitchedOff(at: noon))
        #expect(try offer(numbered(number + 1_440, detections: 0), at: noon) == .success(.inForce) && slot.version == 2)
        #expect(slot.isSwitchedOff(at: noon))
        for bad in [0, -1, Int64(Int32.max) + 1] {
            #expect(try offer(numbered(bad), at: noon) == .failure(RiskConfigurationError(.malformed)))
        }
        slot = try Slot(encoded: slot.encoded, authority: authority(form))
        #expect(try offer(numbered(number), at: noon) == .failure(RiskConfigurationError(.older)))
    }

    // MARK: Content

    @Test(arguments: [RuleForm.cwa, .cwaIOS])
    func theCoronaWarnAppsRulesAreTheSameOnBothPhones(_ form: RuleForm) throws {
        var slot = Slot()
        #expect(try offer(form, 1, to: &slot) == .success(.inForce))
        let configuration = try #require(slot.configuration(at: noon))
        var parameters = Samples.cwaSecond
        parameters.normalizedTimePerDayToRiskLevelMapping[1].normalizedTimeRange.max = 9_999
        #expect(configuration.models == [.cwaSecond(parameters)])
        var mapping = try Samples.mapping()
        mapping.codedSources = ["262"]
        // It publishes levels as onset and report type.
        #expect(configuration.mapping == mapping && configuration.reportTypes == .codes)
        #expect(configuration.service == .running && !slot.isSwitchedOff(at: noon))
    }

    @Test func offIsOffAndSaid() throws {
        for (form, document) in [
            (RuleForm.cwa, try android(detections: 0)), (.cwaIOS, try iOS(detections: 0)),
            (.cwa, Self.without([11], try Self.cases("android-1-7-1-v1")) + Self.field(11, [])),
            (.swissCovid, swiss(more: #""deactivate":true,"#)),
        ] {
            var slot = Slot()
            let proof = form == .swissCovid ? try token(document) : try file(document)
            #expect(
                slot.offer(document: document, signatures: proof, authority: authority(form), time: noon)
                    == .success(.inForce))
            #expect(slot.isSwitchedOff(at: noon))
            let service = try #require(slot.configuration(at: noon)?.service)
            guard case .paused(let words?) = service else {
                Issue.record("\(form): \(service)")
                continue
            }
            #expect(words.contains("nothing is judged"))
            // It can be written and read as any other.
            #expect(slot.configuration(at: noon)?.problems == [])
        }
        // Numbers beyond what an app would take are none: six a day.
        var slot = Slot()
        let odd = try android(detections: 99)
        #expect(
            slot.offer(document: odd, signatures: try file(odd), authority: authority(.cwa), time: noon)
                == .success(.inForce))
        #expect(!slot.isSwitchedOff(at: noon))
    }

    @Test func aCountryMustBeNamed() throws {
        func offered(_ countries: [String], _ country: String?) throws -> RiskConfigurationError.Code? {
            var slot = Slot()
            let document = try android(countries: countries)
            return code(
                slot.offer(
                    document: document, signatures: try file(document), authority: authority(.cwa, country: country),
                    time: noon))
        }
        #expect(try offered(["DE", "FR"], "DE") == nil && offered(["DE"], nil) == nil)
        #expect(try offered([], "DE") == nil, "who names none means all")
        #expect(try offered(["FR", "IT"], "DE") == .otherRegion)
        #expect(try offered(["de", "\u{1B}[2J"], "DE") == .otherRegion)
        var slot = Slot()
        let document = try android(countries: ["FR", "\u{1B}[2J"])
        guard
            case .failure(let error) = slot.offer(
                document: document, signatures: try file(document), authority: authority(.cwa, country: "DE"), time: noon)
        else { throw RiskConfigurationError(.damaged) }
        #expect("\(error)".contains("FR, and not DE") && !"\(error)".contains("\u{1B}"))
    }

    @Test func swissCovidsOwnNumbersHoldWhereNoneAreSaid() throws {
        let read = try RiskConfiguration(swissCovidConfiguration: swiss(#""factorHigh":null"#), version: 4)
        #expect(read.models == [.swissCovid(SwissCovidParameters())] && read.version == 4)
        #expect(read.mapping.infectiousness(daysSinceOnset: 0) == .high && read.mapping.reads(daysSinceOnset: nil))
        #expect(read.mapping.reportTypeWhenMissing == .confirmedTest && read.problems == [])
        for bad in ["{}", "[]", #"{"x":1}"#, #"{"deactivate":"no"}"#] {
            #expect(throws: RiskConfigurationError(.invalid), "\(bad)") {
                try RiskConfiguration(swissCovidConfiguration: Array(bad.utf8), version: 1)
            }
        }
        #expect(throws: RiskConfigurationError(.invalid)) {
            try RiskConfiguration(
                swissCovidConfiguration: swiss(#""lowerThreshold":63,"higherThreshold":63"#), version: 1)
        }
    }

    // MARK: Refusals, each with a word of its own

    /// Whose a document is, only its signature says: neither another form nor another key of the same form.
    @Test(arguments: carried)
    func onlyTheSignersAuthoritySaysItIsSigned(_ form: RuleForm) throws {
        let stranger = try Self.trust(P256.SigningKey.generate())
        let (document, proof) = try published(form, 1)
        let files: Set<RuleForm> = [.vigil, .cwa, .cwaIOS]
        for other in RuleForm.allCases {
            func isSigned(_ trust: TrustStore, _ document: [UInt8], _ proof: [UInt8]) -> Bool {
                var trials = SignatureTrials()
                return SignedRiskConfiguration.isSigned(
                    document: document, signatures: proof, by: RuleAuthority(form: other, trust: trust), time: noon,
                    trials: &trials)
            }
            #expect(isSigned(trust, document, proof) == (other == form || files.isSuperset(of: [form, other])))
            #expect(!isSigned(stranger, document, proof) && !isSigned(trust, document + [32], proof))
            #expect(!isSigned(trust, document, []))
            #expect(!isSigned(trust, document, proof + [UInt8](repeating: 0, count: 4_096)))
        }
    }

    @Test(arguments: carried)
    func anothersKeyIsNamedAndNobodysIsNot(_ form: RuleForm) throws {
        let stranger = try P256.SigningKey.generate()
        let (document, good) = try published(form, 1)
        func offered(_ document: [UInt8], _ proof: [UInt8]) -> Outcome {
            var slot = Slot()
            return slot.offer(document: document, signatures: proof, authority: authority(form), time: noon)
        }
        let (unsigned, others): ([UInt8], [UInt8]?)
        switch form {
        case .nhs:
            (unsigned, others) = (try headers(document, by: stranger), try headers(document, by: stranger, called: "228"))
        case .swissCovid: (unsigned, others) = (try token(document, by: stranger), nil)
        default:
            let name = KeyName(id: "228", version: "v1")
            (unsigned, others) = (try file(document, by: stranger), try file(document, by: stranger, called: name))
        }
        #expect(code(offered(document, good)) == nil)
        #expect(code(offered(document, unsigned)) == .notSigned)
        if let others {
            let refused = offered(document, others)
            #expect(code(refused) == .otherSigner)
            if case .failure(let error) = refused { #expect("\(error)".contains("228")) }
        }
        // Half a document is not what was signed; half a document that was signed is none.
        #expect(code(offered(Array(document.prefix(document.count / 2)), good)) == .notSigned)
        let changed = document.dropLast() + [document[document.count - 1] ^ 1]
        #expect(code(offered(Array(changed), good)) == .notSigned)
        // A key of another role signs no rules.
        var slot = Slot()
        let exporter = RuleAuthority(
            form: form, trust: try TrustStore(keys: [TrustedKey(name: Self.name, role: .export, key: key.verificationKey)]))
        #expect(code(slot.offer(document: document, signatures: good, authority: exporter, time: noon)) != nil)
        // What one form takes no other does.
        for other in RuleForm.allCases where other != form {
            #expect(
                code(slot.offer(document: document, signatures: good, authority: authority(other), time: noon)) != nil,
                "\(form) as \(other)")
        }
        #expect(slot == Slot())
    }

    @Test func halfADocumentThatWasSignedIsMalformed() throws {
        for form in Self.carried {
            let (document, _) = try published(form, 1)
            // Half of a message may be one that lacks a part; within a length it is none.
            let isMessage = form == .cwa || form == .cwaIOS
            let half = Array(document.prefix(isMessage ? document.count - 5 : document.count / 2))
            let proof =
                form == .nhs ? try headers(half) : form == .swissCovid ? try token(half) : try file(half)
            var slot = Slot()
            let refused = slot.offer(document: half, signatures: proof, authority: authority(form), time: noon)
            #expect(code(refused) == .malformed, "\(form)")
        }
    }

    @Test func numbersThatCannotBeMeantHaveAWordOfTheirOwn() throws {
        let own = try Samples.json().with("models/0/cwaSecond/minutesAtAttenuationWeights/0/weight", 1e308).bytes
        let nhs = try nhs(threshold: 1e308)
        let swiss = swiss(#""factorLow":1e308"#)
        // The weight of the first range of attenuations: field 2 of field 3 of field 7.
        let cwa =
            try android()
            + Self.field(7, Self.field(3, [2 << 3 | 1] + withUnsafeBytes(of: 1e308.bitPattern.littleEndian) { Array($0) }))
        for (form, document, proof) in [
            (RuleForm.vigil, own, try file(own)), (.nhs, nhs, try headers(nhs)), (.swissCovid, swiss, try token(swiss)),
            (.cwa, cwa, try file(cwa)),
        ] {
            var slot = Slot()
            let refused = slot.offer(document: document, signatures: proof, authority: authority(form), time: noon)
            guard case .failure(let error) = refused else {
                Issue.record("\(form) was taken")
                continue
            }
            #expect(error.code == .outOfRange, "\(form): \(error)")
            #expect(error.problems.count == 1)
        }
    }

    @Test func aMappingWithoutEntriesHasAWordOfItsOwn() throws {
        let own = try JSON(parsing: Samples.plain().document).with("mapping/daysSinceOnsetToInfectiousness", [:]).bytes
        let nhs = try #require(try Samples.vector("nhs-exposure-configuration")["document"]).with("riskCalculation", nil)
            .with("v2RiskCalculation/daysSinceOnsetToInfectiousness", .array(Array(repeating: 0, count: 29))).bytes
        var slot = Slot()
        #expect(
            code(slot.offer(document: own, signatures: try file(own), authority: authority(.vigil), time: noon))
                == .emptyMapping)
        // The NHS's keys have onsets or count as high: a missing one is judged.
        #expect(
            code(slot.offer(document: nhs, signatures: try headers(nhs), authority: authority(.nhs), time: noon)) == nil)
        slot = Slot()
        let iOS = Self.without([8], try iOS()) + Self.field(8, [])
        #expect(
            code(slot.offer(document: iOS, signatures: try file(iOS), authority: authority(.cwaIOS), time: noon))
                == .emptyMapping)
        // A first model reads levels, and needs none.
        let first = RiskConfiguration(
            version: 1, models: [.cwaFirst(try Samples.cwaFirst())],
            mapping: try #require(DiagnosisKeyMapping(days: [:], whenOnsetMissing: .none))
        ).document
        #expect(
            code(slot.offer(document: first, signatures: try file(first), authority: authority(.vigil), time: noon)) == nil)
    }

    @Test func proofsInAnotherFormAreNone() throws {
        let document = try nhs()
        let good = String(decoding: try headers(document), as: UTF8.self)
        for (name, bad) in [
            ("blank", good.replacing("\",sig", with: "\", sig")), ("case", good.replacing("keyId", with: "keyid")),
            ("third line", good + "x: y\n"), ("no end", String(good.dropLast())),
            ("CR", good.replacing("\n", with: "\r\n")),
            ("order", good.split(separator: "\n").reversed().joined(separator: "\n") + "\n"),
            ("date", good.replacing(" UTC", with: " GMT")), ("no date", good.replacing("Fri, 20 Nov", with: "Fri, 40 Nov")),
            ("empty", ""),
        ] {
            var slot = Slot()
            let refused = slot.offer(
                document: document, signatures: Array(bad.utf8), authority: authority(.nhs), time: noon)
            #expect(code(refused) == .malformedProof, "\(name)")
        }
        let body = swiss()
        let parts = String(decoding: try token(body), as: UTF8.self).split(separator: ".").map(String.init)
        for (name, bad) in [
            ("none", "eyJhbGciOiJub25lIn0.\(parts[1])."),
            ("none with a signature", "eyJhbGciOiJub25lIn0.\(parts[1]).\(parts[2])"),
            ("two parts", "\(parts[0]).\(parts[1])"), ("four parts", "\(parts.joined(separator: ".")).x"),
            ("padding", "\(parts.joined(separator: "."))=="), ("short", "\(parts[0]).\(parts[1]).\(parts[2].dropLast(4))"),
            ("empty", ""),
        ] {
            var slot = Slot()
            let refused = slot.offer(
                document: body, signatures: Array(bad.utf8), authority: authority(.swissCovid), time: noon)
            #expect(code(refused) == .malformedProof, "\(name)")
        }
    }

    @Test func aTokenExpires() throws {
        let body = swiss()
        let proof = try token(body, issued: noon, lives: 100)
        func offered(at time: Int64?) -> RiskConfigurationError.Code? {
            var slot = Slot()
            return code(slot.offer(document: body, signatures: proof, authority: authority(.swissCovid), time: time))
        }
        #expect(offered(at: noon + 99) == nil && offered(at: nil) == nil && offered(at: noon + 100) == .expired)
        // A board does not lose its rules overnight.
        var slot = Slot()
        #expect(
            code(slot.offer(document: body, signatures: proof, authority: authority(.swissCovid), time: noon)) == nil)
        #expect(try Slot(encoded: slot.encoded, authority: authority(.swissCovid)) == slot)
    }

    @Test func formsThatNobodyKnowsAreRefused() throws {
        #expect(throws: RiskConfigurationError(.unknownForm)) { try RuleForm(named: "swisscovid") }
        for form in RuleForm.allCases { #expect(try RuleForm(named: form.rawValue) == form) }
    }

    /// Each reason is a word and a sentence of its own, in one line where there are no problems to list.
    @Test func everyReasonHasItsOwnSentence() {
        let sentences = RiskConfigurationError.Code.allCases.map { "\(RiskConfigurationError($0, "x"))" }
        #expect(Set(sentences).count == sentences.count)
        #expect(sentences.allSatisfy { $0.utf8.count > 40 && !$0.contains("\n") && !$0.contains("  ") })
    }

    // MARK: Profiles

    @Test func aProfilesRulesComeWithItAndByNobody() throws {
        let document = try Samples.plain(version: 3).document
        let slot = try Slot(profileDocument: document)
        #expect(slot.configuration(at: nil)?.models.map(\.name) == [.cwaSecond] && slot.version == 3)
        var offered = slot
        #expect(try offer(.profile, 9, to: &offered) == .failure(RiskConfigurationError(.notCarried)))
        #expect(offered == slot)
        #expect(throws: RiskConfigurationError(.malformed)) { try Slot(profileDocument: Array("{".utf8)) }
    }

    private static let enExpress: JSON = [
        "config": [
            "agencyDisplayName_EN_US": "x", "attenuationImmediateWeight": 150, "reportTypeNoneMap": 2,
            "symptomOnsetToInfectiousnessMap": "0x0401555AA9400000", "infectiousnessStandardWeight": 30,
            "confirmedTestPerDaySumERVThreshold_1": 2_700, "selfReportPerDaySumERVThreshold_4": 1,
        ]
    ]

    @Test func googlesSettingsAreRulesOfAProfile() throws {
        let read = try #require(try Slot(profileDocument: Self.enExpress.bytes).configuration(at: nil))
        guard case .dailySummaries(let parameters) = read.models.first else { throw RiskConfigurationError(.damaged) }
        #expect(parameters.summaries.attenuationThresholds == [30, 50, 60])
        #expect(parameters.summaries.attenuationWeights == [1.5, 1, 0.5, 0])
        #expect(parameters.summaries.infectiousnessWeights == [0, 0.3, 1])
        #expect(parameters.summaries.reportTypeWeights == [0, 1, 1, 1, 0, 0])
        #expect(parameters.summaries.daysSinceExposureThreshold == 14)
        #expect(parameters.classes.map(\.confirmedTestPerDaySum) == [2_700, 0])
        #expect(parameters.classes.map(\.selfReportPerDaySum) == [0, 1])
        #expect(read.mapping.reportTypeWhenMissing == .clinicalDiagnosis)
        #expect(read.mapping.infectiousness(daysSinceOnset: -1) == .high)
        #expect(read.mapping.infectiousness(daysSinceOnset: -3) == .standard)
        #expect(read.mapping.infectiousness(daysSinceOnset: nil) == .standard)
        #expect(read.problems == [])
        for (path, value, problem) in [
            ("config/symptomOnsetToInfectiousnessMap", "0x3", "symptomOnsetToInfectiousnessMap"),
            ("config/symptomOnsetToInfectiousnessMap", "+1", "symptomOnsetToInfectiousnessMap"),
            ("config/attenuationNearWeight", 251, "attenuationNearWeight"),
            ("config/attenuationNearMedThreshold", 10, "attenuationNearMedThreshold"),
            ("config/reportTypeNoneMap", 0, "reportTypeNoneMap"),
        ] as [(String, JSON, String)] {
            do throws(RiskConfigurationError) {
                _ = try RiskConfiguration(enExpress: Self.enExpress.with(path, value).bytes, version: 1)
                Issue.record("\(path) was taken")
            } catch { #expect(error.problems.map(\.path) == [problem], "\(path)") }
        }
        let off = Self.enExpress.with("config/confirmedTestPerDaySumERVThreshold_1", 0)
            .with("config/selfReportPerDaySumERVThreshold_4", nil)
        #expect(throws: RiskConfigurationError(.invalid)) { try RiskConfiguration(enExpress: off.bytes, version: 1) }
    }

    // MARK: Whatever comes

    /// One bit of what was published changed, anywhere: it is refused, or it is what was signed all the same.
    @Test(arguments: carried)
    func nothingThatWasChangedIsTaken(_ form: RuleForm) throws {
        let (document, proof) = try published(form, 1)
        var dice = SeededGenerator(seed: form.rawValue.utf8.count)
        for _ in 0..<150 {
            var (bad, badProof) = (document, proof)
            if Bool.random(using: &dice) {
                bad[Int.random(in: 0..<bad.count, using: &dice)] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
            } else {
                badProof[Int.random(in: 0..<badProof.count, using: &dice)] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
            }
            var slot = Slot()
            if case .success = slot.offer(document: bad, signatures: badProof, authority: authority(form), time: noon) {
                // Names of keys and their like in export.sig are not signed.
                #expect(bad == document && slot.current?.document == document)
            } else {
                #expect(slot == Slot())
            }
        }
    }

    /// Signed rubbish: refused with reasons that can be shown, or read as something without problems.
    @Test(arguments: carried)
    func signedRubbishDoesNoHarm(_ form: RuleForm) throws {
        let (document, _) = try published(form, 1)
        var dice = SeededGenerator(seed: 7)
        for round in 0..<120 {
            var bad = document
            for _ in 0..<(1 + round % 5) {
                let place = Int.random(in: 0..<bad.count, using: &dice)
                switch Int.random(in: 0..<3, using: &dice) {
                case 0: bad[place] = UInt8.random(in: 0...255, using: &dice)
                case 1: bad.remove(at: place)
                default: bad.insert(UInt8(ascii: "9"), at: place)
                }
            }
            let proof = form == .nhs ? try headers(bad) : form == .swissCovid ? try token(bad) : try file(bad)
            var slot = Slot()
            switch slot.offer(document: bad, signatures: proof, authority: authority(form), time: noon) {
            case .success: #expect(slot.current?.configuration.problems == [])
            case .failure(let error):
                #expect(slot == Slot())
                #expect("\(error)".utf8.count < 100_000)
                #expect("\(error)".unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" })
            }
        }
    }
}
