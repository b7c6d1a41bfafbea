// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Enrolment
import JSON
import RandomValues
import Testing

@testable import FleetCard

/// What a card grants the plugin that enrols its board: the server of the device file, and no other.
struct EnrolmentGrantTests {
    private func anchor(_ count: Int = 1) throws -> [UInt8] {
        let one = try CertificateSigner(
            key: P256.SigningKey.generate(), title: "Server", serial: [UInt8](repeating: 1, count: 16),
            validity: CertificateValidity(notBefore: 1_700_000_000, notAfter: 2_000_000_000))
        return Array(String(repeating: "# of ours\n" + one.certificate.pem, count: count).utf8)
    }

    private func card(_ address: String, certificates: Int = 1) throws -> Card {
        var generator = SeededGenerator(seed: 24)
        let secrets = CardSecrets(using: &generator)
        let bytes = try anchor(certificates)
        let place = try EnrolmentPlace(address: address, anchor: bytes)
        return try Card(
            Sample.answers(.person), serial: BoardSerial(using: &generator), secrets: secrets,
            enrolment: place)
    }

    private func manifests() throws -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for name in ["Sync", "Wake", "Diagnosis", "Indicator", "WebUI", "Venue", "Enrolment"] {
            found[name.lowercased()] = try Sample.read("Plugins/\(name)/plugin.json")
        }
        return found
    }

    /// What no board could reach is refused where it was typed, and not for a row of the fleet.
    @Test(arguments: [
        "https://ra.example:0/est", "https://ra.example:65536/est", "https://ra.example:70000/est",
        "https://ra.example:-1/est", "https://ra.example:/est",
        "https://ra.example:x/est", "https://u@ra.example/est", "https:///est", "https://ra.example/est/",
        "https://ra.example/est?x", "http://ra.example/est", "ra.example", "",
    ])
    func anAddressThatNoBoardCouldReachIsRefused(_ address: String) throws {
        let one = try anchor(1)
        #expect(throws: EnrolmentPlaceFault.unusable) { try EnrolmentPlace(address: address, anchor: one) }
        #expect(throws: EnrolmentPlaceFault.unusable) { try EnrolmentPlace(address: "https://ra.example/est", anchor: []) }
    }

    @Test(arguments: [
        ("https://ra.example/.well-known/est", "ra.example", 443, false),
        ("https://RA.example:8443/est", "ra.example", 8_443, false),
        ("https://192.168.1.7:8443/est", "192.168.1.7", 8_443, true), ("https://[fd00::7]/est", "[fd00::7]", 443, true),
        ("https://[2606:4700::1111]:444/est", "[2606:4700::1111]", 444, false),
        ("https://ra.local/est", "ra.local", 443, true),
    ])
    func theGrantIsForTheServerOfTheDeviceFile(_ address: String, _ host: String, _ port: Int64, _ isPrivate: Bool) throws {
        let card = try card(address, certificates: 3)
        #expect(CardCheck.problems(in: card.provision, plugins: try manifests()) == [])
        let entry = try #require(try JSON(parsing: card.provision["grants.json"] ?? [])["plugins"]?["enrolment"])
        let places = try #require(entry["endpoints"]?["authority"]?.array)
        #expect(places.count == 1 && places[0]["host"]?.string == host && places[0]["port"]?.int == port)
        #expect((places[0]["private"]?.bool == true) == isPrivate)
        let settings = try #require(entry["settings"])
        let record = try JSON(parsing: Array(card.recordText.utf8))
        #expect(settings["address"] == record["enrolment"]?["address"] && settings["claimHash"] == record["claimHash"])
        #expect(settings["board"] == record["serial"] && settings["anchor"]?.array?.count == 3)
        // The claim itself is no grant.
        let claim = try #require(card.provision["enrolment-claim"])
        #expect(!card.provision["grants.json"]!.contains(claim.dropLast()))
    }

    @Test func whatIsNoServerIsFoundBeforeTheCardIsWritten() throws {
        #expect(try !card("https://ra_1.example/est").problems.isEmpty)
    }

    /// The plugin's limits, which no card is checked by where it is made: beyond them the plugin would never start.
    @Test func moreThanThePluginTakesIsRefused() throws {
        let manifest = try JSON(parsing: Sample.read("Plugins/Enrolment/plugin.json"))
        let rule = try #require(manifest["settings"]?["properties"]?["anchor"])
        #expect(rule["maxItems"]?.int == Int64(EnrolmentPlace.mostCertificates))
        #expect(rule["items"]?["maxLength"]?.int == Int64(EnrolmentPlace.longestCertificate))
        #expect(throws: EnrolmentPlaceFault.tooMany(9)) { try card("https://ra.example/est", certificates: 9) }
        #expect(
            try CardCheck.problems(in: card("https://ra.example/est", certificates: 8).provision, plugins: manifests())
                == [])
        let long = PEM.text(
            try CertificateSigner(
                key: P256.SigningKey.generate(), title: "Server", serial: [UInt8](repeating: 1, count: 16),
                validity: CertificateValidity(notBefore: 1_700_000_000, notAfter: 2_000_000_000)
            ).certificate.encoded, label: "CERTIFICATE")
        #expect(long.utf8.count < EnrolmentPlace.longestCertificate)
        let far = PEM.text([UInt8](repeating: 0x30, count: 4_000), label: "CERTIFICATE")
        #expect(throws: EnrolmentPlaceFault.tooLong(position: 2, bytes: far.utf8.count)) {
            try EnrolmentPlace(address: "https://ra.example/est", anchor: Array((long + far).utf8))
        }
    }

    /// A web server's file often has certificate and key; whatever is in the file would be on each board's card.
    @Test(arguments: ["PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY"])
    func aFileWithAPrivateKeyIsRefused(_ label: String) throws {
        let key = Array(PEM.text([UInt8](repeating: 0x30, count: 100), label: label).utf8)
        let address = "https://ra.example/est"
        for file in [try key + anchor(), try anchor() + key] {
            #expect(throws: EnrolmentPlaceFault.privateKey) { try EnrolmentPlace(address: address, anchor: file) }
        }
        #expect(throws: EnrolmentPlaceFault.privateKey) { try EnrolmentPlace(address: address, anchor: key) }
        #expect(EnrolmentPlaceFault.privateKey.description.contains("private key"))
    }

    @Test func ofTheFileTheCertificatesAloneAreKept() throws {
        let file = try anchor(2)
        let place = try EnrolmentPlace(address: "https://ra.example/est", anchor: file + Array("password=1234\n".utf8))
        #expect(!place.anchor.contains("#") && !place.anchor.contains("1234") && place.certificates.count == 2)
        // A card of before, with the whole file, was made with the same; one with a key in it was not.
        let text = String(decoding: file, as: UTF8.self)
        let key = PEM.text([UInt8](repeating: 0x30, count: 100), label: "PRIVATE KEY")
        func differences(_ anchor: String) throws -> [CardDifference] {
            var record = try JSON(parsing: Array(card("https://ra.example/est").recordText.utf8)).object ?? [:]
            record["enrolment"] = ["address": "https://ra.example/est", "anchor": .string(anchor)]
            return try CardDifference.all(Sample.answers(.person), .object(record), enrolment: place)
        }
        #expect(try differences(place.anchor) == [] && differences(text) == [])
        #expect(try differences(text + key).count == 1 && differences("").count == 1)
    }

    @Test func withoutAPlaceThereIsNoGrant() throws {
        let card = try Sample.card(.person)
        #expect(try JSON(parsing: card.provision["grants.json"] ?? [])["plugins"]?["enrolment"] == nil)
    }
}
