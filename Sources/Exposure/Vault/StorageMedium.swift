// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The few things the vault asks of a file system, named so that each can fail, and so that a test can stop between any two.
///
/// What was written is certain to survive a power cut only after ``sync(_:)`` of the file; what was created, renamed or removed only
/// after ``syncFolder()``. Until then any subset of the writes may be there after the cut, in any order. Names are plain file names
/// within one folder. Not thread-safe; one owner.
public protocol StorageMedium: AnyObject {
    /// All names in the folder, of files only, in no order. Throws `failed` when the folder cannot be read.
    func names() throws(StorageFailure) -> [String]
    /// Bytes of a file, or `nil` when there is none of this name. Throws `tooLarge` when it has more than `limit` bytes, and `failed` when it
    /// cannot be read.
    func read(_ name: String, limit: Int) throws(StorageFailure) -> [UInt8]?
    /// Creates the file when it is not there, and writes `bytes` at `offset`, which is not negative. Throws `full`,
    /// `readOnly` or `failed`; after a throw part of it may be there.
    func write(_ bytes: [UInt8], to name: String, at offset: Int) throws(StorageFailure)
    /// Cuts the file to `length` bytes, 0 or more. Throws `failed` when there is none of this name, or what the file system
    /// refuses.
    func truncate(_ name: String, to length: Int) throws(StorageFailure)
    /// Returns when every write to the file so far is durable. Throws `failed` when there is none of this name, or what the
    /// file system refuses.
    func sync(_ name: String) throws(StorageFailure)
    /// Renames, replacing what had the new name. Throws `failed` when there is no file of the old one, or what the file
    /// system refuses.
    func rename(_ name: String, to newName: String) throws(StorageFailure)
    /// Removes the file; does nothing when there is none of this name. Throws ``StorageFailure`` when the file system
    /// refuses.
    func remove(_ name: String) throws(StorageFailure)
    /// Returns when every creation, renaming and removal so far is durable. Throws ``StorageFailure`` when the file system
    /// refuses.
    func syncFolder() throws(StorageFailure)
    /// Bytes handed to ``write(_:to:at:)`` since the medium was opened, 0 or more.
    var bytesWritten: UInt64 { get }
    /// The room that there is; `nil` where the medium cannot say.
    var room: StorageRoom? { get }
}

extension StorageMedium {
    /// The room of media that do not say: always `nil`.
    public var room: StorageRoom? { nil }
}

/// The room on a file system, in bytes.
public struct StorageRoom: Sendable, Equatable {
    /// Bytes that this process may still take, 0 or more: what is reserved for root is not in it.
    public let free: UInt64
    /// Bytes of the file system in all, taken or free; 0 or more.
    public let size: UInt64

    /// The room of these numbers, both in bytes; unchecked.
    public init(free: UInt64, size: UInt64) {
        self.free = free
        self.size = size
    }
}

/// A refusal of the file system, such as a full or read-only disk. Equal by code.
public struct StorageFailure: CodedError {
    /// The class of the failure, by what a vault can do about it.
    public enum Code: String, Sendable {
        /// No space left: what is preallocated can still be written.
        case full
        /// The file system became read-only, which kernels do when a card fails.
        case readOnly
        /// Anything else: reading or writing failed, there is no such file, or the vault was reset.
        case failed
        /// The file is larger than it may be, or would become so.
        case tooLarge
        /// The simulated power cut: nothing after it happens.
        case cut
    }

    /// The class of the failure, by what a vault can do about it.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The operation or file that failed, with the system's reason; perhaps empty. Names files, holds nothing of their content.
    public let detail: String

    /// A failure; `detail` is for logs and must hold nothing of files' content.
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
