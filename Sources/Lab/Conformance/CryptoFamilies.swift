// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Matching

enum OfficialCrypto: VectorFamily {
    static let name = "crypto_official"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        let json = vectors.json
        let secret = SecretBytes(copying: try json["tek"].hex("tek"))
        let keys = try IdentifierKeys(secret)
        check.check("derived keys") {
            try expect("rpik", keys.identifierKey.hex, json["rpik"].string)
            try expect("aemk", keys.metadataKey.hex, json["aemk"].string)
        }
        check.check("self-test") { try SelfTest.run() }
        let metadata = try require("metadata", BluetoothMetadata(json["metadata"].hex("metadata")))
        for advertised in json["advertised"].array {
            let interval = ENIN(UInt32(try require("interval", advertised["interval"].int)))
            check.check("interval \(interval)") {
                try CryptoChecks.identifier(keys, secret, interval, advertised, metadata)
            }
        }
    }
}

enum DerivedCrypto: VectorFamily {
    static let name = "crypto_derived"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check("TEK \(vector["tek"].string?.prefix(8) ?? "?")") {
                let bytes = try vector["tek"].hex("tek")
                let secret = SecretBytes(copying: bytes)
                let keys = try IdentifierKeys(secret)
                try expect("rpik", keys.identifierKey.hex, vector["rpik"].string)
                try expect("aemk", keys.metadataKey.hex, vector["aemk"].string)
                let start = UInt32(try require("rolling_start", vector["rolling_start"].int))
                let period = UInt32(try require("rolling_period", vector["rolling_period"].int))
                var all: [UInt8] = []
                for number in start..<(start + period) { all += keys.identifier(for: ENIN(number)).bytes }
                try expect("all identifiers", Hex.string(SHA256.digest(of: all)), vector["all_rpis_sha256"].string)
                // The kernels must agree, each one this machine has.
                for kernel in MatchKernel.available {
                    let batch = kernel.identifiers(ofPublishedKey: bytes, intervals: Array(start..<(start + period)))
                    try expect("identifiers of \(kernel.name)", Hex.string(batch), Hex.string(all))
                }
                let metadata = try require("metadata", BluetoothMetadata(vector["metadata"].hex("metadata")))
                for sample in vector["samples"].array {
                    let interval = ENIN(UInt32(try require("interval", sample["interval"].int)))
                    try CryptoChecks.identifier(keys, secret, interval, sample, metadata)
                }
            }
        }
    }
}

enum CapturedCrypto: VectorFamily {
    static let name = "crypto_captured"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            let interval = ENIN(UInt32(try require("interval", vector["interval"].int)))
            check.check("interval \(interval)") {
                let secret = SecretBytes(copying: try vector["tek"].hex("tek"))
                let keys = try IdentifierKeys(secret)
                if let rpik = vector["rpik"].string { try expect("rpik", keys.identifierKey.hex, rpik) }
                if let aemk = vector["aemk"].string { try expect("aemk", keys.metadataKey.hex, aemk) }
                let metadata = try require("metadata", BluetoothMetadata(vector["metadata"].hex("metadata")))
                try CryptoChecks.identifier(keys, secret, interval, vector, metadata)
                if let rssi = vector["rssi"].int, let attenuation = vector["attenuation"].int {
                    let power = metadata.transmitPower
                    try expect(
                        "attenuation", Attenuation.decibels(transmitPower: power, rssi: Int8(rssi)), attenuation)
                }
            }
        }
    }
}

private enum CryptoChecks {
    /// Identifier and metadata of one interval, encrypted and decrypted both ways.
    static func identifier(
        _ keys: IdentifierKeys, _ secret: SecretBytes, _ interval: ENIN, _ expected: VectorValue,
        _ metadata: BluetoothMetadata
    ) throws {
        let identifier = keys.identifier(for: interval)
        try expect("rpi", Hex.string(identifier.bytes), expected["rpi"].string)
        let encrypted = keys.encrypt(metadata, with: identifier)
        try expect("aem", Hex.string(encrypted.bytes), expected["aem"].string)
        try expect("decrypted", keys.decrypt(encrypted, with: identifier), metadata)
        let published = try PublishedMetadataCipher(publishedKey: secret)
        try expect("decrypted by a matcher", published.decrypt(encrypted, with: identifier), metadata)
    }
}

extension SecretBytes {
    /// Vectors are public; nothing else may print key bytes.
    fileprivate var hex: String { withBytes { Hex.string($0) } }
}
