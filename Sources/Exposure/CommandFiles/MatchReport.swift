// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import FoundationEssentials
import GAEN
public import KeyExport
public import Matching
import Trust

/// What a match run found, for people and as JSON (docs/schemas/match-report.schema.json).
public struct MatchReport: Codable, Sendable {
    public struct File: Codable, Sendable {
        public var path: String
        public var outcome: String
        public var keys: UInt64?
        public var revisedKeys: UInt64?
        public var region: String?
        public var start: UInt64?
        public var end: UInt64?
        public var signedBy: [String]?
        public var contentSHA256: String?
    }

    public struct RefusedFile: Codable, Sendable {
        public var path: String
        /// Stable name of the rule that was broken (docs/file-formats.md).
        public var rule: String
        public var offset: UInt64?
    }

    public struct Window: Codable, Sendable {
        public var date: String
        public var reportType: String
        public var infectiousness: String
        public var calibrationConfidence: String
        public var scanInstances: [Scan]

        public var seconds: Int { scanInstances.reduce(0) { $0 + $1.secondsSinceLastScan } }
    }

    public struct Scan: Codable, Sendable {
        public var typicalAttenuationDb: Int
        public var minAttenuationDb: Int
        public var secondsSinceLastScan: Int
    }

    public struct SummaryV1: Codable, Sendable {
        public var matchedKeyCount: Int
        public var daysSinceLastExposure: Int?
        public var maximumRiskScore: Int
        public var riskScoreSum: Int
        public var attenuationDurationsSeconds: [Int]
    }

    public var format = "vigil-match-1"
    public var files: [File] = []
    /// Files that were refused; they had no effect.
    public var refusedFiles: [RefusedFile] = []
    public var sightings = 0
    public var keysExamined: UInt64 = 0
    public var keysTooOld: UInt64 = 0
    public var keysWithoutPossibleSighting: UInt64 = 0
    public var keysRefused: [String: Int] = [:]
    public var matchedKeyCount = 0
    public var exposureWindows: [Window] = []
    public var v1: SummaryV1?

    public init() {}

    /// Adds what one file came to.
    public mutating func add(_ path: String, _ outcome: MatchRun.Outcome) {
        switch outcome {
        case .repeated: files.append(File(path: path, outcome: "alreadyMatched"))
        case .matched(let file):
            files.append(
                File(
                    path: path, outcome: "matched", keys: file.summary.keyCount,
                    revisedKeys: file.summary.revisedKeyCount, region: file.summary.region,
                    start: file.summary.startTimestamp, end: file.summary.endTimestamp,
                    signedBy: file.signers.map { "\($0.name)" }, contentSHA256: Hex.string(file.contentDigest)))
        }
    }

    /// Notes a file that was refused.
    public mutating func add(_ path: String, refused error: KeyExportError) {
        refusedFiles.append(RefusedFile(path: path, rule: error.code.rawValue, offset: error.offset))
    }

    /// Takes over windows in an order that says nothing but the day.
    public mutating func set(_ windows: [ExposureWindow]) {
        exposureWindows = windows.enumerated().sorted { ($0.element.day, $0.offset) < ($1.element.day, $1.offset) }
            .map { _, window in
                Window(
                    date: UTCDay.text(day: window.day), reportType: "\(window.reportType)",
                    infectiousness: "\(window.infectiousness)",
                    calibrationConfidence: "\(window.calibrationConfidence)",
                    scanInstances: window.scanInstances.map {
                        Scan(
                            typicalAttenuationDb: $0.typicalAttenuation, minAttenuationDb: $0.minimumAttenuation,
                            secondsSinceLastScan: $0.secondsSinceLastScan)
                    })
            }
    }

    public mutating func set(_ summary: ExposureSummaryV1) {
        v1 = SummaryV1(
            matchedKeyCount: summary.matchedKeyCount, daysSinceLastExposure: summary.daysSinceLastExposure,
            maximumRiskScore: summary.maximumRiskScore, riskScoreSum: summary.riskScoreSum,
            attenuationDurationsSeconds: summary.attenuationDurations)
    }

    /// Pretty JSON with sorted members.
    public func json() throws -> String { try JSONText.encode(self) }

    /// The report as a person reads it.
    public func text(seconds: Double) -> String {
        var lines: [String] = []
        for file in files {
            if file.outcome == "alreadyMatched" {
                lines.append("\(file.path): the same keys were matched before, nothing to do")
            } else {
                let signers = file.signedBy?.filter { !$0.isEmpty }.joined(separator: ", ") ?? ""
                let revised = file.revisedKeys ?? 0
                lines.append(
                    "\(file.path): \(Terminal.grouped(file.keys ?? 0)) keys"
                        + (revised > 0 ? " and \(Terminal.grouped(revised)) revised ones" : "")
                        + ", signature valid\(signers.isEmpty ? "" : " (\(signers))")")
            }
        }
        if files.isEmpty {
            lines.append("Nothing was compared: every file was refused.")
            return lines.joined(separator: "\n") + "\n"
        }
        lines.append(
            "Compared \(Terminal.grouped(keysExamined)) keys with \(Terminal.grouped(sightings)) sightings in "
                + "\(Terminal.fixed(seconds, 2)) s.")
        if keysTooOld > 0 { lines.append("\(Terminal.grouped(keysTooOld)) keys are older than 14 days and were left out.") }
        for (flaw, count) in keysRefused.sorted(by: { $0.key < $1.key }) {
            lines.append("\(Terminal.grouped(count)) keys were refused: \(flaw)")
        }
        lines.append("")
        if exposureWindows.isEmpty {
            lines.append(
                matchedKeyCount == 0
                    ? "None of these keys was met." : "Keys were met, but none of them counts under this configuration.")
        } else {
            let keys = matchedKeyCount == 1 ? "1 key was met" : "\(matchedKeyCount) keys were met"
            lines.append("\(keys). Exposure windows (up to half an hour each):")
            lines.append("")
            lines.append(contentsOf: table())
            lines.append("")
            lines.append("Bars: one per scan, higher is nearer. dB is what the signal lost on its way; less is nearer.")
        }
        if let v1 {
            lines.append("")
            lines.append(
                "First-generation summary: \(v1.matchedKeyCount) keys, highest score \(v1.maximumRiskScore), sum "
                    + "\(v1.riskScoreSum), minutes near/middle/far "
                    + v1.attenuationDurationsSeconds.map { "\(($0 + 30) / 60)" }.joined(separator: "/"))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let names = [
        "confirmedTest": "confirmed test", "clinicalDiagnosis": "clinical diagnosis", "selfReport": "self-report",
    ]

    private func table() -> [String] {
        func pad(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        let header =
            pad("Day", 12) + pad("Minutes", 9) + pad("Nearest", 9) + pad("Report", 20) + pad("Infectious", 12)
            + pad("Calibration", 13) + "Scans"
        let rows = exposureWindows.map { window in
            let nearest = window.scanInstances.map(\.minAttenuationDb).min() ?? 0
            // 30 dB is touching, 80 dB the far end of a hall.
            let bars = Terminal.bars(window.scanInstances.map { 1 - (Double($0.typicalAttenuationDb) - 30) / 50 })
            return pad(window.date, 12) + pad("\(window.seconds / 60)", 9) + pad("\(nearest) dB", 9)
                + pad(Self.names[window.reportType] ?? window.reportType, 20) + pad(window.infectiousness, 12)
                + pad(window.calibrationConfidence, 13) + bars
        }
        return [header] + rows
    }
}

/// JSON as every command prints it.
public enum JSONText {
    public static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
