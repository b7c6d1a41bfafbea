// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// Reads small files completely, up to a limit, and replaces them completely, so that a reader never sees a part of
/// a file.
///
/// All calls block, and signals do not interrupt them. They throw the `errno` of the call that failed, or the one
/// that is named with the rule they enforce.
package enum WholeFile {
    /// The conditions that a file must meet to be read.
    package struct Demands: OptionSet, Sendable {
        /// One bit for each condition: 1 for ``ordinary``, 2 for ``noLink``.
        package let rawValue: Int

        /// Creates a set from its bits; bits without a condition have no effect.
        package init(rawValue: Int) { self.rawValue = rawValue }

        /// The file is an ordinary one, which includes those of `/proc` and `/sys`. A folder, a pipe or a device
        /// fails at once with `EINVAL`, a socket with `ENXIO`. Without this condition a pipe is read to its end, as
        /// users expect of one that they name on the command line.
        package static let ordinary = Demands(rawValue: 1)
        /// The last part of the path is not a symbolic link; otherwise reading fails with `ELOOP`.
        package static let noLink = Demands(rawValue: 2)
    }

    /// The event that a file written by ``replace(_:with:mode:_:)`` has to survive.
    package enum Lasting {
        /// The end of the process. For folders in memory, and for files that are of no use after a power cut.
        case process
        /// A power cut after the call has returned. A power cut during the call leaves the old file or the new one.
        case powerCut
    }

    /// Returns the content of the file at `path`. Throws `EFBIG` if it has more than `limit` bytes (0 or more, less
    /// than `Int.max`), no matter which size the system reports, and `EISDIR` for a folder (`EINVAL` with
    /// ``Demands/ordinary``). Uses memory in proportion to the content, not to the limit.
    package static func read(_ path: String, limit: Int, _ demands: Demands = []) throws(SystemError) -> [UInt8] {
        var flags = O_RDONLY | O_CLOEXEC | O_NOCTTY
        if demands.contains(.ordinary) { flags |= O_NONBLOCK }
        if demands.contains(.noLink) { flags |= O_NOFOLLOW }
        let descriptor = try SystemCall.descriptor { open(path, flags) }.get()
        defer { close(descriptor) }
        if demands.contains(.ordinary) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw SystemError(number: errno) }
            guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(number: EINVAL) }
        }
        return try read(descriptor, limit: limit)
    }

    /// Returns the bytes of an open descriptor from its present position to the end; the descriptor stays open.
    /// Throws `EFBIG` if there are more than `limit` bytes (0 or more, less than `Int.max`), and `EAGAIN` if a
    /// non-blocking descriptor has no bytes yet; the bytes read before that are lost.
    package static func read(_ descriptor: Int32, limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(limit + 1, 16_384))
        while true {
            let outcome = SystemCall.retrying {
                buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            }
            let count = try outcome.count()
            if count == 0 { return bytes }
            guard bytes.count + count <= limit else { throw SystemError(number: EFBIG) }
            bytes += buffer[..<count]
        }
    }

    /// Writes a file with these bytes to `path`, replacing any that is there; a symbolic link is replaced and not
    /// followed. If this throws, the previous file is unchanged, unless the last step failed, which writes the
    /// folder to the disk when the new file is already in place.
    ///
    /// `mode` gives the permissions from the first moment on, independent of the umask, so nobody else can read a
    /// secret even briefly. The bytes are first written to `draft`, a path in the same folder (by default `path`
    /// followed by `.new`). `lasting` says what the file has to survive, by default a power cut. A draft left by an
    /// earlier process is removed, so two writers must not use the same draft at once.
    package static func replace(
        _ path: String, with bytes: UnsafeRawBufferPointer, mode: mode_t, _ lasting: Lasting = .powerCut,
        draft: String? = nil
    ) throws(SystemError) {
        let draft = draft ?? path + ".new"
        unlink(draft)
        let descriptor = try SystemCall.descriptor {
            open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        }.get()
        do throws(SystemError) {
            defer { close(descriptor) }
            try check(fchmod(descriptor, mode))
            try check(SystemCall.writeAll(descriptor, bytes))
            if lasting == .powerCut { try check(fsync(descriptor)) }
            try check(rename(draft, path))
        } catch {
            unlink(draft)
            throw error
        }
        if lasting == .powerCut { try syncFolder(of: path) }
    }

    /// Writes a file with the bytes of an array; otherwise the same as for a buffer.
    package static func replace(
        _ path: String, with bytes: [UInt8], mode: mode_t, _ lasting: Lasting = .powerCut, draft: String? = nil
    ) throws(SystemError) {
        let result: Result<Void, SystemError> = bytes.withUnsafeBytes { bytes in
            do throws(SystemError) {
                return .success(try replace(path, with: bytes, mode: mode, lasting, draft: draft))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Writes the folder of `path` to the disk, so that names created, moved or removed in it survive a power cut. A file
    /// system that cannot do this (`EINVAL`, as with some network file systems) is not an error.
    package static func syncFolder(of path: String) throws(SystemError) {
        let end = path.lastIndex(of: "/")
        let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = try SystemCall.descriptor { open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }.get()
        defer { close(descriptor) }
        guard fsync(descriptor) != 0, errno != EINVAL else { return }
        throw SystemError(number: errno)
    }

    /// For calls that give 0, -1 with `errno`, or the error itself.
    private static func check(_ result: Int32) throws(SystemError) {
        guard result != 0 else { return }
        throw SystemError(number: result < 0 ? errno : result)
    }
}

extension SystemCall.Outcome {
    /// The value of a call that must not wait; what is not `done` is thrown.
    fileprivate func count() throws(SystemError) -> Int {
        switch self {
        case .done(let count): return count
        case .wait: throw SystemError(number: EAGAIN)
        case .failed(let number): throw SystemError(number: number)
        }
    }
}
