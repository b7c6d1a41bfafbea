// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Cryptography
import FleetCard
import Glibc
import SecurityToken

/// Answers that name a file, or say `none`.
enum AnswerFiles {
    static func authority(_ text: String, isLocal: Bool) throws(AnswerFault) -> BoardAnswers.Authority? {
        guard text.lowercased() != "none" else { return nil }
        let bytes: [UInt8]
        do throws(InputError) { bytes = try read(path(text), limit: BoardAnswers.Authority.maximumByteCount) } catch {
            throw .unreadableProfile(error.description)
        }
        return try BoardAnswers.Authority(parsing: bytes, isLocal: isLocal)
    }

    static func technicians(_ text: String) throws(AnswerFault) -> TechnicianKeys? {
        guard text.lowercased() != "none" else { return nil }
        let bytes: [UInt8]
        do throws(InputError) { bytes = try read(path(text), limit: TechnicianKeys.maximumByteCount) } catch {
            throw .unreadableKey(error.description)
        }
        return try TechnicianKeys(parsing: bytes)
    }

    /// The file, with words of its own for what happens most.
    private static func read(_ path: String, limit: Int) throws(InputError) -> [UInt8] {
        var status = stat()
        if stat(path, &status) != 0, errno == ENOENT { throw InputError(file: path, "there is no such file") }
        if status.st_mode & S_IFMT == S_IFDIR { throw InputError(file: path, "this is a folder") }
        if access(path, R_OK) != 0, errno == EACCES { throw InputError(file: path, "you may not read this file") }
        // Whoever answers questions would wait for a pipe without knowing why.
        return try Files.read(path, limit: limit, isOrdinary: true)
    }

    /// The operator's private key: in a security token if `text` is a PKCS#11 URI, else in a file, which nobody but its owner may read.
    static func signingKey(_ text: String) throws -> any P256Signer {
        TokenURI.isMeant(by: text) ? try TokenKey(TokenURI(text)) : try keyInFile(text)
    }

    /// A public key in a file.
    static func publicKey(_ path: String) throws -> P256.VerificationKey {
        let bytes = try Files.read(path, limit: 16 << 10)
        do throws(CryptographyError) { return try P256.VerificationKey(pemOrDER: bytes) } catch {
            throw InputError(file: path, "this is no public key on P-256 in PEM; vigil-fleet key --public writes one")
        }
    }

    /// A private key in a file.
    static func keyInFile(_ path: String) throws -> P256.SigningKey {
        var status = stat()
        guard stat(path, &status) != 0 || status.st_mode & 0o077 == 0 else {
            throw InputError(file: path, "others can read this private key: chmod 600 it first")
        }
        var bytes = try Files.read(path, limit: 16 << 10)
        let secret = SecretBytes(copying: bytes)
        for index in bytes.indices { bytes[index] = 0 }
        do throws(CryptographyError) { return try P256.SigningKey(pemOrDER: secret) } catch {
            throw InputError(
                file: path,
                "this is no private key on P-256: \(error). Make one with openssl ecparam -name prime256v1 -genkey -noout")
        }
    }

    /// No shell has seen what was typed as an answer.
    private static func path(_ text: String) -> String {
        guard text.hasPrefix("~/"), let home = getenv("HOME") else { return text }
        return String(cString: home) + text.dropFirst(1)
    }
}
