// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import GAEN
import KeyArchive
import KeyExport
import Trust

enum ExportFiles: VectorFamily {
    static let name = "export"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["name"].string ?? "?") {
                let path = vectors.path(try require("file", vector["file"].string))
                var keys: [ExportedKey] = []
                let result = Result {
                    try KeyFileReader(path: path).read(trust: try trust(vector["public_keys"]), time: nil) { keys += $0 }
                }
                if try require("expect_verify", vector["expect_verify"].bool) {
                    let file = try result.get()
                    try ParsedExport.compare(
                        vector["parsed"], file.summary, keys, exportBin: UnsignedKeyFile.exportBin(path: path))
                    try expect(
                        "digest", Hex.string(file.contentDigest), vector["parsed"]["export_bin_sha256"].string ?? "")
                } else {
                    guard case .failure(let error) = result else {
                        throw Mismatch(description: "accepted, though \(vector["reason"].string ?? "it must be refused")")
                    }
                    guard error is KeyExportError else { throw Mismatch(description: "refused with \(type(of: error))") }
                }
            }
        }
    }

    private static func trust(_ keys: VectorValue) throws -> TrustStore {
        try TrustStore(
            keys: keys.object.map { name, value in
                // "keyid-version"; versions have no dash, ids might.
                let dash = name.lastIndex(of: "-") ?? name.endIndex
                let keyName = KeyName(
                    id: String(name[..<dash]), version: String(name[dash...].dropFirst()))
                let der = try require("public key", value.string.flatMap(Base64.bytes))
                return TrustedKey(name: keyName, role: .export, key: try P256.VerificationKey(pemOrDER: der))
            })
    }
}

enum UnsignedExports: VectorFamily {
    static let name = "export_unsigned"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["name"].string ?? "?") {
                let bytes = [UInt8](
                    try Data(contentsOf: URL(filePath: vectors.path(try require("file", vector["file"].string)))))
                let (summary, keys) = try ParsedExport.decode(bytes)
                try ParsedExport.compare(vector["parsed"], summary, keys, exportBin: bytes)
            }
        }
    }
}

enum ExportEncoding: VectorFamily {
    static let name = "export_encode"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for (index, vector) in vectors.cases.enumerated() {
            check.check("case \(index)") {
                let bytes = try vector["export_bin"].hex("export_bin")
                let (summary, keys) = try ParsedExport.decode(bytes)
                let encoder = ExportEncoder(
                    startTimestamp: summary.startTimestamp, endTimestamp: summary.endTimestamp, region: summary.region,
                    batchNumber: summary.batchNumber ?? 0, batchSize: summary.batchSize ?? 0,
                    signatureInfos: summary.signatureInfos)
                // Given in the opposite order: the encoder sorts.
                let encoded = encoder.exportBin(keys.reversed())
                try expect("bytes", Hex.string(encoded), Hex.string(bytes))
                try expect("digest", Base64.string(SHA256.digest(of: encoded)), vector["sha256_base64"].string)
            }
        }
    }
}

/// Real signed packages with a manifest of what is in them (Corona-Warn-App): key files, and other messages signed the same way.
enum SignedPackages: VectorFamily {
    static let name = "packages"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        let keys = vectors.json["publicKeys"].object
        for package in vectors.json["packages"].array {
            check.check(package["file"].string ?? "?") {
                let path = vectors.path(try require("file", package["file"].string))
                let bin = try UnsignedKeyFile.entry("export.bin", path: path)
                let sig = try UnsignedKeyFile.entry("export.sig", path: path)
                try expect("export.bin", bin.count, package["exportBinBytes"].int)
                try expect("digest", Hex.string(SHA256.digest(of: bin)), package["exportBinSha256"].string)
                try expect("export.sig", sig.count, package["exportSigBytes"].int)
                let signatures = try ExportSignatureList.read(sig)
                try compare(signatures, package["signatureInfo"].array)
                for (name, member) in [("dev", "expSignatureValidWithDevKey"), ("prod", "expSignatureValidWithProdKey")] {
                    let der = try require("public key", keys[name]?["spkiBase64"].string.flatMap(Base64.bytes))
                    let key = try P256.VerificationKey(pemOrDER: der)
                    let isValid = try require(member, package[member].bool)
                    let digest = SHA256.digest(of: bin)
                    let found = signatures.contains { key.isValid(signature: $0.signature, over: digest) }
                    try expect(member, found, isValid)
                    if package["kind"].string == "diagnosis-keys" { try read(path, key, isValid) }
                }
                if package["kind"].string == "diagnosis-keys" { try compare(bin, package) }
            }
        }
    }

    /// The file as a receiver reads it: accepted with the right key, refused with another.
    private static func read(_ path: String, _ key: P256.VerificationKey, _ isValid: Bool) throws {
        let name = KeyName(id: "262", version: "v1")
        let trust = try TrustStore(keys: [TrustedKey(name: name, role: .export, key: key)])
        let result = Result { try KeyFileReader(path: path).read(trust: trust, policy: .anyKey, time: nil) { _ in } }
        switch result {
        case .success: try expect("accepted", true, isValid)
        case .failure(let error as KeyExportError):
            try expect("accepted", false, isValid)
            try expect("refused", error.code, .signatureMismatch)
        case .failure(let error): throw error
        }
    }

    private static func compare(_ signatures: [ExportSignature], _ expected: [VectorValue]) throws {
        try expect("signatures", signatures.count, expected.count)
        for (signature, info) in zip(signatures, expected) {
            let fields = [
                "1": signature.info.appBundleID, "2": signature.info.androidPackage, "3": signature.info.keyVersion,
                "4": signature.info.keyID, "5": signature.info.algorithm,
            ]
            for (number, value) in fields { try expect("info \(number)", value, info[number].string) }
        }
    }

    private static func compare(_ bin: [UInt8], _ package: VectorValue) throws {
        let (summary, keys) = try ParsedExport.decode(bin)
        try expect("header", String(decoding: bin.prefix(16), as: UTF8.self), package["headerAscii"].string)
        try expect("keys", keys.count, package["keyCount"].int)
        let fields = package["exportFields"]
        try expect("start", Int(summary.startTimestamp), fields["1"].int)
        try expect("end", Int(summary.endTimestamp), fields["2"].int)
        try expect("region", summary.region, fields["3"].string)
        try expect("batch number", summary.batchNumber.map(Int.init), fields["4"].int)
        try expect("batch size", summary.batchSize.map(Int.init), fields["5"].int)
        for (key, expected) in [(keys.first, package["firstKey"]), (keys.last, package["lastKey"])] {
            let key = try require("key", key)
            try expect("key", Hex.string(key.data.bytes), expected["keyDataHex"].string)
            try expect("level", Int(key.transmissionRiskLevel), expected["transmissionRiskLevel"].int)
            try expect("key start", Int(key.rollingStart), expected["rollingStartIntervalNumber"].int)
            try expect("period", Int(key.rollingPeriod), expected["rollingPeriod"].int)
            try expect("report type", Int(key.reportType), expected["reportType"].int)
            let raw = key.hasOnset ? Int(UInt32(bitPattern: key.daysSinceOnset << 1 ^ key.daysSinceOnset >> 31)) : nil
            try expect("onset", raw, expected["daysSinceOnsetRaw"].int)
        }
    }
}

private enum ParsedExport {
    static func decode(_ bytes: [UInt8]) throws -> (ExportSummary, [ExportedKey]) {
        var decoder = ExportDecoder()
        var keys: [ExportedKey] = []
        try bytes.withUnsafeBytes { try decoder.decode($0) { keys += $0 } }
        let summary = try decoder.finish { keys += $0 }
        return (summary, keys)
    }

    static func compare(_ parsed: VectorValue, _ summary: ExportSummary, _ all: [ExportedKey], exportBin: [UInt8]) throws {
        let keys = all.filter { !$0.isRevised }
        let revised = all.filter(\.isRevised)
        func number(_ name: String) throws -> Int { try require(name, parsed[name].int) }
        try expect("header", String(decoding: exportBin.prefix(16), as: UTF8.self), parsed["header"].string)
        try expect("digest", Hex.string(SHA256.digest(of: exportBin)), parsed["export_bin_sha256"].string)
        try expect("length", Int(summary.byteCount), number("export_bin_length"))
        try expect("start", Int(summary.startTimestamp), number("start_timestamp"))
        try expect("end", Int(summary.endTimestamp), number("end_timestamp"))
        try expect("region", summary.region, parsed["region"].string ?? "")
        try expect("batch number", Int(summary.batchNumber ?? -1), number("batch_num"))
        try expect("batch size", Int(summary.batchSize ?? -1), number("batch_size"))
        try expect("infos", summary.signatureInfos.count, parsed["signature_infos"].array.count)
        for (info, expected) in zip(summary.signatureInfos, parsed["signature_infos"].array) {
            let fields: [String: String?] = [
                "app_bundle_id": info.appBundleID, "android_package": info.androidPackage,
                "verification_key_version": info.keyVersion, "verification_key_id": info.keyID,
                "signature_algorithm": info.algorithm,
            ]
            for (name, value) in fields { try expect(name, value, expected[name].string) }
        }
        try expect("keys", keys.count, number("key_count"))
        try expect("counted keys", Int(summary.keyCount), number("key_count"))
        try expect("revised keys", revised.count, number("revised_key_count"))
        let data = keys.flatMap { exportBin[Int($0.dataOffset)..<(Int($0.dataOffset) + Int($0.dataByteCount))] }
        try expect("all key data", Hex.string(SHA256.digest(of: data)), parsed["all_key_data_sha256"].string)
        try expect("sum of periods", keys.reduce(0) { $0 + Int($1.rollingPeriod) }, number("sum_rolling_period"))
        for (name, list) in [
            ("first_keys", keys), ("last_keys", Array(keys.suffix(parsed["last_keys"].array.count))),
            ("all_keys", keys), ("revised_keys", revised),
        ] {
            for (key, expected) in zip(list, parsed[name].array) { try compare(key, expected, exportBin) }
        }
    }

    private static func compare(_ key: ExportedKey, _ expected: VectorValue, _ exportBin: [UInt8]) throws {
        let data = exportBin[Int(key.dataOffset)..<(Int(key.dataOffset) + Int(key.dataByteCount))]
        try expect("key", Hex.string(data), expected["key"].string)
        try expect("level", Int(key.transmissionRiskLevel), expected["transmission_risk"].int ?? 0)
        try expect("start", Int(key.rollingStart), expected["rolling_start"].int ?? 0)
        try expect("period", Int(key.rollingPeriod), expected["rolling_period"].int ?? 144)
        try expect("report type", Int(key.reportType), expected["report_type"].int ?? 0)
        try expect("onset", key.hasOnset ? Int(key.daysSinceOnset) : nil, expected["days_since_onset"].int)
        try expect("variant", key.hasVariant ? Int(key.variantOfConcern) : nil, expected["variant_of_concern"].int)
    }
}
