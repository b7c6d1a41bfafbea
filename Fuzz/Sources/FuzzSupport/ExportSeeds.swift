// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
public import KeyExport

/// The export.bin contents that seeds are made of. Deterministic: the fuzzers know them as what was really signed.
public enum ExportSeeds {
    public struct Seed: Sendable {
        public let name: String
        public let encoder: ExportEncoder
        public let exportBin: [UInt8]
    }

    /// Files that the test keys sign.
    public static let signed: [Seed] = [
        seed("empty", keys: 0),
        seed("one", keys: 1),
        // More than the 256 of a batch.
        seed("many", keys: 300),
        seed("revised", keys: 5) { $0.isRevised = $1 % 2 == 1 },
        seed("variants", keys: 6) {
            $0.variantOfConcern = Int32($1 % 5)
            $0.hasVariant = true
            $0.daysSinceOnset = Int32($1) - 3
            $0.hasOnset = true
        },
        seed("flawed", keys: 5) {
            switch $1 {
            case 0: $0.rollingPeriod = 0
            case 1: $0.rollingStart = -1
            case 2: $0.transmissionRiskLevel = 9
            case 3: $0.reportType = 6
            default: $0.dataByteCount = 15
            }
        },
        seed("batch", keys: 2, batch: (2, 3)),
        seed("long-hash", keys: 2, algorithm: .ecdsaSHA512),
        seed("cosigned", keys: 2, isCosigned: true),
    ]

    /// SHA-256 of every export.bin for which there is a signature by a trusted key anywhere in the seeds; those of the
    /// a_*.zip of the conformance vectors by value.
    public static let signedDigests = Set(
        signed.map { SHA256.digest(of: $0.exportBin) }
            + [
                "21cb439ba89aef7ea171dd93f21483e9217fd4f4afb9fc2be223febc699611d9",
                "4f4e3568f0b869be9c848844daec90b46f501654e72f616a4bda47426b4d4802",
                "81bde38697eb38823d451f4f820a31bf8641ddd0ad69d5e7c8d256094a926ef3",
                "ad945aa662352f816bce0c47d19d47c369701cbe1760975024272df5e740faf1",
                "e60492bf466436003f802f1ec1e384758a647e0ca1d1edbb6c34646e15f5ae27",
            ].compactMap { Hex.bytes($0) })

    /// Unsigned contents with what an encoder never writes: unknown fields, cut fields, numbers nobody can mean.
    public static let strange: [(name: String, bytes: [UInt8])] = [
        // More than the 256 of a batch, in few bytes.
        ("many-empty-keys", with(String(repeating: "3A00", count: 300))),
        ("header-only", ExportDecoder.header),
        ("unknown-fields", with("7A03616263 F80701 A10600000000 00000000 A5060000 0000")),
        ("unrepresentable", with("3A16 0A0401020304 10FFFFFFFFFFFFFFFF7F 18808080808001")),
        ("zigzag", with("3A18 0A1000112233445566778899AABBCCDDEEFF 30FFFFFFFF0F")),
        ("long-data", with("3A13 0A11000102030405060708090A0B0C0D0E0F10")),
        ("key-twice-data", with("3A06 0A010A 0A010B")),
        ("unknown-in-key", with("3A0B 4A0161 5001 5D01020304")),
        ("field-seven-in-key", with("3A02 3801")),
        ("skip-behind-end", with("7AFFFFFFFFFFFFFFFFFF01")),
        ("key-too-long", with("3A8110")),
        ("cut-tag", with("80")),
        ("cut-length", with("3A80")),
        ("cut-number", with("2080")),
        ("group", with("0B0C")),
        ("info", with("3206 0A01610D0A00 3204 22022122")),
        ("wrong-type", with("0801")),
        ("negative-batch", with("20FFFFFFFFFFFFFFFFFF01 28FFFFFFFF0F")),
    ]

    private static func with(_ hexadecimal: String) -> [UInt8] {
        ExportDecoder.header + needed("seed \(hexadecimal)") { Hex.bytes(hexadecimal.filter { $0 != " " }) }
    }

    private static func seed(
        _ name: String, keys count: Int, batch: (number: Int32, size: Int32) = (1, 1),
        algorithm: SignatureAlgorithm = .ecdsaSHA256, isCosigned: Bool = false,
        _ change: (inout ExportedKey, Int) -> Void = { _, _ in }
    ) -> Seed {
        var infos = [ExportEncoder.signatureInfo(for: TestKeys.exportName)]
        if isCosigned { infos.append(ExportEncoder.signatureInfo(for: TestKeys.cosignerName)) }
        for index in infos.indices { infos[index].algorithm = algorithm.rawValue }
        let encoder = ExportEncoder(
            startTimestamp: 1_605_916_800, endTimestamp: 1_606_003_200, region: "DE", batchNumber: batch.number,
            batchSize: batch.size, signatureInfos: infos)
        let keys = (0..<count).map { index in
            var key = ExportedKey()
            key.data = needed("key data") { Block(SHA256.digest(of: Array("\(name) \(index)".utf8)).prefix(16)) }
            key.dataByteCount = 16
            key.rollingStart = 2_676_528 + Int32(index % 14) * 144
            key.reportType = 1
            change(&key, index)
            return key
        }
        return Seed(name: name, encoder: encoder, exportBin: encoder.exportBin(keys))
    }
}
