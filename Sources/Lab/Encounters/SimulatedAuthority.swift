// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import KeyExport
import RiskConfiguration
public import Trust

/// A health authority that takes keys, signs a file of each day's new keys, and signs the rules by which encounters are
/// judged. Use it on one thread at a time.
public final class SimulatedAuthority {
    /// A published key file: the two entries of its zip.
    public struct File: Sendable {
        /// The bytes of `export.bin`: its header and the keys.
        public let exportBin: [UInt8]
        /// The bytes of `export.sig`: the list with the signature of ``exportBin``.
        public let exportSig: [UInt8]
    }

    private static let name = KeyName(id: "999", version: "v1")

    private let key: P256.SigningKey
    private var fresh: [ExportedKey] = []

    /// Creates an authority with a new key from the kernel's random numbers; nothing that boards do depends on the key.
    /// Throws ``CryptographyError`` when the cryptographic library fails.
    public init() throws { key = try P256.SigningKey.generate() }

    /// Returns the trust store for boards, with the authority's key for key files and for rules. Throws what ``TrustStore``
    /// throws, which does not happen with one key for each role.
    public func trust() throws -> TrustStore {
        try TrustStore(
            keys: [KeyRole.export, .config].map { TrustedKey(name: Self.name, role: $0, key: key.verificationKey) })
    }

    /// Takes keys for the next file.
    func accept(_ keys: [DiagnosisKey], areRevised: Bool) {
        fresh += keys.map { ExportedKey($0, isRevised: areRevised) }
    }

    /// The file of the period that ends at `end` (Unix seconds); `nil` when there is no news.
    func publish(start: Int64, end: Int64) throws -> File? {
        guard !fresh.isEmpty else { return nil }
        defer { fresh = [] }
        let encoder = ExportEncoder(
            startTimestamp: UInt64(start), endTimestamp: UInt64(end), region: "XX",
            signatureInfos: [ExportEncoder.signatureInfo(for: Self.name)])
        let bin = encoder.exportBin(fresh)
        return File(exportBin: bin, exportSig: try encoder.exportSig(for: bin, keys: [key]))
    }

    /// What a board takes as rules: the document and the signatures over it, in Base64.
    func sign(_ rules: RiskConfiguration) throws -> (document: String, approvals: String) {
        let encoder = ExportEncoder(
            startTimestamp: 0, endTimestamp: 0, region: "", signatureInfos: [ExportEncoder.signatureInfo(for: Self.name)])
        let document = rules.document
        return (Base64.string(document), Base64.string(try encoder.exportSig(for: document, keys: [key])))
    }
}
