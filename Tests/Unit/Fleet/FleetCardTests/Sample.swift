// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import Glibc
import JSON
import RandomValues
import Testing

@testable import FleetCard

/// Answers that are all right, to be changed by the tests. Nobody has the private half of the key.
enum Sample {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    static let key =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIM6LyXdc5iFnrvjuEwo44Ocwxme7yFwhrPCYkIkvkQQM technician@example.org"
    static let fingerprint = "SHA256:Kh9aiB6S65o+TOzMIe/HZyGldExkCe1jHjJSfd8NYNU"

    static func read(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: "\(root)/\(path)"))) }

    static func authority(_ name: String = "example-cwa", isLocal: Bool = false) throws -> BoardAnswers.Authority {
        try BoardAnswers.Authority(parsing: read("Provisioning/authorities/\(name).json"), isLocal: isLocal)
    }

    /// What the folder Provisioning/sample was made with.
    static func answers(_ use: BoardAnswers.Use = .place) throws -> BoardAnswers {
        try BoardAnswers(
            use: use, language: "de", network: NetworkAnswer(parsing: "192.168.1.20/24 192.168.1.1 192.168.1.1"),
            authority: authority(), technicians: TechnicianKeys(parsing: Array(key.utf8)), title: "Bücherei, Erdgeschoß")
    }

    static func card(_ use: BoardAnswers.Use = .place, seed: UInt64 = 24, fleet: FleetMembership? = nil) throws -> Card {
        var generator = SeededGenerator(seed: seed)
        let secrets = CardSecrets(using: &generator)
        return try Card(answers(use), serial: BoardSerial(using: &generator), secrets: secrets, fleet: fleet)
    }

    /// A folder of the test's own, in which nothing is yet; the caller removes it.
    static func scratch() throws -> String {
        var template = Array("\(FileManager.default.temporaryDirectory.path)/vigil-card-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        return String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension Card {
    /// The files of `provision`, by path below it.
    var provision: [String: [UInt8]] {
        Dictionary(
            uniqueKeysWithValues: files.filter { $0.path.hasPrefix("provision/") }.map {
                (String($0.path.dropFirst(10)), $0.content.withBytes { Array($0) })
            })
    }

    func text(_ path: String) -> String? {
        files.first { $0.path == path }.map { $0.content.withBytes { String(decoding: $0, as: UTF8.self) } }
    }

    func json(_ path: String) throws -> JSON {
        try JSON(parsing: Array((text(path) ?? "").utf8))
    }

    /// The label's code.
    var code: String {
        get throws { try #require(json("provision/first-secrets").object?.members.first?.value.string) }
    }

    /// The enrolment claim.
    var claim: String {
        get throws { try #require(text("provision/enrolment-claim")).trimming("\n") }
    }
}
