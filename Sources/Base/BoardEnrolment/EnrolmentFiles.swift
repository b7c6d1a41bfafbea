// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Enrolment
import Glibc
import SystemCalls

/// The files of a board's enrolment: name, key and certificate in one folder, and the claim. Each is written whole before it counts, and outlasts a
/// power cut from then on. Every method throws `storage` when the disk fails.
struct EnrolmentFiles {
    /// The folder, which only its owner may read.
    let folder: String
    /// The file of the claim.
    let claim: String
    /// What the key is sealed with; `nil` for a key in the clear.
    let seal: SecretBytes?
    private static let sealedMark = Array("vigil-key 1\n".utf8)

    var certificate: String { "\(folder)/certificate.pem" }
    var key: String { "\(folder)/key.pem" }
    private var name: String { "\(folder)/name" }
    private static let claimLine = "claim "

    /// The file's bytes; `nil` if there is none.
    private func read(_ path: String, limit: Int) throws(EnrolmentError) -> [UInt8]? {
        do throws(SystemError) { return try WholeFile.read(path, limit: limit, .ordinary) } catch {
            if error.number == ENOENT { return nil }
            throw EnrolmentError(.storage, error.text)
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, to path: String) throws(EnrolmentError) {
        do throws(SystemError) { try WholeFile.replace(path, with: bytes, mode: 0o600) } catch {
            throw EnrolmentError(.storage, error.text)
        }
    }

    private func write(_ bytes: [UInt8], to path: String) throws(EnrolmentError) {
        do throws(SystemError) { try WholeFile.replace(path, with: bytes, mode: 0o600) } catch {
            throw EnrolmentError(.storage, error.text)
        }
    }

    private func write(_ text: String, to path: String) throws(EnrolmentError) { try write(Array(text.utf8), to: path) }

    /// Binds the folder to a board. Throws `otherBoard` if another has begun here.
    func bind(_ board: BoardName) throws(EnrolmentError) {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw EnrolmentError(.storage) }
        guard let known = try read(name, limit: 256) else { return try write(board.text + "\n", to: name) }
        guard known == Array((board.text + "\n").utf8) else { throw EnrolmentError(.otherBoard) }
    }

    /// The claim; `nil` if it is erased. An empty file, or one of zeros, was about to be deleted when the power went.
    func readClaim() throws(EnrolmentError) -> EnrolmentClaim? {
        guard var bytes = try read(claim, limit: EnrolmentClaim.maximumByteCount) else { return nil }
        defer { for index in bytes.indices { bytes[index] = 0 } }
        if bytes.allSatisfy({ $0 == 0 }) { return nil }
        guard let found = EnrolmentClaim(SecretBytes(copying: bytes)) else { throw EnrolmentError(.otherBoard, "no claim") }
        return found
    }

    /// Overwrites the claim, and deletes it. Flash memory may keep the old block.
    func eraseClaim() throws(EnrolmentError) {
        let descriptor = open(claim, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        if descriptor >= 0 {
            defer { close(descriptor) }
            var status = stat()
            let count = fstat(descriptor, &status) == 0 ? min(Int(status.st_size), EnrolmentClaim.maximumByteCount) : 0
            let zeros = [UInt8](repeating: 0, count: count)
            guard Glibc.write(descriptor, zeros, count) == count, fsync(descriptor) == 0 else {
                throw EnrolmentError(.storage)
            }
        } else if errno != ENOENT {
            throw EnrolmentError(.storage)
        }
        guard unlink(claim) == 0 || errno == ENOENT else { throw EnrolmentError(.storage) }
        do throws(SystemError) { try WholeFile.syncFolder(of: claim) } catch { throw EnrolmentError(.storage, error.text) }
    }

    /// What is there of the key.
    enum Key {
        /// None was made yet.
        case none
        /// The file is there, and nobody can open it any more.
        case unusable
        /// The key.
        case usable(P256.SigningKey)
    }

    /// The key; `nil` if none was made yet. A damaged one throws `storage`: a new one would be another board to everybody else.
    func readKey() throws(EnrolmentError) -> P256.SigningKey? {
        switch try findKey() {
        case .none: return nil
        case .usable(let key): return key
        case .unusable: throw EnrolmentError(.storage, "the key cannot be opened; make a new card for this board")
        }
    }

    /// Looks for the key.
    func findKey() throws(EnrolmentError) -> Key {
        guard var bytes = try read(key, limit: 4_096) else { return .none }
        defer { for index in bytes.indices { bytes[index] = 0 } }
        let text: SecretBytes
        if let seal {
            guard bytes.starts(with: Self.sealedMark),
                let opened = SealedBox.open(bytes.dropFirst(Self.sealedMark.count), key: seal, context: Self.sealedMark)
            else { return .unusable }
            text = opened
        } else {
            text = SecretBytes(copying: bytes)
        }
        do throws(CryptographyError) { return .usable(try P256.SigningKey(pemOrDER: text)) } catch { return .unusable }
    }

    /// Keeps the file of a key that cannot be opened, in place of the last one that was set aside, so that another can be made.
    func setKeyAside() throws(EnrolmentError) {
        guard rename(key, "\(key).unusable") == 0 else { throw EnrolmentError(.storage, SystemError(number: errno).text) }
        do throws(SystemError) { try WholeFile.syncFolder(of: key) } catch { throw EnrolmentError(.storage, error.text) }
    }

    /// Makes a key, and keeps it.
    func makeKey() throws(EnrolmentError) {
        let made: P256.SigningKey
        do throws(CryptographyError) { made = try .generate() } catch { throw EnrolmentError(.cryptography, "\(error)") }
        // Without the NUL at its end.
        let text = made.withEncoded { SecretBytes(copying: $0[..<($0.firstIndex(of: 0) ?? $0.endIndex)]) }
        guard let seal else {
            let (path, files) = (key, self)
            let result: Result<Void, EnrolmentError> = text.withBytes { bytes in
                do throws(EnrolmentError) { return .success(try files.write(bytes, to: path)) } catch {
                    return .failure(error)
                }
            }
            return try result.get()
        }
        var random = SystemRandomNumberGenerator()
        let sealed: [UInt8]
        do throws(CryptographyError) {
            sealed = try SealedBox.seal(text, key: seal, context: Self.sealedMark, using: &random)
        } catch { throw EnrolmentError(.cryptography, "\(error)") }
        try write(Self.sealedMark + sealed, to: key)
    }

    /// The certificate with the digest of its claim; `nil` if there is none, or it cannot be read.
    func readCertificate() throws(EnrolmentError) -> EnrolmentState.Stored? {
        guard let bytes = try read(certificate, limit: 65_536) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix(Self.claimLine), let line = text.split(separator: "\n").first,
            let found = try? DeviceCertificate(pem: text)
        else { return nil }
        return .init(found, claimDigest: String(line.dropFirst(Self.claimLine.count)))
    }

    /// Keeps a certificate with the digest of its claim, in one file: neither can be there without the other. TLS libraries pass over
    /// the line before the certificate.
    func store(_ stored: EnrolmentState.Stored) throws(EnrolmentError) {
        try write("\(Self.claimLine)\(stored.claimDigest)\n\(stored.certificate.pem)", to: certificate)
    }
}
