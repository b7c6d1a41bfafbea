// SPDX-License-Identifier: Apache-2.0

/// The plan for a folder: all zip files that were not taken before, in the order of their names.
public struct FolderPlan: SourcePlan {
    /// One file of the folder.
    public struct File: Sendable, Hashable {
        /// The file's name within the folder, without a path.
        public let name: String
        /// The file's size in bytes, at least 0.
        public let byteCount: Int
        /// The time at which the file was last changed, in Unix seconds.
        public let modified: Int64

        /// Creates a file of these values, unchecked: `byteCount` in bytes, `modified` in Unix seconds. ``FolderPlan``
        /// leaves out files whose names are not acceptable. Cannot fail.
        public init(name: String, byteCount: Int, modified: Int64) {
            self.name = name
            self.byteCount = byteCount
            self.modified = modified
        }
    }

    private let files: [File]
    /// The record of the source's packages, from which the offers follow.
    public var record: SourceRecord
    private let now: Int64
    /// The number of files that were left out because their names are not acceptable zip names
    /// (``IndexReading/isRelativeZip(_:)``); 0 or more.
    public let refusedLineCount: Int

    /// Creates a plan for `files`, with the `record` of earlier runs. Files whose names are not acceptable zip
    /// names are left out and counted in ``refusedLineCount``. Cannot fail.
    ///
    /// - Parameter now: The time in Unix seconds by the best clock at hand.
    public init(files: [File], now: Int64, record: SourceRecord) {
        let good = files.filter { !$0.name.contains("/") && IndexReading.isRelativeZip($0.name) }
        refusedLineCount = files.count - good.count
        self.files = good.sorted { $0.name < $1.name }
        self.now = now
        self.record = record
    }

    /// Returns `nil`, because a folder has no index. Cannot fail.
    public mutating func nextIndex() -> String? { nil }
    /// Does nothing, and never throws: a folder has no index.
    public mutating func take(_ body: [UInt8]?) throws(IndexFault) {}

    /// Returns the files to take, in the order of their names; empty if there are none. A file whose size or time has
    /// changed counts as a new file. Cannot fail.
    public func offers() -> [PackageOffer] {
        files.compactMap { file in
            // A file that was replaced is another one.
            let id = "\(file.name)?\(file.byteCount)-\(file.modified)"
            guard record.wants(id, at: now) else { return nil }
            let name = IndexPlan.FileName(file.name)
            return PackageOffer(
                id: id, path: "/" + file.name, start: name?.start ?? 0, end: name?.end ?? 0, batch: name?.batch)
        }
    }
}
