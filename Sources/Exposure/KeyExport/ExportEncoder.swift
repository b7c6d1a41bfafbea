// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import GAEN
public import Trust

/// Writes export.bin and export.sig, byte for byte as exposure-notifications-server does: fields in ascending order, keys
/// sorted by their bytes (so that order says nothing), defaults left out.
public struct ExportEncoder: Sendable {
    /// Start of the period; Unix seconds, inclusive.
    public var startTimestamp: UInt64
    /// End of the period; Unix seconds, exclusive.
    public var endTimestamp: UInt64
    /// The region where the keys are relevant, any text; more than 64 bytes are refused when the file is read.
    public var region: String
    /// This file's number within its batch, 1 to ``batchSize``; not checked here.
    public var batchNumber: Int32
    /// Number of files in the batch, 1 or more; not checked here.
    public var batchSize: Int32
    /// The signers that the file names, in the order of the keys given to ``exportSig(for:keys:)``; empty without any.
    public var signatureInfos: [SignatureInfo]

    /// An encoder for one file; nothing is checked. Times are in Unix seconds, batch numbers count from 1.
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

    /// export.bin with its header. Keys marked as revised go into their own list; flawed keys are written as they are.
    /// Cannot fail.
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

    /// export.sig over `exportBin`: one ECDSA signature with SHA-256 per key, named as in ``signatureInfos`` (same order,
    /// same number, which is a precondition). Throws ``CryptographyError`` when the cryptographic library fails.
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

    /// The info of a signature by the key of that name, with the algorithm every reader understands. Cannot fail.
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
