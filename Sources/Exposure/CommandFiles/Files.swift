// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
public import Glibc
import SystemCalls
public import Trust

/// Small files of a command: keys, configurations, results.
public enum Files {
    /// Reads a file of at most `limit` bytes, 0 or more; never uses memory for more than twice the limit. Blocks.
    /// Throws ``InputError`` with the path when it cannot be opened or read, is a folder, or is larger.
    public static func read(_ path: String, limit: Int) throws(InputError) -> [UInt8] {
        do throws(SystemError) { return try WholeFile.read(path, limit: limit) } catch {
            guard error.number != EFBIG else { throw InputError(file: path, "is larger than \(limit) bytes") }
            throw InputError(file: path, "cannot read it: \(error.text)")
        }
    }

    /// Writes a new file completely or not at all, and replaces one of that name: beside its place first, synced, renamed,
    /// the folder synced. Blocks.
    ///
    /// `mode` is the file's from its first moment on, so a private key is never readable by others, however briefly. Throws
    /// with the system's words; then what was there before stays.
    public static func write(_ bytes: UnsafeRawBufferPointer, to path: String, mode: mode_t = 0o644) throws(InputError) {
        // Another process may be writing the same file.
        let draft = "\(path).\(getpid()).partial"
        do throws(SystemError) { try WholeFile.replace(path, with: bytes, mode: mode, draft: draft) } catch {
            throw InputError(file: path, "cannot write it: \(error.text)")
        }
    }

    /// Writes an array of bytes, as the function for memory that is held already does. Throws ``InputError`` when the file
    /// cannot be written.
    public static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o644) throws(InputError) {
        let result: Result<Void, InputError> = bytes.withUnsafeBytes { bytes in
            do throws(InputError) { return .success(try write(bytes, to: path, mode: mode)) } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// The name of a key: "310-v1" is id 310, version v1, with the last dash as border; without a dash everything is
    /// the id. Either part may be empty; cannot fail.
    public static func keyName(_ text: String) -> KeyName {
        guard let dash = text.lastIndex(of: "-") else { return KeyName(id: text, version: "") }
        return KeyName(id: String(text[..<dash]), version: String(text[text.index(after: dash)...]))
    }
}
