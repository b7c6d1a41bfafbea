// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// Small files, read whole up to a limit, and replaced whole: whoever reads one never sees half of it.
///
/// All calls block. A signal does not interrupt them. They fail with the `errno` of the call that failed.
package enum WholeFile {
    /// What a file has to be, or it is not read.
    package struct Demands: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// An ordinary file: `EINVAL` for a pipe, a device or a socket, at once. Files of `/proc` and `/sys` are ordinary. Without it a pipe is
        /// waited for, as people expect who name one on the command line.
        package static let ordinary = Demands(rawValue: 1)
        /// The last part of the path is no link: `ELOOP`.
        package static let noLink = Demands(rawValue: 2)
    }

    /// What a file replaced by ``replace(_:with:mode:_:)`` has to outlast.
    package enum Lasting {
        /// The process. For folders in memory, and for what is worthless after a power cut.
        case process
        /// A power cut from the moment the call returns; before, the old file or the new one is there.
        case powerCut
    }

    /// The whole file at `path`. Throws `EFBIG` when it has more than `limit` bytes (0 or more), whatever its size was said to be; `EISDIR` for a folder.
    /// Uses memory for its bytes, and never for more than twice the limit.
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

    /// What follows in an open file, up to its end. Throws `EFBIG` when that is more than `limit` bytes, and `EAGAIN` where it would have to wait.
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

    /// Puts a file of these bytes in the place of `path`, which may be there or not. When it throws, what was there before stays, unless the last
    /// step failed: telling the disk of a name that is in place already.
    ///
    /// `mode` are the file's rights from its first moment on, whatever the process's umask takes away; so nobody else reads a secret, however briefly.
    /// The bytes lie in `draft` meanwhile, a path in the same folder (`path` with `.new` behind it); a draft that a dead process left is removed,
    /// so two must not write the same draft at once.
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

    /// As for memory that is held already.
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

    /// Names that were made, moved or removed in the folder of `path` are on the disk when this returns. A file system that cannot do that
    /// (`EINVAL`: some of networks) is no failure.
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
