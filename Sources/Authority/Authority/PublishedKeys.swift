// SPDX-License-Identifier: Apache-2.0

import JSON
public import KeyExport
import KeyLevels

/// From a key that was handed in to one that is stored, and to one that is published: pure functions, and the only ways there.
extension PublishingRules {
    private static let realOnsets: ClosedRange<Int32> = -14...14

    /// Returns the key as it is stored, with the sender's own onset and report type. Where keys are published by their
    /// level, a missing level is derived from the onset and a missing onset from the level
    /// (``LevelDerivation/completed(_:hasLevel:)``); the result is `nil` when both are missing, or when the level is not 1
    /// to 8. Elsewhere the key is returned unchanged.
    public func stored(_ key: ExportedKey) -> ExportedKey? {
        encodesLevels ? LevelDerivation.completed(key, hasLevel: key.transmissionRiskLevel != 0) : key
    }

    /// Returns whether keys of this transmission risk level are published: from ``minimumLevel`` on. Level 0 means
    /// that the key has no level; such keys are published only where levels are not encoded.
    public func isPublished(level: Int32) -> Bool {
        level == 0 ? !encodesLevels : filter.admits(level: level)
    }

    var filter: PublicationFilter {
        PublicationFilter(minimumLevel: Int32(clamping: minimumLevel), days: daysToPublish)
    }

    /// As a condition over the column `level`.
    var isPublishedInSQL: String { encodesLevels ? "level >= \(minimumLevel)" : "(level = 0 OR level >= \(minimumLevel))" }

    /// Returns a stored key as it appears in packages; `nil` if it is not published. Where levels are encoded, its report
    /// type and onset are the level's code. Elsewhere they are the key's own, but an onset outside -14 to 14, which is a
    /// code for a statement about symptoms, is removed. A key that was taken back keeps report type 5.
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
