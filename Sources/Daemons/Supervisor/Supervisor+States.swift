// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import Logging
import Sandbox

/// The folder in which a plugin keeps what lasts: encrypted where the file system can, by a key that is made of the plugin's seal. A reset
/// overwrites the seal, and with it goes whatever of the folder is still in flash memory under no name.
extension Supervisor {
    /// Makes the folder of a plugin that does not run, or opens the one that is there.
    func makeState(of process: ManagedProcess, seal: [UInt8]) throws {
        let path = stateFolder(process.name)
        let key = try stateKey(from: seal)
        try Folders.make(path, mode: 0o700, user: process.user)
        var part = key.withBytes { FolderEncryption.open(path, key: $0) }
        if part.state == .failed {
            // Its seal was lost, or the power went in the middle of a reset. It is of no use to anybody any more.
            log.error("what it kept is removed: \(part.reason)", metadata: ["process": "\(process.name)"])
            try Folders.empty(path)
            try removeState(of: process.name)
            try Folders.make(path, mode: 0o700, user: process.user)
            part = key.withBytes { FolderEncryption.open(path, key: $0) }
            guard part.state != .failed else { throw SupervisorFailure("its state folder cannot be used: \(part.reason)") }
        }
        process.stateEncryption = part
    }

    /// Removes the folder, which is empty, and has the kernel forget its key.
    func removeState(of plugin: String) throws(Folders.Failure) {
        let path = stateFolder(plugin)
        if let error = FolderEncryption.close(path) {
            log.warning(
                "the kernel keeps the key of what it had until the board starts again: \(String(cString: strerror(error)))",
                metadata: ["plugin": "\(plugin)"])
        }
        guard rmdir(path) == 0 || errno == ENOENT else { throw Folders.Failure(path, "cannot be removed") }
        try Folders.syncFolder(of: path)
    }

    private func stateKey(from seal: [UInt8]) throws(CryptographyError) -> SecretBytes {
        // Not the seal itself, which the plugin has, so that no other use of it comes near this one.
        let secret = SecretBytes(copying: seal)
        return try HKDFSHA256.derive(
            from: secret, info: Array("vigil state folder".utf8), count: FolderEncryption.keyByteCount)
    }
}
