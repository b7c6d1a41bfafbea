// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls
public import TimeTrust

extension OperatorTime {
    /// Writes the time into the run folder, as a file of mode 0600 that appears completely or not at all. Replaces
    /// an earlier time that has not been read.
    ///
    /// Root gives the file to the owner of the folder, who could otherwise not read it. Nothing is flushed to a
    /// disk, because the file is of no use after a power cut. Throws `noRunFolder` if the folder cannot be opened,
    /// and `notWritten` if the file cannot be created, written, given to that owner or renamed.
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

    /// Reads the time that a person has set, as of `now`, and removes its file; for the core. The uncertainty is
    /// 100 ppm of the time since then (docs/time.md). Returns `nil` if no time was set since the last call.
    ///
    /// The file is removed whether or not it can be used, so a bad one is reported only one time, and a good one
    /// does not override the other clocks again and again. Links are not followed. Throws `noRunFolder` if the
    /// folder cannot be opened; `notRemovable` if the file cannot be removed, which is the only case in which it
    /// may stay; `notReadable` if it cannot be read; `notARegularFile` if it is a link, has a second name or is not
    /// an ordinary file; `wrongOwner` if it belongs to neither this user nor root; `tooLarge` above 4,096 bytes;
    /// `malformedFile` if its content is damaged, its time is outside 2020 to 9999, or it was set after `now`; and
    /// `anotherBoot` if it was written in another boot.
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
