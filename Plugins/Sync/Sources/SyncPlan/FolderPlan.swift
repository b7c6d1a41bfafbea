// SPDX-License-Identifier: Apache-2.0

/// Which files of a folder to take: every zip that was not taken before, in the order of their names.
public struct FolderPlan: SourcePlan {
    /// A file as the folder lists it.
    public struct File: Sendable, Hashable {
        public let name: String
        public let byteCount: Int
        /// Unix seconds.
        public let modified: Int64

        public init(name: String, byteCount: Int, modified: Int64) {
            self.name = name
            self.byteCount = byteCount
            self.modified = modified
        }
    }

    private let files: [File]
    public var record: SourceRecord
    private let now: Int64
    public let refusedLineCount: Int

    public init(files: [File], now: Int64, record: SourceRecord) {
        let good = files.filter { !$0.name.contains("/") && IndexReading.isRelativeZip($0.name) }
        refusedLineCount = files.count - good.count
        self.files = good.sorted { $0.name < $1.name }
        self.now = now
        self.record = record
    }

    public mutating func nextIndex() -> String? { nil }
    public mutating func take(_ body: [UInt8]?) throws(IndexFault) {}

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
