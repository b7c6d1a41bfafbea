// SPDX-License-Identifier: Apache-2.0

import AuthorityProfile
import Cryptography
import FoundationEssentials
import JSON
import RiskConfiguration
import Testing

/// What is read aloud to somebody who knows the servers: two profiles that differ in what matters do not sound alike.
@Suite struct ProfileSummaryTests {
    private static func said(_ json: JSON) throws -> [String] {
        let summary = ProfileSummary(try AuthorityProfile(parsing: json.bytes))
        return summary.sentences + summary.numbers
    }

    private static func advice(_ json: JSON) throws -> String {
        ProfileSummary(try AuthorityProfile(parsing: json.bytes)).advice.joined(separator: "\n")
    }

    @Test(
        arguments: [
            ("region", "CA"), ("distribution/index", "exposureKeyExport-CA/index.txt"),
            ("warn/verification", "https://other.example"), ("warn/publish", "https://other.example"),
            ("warn/healthAuthority", "gov.or.oha"), ("rules/document/models/0/dailySummaries/increasedFrom", 900),
            ("rules/document/models/0/dailySummaries/measure", "weightedDuration"),
            ("rules/document/models/0/dailySummaries/summaries/attenuationBucketWeights", [1, 1, 0.4, 0]),
            ("rules/document/models/0/dailySummaries/summaries/attenuationBucketThresholdDb", [55, 63, 74]),
            ("rules/document/models/0/dailySummaries/summaries/infectiousnessWeights", ["1": 2, "2": 2]),
            ("rules/document/models/0/dailySummaries/summaries/reportTypeWeights", ["1": 1, "2": 1]),
            ("rules/document/models/0/dailySummaries/classes", [["perDayMaxERVThreshold": 60]]),
            ("rules/document/mapping/infectiousnessWhenDaysSinceOnsetMissing", 0),
        ] as [(String, JSON)])
    func whatMattersIsSaid(_ path: String, _ value: JSON) throws {
        let json = try Sample.json()
        #expect(try Self.said(json) != Self.said(json.with(path, value)))
    }

    @Test func theListAndTheServersAreWhole() throws {
        let said = try Self.said(try Sample.json()).joined(separator: "\n")
        #expect(said.contains("https://example.org/keys/exposureKeyExport-US/index.txt"))
        #expect(
            said.contains(
                "codes and tests go to https://verify.example.org:8443, warnings to https://keys.example.org, as gov.wa.doh"
            ))
        #expect(said.contains("increased from 45 weighted minutes a day"))
    }

    @Test func rolesThatAreSeldomMeantAreAdvised() throws {
        let json = try Sample.json()
        // The only key of the role rules, where no rules are fetched.
        #expect(try Self.advice(json).contains("Nothing uses the key of the role rules"))
        #expect(try Self.advice(json.with("keys/0/spare", true)).contains("Every export key is marked as a spare"))
        let twice = json.with("keys/1/role", "export").with("keys/1/version", "v2").with("keys/1/spare", nil)
        #expect(try Self.advice(twice).contains("one key under two names"))
        #expect(
            try Self.advice(json.with("distribution/base", "https://x.org/exposureKeyExport-US")).contains("meant twice"))
        #expect(try Self.advice(json).contains("There is no title in fr, de-simple"))
        #expect(try Self.advice(json).contains("No day is left out for its age"))
    }

    /// An example that somebody renamed.
    @Test(arguments: ["example-cwa", "example-ens", "example-nhs"])
    func tracesOfAnExampleAreFound(_ name: String) throws {
        let file = ProfileSettingsTests.root.appending(path: "Provisioning/authorities/\(name).json")
        let json = try JSON(parsing: Array(Data(contentsOf: file)))
        #expect(try !Self.advice(json).contains("example's"))
        let advice = try Self.advice(json.with("name", "fd"))
        let count = json["keys"]?.array?.count ?? 0
        #expect(
            count > 0 && advice.components(separatedBy: "is the example's, and not yours").count == count + 1, "\(advice)")
        #expect(advice.contains("no server has such a name"))
        #expect(
            try !Self.advice(try Sample.json().with("distribution/base", "https://keys.wa.gov")).contains(
                "keys.wa.gov is the example's"))
    }
}

extension String {
    fileprivate func components(separatedBy text: String) -> [Substring] {
        split(separator: text, omittingEmptySubsequences: false)
    }
}
