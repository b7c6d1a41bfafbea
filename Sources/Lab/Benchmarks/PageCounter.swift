// SPDX-License-Identifier: Apache-2.0

import Vault

/// A medium that counts the pages its writes touch: flash is written by the page, however little of it changes. What the file system
/// writes for itself (journal, inodes) is not in it.
final class PageCounter: StorageMedium {
    private static let pageByteCount = 4_096

    private let medium: any StorageMedium
    /// Pages of file contents written so far.
    private(set) var pages = 0

    init(_ medium: any StorageMedium) { self.medium = medium }

    var bytesWritten: UInt64 { medium.bytesWritten }

    func write(_ bytes: [UInt8], to name: String, at offset: Int) throws(StorageFailure) {
        try medium.write(bytes, to: name, at: offset)
        guard !bytes.isEmpty else { return }
        pages += (offset + bytes.count - 1) / Self.pageByteCount - offset / Self.pageByteCount + 1
    }

    func names() throws(StorageFailure) -> [String] { try medium.names() }
    func read(_ name: String, limit: Int) throws(StorageFailure) -> [UInt8]? { try medium.read(name, limit: limit) }
    func truncate(_ name: String, to length: Int) throws(StorageFailure) { try medium.truncate(name, to: length) }
    func sync(_ name: String) throws(StorageFailure) { try medium.sync(name) }
    func rename(_ name: String, to newName: String) throws(StorageFailure) { try medium.rename(name, to: newName) }
    func remove(_ name: String) throws(StorageFailure) { try medium.remove(name) }
    func syncFolder() throws(StorageFailure) { try medium.syncFolder() }
}
