// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON
import Testing

@testable import Enrolment

/// A card is taken only as its operator signed it; each reason against one has its own error.
struct DeviceFileTests {
    private let key: P256.SigningKey
    private let other: P256.SigningKey

    init() throws {
        key = try .generate()
        other = try .generate()
    }

    private func card(
        _ serial: String = "vg-7k3m-q0r1x", issued: JSON? = 100, type: String? = nil, by signer: P256.SigningKey? = nil,
        files: [String: [UInt8]] = ["vigil.json": [1], "network/20.network": [2]]
    ) throws -> [String: [UInt8]] {
        let signer = signer ?? key
        var files = files
        files[DeviceFile.keyName] = Array(try signer.verificationKey.pem().utf8)
        var hashes = JSON.Object()
        for path in files.keys.sorted() { hashes[path] = .string(DeviceFile.hash(files[path] ?? [])) }
        var device: JSON.Object = ["format": 1, "serial": .string(serial), "files": .object(hashes)]
        device["issued"] = issued
        if let type { device["boardType"] = .string(type) }
        let text = JSON.object(device).bytes
        files[DeviceFile.name] = text
        files[DeviceFile.signatureName] = try signer.sign(SHA256.digest(of: text))
        return files
    }

    private func judge(
        held: [String: [UInt8]]? = nil, type: String? = nil, only: Bool = false, keys: [P256.VerificationKey]? = nil
    ) -> CardJudge {
        CardJudge(
            keys: keys ?? [key.verificationKey], held: held?[DeviceFile.name],
            heldSignature: held?[DeviceFile.signatureName], boardType: type, takesSignedOnly: only)
    }

    @Test func whatTheOperatorSignedIsTaken() throws {
        let files = try card(type: "pi")
        for judge in [judge(), judge(type: "pi"), judge(held: files), judge(only: true), judge(held: try card(issued: 99))]
        {
            guard case .verified(let device) = try judge.verdict(files) else {
                Issue.record("not verified")
                continue
            }
            #expect(device.serial.text == "vg-7k3m-q0r1x" && device.issued == 100 && device.boardType == "pi")
        }
        // The secrets are not listed, on the card or not, erased or not.
        for name in ["first-secrets", "enrolment-claim", "wifi"] {
            var more = files
            more[name] = [0, 0]
            #expect(throws: Never.self) { try judge().verdict(more) }
        }
    }

    @Test func cardsByHandAreTakenWhereTheyWere() throws {
        #expect(try judge().verdict(["vigil.json": [1]]) == .unsigned)
        #expect(try judge(held: card()).verdict(["vigil.json": [1]]) == .unsigned)
        #expect(try judge(keys: []).verdict(card()) == .unverified)
        #expect(throws: DeviceFileFault.missing) { try judge(only: true).verdict(["vigil.json": [1]]) }
        #expect(throws: DeviceFileFault.noKey) { try judge(only: true, keys: []).verdict(card()) }
    }

    @Test func eachReasonAgainstACardHasItsOwnError() throws {
        let files = try card()
        func refused(
            _ change: (inout [String: [UInt8]]) throws -> Void, _ fault: DeviceFileFault, _ judge: CardJudge? = nil
        ) rethrows {
            var changed = files
            try change(&changed)
            #expect(throws: fault) { try (judge ?? self.judge()).verdict(changed) }
        }
        refused({ $0[DeviceFile.name] = nil }, .half(missing: DeviceFile.name))
        refused({ $0[DeviceFile.signatureName] = nil }, .half(missing: DeviceFile.signatureName))
        refused({ $0[DeviceFile.signatureName] = Array(repeating: 0x30, count: 81) }, .tooLong)
        refused({ $0[DeviceFile.name] = Array(repeating: 0x20, count: 65_537) }, .tooLong)
        refused({ $0["extra"] = [] }, .added("extra"))
        refused({ $0["vigil.json"] = nil }, .removed("vigil.json"))
        refused({ $0["network/20.network"] = [3] }, .altered("network/20.network"))
        refused({ $0[DeviceFile.keyName]?[30] ^= 1 }, .altered(DeviceFile.keyName))
        try refused({ $0 = try card(by: other) }, .otherKey)
        try refused({ $0 = try card(type: "pi") }, .otherType(card: "pi", board: "pc"), judge(type: "pc"))
        try refused({ $0 = try card("vg-0") }, .otherBoard(card: "vg-0", board: "vg-7k3m-q0r1x"), judge(held: files))
        for number: JSON? in [99, 0, nil] {
            try refused({ $0 = try card(issued: number) }, .older, judge(held: files))
        }
        try refused({ $0 = try card(files: ["vigil.json": [9]]) }, .older, judge(held: files))
        for number: JSON in [-1, "100", .null, 1.5] {
            try refused({ $0 = try card(issued: number) }, .malformed)
        }
        for text in [
            "{", "[]", #"{"serial": "vg-0"}"#, #"{"serial": "VG 0", "files": {}}"#, #"{"serial": "vg-0", "files": []}"#,
        ] {
            try refused(
                {
                    $0[DeviceFile.name] = Array(text.utf8)
                    $0[DeviceFile.signatureName] = try key.sign(SHA256.digest(of: Array(text.utf8)))
                }, .malformed)
        }
    }

    /// A card of before there were numbers may be followed by any.
    @Test func aFirstNumberIsNewerThanNone() throws {
        let judge = judge(held: try card(issued: nil))
        #expect(throws: Never.self) { try judge.verdict(card(issued: 1)) }
    }

    /// A number, or another board's, that nobody verified shuts out nothing: a card by hand, another fleet's, one whose signature is not there or is another's.
    @Test func onlyACardThatWasVerifiedShutsOthersOut() throws {
        let files = try card(issued: 100)
        let high = try card("vg-0", issued: 4_000_000_000)
        #expect(throws: DeviceFileFault.otherBoard(card: "vg-7k3m-q0r1x", board: "vg-0")) {
            try judge(held: high).verdict(files)
        }
        var changes: [[String: [UInt8]]] = [try card("vg-0", issued: 4_000_000_000, by: other)]
        changes.append(high.merging([DeviceFile.signatureName: try card()[DeviceFile.signatureName] ?? []]) { $1 })
        changes.append(high.filter { $0.key != DeviceFile.signatureName })
        changes.append(high.merging([DeviceFile.signatureName: Array(repeating: 0x30, count: 81)]) { $1 })
        changes.append(high.merging([DeviceFile.name: [UInt8](repeating: 0x20, count: 65_537)]) { $1 })
        for (index, held) in changes.enumerated() {
            #expect(throws: Never.self, "\(index)") { try judge(held: held).verdict(files) }
        }
        // While a key is being replaced both count, and so does what either has signed.
        let both = [key.verificationKey, other.verificationKey]
        #expect(throws: DeviceFileFault.older) {
            try judge(held: card(issued: 101, by: other), keys: both).verdict(files)
        }
    }

    /// Each bit of both files counts.
    @Test func noChangedBitIsTaken() throws {
        let files = try card()
        for name in [DeviceFile.name, DeviceFile.signatureName] {
            for index in try #require(files[name]).indices {
                var changed = files
                changed[name]?[index] ^= UInt8(1 << (index % 8))
                #expect(throws: DeviceFileFault.changed, "\(name) \(index)") { try judge().verdict(changed) }
            }
        }
    }

    @Test func aSecretsHashIsOfItsCharacters() {
        let hash = DeviceFile.hash(Array("7H2K9D3K".utf8))
        for text in [
            #"{"wearer":"7H2K-9D3K"}"#, "{\"technician\": \"7H2K9D3K\"}\n", "7H2K-9D3K\n", "7H2K-9D3K\r\n", "7H2K9D3K",
        ] {
            #expect(CardSecretFile.digest(SecretBytes(copying: text.utf8)) == hash, "\(text)")
        }
        for text in [
            "", "\n", "{}", #"{"a":"7H2K","b":"7H2K"}"#, #"{"wearer":7}"#, "7H2K\n9D3K\n",
            String(repeating: "A", count: 4_097),
        ] {
            #expect(CardSecretFile.digest(SecretBytes(copying: text.utf8)) == nil, "\(text.prefix(20))")
        }
    }

    /// On a disk two names that look alike are two files; the one that is listed is judged, and the other one was added.
    @Test(arguments: [("schl\u{FC}ssel.pem", "schlu\u{308}ssel.pem"), ("network/K.network", "network/\u{212A}.network")])
    func namesThatLookAlikeAreTwoFiles(_ listed: String, _ twin: String) throws {
        #expect(listed == twin)
        let card = try card(files: ["vigil.json": [1], listed: [2]])
        var paths = Dictionary(uniqueKeysWithValues: card.map { (Array($0.utf8), $1) })
        #expect(throws: Never.self) { try judge().verdict(paths: paths) }
        paths[Array(twin.utf8)] = [66]
        #expect(throws: DeviceFileFault.added(twin)) { try judge().verdict(paths: paths) }
        paths[Array(twin.utf8)] = [2]
        paths[Array(listed.utf8)] = [66]
        #expect(throws: DeviceFileFault.self) { try judge().verdict(paths: paths) }
        paths[Array(listed.utf8)] = nil
        #expect(throws: DeviceFileFault.self) { try judge().verdict(paths: paths) }
    }

    @Test func theRoleOfACodeIsRead() {
        for (text, role) in [
            (#"{"wearer":"7H2K"}"#, "wearer"), (#"{"technician":"7H2K"}"#, "technician"), ("{}", nil),
            (#"{"a":"b","c":"d"}"#, nil), ("7H2K", nil),
        ] {
            #expect(CardSecretFile.role(SecretBytes(copying: text.utf8)) == role, "\(text)")
        }
    }
}
