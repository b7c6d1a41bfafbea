// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Matching
import Testing

/// Who warned, and who may take it back.
@Suite struct SourceTests {
    private func match(_ type: ReportType, by source: String, onset: Int32? = nil, level: UInt8 = 0) -> Match {
        let key = DiagnosisKey(
            data: Block(low: 1, high: 1), rollingStart: ENIN(144), transmissionRiskLevel: level, reportType: type,
            daysSinceOnset: onset)!
        let sighting = MatchedSighting(
            position: 0, interval: ENIN(144), time: 86_500, previousScan: 0, rssi: -60, transmitPower: 0,
            confidence: .low)
        return Match(key: key, source: source, sightings: [sighting])
    }

    private func mapping(coded: Set<String> = []) -> DiagnosisKeyMapping {
        var mapping = DiagnosisKeyMapping.standard
        mapping.codedSources = coded
        return mapping
    }

    private func told(_ news: [(String, ReportType)], coded: Set<String>) -> ReportType? {
        var set = MatchSet()
        for (source, type) in news { set.merge(match(type, by: source)) }
        let match = set.matches[0]
        return match.givesExposure(under: mapping(coded: coded)) ? match.reportType(under: mapping(coded: coded)) : nil
    }

    /// Every first type, by whom it is revoked, and whether the first source's types are codes.
    @Test func onlyItsOwnSourceRevokesAndCodesAreAlwaysRevoked() {
        for first in [ReportType.confirmedTest, .clinicalDiagnosis, .selfReport] {
            for isCoded in [false, true] {
                let coded: Set<String> = isCoded ? ["own"] : []
                #expect(told([("own", first)], coded: coded) == first)
                #expect(told([("own", first), ("other", .revoked)], coded: coded) == first)
                #expect(told([("own", first), ("other", .revoked)], coded: ["own", "other"]) == first)
                let byOwn = told([("own", first), ("own", .revoked)], coded: coded)
                // Phones, and boards for what is no code: a confirmed test never becomes nothing.
                #expect(byOwn == (isCoded || first != .confirmedTest ? nil : .confirmedTest))
                #expect(told([("own", first), ("other", first), ("own", .revoked)], coded: ["own"]) == first)
                #expect(
                    told(
                        [("own", first), ("other", first), ("own", .revoked), ("other", .revoked)], coded: ["own", "other"])
                        == nil)
                // Whichever file is compared first.
                #expect(told([("own", .revoked), ("own", first)], coded: coded) == nil)
            }
        }
    }

    @Test func codesMoveToNothingElse() {
        #expect(told([("own", .selfReport), ("own", .confirmedTest)], coded: ["own"]) == .selfReport)
        #expect(told([("own", .selfReport), ("own", .confirmedTest)], coded: []) == .confirmedTest)
        #expect(told([("own", .selfReport), ("own", .confirmedTest), ("own", .revoked)], coded: ["own"]) == nil)
        #expect(told([("own", .selfReport), ("own", .confirmedTest), ("own", .revoked)], coded: []) == .confirmedTest)
    }

    /// What is left is read as its own source published it.
    @Test func theOtherSourcesWordIsItsOwn() throws {
        var set = MatchSet([match(.confirmedTest, by: "own", onset: 2, level: 8)])
        set.merge(match(.selfReport, by: "other", onset: -7, level: 3))
        set.merge(match(.revoked, by: "own"))
        let days = (-14...14).map { $0 == -7 ? Infectiousness.high : $0 == 2 ? .standard : .none }
        var mapping = try #require(DiagnosisKeyMapping(infectiousness: days, whenOnsetMissing: .none))
        #expect(set.matches[0].exposureWindows(under: mapping).map(\.infectiousness) == [.standard])
        mapping.codedSources = ["own"]
        let windows = set.matches[0].exposureWindows(under: mapping)
        #expect(windows.map(\.infectiousness) == [.high] && windows.map(\.reportType) == [.selfReport])
        #expect(set.matches[0].standing(under: mapping)?.key.transmissionRiskLevel == 3)
        #expect(set.matches[0].hasRevocation(under: mapping))
        #expect(set.matches[0].ignoringRevocations.exposureWindows(under: mapping).map(\.infectiousness) == [.standard])
    }

    @Test func aCosignedFileIsOfAllWhoSigned() {
        let both = match(.confirmedTest, by: "").attributed(to: ["a", "b"])
        var set = MatchSet([both])
        set.merge(match(.revoked, by: "a"))
        #expect(set.matches[0].givesExposure(under: mapping(coded: ["a", "b"])))
        set.merge(match(.revoked, by: "b"))
        #expect(!set.matches[0].givesExposure(under: mapping(coded: ["a", "b"])))
        #expect(match(.confirmedTest, by: "x").attributed(to: []) == match(.confirmedTest, by: "x"))
    }

    @Test func sourcesWithoutEndAreNotRemembered() {
        var set = MatchSet()
        for number in 0..<100 { set.merge(match(.confirmedTest, by: "\(number)")) }
        #expect(set.matches[0].statements.count == Match.maximumStatements)
        #expect(Match(statements: [], sightings: []) == nil)
        let twice = match(.confirmedTest, by: "a").statements + match(.selfReport, by: "a").statements
        #expect(Match(statements: twice, sightings: []) == nil)
    }

    /// What one source says of a key that two have published, with its later words; and nothing for whoever has said nothing.
    @Test func aMatchCanBeReadByOneSourceAlone() throws {
        var set = MatchSet()
        for (source, type) in [("old", ReportType.selfReport), ("one/1", .clinicalDiagnosis), ("two/1", .confirmedTest)] {
            set.merge(match(type, by: source, onset: source == "old" ? 7 : 2))
        }
        set.merge(match(.revoked, by: "two/1"))
        let all = set.matches[0]
        let two = try #require(all.stated { $0 == "two/1" ? "1" : nil })
        #expect(
            two.statements.map(\.source) == ["1"] && two.laterReportTypes == [.revoked] && two.sightings == all.sightings)
        #expect(!two.givesExposure(under: mapping(coded: ["1"])) && all.givesExposure(under: mapping(coded: ["two/1"])))
        // An older name and the present one are one source: what it said first stays.
        let one = try #require(all.stated { $0 == "old" || $0 == "one/1" ? "1" : nil })
        #expect(one.statements.count == 1 && one.key.daysSinceOnset == 7 && one.laterReportTypes == [.clinicalDiagnosis])
        #expect(all.stated { _ in nil } == nil)
    }
}
