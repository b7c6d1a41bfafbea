// SPDX-License-Identifier: Apache-2.0

import AppConfig
import CivilTime
import Cryptography
import HTTPFields
import RandomValues
import Testing
import Trust

/// The published samples are read by `vigil-lab conformance` (family app-config); here is what they do not show.
@Suite struct AppConfigTests {
    private func message(_ fields: (Int, ProtobufBytes)...) -> [UInt8] { ProtobufBytes.message(fields).bytes }

    @Test func anEmptyMessageIsAllDefaults() throws {
        let config = try #require(AppConfiguration([]))
        #expect(config.downloadTimeoutSeconds == 60 && config.overallDownloadTimeoutSeconds == 480)
        #expect(config.detectionFrequency.maximumPerDay == 6 && config.detectionFrequency.minimumGapSeconds == 14_400)
        #expect(config.detectionTimeoutSeconds == 900 && config.checksClock)
        #expect(config.mapping == nil && config.dailySummaries == nil && config.revokedTags.isEmpty)
    }

    @Test func revokedPackagesLoseTheirQuotes() throws {
        let day = ProtobufBytes.message([(1, .text("EUR")), (2, .text("2020-11-20")), (3, .text("\"abc\""))])
        let same = ProtobufBytes.message([(1, .text("EUR")), (2, .text("2020-11-20")), (3, .text("abc"))])
        let hour = ProtobufBytes.message([
            (1, .text("EUR")), (2, .text("2020-11-21")), (3, .number(7)), (4, .text("W/\"x\"")),
        ])
        let bad = ProtobufBytes.message([(1, .text("EUR")), (2, .text("2020-11-20")), (3, .text("\"\""))])
        let trace = ProtobufBytes.message([(1, .text("\"t\""))])
        let parameters = ProtobufBytes.message([
            (1, day), (1, same), (2, hour), (1, bad), (3, .number(1_800)), (4, .number(1_801)), (5, trace),
        ])
        let config = try #require(AppConfiguration(message((5, parameters))))
        #expect(config.revokedTags == ["abc", "x"])
        #expect(config.revokedPackages.map(\.hour) == [nil, nil, 7])
        #expect(config.revokedPackages[2].day?.isoText == "2020-11-21" && config.revokedPackages[2].region == "EUR")
        #expect(config.revokedTraceWarningTags == ["t"])
        #expect(config.downloadTimeoutSeconds == 1_800 && config.overallDownloadTimeoutSeconds == 480)
    }

    @Test func unknownFieldsAreHarmlessAndWrongTypesAreNot() throws {
        let unknown = message(
            (99, .text("x")), (1_000, .number(5)), (98, .double(1)), (6, .message([(1, .number(3)), (77, .text("y"))])))
        #expect(try #require(AppConfiguration(unknown)).detectionFrequency.maximumPerDay == 3)
        for bytes in [
            message((6, .number(1))), message((4, .number(1))), message((3, .text("\u{FF}\u{1}"))), [0x0F], [0xFF],
            message((6, .message([(1, .text("a"))]))), [0x2A, 0x05, 0x00],
        ] { #expect(AppConfiguration(bytes) == nil) }
        // Nothing of the length of a book is a configuration.
        #expect(AppConfiguration([UInt8](repeating: 0, count: (1 << 20) + 1)) == nil)
        // Nor is one number repeated a million times.
        let many = ProtobufBytes.message([(9, .message([(1, .packed([Int64](repeating: 1, count: 30_000)))]))])
        #expect(AppConfiguration(many.bytes) == nil)
    }

    /// The rules for visits and withdrawn packages of warnings have other numbers in each form.
    @Test func eachFormHasItsOwnNumbers() throws {
        let presence = ProtobufBytes.message([(4, .number(7))])
        let trace = ProtobufBytes.message([(1, .text("\"t\""))])
        let feature = ProtobufBytes.message([(1, .message([(1, .text("a")), (2, .number(1))]))])
        let ios = message((3, feature), (5, .message([(3, trace)])), (12, presence))
        let android = message((3, feature), (5, .message([(5, trace)])), (13, presence))
        for (bytes, form) in [(ios, AppConfiguration.Form.ios), (android, .android)] {
            let config = try #require(AppConfiguration(bytes, form: form))
            #expect(config.content["presenceTracingParameters"]?["revokedTraceLocationVersions"] != nil)
            #expect(config.revokedTraceWarningTags == ["t"] && config.features == ["a": 1])
        }
        // Read by the wrong table, the rules are not there.
        #expect(AppConfiguration(ios)?.content["presenceTracingParameters"] == nil)
    }

    @Test func mapsAndPackedNumbers() throws {
        let entry = { (key: Int64, value: ProtobufBytes) in ProtobufBytes.message([(1, .number(key)), (2, value)]) }
        let mapping = ProtobufBytes.message([
            (1, entry(-3, .number(2))), (1, entry(1, .number(1))), (1, entry(15, .number(1))), (1, entry(2, .number(9))),
            (3, .number(7)),
        ])
        let summaries = ProtobufBytes.message([
            (1, .packed([30, 50, 70])), (2, .double(1)), (2, .double(0.5)), (4, entry(1, .double(1.5))), (5, .double(300)),
        ])
        let config = try #require(AppConfiguration(message((8, mapping), (9, summaries))))
        #expect(config.mapping?.daysSinceOnsetToInfectiousness == [-3: 2, 1: 1])
        #expect(config.mapping?.reportTypeWhenMissing == 1 && config.mapping?.infectiousnessWhenMissing == 0)
        #expect(config.dailySummaries?.attenuationThresholds == [30, 50, 70])
        #expect(config.dailySummaries?.attenuationWeights == [1, 0.5])
        #expect(
            config.dailySummaries?.infectiousnessWeights == [1: 1.5] && config.dailySummaries?.minimumWindowScore == 300)
        let features = ProtobufBytes.message([
            (1, .message([(1, .text(ConfigRules.noClockCheck)), (2, .number(1))])), (1, .message([(1, .text("other"))])),
        ])
        let switched = try #require(AppConfiguration(message((3, features))))
        #expect(!switched.checksClock && switched.features["other"] == 0)
    }

    @Test func changedBytesNeverBreakTheReader() {
        var random = SeededGenerator(seed: 1)
        let whole = message(
            (5, .message([(1, .message([(1, .text("EUR")), (3, .text("abc"))])), (3, .number(60))])),
            (8, .message([(1, .message([(1, .number(1)), (2, .number(2))]))])), (4, .text("DE")),
            (9, .message([(1, .packed([1, 2]))])))
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = AppConfiguration(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))))
        }
    }

    @Test func theRegionsDocument() {
        func read(_ text: String) -> VigilConfiguration? { VigilConfiguration(Array(text.utf8)) }
        #expect(read(#"{"vigilConfig":1,"version":7,"wakeWindowSeconds":600,"later":[1]}"#)?.wakeWindowSeconds == 600)
        #expect(read(#"{"vigilConfig":1,"version":0}"#) != nil)
        for text in [
            "", "{}", "[]", #"{"vigilConfig":2,"version":7}"#, #"{"vigilConfig":1}"#, #"{"vigilConfig":1,"version":-1}"#,
            #"{"vigilConfig":1,"version":7,"wakeWindowSeconds":-1}"#,
            #"{"vigilConfig":1,"version":7,"wakeWindowSeconds":86401}"#,
            #"{"vigilConfig":1,"version":7,"wakeWindowSeconds":"600"}"#, #"{"vigilConfig":1,"version":1,"version":7}"#,
        ] { #expect(read(text) == nil, "\(text)") }
    }

    @Test func onlyTheRightRoleSigns() throws {
        let key = try P256.SigningKey.generate()
        let other = try P256.SigningKey.generate()
        let document = Array("{}".utf8)
        let digest = SHA256.digest(of: document)
        let trust = try TrustStore(keys: [
            TrustedKey(name: KeyName(id: "262", version: "v1"), role: .config, key: key.verificationKey, validUntil: 1_000),
            TrustedKey(name: KeyName(id: "262", version: "v1"), role: .export, key: other.verificationKey),
        ])
        func signed(_ key: P256.SigningKey) throws -> [UInt8] {
            let signature = try key.sign(digest)
            return ProtobufBytes.message([(1, .message([(4, .bytes(signature))]))]).bytes
        }
        let good = try signed(key)
        #expect(SignedConfiguration.isSigned(exportBin: document, exportSig: good, trust: trust, time: nil))
        #expect(SignedConfiguration.isSigned(exportBin: document, exportSig: good, trust: trust, time: 999))
        #expect(!SignedConfiguration.isSigned(exportBin: document, exportSig: good, trust: trust, time: 1_000))
        #expect(!SignedConfiguration.isSigned(exportBin: document + [32], exportSig: good, trust: trust, time: nil))
        #expect(!SignedConfiguration.isSigned(exportBin: document, exportSig: try signed(other), trust: trust, time: nil))
        #expect(!SignedConfiguration.isSigned(exportBin: document, exportSig: [], trust: trust, time: nil))
    }
}
