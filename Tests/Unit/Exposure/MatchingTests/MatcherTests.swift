// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import LabKit
import Matching
import RandomValues
import Testing
import VirtualAir

@Suite struct MatcherTests {
    private let day: UInt32 = 18_600
    private var start: ENIN { ENIN(day * 144) }
    private let key: DiagnosisKey
    private let own: IdentifierKeys

    init() throws {
        key = try #require(
            DiagnosisKey(
                data: Block(low: 0x1122_3344_5566_7788, high: 0x99aa_bbcc_ddee_ff00), rollingStart: ENIN(18_600 * 144),
                transmissionRiskLevel: 4, reportType: .confirmedTest, daysSinceOnset: 0))
        own = try IdentifierKeys(SecretBytes(copying: key.data.bytes))
    }

    private func heard(_ interval: Int, at time: Int64? = nil, power: Int8 = -10, rssi: Int8 = -60) -> Sighting {
        let number = ENIN(UInt32(Int(start.number) + interval))
        let identifier = own.identifier(for: number)
        return Sighting(
            identifier: identifier,
            metadata: own.encrypt(.version11(transmitPower: power, confidence: .high), with: identifier),
            time: UInt32(time ?? number.unixSeconds + 30), rssi: rssi)
    }

    private func match(
        _ keys: [DiagnosisKey], _ sightings: [Sighting], now: ENIN? = nil, excluded: Set<Block> = []
    ) -> (matches: [Match], statistics: MatchStatistics) {
        let matcher = Matcher(index: SightingIndex(sightings), now: now ?? ENIN(start.number + 288), excluded: excluded)
        for key in keys { matcher.add(key) }
        return (matcher.finish(), matcher.statistics)
    }

    /// A share of `vigil-lab prove matching`, over every kernel of this machine.
    @Test(arguments: MatchKernel.available)
    func randomEncountersAgreeWithTheReference(_ kernel: MatchKernel) {
        for seed in 0..<UInt64(400) {
            var generator = SeededGenerator(seed: seed &+ UInt64(kernel.rawValue) << 32)
            #expect(RandomScenario(using: &generator).difference(kernel: kernel) == nil)
        }
    }

    @Test(arguments: MatchKernel.available)
    func kernelsDeriveWhatTheSpecificationSays(_ kernel: MatchKernel) {
        let intervals = Array((start.number - 5)..<(start.number + 300))
        let expected = intervals.flatMap { own.identifier(for: ENIN($0)).bytes }
        #expect(kernel.identifiers(ofPublishedKey: key.data.bytes, intervals: intervals) == expected)
    }

    /// The last keys are looked at by the end of the run.
    @Test func aRunThatIsOverfullAtItsEndSaysSo() {
        let matcher = Matcher(index: SightingIndex([heard(70)]), now: ENIN(start.number + 288))
        for _ in 0..<1_100 { matcher.add(key) }
        #expect(!matcher.isOverfull)
        _ = matcher.finish()
        #expect(matcher.wasOverfull && !matcher.isOverfull)
        matcher.add(key)
        #expect(matcher.finish().count == 1 && !matcher.wasOverfull)
    }

    /// What was published with a key comes back with its match: every number there can be, and none where there was none.
    @Test func aMatchedKeyIsTheKeyAsPublished() {
        for variant in [nil, 0, 1, 4, 254, 255] as [UInt8?] {
            for days in [nil, 0, -14, 14, .min, .max] as [Int32?] {
                var key = self.key
                (key.variantOfConcern, key.daysSinceOnset) = (variant, days)
                for type in ReportType.allCases where type != .recursive {
                    key.reportType = type
                    #expect(match([key], [heard(70)]).matches.map(\.key) == [key], "\(variant as Any), \(days as Any)")
                }
            }
        }
    }

    @Test func keysThatCannotHaveBeenHeardCostNothing() throws {
        let far = try #require(DiagnosisKey(data: key.data, rollingStart: ENIN(start.number - 3 * 144)))
        let (matches, statistics) = match([far, key], [heard(70)])
        #expect(matches.count == 1)
        #expect(statistics.impossible == 1)
        #expect(statistics.keys == 2)
        let (_, nothing) = match([key, far], [])
        #expect(nothing.impossible == 2)
    }

    @Test func aShortKeyBesideTheSightingsCostsNothing() throws {
        let short = try #require(DiagnosisKey(data: key.data, rollingStart: start, rollingPeriod: 20))
        #expect(match([short], [heard(70)]).statistics.impossible == 1)
        // 32 intervals reach to 12 before the 44th.
        #expect(match([short], [heard(31)]).statistics.impossible == 0)
    }

    @Test func ownKeysAndOldKeysNeverMatch() {
        #expect(match([key], [heard(5)], excluded: [key.data]).matches.isEmpty)
        #expect(match([key], [heard(5)], excluded: [key.data]).statistics.excluded == 1)
        let old = match([key], [heard(5)], now: ENIN(start.number + 15 * 144))
        #expect(old.matches.isEmpty)
        #expect(old.statistics.expired == 1)
        #expect(match([key], [heard(5)], now: ENIN(start.number + 15 * 144 - 1)).matches.count == 1)
    }

    @Test func everyIntervalOfADayCanMatchAtOnce() {
        let sightings = (0..<144).map { heard($0) }
        let many = (0..<300).map { index in
            DiagnosisKey(data: index == 299 ? key.data : Block(low: UInt64(index), high: 1), rollingStart: start)!
        }
        let (matches, statistics) = match(many + [key, key], sightings)
        // The key occurs three times; a run reports each occurrence, the set keeps one.
        #expect(matches.map(\.sightings.count) == [144, 144, 144])
        #expect(MatchSet(matches).matches.count == 1)
        #expect(statistics.heard == 3 * 144)
    }

    @Test func revisedKeysCountAfterAllOthersWhereverTheyStand() {
        var reported = key
        reported.reportType = .selfReport
        var revoked = key
        revoked.reportType = .revoked
        let matcher = Matcher(index: SightingIndex([heard(5)]), now: ENIN(start.number + 288))
        [revoked].withUnsafeBufferPointer { matcher.add($0, areRevised: true) }
        [reported].withUnsafeBufferPointer { matcher.add($0) }
        let set = MatchSet(matcher.finish())
        #expect(set.matches.map(\.key.reportType) == [.selfReport])
        #expect(set.matches[0].reportType(under: .standard) == .revoked)
    }

    @Test func unbelievableSightingsAloneAreNoMatch() {
        #expect(match([key], [heard(5, power: 21)]).matches.isEmpty)
        #expect(match([key], [heard(5, power: 20)]).matches.count == 1)
    }

    /// Each sender says how loud it sends; what one says changes nothing of what is believed of another.
    @Test func aLieAboutPowerChangesTheSendersOwnEstimateOnly() throws {
        let other = try #require(
            DiagnosisKey(
                data: Block(low: 7, high: 9), rollingStart: start, transmissionRiskLevel: 4, reportType: .confirmedTest))
        let keys = try IdentifierKeys(SecretBytes(copying: other.data.bytes))
        func honest(_ interval: Int) -> Sighting {
            let number = ENIN(UInt32(Int(start.number) + interval))
            let identifier = keys.identifier(for: number)
            return Sighting(
                identifier: identifier,
                metadata: keys.encrypt(.version11(transmitPower: -10, confidence: .high), with: identifier),
                time: UInt32(number.unixSeconds + 30), rssi: -60)
        }
        func attenuations(_ key: DiagnosisKey, power: Int8) -> [Int] {
            // The liar stands before and between the honest sightings, in the same scans.
            let sightings = (5..<8).flatMap { [heard($0, power: power), honest($0), heard($0, power: power)] }
            return match([self.key, other], sightings).matches.filter { $0.key.data == key.data }
                .flatMap { $0.sightings.map { Int($0.transmitPower) - Int($0.rssi) } }
        }
        let truth = attenuations(other, power: -10)
        #expect(truth == [50, 50, 50])
        for power: Int8 in [-128, -60, 0, 20, 21, 127] {
            #expect(attenuations(other, power: power) == truth, "a power of \(power)")
        }
        #expect(attenuations(key, power: 20) != attenuations(key, power: -10))
    }

    @Test func aFloodOfOneIdentifierIsHandled() {
        let flood = (0..<5_000).map { heard(10, at: start.unixSeconds + 6_000 + Int64($0)) }
        let (matches, _) = match([key], flood)
        #expect(matches.first?.sightings.count == 1_201)
    }

    @Test func timesAtTheEdgesOfTheRangeDoNoHarm() {
        var sightings = [heard(5)]
        for time in [UInt32(0), 1, 599, .max, .max - 600] {
            sightings.append(
                Sighting(
                    identifier: RollingProximityIdentifier(Block(low: UInt64(time), high: 3)),
                    metadata: .init(word: 0), time: time, previousScan: .max, rssi: -127))
        }
        #expect(match([key], sightings).matches.count == 1)
    }

    @Test func windowsAreReleasedWithoutAnOrderThatSpeaks() throws {
        let sightings = (0..<40).map { heard($0 * 3) }
        let matches = match([key], sightings).matches
        var first = SeededGenerator(seed: 1)
        var second = SeededGenerator(seed: 2)
        let a = ExposureWindow.released(from: matches, mapping: .standard, using: &first)
        let b = ExposureWindow.released(from: matches, mapping: .standard, using: &second)
        #expect(a.count == 40)
        #expect(Set(a) == Set(b))
        #expect(a != b)
        #expect(a != matches[0].exposureWindows(under: .standard))
        let silent = try #require(DiagnosisKeyMapping(compact: 0))
        #expect(ExposureWindow.released(from: matches, mapping: silent, using: &first).isEmpty)
    }
}

@Suite struct MatchSetTests {
    private func match(_ type: ReportType, period: UInt32 = 144, seconds: UInt32 = 100) -> Match {
        let key = DiagnosisKey(
            data: Block(low: 1, high: 1), rollingStart: ENIN(144), rollingPeriod: period, reportType: type)!
        let sighting = MatchedSighting(
            position: 0, interval: ENIN(144), time: 86_400 + seconds, previousScan: 0, rssi: -60, transmitPower: 0,
            confidence: .low)
        return Match(key: key, sightings: [sighting])
    }

    private func type(_ types: [ReportType]) -> ReportType? {
        var set = MatchSet()
        for type in types { set.merge(match(type)) }
        return set.matches.first?.reportType(under: .standard)
    }

    @Test func aTypeMovesOnceAndOnlyWhereItMay() {
        #expect(type([.selfReport]) == .selfReport)
        #expect(type([.selfReport, .confirmedTest]) == .confirmedTest)
        #expect(type([.selfReport, .clinicalDiagnosis, .revoked]) == .clinicalDiagnosis)
        #expect(type([.clinicalDiagnosis, .selfReport, .revoked]) == .revoked)
        #expect(type([.confirmedTest, .revoked]) == .confirmedTest)
        #expect(type([.revoked, .confirmedTest]) == .revoked)
        #expect(type([.unknown, .revoked]) == .confirmedTest)
    }

    @Test func revokedKeysGiveNoExposure() {
        var set = MatchSet([match(.selfReport)])
        #expect(set.matches[0].exposureWindows(under: .standard).count == 1)
        set.merge(match(.revoked))
        #expect(set.matches[0].exposureWindows(under: .standard).isEmpty)
        #expect(!set.matches[0].givesExposure(under: .standard))
    }

    @Test func aChangedMappingChangesTheAnswer() throws {
        let set = MatchSet([match(.unknown)])
        let selfReported = try #require(
            DiagnosisKeyMapping(
                infectiousness: Array(repeating: .high, count: 29), whenOnsetMissing: .none,
                reportTypeWhenMissing: .selfReport))
        #expect(set.matches[0].exposureWindows(under: .standard).map(\.reportType) == [.confirmedTest])
        #expect(set.matches[0].exposureWindows(under: selfReported).map(\.reportType) == [.selfReport])
        #expect(set.matches[0].exposureWindows(under: selfReported).map(\.infectiousness) == [.none])
    }

    @Test func aKeyThatContradictsItselfIsRefused() {
        var set = MatchSet([match(.confirmedTest)])
        set.merge(match(.confirmedTest, period: 100))
        #expect(set.matches.count == 1)
        #expect(set.contradictions == 1)
    }

    @Test func newsWithoutEndIsNotRemembered() {
        var set = MatchSet()
        for round in 0..<100 { set.merge(match(round.isMultiple(of: 2) ? .selfReport : .clinicalDiagnosis)) }
        #expect(set.matches[0].laterReportTypes.count <= 8)
    }

    @Test func filesAreRememberedByBothMarks() {
        var files = MatchedFiles()
        files.insert(signatureListDigest: [1], contentDigest: [2])
        #expect(files.contains(signatureListDigest: [1]))
        #expect(files.contains(contentDigest: [2]))
        #expect(!files.contains(signatureListDigest: [2]))
        #expect(!files.contains(contentDigest: [1]))
    }
}
