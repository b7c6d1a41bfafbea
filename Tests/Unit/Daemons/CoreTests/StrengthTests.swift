// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Interfaces
import JSON
import Radio
import Testing

@testable import Core

/// How strong what is heard is: counted, measured, corrected.
@Suite struct StrengthTests {
    private func sender(_ number: UInt8) throws -> AdvertisingPayload {
        let keys = try IdentifierKeys(SecretBytes(copying: [UInt8](repeating: number, count: 16)))
        let identifier = keys.identifier(for: ENIN(2_880_000))
        return AdvertisingPayload(
            identifier: identifier,
            metadata: keys.encrypt(.version11(transmitPower: -10, confidence: .high), with: identifier))
    }

    // MARK: Counting

    @Test(
        arguments: [
            (-128, 0), (-111, 0), (-110, 1), (-106, 1), (-105, 2), (-26, 17), (-25, 18), (-21, 18), (-20, 19), (0, 19),
            (126, 19),
        ] as [(Int8, Int)]) func aStrengthIsCountedInItsStep(strength: Int8, bin: Int)
    {
        #expect(StrengthHistogram.bin(strength) == bin)
        var histogram = StrengthHistogram()
        histogram.add(strength)
        #expect(histogram.counts[bin] == 1 && histogram.counts.reduce(0, +) == 1)
        #expect(histogram.counts.count == StrengthHistogram.binCount)
    }

    @Test func noReadingIsNotCounted() {
        var histogram = StrengthHistogram()
        histogram.add(127)
        #expect(histogram == StrengthHistogram())
    }

    // MARK: Measuring

    @Test func theStrongestSenderIsMeasured() throws {
        var measurement = StrengthMeasurement(reference: -60, end: .seconds(10))
        #expect(measurement.result(at: .zero).median == nil && measurement.result(at: .zero).secondsLeft == 10)
        for number in 0..<40 {
            measurement.add(try sender(1), Int8(-70 + number % 3), at: .milliseconds(number * 100))
            measurement.add(try sender(2), -90, at: .milliseconds(number * 100))
        }
        // Who passes by once is louder, and no reading is no reading.
        measurement.add(try sender(3), -20, at: .seconds(5))
        measurement.add(try sender(1), 127, at: .seconds(5))
        let running = measurement.result(at: .milliseconds(9_500))
        #expect(running.running && running.secondsLeft == 1)
        #expect(running.count == 40 && running.median == -69 && running.proposal == 9)
        measurement.add(try sender(1), -30, at: .seconds(10))
        let over = measurement.result(at: .seconds(11))
        #expect(!over.running && over.secondsLeft == 0 && over.count == 40 && over.proposal == 9)
    }

    @Test func nothingIsProposedOfTooLittle() throws {
        var few = StrengthMeasurement(reference: -60, end: .seconds(10))
        for _ in 0..<29 { few.add(try sender(1), -70, at: .zero) }
        #expect(few.result(at: .zero).median == -70 && few.result(at: .zero).proposal == nil)
        few.add(try sender(1), -70, at: .zero)
        #expect(few.result(at: .zero).proposal == 10)
        var moved = StrengthMeasurement(reference: -60, end: .seconds(10))
        for number in 0..<40 { moved.add(try sender(1), number % 2 == 0 ? -60 : -69, at: .zero) }
        #expect(moved.result(at: .zero).spread == 9 && moved.result(at: .zero).proposal == nil)
        for (strength, proposal) in [(Int8(-90), Int?(30)), (-91, nil), (-30, -30), (-29, nil)] {
            var far = StrengthMeasurement(reference: -60, end: .seconds(10))
            for _ in 0..<40 { far.add(try sender(1), strength, at: .zero) }
            #expect(far.result(at: .zero).proposal == proposal, "\(strength)")
        }
    }

    // MARK: Correcting

    @Test func eachCorrectionHasARevisionOfItsOwn() throws {
        var profile = BoardProfile.token
        profile.calibration.rssiCorrection = 4
        var corrections = ReceiverCorrections()
        #expect(corrections.correction(profile) == 4 && corrections.revision(profile) == profile.revision)
        corrections.set(-3)
        let first = corrections.revision(profile)
        corrections.set(-3)
        #expect(first >= ReceiverCorrections.firstRevision && corrections.revision(profile) == first)
        corrections.set(7)
        let second = corrections.revision(profile)
        #expect(second == first + 1 && corrections.correction(profile) == 7)
        corrections.set(nil)
        #expect(corrections.revision(profile) == profile.revision && corrections.correction(profile) == 4)
        // What was heard meanwhile keeps what held when it was heard.
        #expect(corrections.correction(of: first, profile) == -3 && corrections.correction(of: second, profile) == 7)
        #expect(corrections.correction(of: profile.revision, profile) == 4)
        let kept = try #require(ReceiverCorrections(try corrections.bytes()))
        #expect(kept == corrections)
        #expect(ReceiverCorrections(Array("{}".utf8)) == nil)
        #expect(ReceiverCorrections(Array(#"{"entries":[{"revision":32768,"correction":31}],"isSet":true}"#.utf8)) == nil)
        for number in 0..<200 { corrections.set(number % 30) }
        #expect(corrections.entries.count == 64)
        #expect(Set(corrections.entries.map(\.revision)).count == 64)
    }

    // MARK: Choices

    @Test func choicesAreKeptAndAreTheWearers() throws {
        let desk = try AccessDesk()
        func preferences(_ line: AccessDesk.Line) -> JSON? {
            desk.call(line, "org.vigil.device1.GetPreferences")?["parameters"]?["preferences"]
        }
        let (wearer, technicianReadOnly) = (try desk.connect(as: .wearer), try desk.connect(as: .technicianReadOnly))
        #expect(preferences(wearer)?["introduced"] == false && preferences(wearer)?["notifications"] == true)
        func choose(_ line: AccessDesk.Line, _ language: String) -> JSON? {
            desk.call(
                line, "org.vigil.device1.SetPreferences",
                ["preferences": ["introduced": true, "notifications": false, "language": .string(language)]])
        }
        #expect(choose(wearer, "not a language")?["error"] != nil)
        #expect(preferences(wearer)?["introduced"] == false)
        #expect(choose(technicianReadOnly, "de")?["error"]?.string?.hasSuffix(".WrongRole") == true)
        #expect(choose(wearer, "de-simple")?["error"] == nil)
        #expect(preferences(wearer)?["notifications"] == false && preferences(wearer)?["language"] == "de-simple")
        #expect(
            preferences(technicianReadOnly)?["notifications"] == true
                && preferences(technicianReadOnly)?["language"] == "de-simple")
    }

    /// A wearer who lets the browser decide has chosen, too.
    @Test func theOperatorsLanguageHoldsUntilOneIsChosen() throws {
        let service = try Bench().service(language: "de-simple")
        let page = Caller(name: "page", reading: .windows, spool: nil, presence: "caller")
        #expect(try service.preferences(for: page).language == "de-simple")
        #expect(try service.setPreferences(.init(introduced: true, notifications: false, language: nil)))
        #expect(try service.preferences(for: page).language == nil)
        #expect(try Bench().service().preferences(for: page).language == nil)
    }
}
