// SPDX-License-Identifier: Apache-2.0

import AppConfig
import Authority
import CivilTime
import Cryptography
import Donation
import FoundationEssentials
import PrivacyPass
import TestKit
import Testing
import Trust

/// `donation.json`, from the issuer's operator to a board.
@Suite struct DonationPublishingTests {
    private let now = Scene.start
    private static let path = "/version/v1/donation"

    /// Keys of so many days, today first.
    private func terms(_ version: Int64, epsilon: Double = 4, days: Int = DonationTerms.fewestDays) throws -> DonationTerms
    {
        let today = UTCDay(containing: now).number
        let keys = try (0..<days).map { number in
            DonationTerms.Key(
                day: UTCDay(number: today + Int64(number)),
                key: try TokenKey(BlindRSA.PublicKey(modulus: IssuerKey.day(number).modulus)))
        }
        return try #require(
            DonationTerms(
                version: version, issuerName: "issuer.example", issuerAddress: "https://issuer.example",
                origin: "donation.example", serverAddress: "https://donation.example", epsilon: epsilon,
                keys: keys))
    }

    private func write(_ bytes: [UInt8], _ scene: Scene) throws {
        try #require(FileManager.default.createFile(atPath: scene.path + "/donation.json", contents: Data(bytes)))
    }

    @Test func anAuthorityNeedHaveNone() throws {
        let scene = try Scene()
        #expect(try scene.publish(now).configurationFaults == [])
        #expect(scene.file(Self.path) == nil)
    }

    @Test func aBoardTakesWhatIsPublished() throws {
        let scene = try Scene()
        let terms = try terms(3)
        try write(terms.encoded, scene)
        #expect(try scene.publish(now).configurationFaults == [])
        let document = try scene.document(Self.path)
        #expect(document == terms.encoded)
        #expect(
            SignedConfiguration.isSigned(
                exportBin: document, exportSig: try scene.signatures(Self.path), trust: try scene.trust(), time: now))
        #expect(try !scene.publish(now).isChanged)
    }

    @Test func versionsRiseAndABadFileLeavesTheLastGoodOnePublic() throws {
        let scene = try Scene()
        let first = try terms(3)
        try write(first.encoded, scene)
        try scene.publish(now)
        for bad in [try terms(3, epsilon: 1).encoded, try terms(2).encoded, [], Array("{}".utf8), first.encoded.dropLast()]
        {
            try write(Array(bad), scene)
            #expect(try scene.publish(now).configurationFaults == [AuthorityError(.invalidDonation)])
            #expect(try scene.document(Self.path) == first.encoded)
        }
        let command = try Program.run(Program.authority, ["publish", "--quiet", "--state", scene.path, "--now", "\(now)"])
        #expect(command.status == 1)
        #expect(command.errors.contains("[invalidDonation]"))
        #expect(try Program.run(Program.authority, ["check", "--state", scene.path]).status == 1)
        let second = try terms(4, epsilon: 1)
        try write(second.encoded, scene)
        #expect(try scene.publish(now).configurationFaults == [])
        #expect(try scene.document(Self.path) == second.encoded)
    }

    /// It is public all the same: boards use the days that there are.
    @Test func aDocumentThatRunsOutIsAFaultUntilThereIsANewOne() throws {
        let scene = try Scene()
        try write(try terms(3).encoded, scene)
        #expect(try scene.publish(now).configurationFaults == [])
        // A day later, without a new one.
        let report = try scene.publish(now + UTCDay.seconds)
        #expect(report.configurationFaults == [AuthorityError(.donationRunsOut)])
        let words = "version 3 has keys of \(DonationTerms.fewestDays - 1) more days, until "
        #expect(report.configurationFaults.first?.detail.hasPrefix(words) == true)
        let later = try Scene()
        try write(try terms(3).encoded, later)
        #expect(
            try later.publish(now + 9 * UTCDay.seconds).configurationFaults.first?.detail == "version 3 has no key of today"
        )
        let short = try terms(4, days: DonationTerms.fewestDays - 1)
        try write(short.encoded, scene)
        #expect(try scene.publish(now).configurationFaults == [AuthorityError(.donationRunsOut)])
        #expect(try scene.document(Self.path) == short.encoded)
        try write(try terms(5).encoded, scene)
        #expect(try scene.publish(now).configurationFaults == [])
        // Without keys it is the end that an operator wants.
        try write(try terms(6, days: 0).encoded, scene)
        #expect(try scene.publish(now).configurationFaults == [])
        #expect(AuthorityError(.donationRunsOut).isSaid)
    }
}

extension AuthorityError {
    fileprivate var isSaid: Bool { description.contains("`donations terms`") && description.hasSuffix("[donationRunsOut]") }
}
