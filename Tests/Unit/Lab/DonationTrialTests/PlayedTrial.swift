// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Donation
import DonationService
import JSON
import PrivacyPass
import SystemCalls
import TestKit
import Testing

@testable import DonationTrial

/// A trial that was played, and what is in its folder. Nothing changes after the initialiser, so tests on several threads may share it (`@unchecked`: the
/// folder's class does not say that of itself).
final class PlayedTrial: @unchecked Sendable {
    let folder: TemporaryFolder
    let settings: DonationTrialSettings
    let summary: DonationTrial.Summary
    init(_ settings: DonationTrialSettings) throws {
        folder = try TemporaryFolder()
        var settings = settings
        settings.consentDays = 1
        self.settings = settings
        var made = -1
        summary = try DonationTrial(settings) {
            made += 1
            return Self.keys[made % Self.keys.count]
        }.run(into: folder.path)
    }

    /// Keys are slow to make, so trials share these: as many as two groups of devices have in two weeks, distinct in the byte that names them.
    private static let keys: [DayKey] = {
        var made: [DayKey] = []
        while made.count < 64, let key = try? DayKey.generate() {
            if !made.contains(where: { $0.publicKey.truncatedID == key.publicKey.truncatedID }) { made.append(key) }
        }
        return made
    }()

    /// The software as it ships: thirty boards for two weeks; donations begin in the second.
    static let plain = Result { try PlayedTrial(DonationTrialSettings(boards: 30, days: 14, seed: 7, hasEncounters: true)) }

    func bytes(_ name: String) throws -> [UInt8] { try WholeFile.read(folder.file(name), limit: 64 << 20) }

    func lines(_ name: String) throws -> [JSON] {
        try bytes(name).split(separator: UInt8(ascii: "\n")).map { try JSON(parsing: Array($0)) }
    }

    func judge() throws -> DonationJudge {
        try DonationJudge(truth: bytes("truth.jsonl"), devices: bytes("devices.json"))
    }

    /// The evidence of an exchange with the issuer, decoded by hand: the name of the device's key is in its protected header.
    static func isBy(_ device: String, _ exchange: JSON) -> Bool {
        guard let field = exchange["request"]?["headers"]?["Authorization"]?.string,
            let evidence = EvidenceScheme.evidence(inAuthorization: field)
        else { return false }
        return Hex.string(evidence).contains(device)
    }

    /// Whether an exchange with the donation server has cover in it.
    static func isCover(_ exchange: JSON) -> Bool {
        DonationCover.isAuthorization(exchange["request"]?["headers"]?["Authorization"]?.string ?? "")
    }

    /// The token of an exchange with the donation server.
    static func token(_ exchange: JSON) throws -> Token {
        let field = try #require(exchange["request"]?["headers"]?["Authorization"]?.string)
        return try #require(PrivateTokenScheme.token(inAuthorization: field))
    }
}

extension JSON {
    /// A time in seconds.
    var seconds: Double? {
        switch self {
        case .double(let number): number
        case .int(let number): Double(number)
        default: nil
        }
    }
}
