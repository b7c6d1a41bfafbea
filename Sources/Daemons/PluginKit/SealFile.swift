// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc

/// `seal` in the run folder: 32 bytes of the supervisor's, the plugin's own key for what it keeps. Another one after a reset of the device.
enum SealFile {
    /// `nil` where there is none, as with an older supervisor.
    static func read(_ run: String) -> SecretBytes? {
        let file = open("\(run)/seal", O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: SealedBox.keyByteCount + 1)
        let count = bytes.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
        defer { for index in bytes.indices { bytes[index] = 0 } }
        guard count == SealedBox.keyByteCount else { return nil }
        return SecretBytes(copying: bytes.prefix(count))
    }
}
