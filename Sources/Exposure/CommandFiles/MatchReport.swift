// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import FoundationEssentials
import GAEN
public import KeyExport
public import Matching
import Trust

/// The findings of a match run, for people and as JSON (docs/schemas/match-report.schema.json).
public struct MatchReport: Codable, Sendable {
    /// A file that was accepted, and what it states about itself.
    public struct File: Codable, Sendable {
        /// The path of the file as the person named it.
        public var path: String
        /// The outcome: "matched", or "alreadyMatched" for the same content as an earlier file, in which case the
        /// members below are `nil`.
        public var outcome: String
        /// The number of keys in the file, including flawed ones but not revised ones, 0 or more; `nil` when its
        /// content was matched before.
        public var keys: UInt64?
        /// The number of revised keys in the file, including flawed ones, 0 or more; `nil` when its content was
        /// matched before.
        public var revisedKeys: UInt64?
        /// The region that the file states, foreign text, may be empty; `nil` when its content was matched before.
        public var region: String?
        /// The start of the period that the file states, in Unix seconds, not checked, 0 when absent; `nil` when its
        /// content was matched before.
        public var start: UInt64?
        /// The end of the period that the file states, in Unix seconds, not checked, 0 when absent; `nil` when its
        /// content was matched before.
        public var end: UInt64?
        /// The names of the trusted keys whose signatures are valid, as "id-version", at least one; `nil` when its
        /// content was matched before.
        public var signedBy: [String]?
        /// The SHA-256 of export.bin, 64 hexadecimal digits; `nil` when its content was matched before.
        public var contentSHA256: String?
    }

    /// A file that was refused, the broken rule, and its place.
    public struct RefusedFile: Codable, Sendable {
        /// The path of the file as the person named it.
        public var path: String
        /// The stable name of the broken rule, which is the raw value of a ``KeyExportError/Code``
        /// (docs/file-formats.md).
        public var rule: String
        /// The offset in export.bin or the archive, in bytes from 0, at which the rule was broken; `nil` when there
        /// is no place.
        public var offset: UInt64?
    }

    /// An exposure window with the values that callers may see.
    public struct Window: Codable, Sendable {
        /// The UTC day of the encounter, "YYYY-MM-DD".
        public var date: String
        /// The name of the report type (``ReportType``).
        public var reportType: String
        /// The name of the person's infectiousness (``Infectiousness``).
        public var infectiousness: String
        /// The name of the calibration confidence (``CalibrationConfidence``).
        public var calibrationConfidence: String
        /// The window's scans in time order, at least one.
        public var scanInstances: [Scan]

        /// The length of the window in seconds: the sum over its scans.
        public var seconds: Int { scanInstances.reduce(0) { $0 + $1.secondsSinceLastScan } }
    }

    /// The signal of one person in one scan.
    public struct Scan: Codable, Sendable {
        /// The mean attenuation of the scan in dB, 0 or more.
        public var typicalAttenuationDb: Int
        /// The smallest attenuation of the scan in dB, 0 or more.
        public var minAttenuationDb: Int
        /// The number of seconds that the scan stands for: whole minutes, 0 to 300.
        public var secondsSinceLastScan: Int
    }

    /// The first generation's summary of all matches.
    public struct SummaryV1: Codable, Sendable {
        /// The number of diagnosis keys that were met and give an exposure under the mapping, 0 or more.
        public var matchedKeyCount: Int
        /// The number of whole days from the start of the latest key with an exposure to the run's time; negative
        /// if the key starts a day or more after it, `nil` without exposures.
        public var daysSinceLastExposure: Int?
        /// The highest score of an exposure, 0 to 4,096; 0 without exposures.
        public var maximumRiskScore: Int
        /// The sum of the scores of all exposures, without unit; 0 without exposures.
        public var riskScoreSum: Int
        /// Three times in seconds over all exposures, 0 or more: with attenuation below the low threshold, from it to
        /// below the high one, and from the high one on.
        public var attenuationDurationsSeconds: [Int]
    }

    /// The name and version of this format of report.
    public var format = "vigil-match-1"
    /// The files that were accepted, in the order in which they were named.
    public var files: [File] = []
    /// The files that were refused, in the order in which they were named; they had no effect. Empty if there are
    /// none.
    public var refusedFiles: [RefusedFile] = []
    /// The number of sightings with which the keys were compared, 0 or more.
    public var sightings = 0
    /// The number of keys of all matched files, without flawed ones and without files of repeated content; 0 or
    /// more.
    public var keysExamined: UInt64 = 0
    /// The number of these keys that were left out because they ended at the start of the UTC day 14 days before the
    /// run's time, or earlier; 0 or more.
    public var keysTooOld: UInt64 = 0
    /// The number of these keys that were left out because nothing was heard in their intervals, 0 or more.
    public var keysWithoutPossibleSighting: UInt64 = 0
    /// The number of keys that were left out, by the raw value of the flaw (``ExportedKey/Flaw``); each is 1 or more,
    /// and the dictionary is empty without such keys.
    public var keysRefused: [String: Int] = [:]
    /// The number of keys that were met, whether or not they count under the configuration; 0 or more.
    public var matchedKeyCount = 0
    /// The exposure windows by day, oldest first (``set(_:)-([ExposureWindow])``); empty if there are none.
    public var exposureWindows: [Window] = []
    /// The first generation's summary; `nil` when the configuration asks for none.
    public var v1: SummaryV1?

    /// Creates the report of a run that has found nothing yet.
    public init() {}

    /// Adds the outcome of one file; `path` is the path as the person named it. Cannot fail.
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

    /// Adds a refused file with its path, the rule and the offset, but without the error's detail. Cannot fail.
    public mutating func add(_ path: String, refused error: KeyExportError) {
        refusedFiles.append(RefusedFile(path: path, rule: error.code.rawValue, offset: error.offset))
    }

    /// Sets the exposure windows, in place of earlier ones, and sorts them by day. Within a day they keep their
    /// order, which must be random so that it reveals nothing.
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

    /// Sets the first generation's summary, in place of an earlier one. Cannot fail.
    public mutating func set(_ summary: ExposureSummaryV1) {
        v1 = SummaryV1(
            matchedKeyCount: summary.matchedKeyCount, daysSinceLastExposure: summary.daysSinceLastExposure,
            maximumRiskScore: summary.maximumRiskScore, riskScoreSum: summary.riskScoreSum,
            attenuationDurationsSeconds: summary.attenuationDurations)
    }

    /// Returns the report as indented JSON with sorted members; throws only the errors of the encoder.
    public func json() throws -> String { try JSONText.encode(self) }

    /// Returns the report as text for a terminal, which ends with a line feed. `seconds` is the time that the
    /// comparison took, 0 or more. Cannot fail.
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

/// Encodes the JSON documents that the commands of `vigil` print.
public enum JSONText {
    /// Returns the value as JSON with sorted members, an indentation of two spaces and unescaped slashes. Throws
    /// `EncodingError` for a value that JSON cannot represent, such as a number that is not finite.
    public static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
