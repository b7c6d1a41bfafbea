// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
import SystemCalls

/// Encryption of a folder by its file system, which covers files and their names (fscrypt(7), policies of version 2:
/// AES-256 in XTS, names in CTS). Removed files stay in flash memory until they are overwritten; without the key they
/// cannot be read.
///
/// It needs a file system that can encrypt: ext4 made with `-O encrypt`, F2FS or UBIFS. It needs no rights beyond those of
/// the folder's owner.
public enum FolderEncryption {
    /// The length of a key in bytes: 32, the least that fscrypt(7) accepts for AES-256.
    public static let keyByteCount = 32
    /// The kernel's name of a key: computed from it, and no secret.
    private typealias KeyName = [UInt8]

    /// Encrypts an empty folder, or opens one that is encrypted already. Until ``close(_:)``, or until the file system is
    /// unmounted, every process with the rights to the folder then reads and writes in it as in any other.
    ///
    /// - Parameters:
    ///   - path: The absolute path of the folder; a link is not followed.
    ///   - key: The secret key of ``keyByteCount`` bytes, which the kernel copies; the number is not checked here,
    ///     and the kernel refuses fewer than 16 and more than 64.
    /// - Returns: `verified`, with the level `AES-256-XTS`, if the folder is encrypted with this key already, or
    ///   was empty and is encrypted now, after a file could be made in a folder on trial; `missing`, with the
    ///   reason, if the folder cannot be opened or written out, the file system or the kernel cannot encrypt or
    ///   refuses the key, or the folder has files that are not encrypted; `failed` if it is encrypted with another
    ///   key. Never throws.
    public static func open(_ path: String, key: UnsafeRawBufferPointer) -> Confinement {
        let folder = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { return part(.missing, "\(path): \(SystemCall.text(errno))") }
        defer { Glibc.close(folder) }
        var present = KeyName(repeating: 0, count: Int(VIGIL_FOLDER_KEY_NAME))
        let found = vigil_folder_encryption(folder, &present)
        guard found == 0 || found == -ENODATA else { return part(.missing, reason(-found, path)) }
        var name = present
        let added = vigil_folder_key_add(folder, key.bindMemory(to: UInt8.self).baseAddress, key.count, &name)
        guard added == 0 else { return part(.missing, reason(-added, path)) }
        if found == 0 {
            if present == name { return part(.verified, "files and names; the key is destroyed by a reset") }
            vigil_folder_key_remove(folder, name)
            return part(.failed, "\(path) is encrypted by another key: nobody can read what is in it")
        }
        // Whether the kernel has the ciphers is known only when a file is made, and a policy stays: tried in a folder of its own.
        var error = tries(in: folder, name) ?? -vigil_folder_encrypt(folder, name)
        if error == 0, fsync(folder) != 0 { error = errno }
        guard error == 0 else {
            vigil_folder_key_remove(folder, name)
            return part(
                .missing,
                error == ENOTEMPTY ? "\(path) has files from before; from the next reset on" : reason(error, path))
        }
        return part(.verified, "files and names; the key is destroyed by a reset")
    }

    /// The system's number for why no file can be made in an encrypted folder inside `folder`; `nil` when one can.
    private static func tries(in folder: Int32, _ name: KeyName) -> Int32? {
        let trial = FolderRemoval.fresh()
        guard mkdirat(folder, trial, 0o700) == 0 else { return errno }
        defer { unlinkat(folder, trial, AT_REMOVEDIR) }
        let inner = openat(folder, trial, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard inner >= 0 else { return errno }
        defer { Glibc.close(inner) }
        let set = vigil_folder_encrypt(inner, name)
        guard set == 0 else { return -set }
        let file = openat(inner, trial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return errno }
        Glibc.close(file)
        return unlinkat(inner, trial, 0) == 0 ? nil : errno
    }

    /// Removes the key of the encrypted folder at `path` from the kernel. Has no effect on a folder that is not encrypted
    /// or does not exist.
    /// - Returns: The system's error number (errno) if the key was not removed; `nil` if it was, except for files that a
    ///   process has open, and if there was no key.
    public static func close(_ path: String) -> Int32? {
        let folder = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { return errno == ENOENT ? nil : errno }
        defer { Glibc.close(folder) }
        var name = KeyName(repeating: 0, count: Int(VIGIL_FOLDER_KEY_NAME))
        guard vigil_folder_encryption(folder, &name) == 0 else { return nil }
        let result = vigil_folder_key_remove(folder, name)
        return result == 0 ? nil : -result
    }

    private static func part(_ state: Confinement.State, _ reason: String) -> Confinement {
        Confinement(
            primitive: .stateEncryption, level: state == .verified ? "AES-256-XTS" : nil, state: state, reason: reason)
    }

    private static func reason(_ error: Int32, _ path: String) -> String {
        switch error {
        case ENOPKG, ENOENT: "the kernel has not the ciphers for it (modules xts and cts): \(SystemCall.text(error))"
        case ENOTTY, EOPNOTSUPP:
            "the file system of \(path), or the kernel, encrypts no folders (ext4 can, made with -O encrypt): a reset removes files, and flash memory keeps what was in them until it is overwritten"
        default: "the file system of \(path): \(SystemCall.text(error))"
        }
    }
}
