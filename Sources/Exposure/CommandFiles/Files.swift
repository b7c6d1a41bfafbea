// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
public import Glibc
public import Trust

/// Small files of a command: keys, configurations, results.
public enum Files {
    /// Reads a file of at most `limit` bytes; uses memory for `limit` bytes, and for the content once more. Blocks. Throws when it
    /// cannot be opened or read, or is larger.
    public static func read(_ path: String, limit: Int) throws(InputError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw InputError.system(path, "open it") }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var total = 0
        while total < bytes.count {
            let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + total, $0.count - total) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw InputError.system(path, "read it") }
            if count == 0 { break }
            total += count
        }
        guard total <= limit else { throw InputError(file: path, "is larger than \(limit) bytes") }
        return Array(bytes.prefix(total))
    }

    /// Writes a new file completely or not at all, and replaces one of that name: beside its place first, synced, renamed,
    /// the folder synced. Blocks.
    ///
    /// `mode` is the file's from its first moment on, so a private key is never readable by others, however briefly. Throws
    /// with the system's words; then what was there before stays.
    public static func write(_ bytes: UnsafeRawBufferPointer, to path: String, mode: mode_t = 0o644) throws(InputError) {
        let temporary = "\(path).\(getpid()).partial"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw InputError.system(path, "create it") }
        var failure: InputError?
        var total = 0
        while total < bytes.count, failure == nil {
            let count = Glibc.write(descriptor, bytes.baseAddress! + total, bytes.count - total)
            if count < 0, errno == EINTR { continue }
            if count < 0 { failure = .system(path, "write it") } else { total += count }
        }
        if failure == nil, fsync(descriptor) != 0 { failure = .system(path, "write it") }
        close(descriptor)
        if failure == nil, rename(temporary, path) != 0 { failure = .system(path, "put it in place") }
        if let failure {
            unlink(temporary)
            throw failure
        }
        // The new name is durable once the folder is; a folder that cannot be synced (some network file systems) is no error.
        let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
    }

    /// As for memory that is held already; throws the same.
    public static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o644) throws(InputError) {
        let result: Result<Void, InputError> = bytes.withUnsafeBytes { bytes in
            do throws(InputError) { return .success(try write(bytes, to: path, mode: mode)) } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// The name of a key: "310-v1" is id 310, version v1, with the last dash as border; without a dash everything is the
    /// id.
    public static func keyName(_ text: String) -> KeyName {
        guard let dash = text.lastIndex(of: "-") else { return KeyName(id: text, version: "") }
        return KeyName(id: String(text[..<dash]), version: String(text[text.index(after: dash)...]))
    }
}
