// SPDX-License-Identifier: Apache-2.0

import Cryptography
import ForeignText
public import Trust

/// The rule that decides whose signatures make a key file valid.
public enum SignaturePolicy: Sendable, Hashable {
    /// The rule of Google's framework and exposure-notifications-server. A signature counts when the key that it
    /// names (id and version) is configured and verifies it; its algorithm must be an object identifier; there must
    /// be as many signatures as export.bin names. Signatures by unknown keys are ignored.
    case namedKeys
    /// The rule of ``namedKeys``, and in addition all keys of at least one of these sets must have signed. An empty
    /// set is ignored; without sets no file is valid.
    case cosigners([Set<KeyName>])
    /// The rule of Corona-Warn-App: any signature counts that a configured key verifies, whatever key and algorithm
    /// it names; the hash is SHA-512 if the algorithm is its object identifier, otherwise SHA-256.
    case anyKey
}

/// A key file whose signatures, batch number and region were found valid.
public struct VerifiedExport: Sendable, Hashable {
    /// The header and the counts of the file, covered by the signature.
    public let summary: ExportSummary
    /// The keys that signed, at least one, each once.
    public let signers: [TrustedKey]
    /// The names of the authorities whose keys signed, at least one, in the order in which they were given; an empty
    /// name is the authority without a name.
    public let authorities: [String]
    /// The sources of the file's statements, at least one, each once: the id of the signing key, preceded by the
    /// authority's name and a slash where it has a name. Neither the file nor the program that brought it can choose
    /// them.
    public let sources: [String]
    /// The SHA-256 of export.bin, 32 bytes. Two files with the same digest have the same content.
    public let contentDigest: [UInt8]

    /// The mark by which a matched file is recognised, 32 bytes. For the authority without a name alone it is
    /// ``contentDigest``; otherwise it is the SHA-256 of that and the authorities' names, because the same bytes
    /// signed by other authorities are other statements.
    public var contentMark: [UInt8] {
        if authorities == [""] { return contentDigest }
        var hash = SHA256()
        (contentDigest + Array(authorities.joined(separator: "/").utf8)).withUnsafeBytes { hash.update($0) }
        return hash.finish()
    }
}

/// Hashes export.bin while it is streamed, and checks the signatures at the end. Not thread-safe; it has one owner.
public struct ExportVerifier: ~Copyable {
    private let signatures: [ExportSignature]
    private let authorities: [ExportAuthority]
    private let wanted: String?
    private let time: Int64?
    private var sha256 = SHA256()
    private var sha512 = SHA512()
    private let needsSHA512: Bool

    /// Creates a verifier for the keys of one authority. `time` decides which keys are valid; it is in Unix seconds,
    /// `nil` when the clock is not trusted.
    public init(signatures: [ExportSignature], trust: TrustStore, policy: SignaturePolicy, time: Int64?) {
        self.init(signatures: signatures, authorities: [ExportAuthority(trust: trust, policy: policy)], time: time)
    }

    /// Creates a verifier for several authorities, at least one of which must have signed. If `wanted` is the name
    /// of an authority, empty for the one without a name, that one must have signed, whichever others did; `nil`
    /// accepts any. `time` is in Unix seconds, `nil` when the clock is not trusted.
    public init(
        signatures: [ExportSignature], authorities: [ExportAuthority], wanted: String? = nil, time: Int64?
    ) {
        self.signatures = signatures
        self.authorities = authorities
        self.wanted = wanted
        self.time = time
        needsSHA512 = signatures.contains { $0.info.algorithm == SignatureAlgorithm.ecdsaSHA512.rawValue }
    }

    /// Hashes the next bytes of export.bin, beginning with the first byte of its header; an empty buffer is allowed.
    /// Cannot fail.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        sha256.update(bytes)
        if needsSHA512 { sha512.update(bytes) }
    }

    /// Returns the error to report for a file whose content cannot be read: `contentError` if a trusted key signed
    /// exactly these bytes, so that the maker of the file is at fault; otherwise the error of the signatures, with
    /// `contentError` as its detail. Never throws.
    public consuming func refuse(_ contentError: KeyExportError) -> KeyExportError {
        var summary = ExportSummary()
        // The number of infos is unknown; it must not be what the refusal is about.
        summary.signatureInfos = signatures.map(\.info)
        do throws(KeyExportError) {
            _ = try judge(summary, asksForRegion: false)
            return contentError
        } catch {
            return KeyExportError(error.code, at: error.offset, "\(contentError)")
        }
    }

    /// Checks the signatures of the file that was hashed and returns its signers. `summary` must be that of the
    /// hashed bytes.
    ///
    /// - Throws: ``KeyExportError``: `invalidBatchNumber` when the batch number is not between 1 and the batch
    ///   size; `signatureCountMismatch` when export.bin names another number of signatures; `unsupportedAlgorithm`
    ///   when a trusted key's signature names no known algorithm; `noTrustedSigner` when no signature is by a
    ///   trusted key; `signatureMismatch` when those that are do not verify or do not suffice; `wrongRegion` when
    ///   the file is for another region than its signer's; `anotherAuthority` when only others than `wanted`
    ///   signed. Without `wanted`, the first of the authorities' errors is thrown that is not `noTrustedSigner`.
    public consuming func finish(_ summary: ExportSummary) throws(KeyExportError) -> VerifiedExport {
        try judge(summary, asksForRegion: true)
    }

    private consuming func judge(
        _ summary: ExportSummary, asksForRegion: Bool
    ) throws(KeyExportError) -> VerifiedExport {
        let (signatures, authorities, wanted, time) = (signatures, authorities, wanted, time)
        let digests = Digests(short: sha256.finish(), long: sha512.finish())
        try summary.checkBatch()
        var signed: [(authority: ExportAuthority, keys: [TrustedKey])] = []
        var refusals: [(name: String, error: KeyExportError)] = []
        for authority in authorities {
            do throws(KeyExportError) {
                let keys = try authority.signers(of: digests, signatures, summary, time)
                if asksForRegion { try authority.checkRegion(summary) }
                signed.append((authority, keys))
            } catch {
                refusals.append((authority.name, error))
            }
        }
        if let wanted, !signed.contains(where: { $0.authority.name == wanted }) {
            // One that has signed it for another region is at fault itself; only a stranger's signature is told from none.
            let own = refusals.first { $0.name == wanted }?.error
            if let other = signed.first, own?.code != .wrongRegion {
                throw KeyExportError(
                    .anotherAuthority,
                    "key \(other.keys[0].name) of \(Self.words(other.authority.name)), for \(Self.words(wanted))")
            }
            throw own ?? KeyExportError(.noTrustedSigner)
        }
        guard !signed.isEmpty else {
            // Of several the one that knew a key says more than those that knew none.
            let error = refusals.first { $0.error.code != .noTrustedSigner } ?? refusals.first
            throw error?.error ?? KeyExportError(.noTrustedSigner)
        }
        var signers: [TrustedKey] = []
        var sources: [String] = []
        for (authority, keys) in signed {
            for key in keys {
                if !signers.contains(key) { signers.append(key) }
                let source = authority.source(ofKey: key.name.id)
                if !sources.contains(source) { sources.append(source) }
            }
        }
        return VerifiedExport(
            summary: summary, signers: signers, authorities: signed.map(\.authority.name), sources: sources,
            contentDigest: digests.short)
    }

    private static func words(_ name: String) -> String { name.isEmpty ? "authority" : name }
}

/// Of one file.
private struct Digests {
    let short: [UInt8]
    let long: [UInt8]
}

extension ExportAuthority {
    /// Throws which rule of signatures is broken, or says which keys of this authority signed; at least one.
    fileprivate func signers(
        of digests: Digests, _ signatures: [ExportSignature], _ summary: ExportSummary, _ time: Int64?
    ) throws(KeyExportError) -> [TrustedKey] {
        // Who brings a file chooses its signatures, and each trial takes the time of the loop that changes identifiers.
        var trials = SignatureTrials.most
        func signer(_ signature: ExportSignature, among keys: [TrustedKey]) -> TrustedKey? {
            // The Corona-Warn-App reads any algorithm text as SHA-256; files of Google's sample tool carry a name there.
            let isLong = signature.info.algorithm == SignatureAlgorithm.ecdsaSHA512.rawValue
            return keys.first {
                guard trials > 0 else { return false }
                trials -= 1
                return $0.key.isValid(
                    signature: signature.signature, over: isLong ? digests.long : digests.short,
                    hash: isLong ? .sha512 : .sha256)
            }
        }

        var signers: [TrustedKey] = []
        var sawTrustedName = false
        if case .anyKey = policy {
            let keys = trust.keys(for: .export, at: time)
            sawTrustedName = !keys.isEmpty && !signatures.isEmpty
            // Those that name a key of ours first, with that key first: strangers' signatures beside it keep none away.
            let names = Set(keys.map(\.name))
            let isOurs = { (signature: ExportSignature) in names.contains(signature.info.keyName) }
            for signature in signatures.filter(isOurs) + signatures.filter({ !isOurs($0) }) {
                let others = keys.filter { !signers.contains($0) }
                let ordered =
                    others.filter { $0.name == signature.info.keyName }
                    + others.filter { $0.name != signature.info.keyName }
                if let key = signer(signature, among: ordered) { signers.append(key) }
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
                if !signers.contains(key), signer(signature, among: [key]) != nil { signers.append(key) }
            }
        }
        guard sawTrustedName else {
            let names = signatures.map { "\($0.info.keyName)" }.joined(separator: ", ")
            // A stranger's words, up to 64 KiB of them.
            throw KeyExportError(.noTrustedSigner, names.isEmpty ? "" : "signed as \(ForeignText.line(names, limit: 200))")
        }
        let isEnough: Bool
        if case .cosigners(let sets) = policy {
            let names = Set(signers.map(\.name))
            isEnough = sets.contains { !$0.isEmpty && $0.isSubset(of: names) }
        } else {
            isEnough = !signers.isEmpty
        }
        guard isEnough else { throw KeyExportError(.signatureMismatch) }
        return signers
    }

    fileprivate func checkRegion(_ summary: ExportSummary) throws(KeyExportError) {
        guard let region, summary.region.uppercased() != region.uppercased() else { return }
        throw KeyExportError(
            .wrongRegion,
            "\(summary.region.isEmpty ? "none" : ForeignText.line(summary.region, limit: 64)), where \(region) is expected")
    }
}
