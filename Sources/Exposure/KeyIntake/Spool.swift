// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import SystemCalls

/// A folder in which a caller puts files that it names in its calls. The reader has rights that the caller lacks, so
/// nothing here may lead out of the folder: paths and links are refused, and only regular files are opened.
///
/// The folder is opened once and stays the same, whatever happens to its path. Not thread-safe; it has one owner.
public final class Spool {
    /// A file of the spool, open for reading and closed with this object. Used by one thread at a time.
    public final class File {
        /// The plain name within the folder, as the caller gave it.
        public let name: String
        /// The file descriptor, open for reading; this object owns and closes it.
        public let descriptor: Int32
        /// The size of the file in bytes when it was opened, at most the limit that was given.
        public let byteCount: UInt64

        init(name: String, descriptor: Int32, byteCount: UInt64) {
            self.name = name
            self.descriptor = descriptor
            self.byteCount = byteCount
        }

        deinit { close(descriptor) }
    }

    let folder: Int32
    let owner: uid_t

    /// Opens the folder at `path`, which may lead through links, because the administrator of the board chose it.
    /// Throws `unreadable` when it cannot be opened or is not a folder.
    public init(path: String) throws(IntakeFailure) {
        let folder = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw IntakeFailure(.unreadable, file: path, SystemCall.text(errno)) }
        var status = stat()
        guard fstat(folder, &status) == 0 else {
            let error = errno
            close(folder)
            throw IntakeFailure(.unreadable, file: path, SystemCall.text(error))
        }
        self.folder = folder
        owner = status.st_uid
    }

    deinit { close(folder) }

    /// Whether `name` is allowed for a file of the spool: 1 to 255 bytes, without slashes and control characters, and
    /// neither `.` nor `..`.
    public static func isLegal(_ name: String) -> Bool {
        let bytes = name.utf8
        guard (1...255).contains(bytes.count), name != ".", name != ".." else { return false }
        return bytes.allSatisfy { $0 != UInt8(ascii: "/") && $0 >= 0x20 && $0 != 0x7f }
    }

    /// Opens the file `name`. It never waits, never follows a link, and never opens a file whose reading has an
    /// effect.
    ///
    /// A file of another user is accepted only when it has no other name, because then that user put it here. A file
    /// with further names may be a hard link to a file that the caller cannot read but the core can; only the owner
    /// of the folder may have such files.
    ///
    /// - Throws: `illegalName` when ``isLegal(_:)`` refuses the name; `noSuchFile`; `symbolicLink`; `notARegularFile`
    ///   for folders, pipes, sockets, devices and mount points; `anotherOwnersFile` for a hard link to a file of
    ///   another user; `fileTooLarge` above `maximumByteCount` bytes; and `unreadable` with the system's reason.
    public func open(_ name: String, maximumByteCount: UInt64) throws(IntakeFailure) -> File {
        guard Self.isLegal(name) else { throw IntakeFailure(.illegalName, file: name) }
        let descriptor = vigil_open_beneath(folder, name)
        guard descriptor >= 0 else {
            let code: IntakeFailure.Code =
                switch -descriptor {
                case ENOENT: .noSuchFile
                case ELOOP: .symbolicLink
                // A socket cannot be opened; neither can a device that is not there.
                case ENXIO, ENODEV: .notARegularFile
                // Another file system is mounted over it.
                case EXDEV: .notARegularFile
                default: .unreadable
                }
            throw IntakeFailure(code, file: name, code == .unreadable ? SystemCall.text(-descriptor) : "")
        }
        var status = stat()
        let isRead = fstat(descriptor, &status) == 0
        let failure: IntakeFailure? =
            if !isRead {
                IntakeFailure(.unreadable, file: name, SystemCall.text(errno))
            } else if status.st_mode & S_IFMT != S_IFREG {
                IntakeFailure(.notARegularFile, file: name)
            } else if status.st_uid != owner, status.st_nlink > 1 {
                IntakeFailure(.anotherOwnersFile, file: name)
            } else if UInt64(clamping: status.st_size) > maximumByteCount {
                IntakeFailure(.fileTooLarge, file: name, "\(status.st_size) bytes, and \(maximumByteCount) are allowed")
            } else {
                nil
            }
        if let failure {
            close(descriptor)
            throw failure
        }
        return File(name: name, descriptor: descriptor, byteCount: UInt64(clamping: status.st_size))
    }
}
