// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import SystemCalls

/// A folder into which a caller puts files and names them. Who reads them has rights the caller lacks, so nothing here may lead out of
/// the folder: no path, no link, nothing but regular files.
///
/// The folder is opened once and stays the one it was, whatever happens to its path. Not thread-safe; one owner.
public final class Spool {
    /// A file of the spool, open for reading; closed with this value. One thread at a time.
    public final class File {
        /// The plain name within the folder, as the caller gave it.
        public let name: String
        /// File descriptor, open for reading; owned and closed by this value.
        public let descriptor: Int32
        /// Bytes at the moment of opening, at most what was allowed; reading goes no further.
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

    /// Opens the folder at `path`, which itself may be reached through links: who configures the board chose it. Throws
    /// `unreadable` when it cannot be opened, or is no folder.
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

    /// Whether `name` can name a file here: 1 to 255 bytes, no slash, no control character, neither `.` nor `..`.
    public static func isLegal(_ name: String) -> Bool {
        let bytes = name.utf8
        guard (1...255).contains(bytes.count), name != ".", name != ".." else { return false }
        return bytes.allSatisfy { $0 != UInt8(ascii: "/") && $0 >= 0x20 && $0 != 0x7f }
    }

    /// Opens the file called `name`. Never waits, never follows a link, never opens anything that reading could set off.
    ///
    /// A file of another user is taken when this is its only name: then somebody put it here. With further names it may be a link to
    /// something the caller cannot read but the core can, and only who owns the folder may have such.
    ///
    /// - Throws: `illegalName`, `noSuchFile`, `symbolicLink`, `notARegularFile`, `anotherOwnersFile`, `fileTooLarge` above
    ///   `maximumByteCount` bytes, and `unreadable` with the system's words.
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
