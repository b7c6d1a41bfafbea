// SPDX-License-Identifier: Apache-2.0

import JSON
public import KeyExport
import KeyLevels

/// From a key that was handed in to one that is stored, and to one that is published: pure functions, and the only ways there.
extension PublishingRules {
    private static let realOnsets: ClosedRange<Int32> = -14...14

    /// The key as it is stored: onset and report type are the sender's own. Where keys are published by their level, a level that is missing is
    /// filled in from the onset, and an onset from the level (``LevelDerivation/completed(_:hasLevel:)``); `nil` when both are missing, or when the
    /// level is needed and is not 1 to 8. Elsewhere the key is given as it is.
    public func stored(_ key: ExportedKey) -> ExportedKey? {
        encodesLevels ? LevelDerivation.completed(key, hasLevel: key.transmissionRiskLevel != 0) : key
    }

    /// Whether keys of that transmission risk level are published. Level 0 is none; where levels are not encoded, a key
    /// need not have one.
    public func isPublished(level: Int32) -> Bool {
        level == 0 ? !encodesLevels : filter.admits(level: level)
    }

    var filter: PublicationFilter {
        PublicationFilter(minimumLevel: Int32(clamping: minimumLevel), days: daysToPublish)
    }

    /// As a condition over the column `level`.
    var isPublishedInSQL: String { encodesLevels ? "level >= \(minimumLevel)" : "(level = 0 OR level >= \(minimumLevel))" }

    /// A stored key as packages have it; `nil` for one that is not published. Where levels are encoded, report type and onset are the
    /// level's code. Where they are not, they are the key's own, without onsets that are codes for what somebody stated. A key that was
    /// taken back keeps its report type, 5.
    public func published(_ key: ExportedKey) -> ExportedKey? {
        guard isPublished(level: key.transmissionRiskLevel) else { return nil }
        guard !encodesLevels else { return levelEncoding.published(key) }
        var published = key
        if key.hasOnset, !Self.realOnsets.contains(key.daysSinceOnset) {
            published.hasOnset = false
            published.daysSinceOnset = 0
        }
        return published
    }
}

extension LevelEncoding {
    /// Reads `{"daysSinceOnset": {"1": 1, …}, "reportType": {"1": 4, …}}`: every level in both.
    init(_ reader: ObjectReader) {
        var reader = reader
        func map(_ name: String, _ range: ClosedRange<Int32>) -> [Int32: Int32] {
            var inner = reader.reader(name)
            var result: [Int32: Int32] = [:]
            for level in Self.levels {
                if !inner.has("\(level)") { inner.problem("\(level)", "is required: each of the levels 1 to 8 has a code") }
                let value = inner.integer(
                    "\(level)", in: Int64(range.lowerBound)...Int64(range.upperBound), default: Int64(range.lowerBound))
                result[level] = Int32(value)
            }
            inner.finish()
            return result
        }
        let onsets = map("daysSinceOnset", Self.onsets)
        let types = map("reportType", Self.reportTypes)
        reader.finish()
        self = LevelEncoding(daysSinceOnset: onsets, reportType: types) ?? .coronaWarnApp
    }

    var json: JSON {
        func map(_ member: (Code) -> Int32) -> JSON {
            var object = JSON.Object()
            for level in Self.levels { object["\(level)"] = code(level: level).map { .int(Int64(member($0))) } }
            return .object(object)
        }
        return ["daysSinceOnset": map(\.daysSinceOnset), "reportType": map(\.reportType)]
    }
}
