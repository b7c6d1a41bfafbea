// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import KeyExport
public import Trust

/// A health authority: takes keys, signs a file of each day's news.
public final class SimulatedAuthority {
    /// A published file.
    public struct File: Sendable {
        public let exportBin: [UInt8]
        public let exportSig: [UInt8]
    }

    private static let name = KeyName(id: "999", version: "v1")

    private let key: P256.SigningKey
    private var fresh: [ExportedKey] = []

    /// Makes a key of its own, from the kernel's randomness: nothing that boards do depends on it.
    public init() throws { key = try P256.SigningKey.generate() }

    /// What boards trust.
    public func trust() throws -> TrustStore {
        try TrustStore(keys: [TrustedKey(name: Self.name, role: .export, key: key.verificationKey)])
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
}
