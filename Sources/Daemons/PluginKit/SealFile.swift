// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import SystemCalls

/// `seal` in the run folder: 32 bytes of the supervisor's, the plugin's own key for what it keeps. Another one after a reset of the device.
enum SealFile {
    /// `nil` where there is none, as with an older supervisor. Throws `system` when there is one that cannot be read, or is not whole: without it a
    /// sealed store would look damaged, and would be begun anew.
    static func read(_ run: String) throws(StorageError) -> SecretBytes? {
        let path = "\(run)/seal"
        var bytes: [UInt8]
        do throws(SystemError) {
            bytes = try WholeFile.read(path, limit: SealedBox.keyByteCount, [.ordinary, .noLink])
        } catch {
            guard error.number != ENOENT else { return nil }
            throw .system("\(path) cannot be read", error.number)
        }
        defer { for index in bytes.indices { bytes[index] = 0 } }
        guard bytes.count == SealedBox.keyByteCount else {
            throw StorageError(
                .system, "\(path) has \(bytes.count) bytes, and a seal has \(SealedBox.keyByteCount); restart the plugin")
        }
        return SecretBytes(copying: bytes)
    }
}
