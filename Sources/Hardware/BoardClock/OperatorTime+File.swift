// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls
public import TimeTrust

extension OperatorTime {
    /// Hands the time over: the file appears whole or not at all, replacing one that was not read yet. Mode 0600.
    ///
    /// Root gives the file to the owner of the folder, who could not read it otherwise. Nothing is flushed to a disk: after a
    /// power cut the file is worthless anyway. Throws `noRunFolder` or `notWritten`.
    public func write(to folder: String = defaultFolder) throws(ClockFailure) {
        let directory = try Self.open(folder: folder)
        defer { close(directory) }
        let draft = ".\(Self.fileName).\(getpid())"
        // Left by a process of the same number that died; links are not followed, but removed.
        unlinkat(directory, draft, 0)
        let file = openat(directory, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Self.failure(.notWritten) }
        var failure: ClockFailure?
        if !Self.fill(file, with: Array(line.utf8), ownedAs: directory) {
            failure = Self.failure(.notWritten)
        }
        if close(file) != 0, failure == nil { failure = Self.failure(.notWritten) }
        if failure == nil, renameat(directory, draft, directory, Self.fileName) != 0 { failure = Self.failure(.notWritten) }
        guard let failure else { return }
        unlinkat(directory, draft, 0)
        throw failure
    }

    private static func fill(_ file: Int32, with bytes: [UInt8], ownedAs directory: Int32) -> Bool {
        var status = stat()
        guard fstat(directory, &status) == 0 else { return false }
        if geteuid() == 0, fchown(file, status.st_uid, status.st_gid) != 0 { return false }
        let count = Glibc.write(file, bytes, bytes.count)
        // A short write of a hundred bytes is a full disk.
        if count >= 0, count < bytes.count { errno = ENOSPC }
        return count == bytes.count
    }

    /// Takes the time out of the folder, as of `now`: the core's side. `nil` when none was set since the last call.
    ///
    /// Except after `notRemovable`, the file is gone afterwards, whether or not it could be used: a bad one is reported once, and a good one does
    /// not bind the other clocks again and again. Links are not followed. Throws `noRunFolder`, `notReadable`, `notRemovable`, `notARegularFile`,
    /// `wrongOwner` (neither this user nor root), `tooLarge`, `malformedFile` or `anotherBoot`.
    public static func take(
        from folder: String = defaultFolder, at now: BootInstant = BoardClock.boot(),
        of bootIdentity: BootIdentity = BoardClock.bootIdentity()
    ) throws(ClockFailure) -> TrustedTime.PlausibleReading? {
        let directory = try open(folder: folder)
        defer { close(directory) }
        // Moved away first: a file that is set meanwhile is not removed unread.
        let taken = ".\(fileName).taken"
        guard renameat(directory, fileName, directory, taken) == 0 else {
            if errno == ENOENT { return nil }
            throw failure(.notRemovable)
        }
        let content = content(of: taken, in: directory)
        guard unlinkat(directory, taken, 0) == 0 || unlinkat(directory, taken, AT_REMOVEDIR) == 0 else {
            throw failure(.notRemovable)
        }
        return try OperatorTime(line: content.get()).reading(at: now, of: bootIdentity)
    }

    private static func content(of name: String, in directory: Int32) -> Result<[UInt8], ClockFailure> {
        // O_NONBLOCK: a pipe in its place would hold the core up.
        let file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else {
            return .failure(failure([ELOOP, ENXIO, ENODEV].contains(errno) ? .notARegularFile : .notReadable))
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { return .failure(failure(.notReadable)) }
        // A second name would be somebody else's file, linked here.
        guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
            return .failure(ClockFailure(.notARegularFile))
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else { return .failure(ClockFailure(.wrongOwner)) }
        guard status.st_size <= maximumByteCount else { return .failure(ClockFailure(.tooLarge)) }
        do throws(SystemError) { return .success(try WholeFile.read(file, limit: maximumByteCount)) } catch {
            return .failure(error.number == EFBIG ? ClockFailure(.tooLarge) : ClockFailure(.notReadable, error.text))
        }
    }

    private static func open(folder: String) throws(ClockFailure) -> Int32 {
        let directory = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw failure(.noRunFolder) }
        return directory
    }

    /// With what the system said just now.
    private static func failure(_ code: ClockFailure.Code) -> ClockFailure {
        ClockFailure(code, SystemError(number: errno).text)
    }
}
