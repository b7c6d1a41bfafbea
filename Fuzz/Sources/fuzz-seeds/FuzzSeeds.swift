// SPDX-License-Identifier: Apache-2.0

import CrowdNotifier
import Cryptography
import FoundationEssentials
import FuzzSupport
import GAEN
import JSON
import KeyArchive
import KeyExport
import Trust

/// Writes the seeds that are made of our own data into the corpus folder given as the only argument.
@main
enum FuzzSeeds {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else { fatalError("usage: fuzz-seeds CORPUS-FOLDER") }
        let corpus = CommandLine.arguments[1]
        func write(_ fuzzer: String, _ name: String, _ bytes: [UInt8]) throws {
            try Data(bytes).write(to: URL(filePath: "\(corpus)/\(fuzzer)/\(name)"))
        }
        for seed in ExportSeeds.signed {
            let sig = try signatures(of: seed)
            // libFuzzer makes inputs as long as the longest seed, and long ones slow it down.
            if seed.exportBin.count <= 4_096 { try write("fuzz-export", seed.name, seed.exportBin) }
            try write("fuzz-signatures", "list-\(seed.name)", sig)
            try write(
                "fuzz-zip", "\(seed.name).zip", KeyArchiveWriter.archive(exportBin: seed.exportBin, exportSig: sig))
            let entries = [(name: "export.bin", content: seed.exportBin), (name: "export.sig", content: sig)]
            try write("fuzz-zip", "\(seed.name)-stored.zip", StoredZip.archive(entries))
        }
        for (name, bytes) in ExportSeeds.strange { try write("fuzz-export", name, bytes) }
        try write("fuzz-zip", "no-entries.zip", StoredZip.archive([]))
        let zeros = [UInt8](repeating: 0, count: 16_000)
        try write("fuzz-zip", "zeros.zip", KeyArchiveWriter.archive(exportBin: zeros, exportSig: []))
        // Beyond the fuzzer's limits of size, and packed little enough to get so far.
        let dull = (0..<32).flatMap { SHA256.digest(of: [$0]).flatMap { [UInt8](repeating: $0, count: 20) } }
        try write("fuzz-zip", "large-export.zip", KeyArchiveWriter.archive(exportBin: dull, exportSig: []))
        try write(
            "fuzz-zip", "large-signatures.zip",
            KeyArchiveWriter.archive(exportBin: [], exportSig: Array(dull.prefix(4_000))))

        for (name, bytes) in try signatureSeeds() { try write("fuzz-signatures", name, bytes) }
        for (number, (name, json)) in HiddenSeeds.stored.enumerated() {
            try write("fuzz-hidden-visits", name, [UInt8(5 + number)] + json.bytes)
        }
        try write("fuzz-hidden-visits", "list", [7] + TraceKeyList.encoded([HiddenSeeds.warning]))
        for (name, bytes) in payloadSeeds() { try write("fuzz-payload", name, bytes) }
        for (name, text) in tableSeeds() { try write("fuzz-tables", name, Array(text.utf8)) }
        for (name, bytes) in VarlinkSeeds.streams { try write("fuzz-varlink", name, bytes) }
        for (name, bytes) in try fleetSeeds() { try write("fuzz-fleet", name, bytes) }
        for (name, text) in VarlinkSeeds.interfaces { try write("fuzz-idl", name, Array(text.utf8)) }
    }

    /// export.sig of a seed, by as many test keys as it names.
    static func signatures(of seed: ExportSeeds.Seed) throws -> [UInt8] {
        let keys = [TestKeys.export, TestKeys.cosigner].prefix(seed.encoder.signatureInfos.count)
        guard seed.encoder.signatureInfos[0].algorithm == SignatureAlgorithm.ecdsaSHA512.rawValue else {
            return try seed.encoder.exportSig(for: seed.exportBin, keys: Array(keys))
        }
        // The encoder signs with SHA-256 only. TEKSignatureList, by hand; every length here is below 128.
        func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] { [number << 3 | 2, UInt8(content.count)] + content }
        let info = seed.encoder.signatureInfos[0]
        var hash = SHA512()
        seed.exportBin.withUnsafeBytes { hash.update($0) }
        let signature = try TestKeys.export.sign(hash.finish(), hash: .sha512)
        let name =
            field(3, Array((info.keyVersion ?? "").utf8)) + field(4, Array((info.keyID ?? "").utf8))
            + field(5, Array((info.algorithm ?? "").utf8))
        let entry = field(1, name) + [0x10, 1, 0x18, 1] + field(4, signature)
        return [0x0A, UInt8(entry.count & 0x7F) | 0x80, UInt8(entry.count >> 7)] + entry
    }

    static func signatureSeeds() throws -> [(String, [UInt8])] {
        let signature = try TestKeys.export.sign(SHA256.digest(of: Array("vigil fuzz".utf8)))
        // What the library takes although DER forbids it: a zero too many in front of r, a length of more bytes than needed.
        var padded = signature
        padded[1] += 1
        padded[3] += 1
        padded.insert(0, at: 4)
        var longLength = signature
        longLength.insert(0x81, at: 1)
        return [
            ("signature", signature), ("signature-padded", padded), ("signature-long-length", longLength),
            ("signature-other-key", try TestKeys.cosigner.sign(SHA256.digest(of: Array("vigil fuzz".utf8)))),
            ("list-of-known", [0x0A, UInt8(signature.count + 2), 0x22, UInt8(signature.count)] + signature),
            ("key.der", TestKeys.export.verificationKey.subjectPublicKeyInfo),
            ("key.pem", Array(try TestKeys.export.verificationKey.pem().utf8)),
            ("list-empty-entries", [0x0A, 0, 0x0A, 0]),
            ("list-unknown-field", [0x7A, 1, 0, 0x0A, 4, 0x7D, 0, 0, 0]),
        ]
    }

    static func fleetSeeds() throws -> [(String, [UInt8])] {
        let card = FleetSeeds.device()
        var seeds: [(String, [UInt8])] = [
            ("device", [0] + card), ("card-newer", [1] + FleetSeeds.device(issued: 101)),
            ("card-same", [1] + card), ("card-older", [1] + FleetSeeds.device(issued: 99)),
            ("card-other-board", [1] + FleetSeeds.device("vg-0", issued: 101)),
            ("card-signed", [2] + card + [0] + (try TestKeys.operator.sign(SHA256.digest(of: card)))),
            ("card-other-key", [2] + card + [0] + (try TestKeys.export.sign(SHA256.digest(of: card)))),
        ]
        for (name, document) in FleetSeeds.configurations {
            seeds.append(("configuration-\(name)", [4] + document))
            let keys = name == "nothing" ? [TestKeys.cosigner, TestKeys.operator] : [TestKeys.operator]
            seeds.append(("signed-\(name)", [3] + (try SignedConfiguration(signing: document, with: keys).file)))
        }
        return seeds
    }

    static func payloadSeeds() -> [(String, [UInt8])] {
        let payload = needed("payload") {
            guard let identifier = RollingProximityIdentifier(0..<16), let metadata = AssociatedEncryptedMetadata(16..<20)
            else { return nil as AdvertisingPayload? }
            return AdvertisingPayload(identifier: identifier, metadata: metadata)
        }
        let full = payload.advertisingData(.withFlags)
        let bare = payload.advertisingData(.withoutFlags)
        return [
            ("with-flags", full), ("without-flags", bare), ("cut", Array(full.dropLast())),
            ("ended-early", [0] + full), ("data-only", Array(bare.dropFirst(4))),
            ("behind-others", [0x02, 0x0A, 0x08, 0x04, 0xFF, 0x4C, 0x00, 0x10] + bare),
            ("short", [0x03, 0x16, 0x6F, 0xFD]), ("other-service", [0x05, 0x16, 0x0F, 0x18, 0x00, 0x01]),
            ("long", [0x18, 0x16, 0x6F, 0xFD] + [UInt8](repeating: 7, count: 21)),
        ]
    }

    static func tableSeeds() -> [(String, String)] {
        let rpi = "000102030405060708090a0b0c0d0e0f"
        let sightings = "time,previous_scan,rssi,rpi,aem\n"
        let tables = [
            ("sightings.csv", sightings + "1606003200,1606003000,-60,\(rpi),10111213\n1606003210,,126,\(rpi),10111213\n"),
            ("sightings-crlf.csv", "rpi,aem,rssi,time\r\n\(rpi.uppercased()),10111213,-127,1\r\n\r\n"),
            ("sightings-no-end.csv", sightings + "4294967295,0,0,\(rpi),ffffffff"),
            ("sightings-flawed.csv", sightings + "0,0,127,\(rpi),\n"),
            ("sightings-short.csv", sightings + "1,2,3\n"),
            (
                "keys.csv",
                "key,rolling_start,rolling_period,transmission_risk,report_type,days_since_onset,variant,revised\n"
                    + "\(rpi),2676528,144,0,1,-3,4,0\n\(rpi),2676672,1,8,5,,,1\n"
            ),
            ("keys-short.csv", "rolling_start,key\n2147483503,\(rpi)\n"),
            ("keys-twice.csv", "key,key,rolling_start\n"), ("unknown.csv", "key,rolling_start,colour\n"),
            ("long-line.csv", "key,rolling_start\n" + String(repeating: "a", count: 4_100) + "\n"), ("empty.csv", ""),
        ]
        func key(_ key: P256.SigningKey, _ more: String = "") -> String {
            let text = Data(key.verificationKey.subjectPublicKeyInfo).base64EncodedString()
            return "{\"id\":\"fuzz\",\"version\":\"v3\",\"publicKey\":\"\(text)\"\(more)}"
        }
        func document(_ roles: String, sequence: String = "1") -> String {
            "{\"format\":\"vigil-trust-1\",\"sequence\":\(sequence),\"roles\":{\(roles)}}"
        }
        func proof(_ role: KeyRole) -> String {
            let proof = needed("proof") {
                try KeyProof.make(with: TestKeys.export, role: role, name: KeyName(id: "fuzz", version: "v3"))
            }
            return ",\"proof\":\"\(Data(proof).base64EncodedString())\""
        }
        let signed = Array(document("\"export\":[\(key(TestKeys.cosigner))]").utf8)
        let file = needed("file") {
            let signature = try TestKeys.export.sign(Succession.digest(of: signed))
            return String(
                decoding: try Succession(
                    document: signed, signatures: [.init(role: .export, name: TestKeys.exportName, signature: signature)]
                ).file(), as: UTF8.self)
        }
        let list = needed("list") { String(decoding: try SuccessionList(files: [file, "{}"]).bytes(), as: UTF8.self) }
        let limited = key(TestKeys.cosigner, ",\"validFrom\":1600000000,\"validUntil\":1700000000,\"spare\":true")
        return tables + [
            ("export.json", document("\"export\":[\(key(TestKeys.cosigner))]")),
            ("limited.json", document("\"export\":[\(limited)]", sequence: "18446744073709551615")),
            ("operator.json", document("\"operator\":[\(key(TestKeys.operator))],\"plugin\":[\(key(TestKeys.export))]")),
            ("twice.json", document("\"export\":[\(key(TestKeys.export)),\(key(TestKeys.export))]")),
            ("old.json", document("\"export\":[\(key(TestKeys.cosigner))]", sequence: "0")),
            ("none.json", document("\"export\":[]")), ("no-roles.json", document("")),
            ("stranger.json", document("\"other\":[]")),
            ("expired.json", document("\"export\":[\(key(TestKeys.export, ",\"validUntil\":1"))]")),
            ("proven.json", document("\"plugin\":[\(key(TestKeys.export, proof(.plugin)))]")),
            ("misproven.json", document("\"plugin\":[\(key(TestKeys.export, proof(.firmware)))]")),
            ("file.json", file), ("list.json", list),
            ("wrong-order.json", document("\"export\":[\(key(TestKeys.export, ",\"validFrom\":2,\"validUntil\":1"))]")),
        ]
    }
}
