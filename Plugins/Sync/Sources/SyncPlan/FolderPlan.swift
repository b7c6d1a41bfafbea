// SPDX-License-Identifier: Apache-2.0

/// The plan for a folder: every zip that was not taken before, in the order of their names.
public struct FolderPlan: SourcePlan {
    /// One file of the folder, with the facts that the folder tells.
    public struct File: Sendable, Hashable {
        /// The file's name within the folder, without a path.
        public let name: String
        /// The file's size in bytes, at least 0.
        public let byteCount: Int
        /// The moment when the file was changed last, in Unix seconds.
        public let modified: Int64

        /// A file with these facts, as they are: `byteCount` in bytes, `modified` in Unix seconds. ``FolderPlan`` sorts out
        /// names that it must not follow. Cannot fail.
        public init(name: String, byteCount: Int, modified: Int64) {
            self.name = name
            self.byteCount = byteCount
            self.modified = modified
        }
    }

    private let files: [File]
    /// The record of what was done so far; the offers follow from it.
    public var record: SourceRecord
    private let now: Int64
    /// The number of files that were left out because their names are not those of zips that may be followed, 0 or more.
    public let refusedLineCount: Int

    /// A plan for these files, of which `record` tells what became of them before. Cannot fail.
    ///
    /// - Parameter now: Unix seconds by the best clock at hand.
    public init(files: [File], now: Int64, record: SourceRecord) {
        let good = files.filter { !$0.name.contains("/") && IndexReading.isRelativeZip($0.name) }
        refusedLineCount = files.count - good.count
        self.files = good.sorted { $0.name < $1.name }
        self.now = now
        self.record = record
    }

    /// The path of the next index, always `nil`: a folder has no index. Cannot fail.
    public mutating func nextIndex() -> String? { nil }
    /// Does nothing, and never throws: a folder has no index.
    public mutating func take(_ body: [UInt8]?) throws(IndexFault) {}

    /// The files to take, in the order of names; empty if there are none. A file with another size or time than before is
    /// another file. Cannot fail.
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
