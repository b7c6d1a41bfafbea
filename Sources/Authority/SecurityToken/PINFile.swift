// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import SystemCalls

/// A file with the PIN of a token, or a descriptor by its name (`/dev/fd/3`): a PIN stands on no command line and in no environment, where others read it.
public enum PINFile {
    /// The longest PIN, in bytes.
    public static let maximumByteCount = 255

    /// Reads the PIN: the file without the line feed at its end. Throws `noPIN` for an empty file, a longer one, and one that cannot be read.
    public static func read(_ path: String) throws(TokenError) -> SecretBytes {
        var bytes: [UInt8]
        do throws(SystemError) { bytes = try WholeFile.read(path, limit: maximumByteCount + 2) } catch {
            throw TokenError(.noPIN, error.text)
        }
        defer { for index in bytes.indices { bytes[index] = 0 } }
        var count = bytes.count
        for end: UInt8 in [10, 13] where count > 0 && bytes[count - 1] == end { count -= 1 }
        guard (1...maximumByteCount).contains(count) else { throw TokenError(.noPIN, "it has \(count) bytes") }
        return SecretBytes(copying: bytes[..<count])
    }
}
