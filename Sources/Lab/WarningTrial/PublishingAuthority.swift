// SPDX-License-Identifier: Apache-2.0

public import Authority
import CivilTime
import Cryptography
import FoundationEssentials
import GAEN
import KeyArchive
public import KeyExport
public import Trust
import Verification
import VirtualAir

/// A health authority as `vigil-authority` creates it, in a folder of its own. It takes submissions as boards send them,
/// and publishes the tree that boards fetch. Use it on one thread at a time.
public final class PublishingAuthority {
    private let path: String
    private let folder: StateFolder
    private let authority: HealthAuthority
    private let intake: SubmissionIntake

    /// Creates an authority in a new folder below `base`, which is removed together with the object. Its settings are the
    /// defaults as `change` leaves them. Throws when the folder cannot be created.
    public init(below base: String, _ change: (inout AuthoritySettings) -> Void = { _ in }) throws {
        path = "\(base)/authority-\(UInt64.random(in: 0 ... .max))"
        folder = try StateFolder.make(at: path).folder
        var settings = AuthoritySettings()
        change(&settings)
        authority = try HealthAuthority(folder: folder, settings: settings)
        intake = SubmissionIntake(authority: authority)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the trust store of boards that follow this authority. Throws when a public key cannot be read.
    public func trust() throws -> TrustStore {
        try TrustStore(
            keys: authority.publicKeys().map { key in
                TrustedKey(name: key.name, role: key.role, key: try P256.VerificationKey(pemOrDER: Array(key.pem.utf8)))
            })
    }

    /// Takes the body of a submission at `now` (Unix seconds) as the submission server does, and returns the accepted keys.
    /// Throws the rule that the submission breaks, and ``WarningFailure`` if fewer keys are stored than accepted.
    public func take(_ body: [UInt8], at now: Int64) throws -> [ExportedKey] {
        let accepted = try SubmissionRules().judge(body, now: now).get()
        let count = try intake.take(accepted, warning: nil, now: now).keys
        guard count == accepted.keys.count else {
            throw WarningFailure("\(accepted.keys.count) keys were submitted and \(count) taken")
        }
        return accepted.keys
    }

    /// Takes `count` keys of other people, from the day before `now` (Unix seconds), so that packages are as large as those
    /// of a running service. They follow from `seed`. Throws what the authority throws.
    public func takeStrangers(_ count: Int, seed: UInt64, at now: Int64) throws {
        var generator = SplitMix64(seed: seed)
        let keys = (0..<count).map { _ in
            var key = ExportedKey()
            key.data = Block(low: generator.next(), high: generator.next())
            key.dataByteCount = 16
            key.rollingStart = Int32((UTCDay(containing: now).number - 1) * Int64(ENIN.perDay))
            key.rollingPeriod = Int32(ENIN.perDay)
            key.reportType = 1
            key.transmissionRiskLevel = Int32(3 + generator.next() % 6)
            return SubmittedKey(key)
        }
        _ = try authority.accept(keys, source: "strangers", now: now)
    }

    /// Brings the public tree up to date for `now` (Unix seconds). Throws what
    /// ``HealthAuthority/publish(now:early:checkpoint:)`` throws.
    public func publish(at now: Int64) throws { _ = try authority.publish(now: now) }

    /// Returns the bytes of every public package of `region`, each a zip file: whole days in ascending order, with the
    /// hours of a day that has no day package in its place. Empty if nothing is public. Packages that cannot be read are
    /// left out, without an error.
    public func packages(region: String = "EUR") throws -> [[UInt8]] {
        let base = "\(folder.publicTree)/version/v1/diagnosis-keys/country/\(region)/date"
        let days = names(in: base).filter { $0 != "index.json" }
        return days.sorted().flatMap { day in
            if let bytes = contents("\(base)/\(day)/index.zip") { return [bytes] }
            return names(in: "\(base)/\(day)/hour").compactMap(Int.init).sorted().compactMap {
                contents("\(base)/\(day)/hour/\($0)/index.zip")
            }
        }
    }

    /// Returns the published signed rules: the document and its list of signatures, both as bytes. Throws when there are
    /// none.
    public func rules() throws -> (document: [UInt8], approvals: [UInt8]) {
        let file = "\(folder.publicTree)/version/v1/risk_config/index.zip"
        return (try UnsignedKeyFile.exportBin(path: file), try UnsignedKeyFile.entry("export.sig", path: file))
    }

    private func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    private func contents(_ path: String) -> [UInt8]? { FileManager.default.contents(atPath: path).map { [UInt8]($0) } }
}

/// The reason why a trial cannot go on: something failed that it does not test.
public struct WarningFailure: Error, CustomStringConvertible {
    /// The failure in words.
    public let description: String

    init(_ description: String) { self.description = description }
}
