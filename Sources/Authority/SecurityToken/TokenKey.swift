// SPDX-License-Identifier: Apache-2.0

import CPKCS11
public import Cryptography
import Synchronization

/// A private key on P-256 in a security token (PKCS#11), which never leaves it. Each signature is checked before it is handed out. Safe to share
/// between threads, which wait for each other; calls block for as long as the token does.
///
/// When the token has ended the session, or was removed and plugged in again, it logs in again, once for each signature. A PIN that was refused is
/// never tried again: a token counts, and locks.
public final class TokenKey: P256Signer {
    /// Where a key is.
    public struct Place: Sendable, Hashable {
        /// The whole path of the module: the shared library of the token's maker.
        public let module: String
        /// The token's label, 1 to 32 bytes.
        public let label: String
        /// The key's own name in the token (`CKA_LABEL`).
        public let name: String

        /// Names a key.
        public init(module: String, label: String, name: String) {
            (self.module, self.label, self.name) = (module, label, name)
        }
    }

    private struct State: ~Copyable {
        let module: TokenModule
        var handle: CK_OBJECT_HANDLE
        var isPINRefused = false
    }

    /// The public half.
    public let verificationKey: P256.VerificationKey
    /// Where it is.
    public let place: Place
    private let pin: SecretBytes
    private let report: @Sendable (TokenError?) -> Void
    private let state: Mutex<State>

    /// The object identifier of P-256 in DER.
    static let curve: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    /// What stands before the point in a SubjectPublicKeyInfo on P-256 (RFC 5480).
    private static let head: [UInt8] =
        [0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01] + curve + [0x03, 0x42, 0x00]

    /// Logs in and finds the key.
    ///
    /// - Parameters:
    ///   - place: Where it is.
    ///   - pin: The user's PIN, which is kept in memory: the token may ask for it again.
    ///   - makes: Whether a key is made if there is none of this name.
    ///   - report: Told of each signature that failed, and of the first good one after that (`nil`); on the thread that signs.
    ///
    /// Throws all codes but `badSignature`. The key must be on P-256, and must not be able to leave the token.
    public init(
        _ place: Place, pin: SecretBytes, makes: Bool = false, report: @escaping @Sendable (TokenError?) -> Void = { _ in }
    ) throws(TokenError) {
        (self.place, self.pin, self.report) = (place, pin, report)
        guard (1...64).contains(place.name.utf8.count) else { throw TokenError(.noKey, "a name has 1 to 64 bytes") }
        let module = try TokenModule(path: place.module, label: place.label)
        try module.logIn(pin: pin)
        if makes, try module.objects(CKO_PRIVATE_KEY, named: place.name).isEmpty {
            var random = SystemRandomNumberGenerator()
            try module.makeKeys(
                named: place.name, identifier: (0..<16).map { _ in .random(in: 0...255, using: &random) })
        }
        let handle = try Self.handle(place, module)
        verificationKey = try Self.publicKey(place, module, of: handle)
        state = Mutex(State(module: module, handle: handle))
    }

    /// Logs in and finds the key that `uri` names, by the PIN in its file. Throws all codes but `badSignature`.
    public convenience init(_ uri: TokenURI, makes: Bool = false) throws(TokenError) {
        try self.init(uri.place, pin: PINFile.read(uri.pinFile), makes: makes)
    }

    private static func handle(_ place: Place, _ module: TokenModule) throws(TokenError) -> CK_OBJECT_HANDLE {
        let found = try module.objects(CKO_PRIVATE_KEY, named: place.name)
        guard found.count < 2 else { throw TokenError(.twoKeys) }
        guard let handle = found.first else { throw TokenError(.noKey) }
        guard try module.attribute(CKA_EXTRACTABLE, of: handle, limit: 8) == [0],
            try module.attribute(CKA_SENSITIVE, of: handle, limit: 8) == [1]
        else { throw TokenError(.keyCanLeave) }
        return handle
    }

    private static func publicKey(
        _ place: Place, _ module: TokenModule, of handle: CK_OBJECT_HANDLE
    ) throws(TokenError) -> P256.VerificationKey {
        let found = try module.objects(CKO_PUBLIC_KEY, named: place.name)
        guard found.count < 2 else { throw TokenError(.twoKeys) }
        guard let open = found.first else { throw TokenError(.noKey, "the public half is missing") }
        guard try module.attribute(CKA_EC_PARAMS, of: open, limit: 256) == curve else { throw TokenError(.otherKey) }
        var point = try module.attribute(CKA_EC_POINT, of: open, limit: 256) ?? []
        // An OCTET STRING with the point in it; some give the point itself.
        if point.count == 67, point.starts(with: [0x04, 0x41]) { point.removeFirst(2) }
        guard point.count == 65, point.first == 4, let key = try? P256.VerificationKey(pemOrDER: head + point) else {
            throw TokenError(.badAnswer, "a public key of \(point.count) bytes")
        }
        return key
    }

    /// Signs a digest of 32 bytes: ASN.1, checked by the public half. Throws any code.
    public func signature(of digest: [UInt8]) throws(TokenError) -> [UInt8] {
        do throws(TokenError) {
            let made = try sign(digest)
            report(nil)
            return made
        } catch {
            report(error)
            throw error
        }
    }

    /// The same, and nobody is told.
    func sign(_ digest: [UInt8]) throws(TokenError) -> [UInt8] {
        let result = state.withLock { state -> Result<[UInt8], TokenError> in
            do throws(TokenError) {
                guard !state.isPINRefused else { throw TokenError(.wrongPIN, "it was refused before") }
                do throws(TokenError) { return .success(try state.module.sign(digest, by: state.handle)) } catch {
                    guard [.sessionLost, .tokenRemoved].contains(error.code) else { throw error }
                    do throws(TokenError) { try state.module.logIn(pin: pin) } catch {
                        if [.wrongPIN, .pinLocked].contains(error.code) { state.isPINRefused = true }
                        throw error
                    }
                    state.handle = try Self.handle(place, state.module)
                    return .success(try state.module.sign(digest, by: state.handle))
                }
            } catch { return .failure(error) }
        }
        let raw = try result.get()
        guard let signature = P256.RawSignature.der(raw), verificationKey.isValid(signature: signature, over: digest) else {
            throw TokenError(.badSignature)
        }
        return signature
    }
}
