// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import GAEN
public import Trust

/// Writes export.bin and export.sig, byte for byte as exposure-notifications-server does: fields in ascending
/// order, keys sorted by their bytes (so that the order reveals nothing), and values of keys left out where they
/// are the default. Period, region and batch are always written.
public struct ExportEncoder: Sendable {
    /// The start of the period, inclusive, in Unix seconds.
    public var startTimestamp: UInt64
    /// The end of the period, exclusive, in Unix seconds.
    public var endTimestamp: UInt64
    /// The region for which the keys are published, any text; readers refuse more than 64 bytes.
    public var region: String
    /// The number of this file in its batch, 1 to ``batchSize``; not checked here.
    public var batchNumber: Int32
    /// The number of files in the batch, 1 or more; not checked here.
    public var batchSize: Int32
    /// The signers that the file names, in the order of the keys given to ``exportSig(for:keys:)``; may be empty.
    public var signatureInfos: [SignatureInfo]

    /// Creates an encoder for one file; nothing is checked. Times are in Unix seconds, and batch numbers count from
    /// 1.
    public init(
        startTimestamp: UInt64, endTimestamp: UInt64, region: String, batchNumber: Int32 = 1, batchSize: Int32 = 1,
        signatureInfos: [SignatureInfo]
    ) {
        self.startTimestamp = startTimestamp
        self.endTimestamp = endTimestamp
        self.region = region
        self.batchNumber = batchNumber
        self.batchSize = batchSize
        self.signatureInfos = signatureInfos
    }

    /// Returns export.bin with its header. Keys marked as revised are in the list of revised keys; flawed keys are
    /// written too, as far as ``ExportedKey`` holds them: at most 16 bytes of data, and the default in place of a
    /// number that does not fit into 32 bits. Cannot fail.
    public func exportBin(_ keys: [ExportedKey]) -> [UInt8] {
        var writer = ProtobufWriter()
        writer.bytes.reserveCapacity(128 + keys.count * 36)
        writer.bytes += ExportDecoder.header
        writer.fixed64(1, startTimestamp)
        writer.fixed64(2, endTimestamp)
        writer.text(3, region)
        writer.int32(4, batchNumber)
        writer.int32(5, batchSize)
        for info in signatureInfos { writer.message(6) { Self.write(info, to: &$0) } }
        // Big-endian words sort as the bytes do.
        let sorted = keys.sorted {
            let (left, right) = ($0.data, $1.data)
            return left.low == right.low
                ? left.high.bigEndian < right.high.bigEndian : left.low.bigEndian < right.low.bigEndian
        }
        for key in sorted where !key.isRevised { writer.message(7) { Self.write(key, to: &$0) } }
        for key in sorted where key.isRevised { writer.message(8) { Self.write(key, to: &$0) } }
        return writer.bytes
    }

    /// Returns export.sig for `exportBin`: one ECDSA signature with SHA-256 per key. The keys must match
    /// ``signatureInfos`` in order, and in number (precondition). Throws ``CryptographyError`` when the cryptographic
    /// library fails.
    public func exportSig(for exportBin: [UInt8], keys: [P256.SigningKey]) throws(CryptographyError) -> [UInt8] {
        precondition(keys.count == signatureInfos.count, "one signature info per signing key")
        let digest = SHA256.digest(of: exportBin)
        var writer = ProtobufWriter()
        for (key, info) in zip(keys, signatureInfos) {
            let signature = try key.sign(digest)
            writer.message(1) { entry in
                entry.message(1) { Self.write(info, to: &$0) }
                entry.int32(2, batchNumber)
                entry.int32(3, batchSize)
                entry.data(4, signature)
            }
        }
        return writer.bytes
    }

    /// Returns the signature info for a key of this name, with ECDSA and SHA-256 as the algorithm, which every reader
    /// understands. Cannot fail.
    public static func signatureInfo(for name: KeyName) -> SignatureInfo {
        SignatureInfo(keyID: name.id, keyVersion: name.version, algorithm: SignatureAlgorithm.ecdsaSHA256.rawValue)
    }

    private static func write(_ info: SignatureInfo, to writer: inout ProtobufWriter) {
        let fields = [info.appBundleID, info.androidPackage, info.keyVersion, info.keyID, info.algorithm]
        for (index, text) in fields.enumerated() {
            if let text { writer.text(index + 1, text) }
        }
    }

    private static func write(_ key: ExportedKey, to writer: inout ProtobufWriter) {
        key.data.withUnsafeBytes { writer.data(1, $0.prefix(Int(key.dataByteCount))) }
        if key.transmissionRiskLevel != 0 { writer.int32(2, key.transmissionRiskLevel) }
        writer.int32(3, key.rollingStart)
        if key.rollingPeriod != 144 { writer.int32(4, key.rollingPeriod) }
        if key.reportType != 0 { writer.int32(5, key.reportType) }
        if key.hasOnset { writer.sint32(6, key.daysSinceOnset) }
        if key.hasVariant { writer.int32(8, key.variantOfConcern) }
    }
}
