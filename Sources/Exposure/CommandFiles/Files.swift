// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
public import Glibc
import SystemCalls
public import Trust

/// Reads and writes the small files of a command: keys, configurations, results.
public enum Files {
    /// Returns the content of a file of at most `limit` bytes, 0 or more; uses memory for at most twice the limit.
    /// Blocks. Throws ``InputError`` with the path when the file cannot be opened or read, is a folder, or is larger.
    ///
    /// - Parameter isOrdinary: Whether a pipe and a device are refused as well, at once. Otherwise a pipe is waited for, as users expect of one that they
    ///   name on the command line.
    public static func read(_ path: String, limit: Int, isOrdinary: Bool = false) throws(InputError) -> [UInt8] {
        do throws(SystemError) { return try WholeFile.read(path, limit: limit, isOrdinary ? .ordinary : []) } catch {
            guard error.number != EFBIG else { throw InputError(file: path, "is larger than \(limit) bytes") }
            if isOrdinary, error.number == EINVAL || error.number == ENXIO {
                throw InputError(file: path, "this is no ordinary file")
            }
            throw InputError(file: path, "cannot read it: \(error.text)")
        }
    }

    /// Writes a file completely or not at all, and replaces one of that name: it is written beside its place, synced
    /// and renamed, and the folder is synced. Blocks.
    ///
    /// The file has the permissions `mode` from the beginning, so a private key is never readable by others. Throws
    /// ``InputError`` with the system's reason. A file that was there before is then unchanged, unless only the
    /// syncing of the folder failed: then the new file is in place.
    public static func write(_ bytes: UnsafeRawBufferPointer, to path: String, mode: mode_t = 0o644) throws(InputError) {
        // Another process may be writing the same file.
        let draft = "\(path).\(getpid()).partial"
        do throws(SystemError) { try WholeFile.replace(path, with: bytes, mode: mode, draft: draft) } catch {
            throw InputError(file: path, "cannot write it: \(error.text)")
        }
    }

    /// Writes an array of bytes to a file; otherwise the same as the function for a buffer. Throws ``InputError``
    /// when the file cannot be written.
    public static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o644) throws(InputError) {
        let result: Result<Void, InputError> = bytes.withUnsafeBytes { bytes in
            do throws(InputError) { return .success(try write(bytes, to: path, mode: mode)) } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Returns the name of a key from its text: "310-v1" is id 310 and version v1, divided at the last dash; without
    /// a dash the whole text is the id. Either part may be empty. Cannot fail.
    public static func keyName(_ text: String) -> KeyName {
        guard let dash = text.lastIndex(of: "-") else { return KeyName(id: text, version: "") }
        return KeyName(id: String(text[..<dash]), version: String(text[text.index(after: dash)...]))
    }
}
