// SPDX-License-Identifier: Apache-2.0

/// A folder in memory, for a board whose disk cannot be used at all. The beacon goes on, and what is stored is kept
/// until the process ends. Used by one thread at a time.
public final class MemoryStorage: StorageMedium {
    private var files: [String: [UInt8]] = [:]
    /// The number of bytes passed to ``write(_:to:at:)`` so far, 0 or more.
    public private(set) var bytesWritten: UInt64 = 0

    /// Creates a folder without files.
    public init() {}

    /// Returns the names of all files in no particular order; empty if there are none. Never throws.
    public func names() throws(StorageFailure) -> [String] { Array(files.keys) }

    /// Returns the bytes of a file; `nil` when there is none of this name. Throws `tooLarge` when it has more than
    /// `limit` bytes.
    public func read(_ name: String, limit: Int) throws(StorageFailure) -> [UInt8]? {
        guard let bytes = files[name] else { return nil }
        guard bytes.count <= limit else { throw StorageFailure(.tooLarge, name) }
        return bytes
    }

    /// Writes `bytes` at `offset`, which must not be negative; creates the file when there is none, and fills a gap
    /// with zeros. Never throws.
    public func write(_ bytes: [UInt8], to name: String, at offset: Int) throws(StorageFailure) {
        var content = files[name] ?? []
        if content.count < offset + bytes.count {
            content += [UInt8](repeating: 0, count: offset + bytes.count - content.count)
        }
        content.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
        files[name] = content
        bytesWritten += UInt64(bytes.count)
    }

    /// Cuts the file to `length` bytes, 0 or more, or extends it with zeros. Throws `failed` when there is no file of
    /// this name.
    public func truncate(_ name: String, to length: Int) throws(StorageFailure) {
        guard let content = files[name] else { throw StorageFailure(.failed, name) }
        files[name] = Array(content.prefix(length)) + [UInt8](repeating: 0, count: max(0, length - content.count))
    }

    /// Does nothing; throws `failed` when there is no file of this name.
    public func sync(_ name: String) throws(StorageFailure) {
        guard files[name] != nil else { throw StorageFailure(.failed, name) }
    }

    /// Renames a file, replacing a file of the new name. Throws `failed` when there is no file of the old name.
    public func rename(_ name: String, to newName: String) throws(StorageFailure) {
        guard let content = files.removeValue(forKey: name) else { throw StorageFailure(.failed, name) }
        files[newName] = content
    }

    /// Removes the file, if there is one; never throws.
    public func remove(_ name: String) throws(StorageFailure) { files[name] = nil }

    /// Does nothing, since memory has no power cuts of its own; never throws.
    public func syncFolder() throws(StorageFailure) {}
}
