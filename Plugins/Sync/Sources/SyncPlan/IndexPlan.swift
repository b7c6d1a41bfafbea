// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// The plan of the files to fetch from an exposure-notifications-server: all files of its list that are not here yet,
/// oldest first.
///
/// Names are `ROOT/START-END-NUMBER.zip` with times in Unix seconds; files whose names differ only in the number may be
/// parts of one batch.
public struct IndexPlan: SourcePlan {
    private let now: Int64
    /// The record of the source's packages, from which the offers follow.
    public var record: SourceRecord
    private let indexPath: String
    private var wasAsked = false
    private var paths: [String] = []
    /// The same as a set; `nil` before the list came.
    private var listed: Set<String>?
    private var listedBatches: Set<String> = []
    /// The number of lines of the list that were left out because they are not paths of key files that may be followed; 0
    /// before the list came.
    public private(set) var refusedLineCount = 0
    /// Whether the newest file of the list ends before one that is here already; a list without times in its names
    /// counts as one that ends seven days ago. `false` before the list was taken.
    public private(set) var isOlder = false

    /// Creates a plan, which asks for the list first. Cannot fail.
    ///
    /// - Parameters:
    ///   - indexPath: The path of the list, appended to the source's base after a slash.
    ///   - now: The time in Unix seconds by the best clock at hand.
    ///   - record: The record of the source's packages from earlier runs.
    public init(indexPath: String, now: Int64, record: SourceRecord) {
        self.indexPath = indexPath
        self.now = now
        self.record = record
    }

    /// Returns the path of the list at the first call, and `nil` afterwards.
    public mutating func nextIndex() -> String? {
        guard !wasAsked else { return nil }
        wasAsked = true
        return "/" + indexPath
    }

    /// Takes the body of the list.
    /// - Throws: `IndexFault` if the server does not have the list (`nil`), it has more than
    ///   ``IndexReading/maximumListBytes``, or it has lines of which none is an acceptable path of a key file.
    public mutating func take(_ body: [UInt8]?) throws(IndexFault) {
        guard let body else { throw IndexFault("the list of key files is not there") }
        (paths, refusedLineCount) = try IndexReading.paths(body)
        listed = Set(paths)
        listedBatches = Set(paths.compactMap { FileName($0)?.batch })
        let newest = paths.compactMap { FileName($0)?.end }.max() ?? now - SourceSettings.publishedDays * UTCDay.seconds
        isOlder = record.packages.contains { id, package in
            package.state == .accepted && package.end > newest && FileName(id) != nil
        }
    }

    /// Returns whether a path is in the list, or another file of its batch: a part that was forgotten because a list broke off
    /// within its batch could never be provided again without the others. `true` for every path before the list came.
    public func mayOffer(_ id: String) -> Bool {
        guard let listed else { return true }
        return listed.contains(id) || (FileName(id).map { listedBatches.contains($0.batch) } ?? false)
    }

    /// Returns the files of the list to fetch, in its order: those that are not known yet, and refused ones whose
    /// next try is due, with the refused ones of the same batch. Files that ended more than 15 days ago are left
    /// out. Empty before the list was taken. Cannot fail.
    public func offers() -> [PackageOffer] {
        // A batch is provided whole or not at all: with one file of it, those that wait for another try come along.
        let batches = Set(paths.filter { record.wants($0, at: now) }.compactMap { FileName($0)?.batch })
        return paths.compactMap { path in
            let name = FileName(path)
            let isOld = name.map { $0.end < now - (SourceSettings.historyDays + 1) * UTCDay.seconds } ?? false
            let isRefused = record.packages[path]?.state == .refused
            let comesAlong = isRefused && name.map { batches.contains($0.batch) } == true
            guard !isOld, comesAlong || record.wants(path, at: now) else { return nil }
            return PackageOffer(
                id: path, path: "/" + path, start: name?.start ?? 0, end: name?.end ?? 0, batch: name?.batch)
        }
    }

    /// What a file's name tells.
    struct FileName {
        let start: Int64
        let end: Int64
        /// Everything but the number.
        let batch: String

        init?(_ path: String) {
            let stem = path.dropLast(4)
            let last = stem.split(separator: "/").last ?? ""
            let parts = last.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 3, let start = Self.number(parts[0]), let end = Self.number(parts[1]),
                start < end, Self.number(parts[2]) != nil
            else { return nil }
            self.start = start
            self.end = end
            batch = String(stem.dropLast(parts[2].count + 1))
        }

        private static func number(_ text: Substring) -> Int64? {
            guard (1...12).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
            return Int64(text)
        }
    }
}
