// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import Trust

/// Whose signature a key file needs.
public enum SignaturePolicy: Sendable, Hashable {
    /// Google's framework and exposure-notifications-server: a signature counts when the key it names (id and version) is
    /// configured and verifies it; its algorithm must be an object identifier; there must be as many signatures as
    /// export.bin names. Signatures by unknown keys are ignored.
    case namedKeys
    /// As ``namedKeys``, and one of these sets must have signed completely.
    case cosigners([Set<KeyName>])
    /// Corona-Warn-App: any signature that verifies with any configured key, whatever it calls itself.
    case anyKey
}

/// A key file whose every rule was checked.
public struct VerifiedExport: Sendable, Hashable {
    public let summary: ExportSummary
    /// The keys that signed.
    public let signers: [TrustedKey]
    /// SHA-256 over export.bin: what "the same file" means.
    public let contentDigest: [UInt8]
}

/// Hashes export.bin while it streams and judges the signatures at the end. Not thread-safe; one owner.
public struct ExportVerifier: ~Copyable {
    private let signatures: [ExportSignature]
    private let trust: TrustStore
    private let policy: SignaturePolicy
    private let time: Int64?
    private var sha256 = SHA256()
    private var sha512 = SHA512()
    private let needsSHA512: Bool

    /// `time` (Unix seconds, `nil` when the clock is not trusted) decides which keys are valid.
    public init(signatures: [ExportSignature], trust: TrustStore, policy: SignaturePolicy, time: Int64?) {
        self.signatures = signatures
        self.trust = trust
        self.policy = policy
        self.time = time
        needsSHA512 = signatures.contains { $0.info.algorithm == SignatureAlgorithm.ecdsaSHA512.rawValue }
    }

    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        sha256.update(bytes)
        if needsSHA512 { sha512.update(bytes) }
    }

    /// For a file whose content cannot be read: throws `contentError` when a trusted key signed exactly these bytes, so its
    /// maker is at fault, and the rule of signatures that is broken otherwise.
    public consuming func refuse(_ contentError: KeyExportError) -> KeyExportError {
        var summary = ExportSummary()
        // The number of infos is unknown; it must not be what the refusal is about.
        summary.signatureInfos = signatures.map(\.info)
        do throws(KeyExportError) {
            _ = try finish(summary)
            return contentError
        } catch {
            return KeyExportError(error.code, at: error.offset, "\(contentError)")
        }
    }

    /// Throws which rule is broken, or says who signed.
    public consuming func finish(_ summary: ExportSummary) throws(KeyExportError) -> VerifiedExport {
        let signatures = signatures
        let trust = trust
        let policy = policy
        let time = time
        let digest = sha256.finish()
        let longDigest = sha512.finish()
        try summary.checkBatch()

        func signer(_ signature: ExportSignature, among keys: [TrustedKey]) throws(KeyExportError) -> TrustedKey? {
            // The Corona-Warn-App reads any algorithm text as SHA-256; files of Google's sample tool carry a name there.
            let isLong = signature.info.algorithm == SignatureAlgorithm.ecdsaSHA512.rawValue
            return keys.first {
                $0.key.isValid(
                    signature: signature.signature, over: isLong ? longDigest : digest, hash: isLong ? .sha512 : .sha256)
            }
        }

        var signers: [TrustedKey] = []
        var sawTrustedName = false
        if case .anyKey = policy {
            let keys = trust.keys(for: .export, at: time)
            sawTrustedName = !keys.isEmpty && !signatures.isEmpty
            for signature in signatures {
                if let key = try signer(signature, among: keys), !signers.contains(key) { signers.append(key) }
            }
        } else {
            guard signatures.count == summary.signatureInfos.count else {
                throw KeyExportError(
                    .signatureCountMismatch, "\(signatures.count) of \(summary.signatureInfos.count)")
            }
            for signature in signatures {
                guard let key = trust.key(named: signature.info.keyName, for: .export, at: time) else { continue }
                sawTrustedName = true
                guard SignatureAlgorithm(rawValue: signature.info.algorithm ?? "") != nil else {
                    throw KeyExportError(.unsupportedAlgorithm, "of key \(key.name)")
                }
                if try signer(signature, among: [key]) != nil, !signers.contains(key) { signers.append(key) }
            }
        }
        guard sawTrustedName else {
            let names = signatures.map { "\($0.info.keyName)" }.joined(separator: ", ")
            throw KeyExportError(.noTrustedSigner, names.isEmpty ? "" : "signed as \(names)")
        }
        let isEnough: Bool
        if case .cosigners(let sets) = policy {
            let names = Set(signers.map(\.name))
            isEnough = sets.contains { !$0.isEmpty && $0.isSubset(of: names) }
        } else {
            isEnough = !signers.isEmpty
        }
        guard isEnough else { throw KeyExportError(.signatureMismatch) }
        return VerifiedExport(summary: summary, signers: signers, contentDigest: digest)
    }
}
