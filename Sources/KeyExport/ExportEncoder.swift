// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import GAEN
public import Trust

/// Writes export.bin and export.sig, byte for byte as exposure-notifications-server does: fields in ascending order, keys
/// sorted by their bytes (so that order says nothing), defaults left out.
public struct ExportEncoder: Sendable {
    public var startTimestamp: UInt64
    public var endTimestamp: UInt64
    public var region: String
    public var batchNumber: Int32
    public var batchSize: Int32
    public var signatureInfos: [SignatureInfo]

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

    /// export.bin. Keys marked as revised go into their own list.
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

    /// export.sig over `exportBin`: one signature per key, named as in ``signatureInfos`` (same order).
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

    /// The info of a signature by `key`, with the algorithm every reader understands.
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

/// The few shapes of protobuf that key files are made of.
struct ProtobufWriter {
    var bytes: [UInt8] = []

    mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private mutating func tag(_ field: Int, _ type: ProtobufCursor.WireType) {
        varint(UInt64(field) << 3 | UInt64(type.rawValue))
    }

    mutating func fixed64(_ field: Int, _ value: UInt64) {
        tag(field, .fixed64)
        withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }

    mutating func int32(_ field: Int, _ value: Int32) {
        tag(field, .varint)
        varint(UInt64(bitPattern: Int64(value)))
    }

    mutating func sint32(_ field: Int, _ value: Int32) {
        tag(field, .varint)
        varint(UInt64(UInt32(bitPattern: value << 1 ^ value >> 31)))
    }

    mutating func data(_ field: Int, _ value: some Collection<UInt8>) {
        tag(field, .bytes)
        varint(UInt64(value.count))
        bytes += value
    }

    mutating func text(_ field: Int, _ value: String) { data(field, Array(value.utf8)) }

    mutating func message(_ field: Int, _ body: (inout ProtobufWriter) -> Void) {
        // Messages here are short; writing them apart and copying is simpler than patching lengths.
        var inner = ProtobufWriter()
        body(&inner)
        data(field, inner.bytes)
    }
}
