// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The few operations that the vault needs of a file system, each of which can fail, so that a test can stop between
/// any two of them.
///
/// What was written is certain to survive a power cut only after ``sync(_:)`` of the file; what was created, renamed
/// or removed only after ``syncFolder()``. Until then any subset of the writes may survive, in any order. Names are
/// plain file names within one folder. Not thread-safe; it has one owner.
public protocol StorageMedium: AnyObject {
    /// Returns the names of all files in the folder, without subfolders, in no particular order. Throws `failed` when
    /// the folder cannot be read.
    func names() throws(StorageFailure) -> [String]
    /// Returns the bytes of a file; `nil` when there is none of this name. Throws `tooLarge` when it has more than
    /// `limit` bytes, and `failed` when it cannot be read.
    func read(_ name: String, limit: Int) throws(StorageFailure) -> [UInt8]?
    /// Returns the number of bytes of a file; 0 when there is none of this name, or it cannot be told.
    func byteCount(_ name: String) -> Int
    /// Writes `bytes` at `offset`, which must not be negative; creates the file when there is none. Throws `full`
    /// without space, `readOnly` when the file system cannot be written to, and `failed` otherwise; a part may then
    /// be written.
    func write(_ bytes: [UInt8], to name: String, at offset: Int) throws(StorageFailure)
    /// Cuts the file to `length` bytes, 0 or more, or extends it with zeros. Throws `failed` when there is no file
    /// of this name, and other ``StorageFailure``s when the file system refuses.
    func truncate(_ name: String, to length: Int) throws(StorageFailure)
    /// Waits until everything written to the file so far is durable. Throws `failed` when there is no file of this
    /// name, and other ``StorageFailure``s when the file system refuses.
    func sync(_ name: String) throws(StorageFailure)
    /// Renames a file, replacing a file of the new name. Throws `failed` when there is no file of the old name, and
    /// other ``StorageFailure``s when the file system refuses.
    func rename(_ name: String, to newName: String) throws(StorageFailure)
    /// Removes the file; does nothing when there is none of this name. Throws ``StorageFailure`` when the file system
    /// refuses.
    func remove(_ name: String) throws(StorageFailure)
    /// Waits until all creations, renamings and removals so far are durable. Throws ``StorageFailure`` when the file
    /// system refuses.
    func syncFolder() throws(StorageFailure)
    /// The number of bytes written by ``write(_:to:at:)`` since the medium was opened, 0 or more.
    var bytesWritten: UInt64 { get }
    /// The free and total space; `nil` when the medium cannot tell.
    var room: StorageRoom? { get }
}

extension StorageMedium {
    /// The space of a medium that cannot tell it: always `nil`.
    public var room: StorageRoom? { nil }

    /// That of a medium that cannot tell it without reading.
    public func byteCount(_ name: String) -> Int { ((try? read(name, limit: .max)) ?? nil)?.count ?? 0 }
}

/// The free and total space of a file system, in bytes, and how many files it still takes.
public struct StorageRoom: Sendable, Equatable {
    /// The number of bytes that this process may still use, 0 or more, without the bytes that are reserved for root.
    public let free: UInt64
    /// The total number of bytes of the file system, used or free; 0 or more.
    public let size: UInt64

    /// The number of files that may still be created (inodes), 0 or more; `nil` where the file system has no such limit.
    public let freeFiles: UInt64?

    /// Creates the space from these numbers, which are not checked.
    public init(free: UInt64, size: UInt64, freeFiles: UInt64? = nil) {
        self.free = free
        self.size = size
        self.freeFiles = freeFiles
    }
}

/// A refusal of the file system, such as a full or read-only disk. Two failures are equal when their codes are.
public struct StorageFailure: CodedError {
    /// The class of a failure, by what the vault can do about it.
    public enum Code: String, Sendable {
        /// No space is left; preallocated files can still be written.
        case full
        /// The file system is read-only, which kernels set when a card fails.
        case readOnly
        /// Another failure: reading or writing failed, there is no such file, or the vault was reset.
        case failed
        /// The file is larger than its limit, or would become so.
        case tooLarge
        /// A simulated power cut in a test; every later operation fails with it too.
        case cut
    }

    /// The class of the failure, by what a vault can do about it.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The operation or file that failed, with the system's reason; may be empty. It can name files and has nothing
    /// of their content.
    public let detail: String

    /// Creates a failure; `detail` is for logs and must have nothing of the content of files.
    public init(_ code: Code, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.detail = detail
    }

    /// A text for logs and technicians: a sentence with the detail.
    public var description: String {
        switch code {
        case .full: return "the disk is full (\(detail))"
        case .readOnly: return "the disk cannot be written to (\(detail))"
        case .failed: return "the disk failed (\(detail))"
        case .tooLarge: return "a file is larger than it may be (\(detail))"
        case .cut: return "the power is off"
        }
    }
}
