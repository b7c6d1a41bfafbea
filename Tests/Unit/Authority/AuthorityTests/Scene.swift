// SPDX-License-Identifier: Apache-2.0

import Authority
import Cryptography
import FoundationEssentials
import GAEN
import Glibc
import JSON
import KeyArchive
import KeyExport
import RandomValues
import Testing
import Trust

/// An authority in a folder of its own, at a time the test says.
final class Scene {
    /// 2026-11-13, 10:00 UTC.
    static let start: Int64 = 20_770 * 86_400 + 10 * 3_600
    static let hour: Int64 = 3_600
    static let day: Int64 = 86_400

    /// In memory where there is such a place: thousands of files that are each synced take their time on a disk.
    static let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : FileManager.default.temporaryDirectory.path

    let path = "\(base)/vigil-authority-\(Unique.name())"
    let folder: StateFolder
    var settings = AuthoritySettings()
    private(set) var authority: HealthAuthority

    /// With `threshold` keys at least in a package.
    init(threshold: Int64 = 0, _ change: (inout AuthoritySettings) -> Void = { _ in }) throws {
        settings.publishing.shiftingThreshold = threshold
        settings.publishing.delaySeconds = 0
        change(&settings)
        folder = try StateFolder.make(at: path).folder
        authority = try HealthAuthority(folder: folder, settings: settings)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// As another process would, with other settings.
    func reopen(_ change: (inout AuthoritySettings) -> Void = { _ in }) throws {
        change(&settings)
        authority = try HealthAuthority(folder: folder, settings: settings)
    }

    /// A key of the day that began `days` before `now`'s, by its number always the same.
    static func key(_ number: Int, days: Int64 = 1, now: Int64 = start, period: Int32 = 144) -> ExportedKey {
        var key = ExportedKey()
        key.data = Block(SHA256.digest(of: Array("key \(number)".utf8)).prefix(16)) ?? Block()
        key.dataByteCount = 16
        key.rollingStart = Int32((now / Self.day - days) * 144)
        key.rollingPeriod = period
        // As it is published, so that what is handed in can be compared with what comes out; LevelPublishingTests have the others.
        key.transmissionRiskLevel = Int32(3 + number % 6)
        key.reportType = 4 - (key.transmissionRiskLevel - 1) / 2
        key.hasOnset = true
        key.daysSinceOnset = key.transmissionRiskLevel % 2 == 0 ? 2 : 1
        return key
    }

    func accept(_ keys: [ExportedKey], regions: [String]? = nil, now: Int64) throws -> AcceptanceReport {
        try authority.accept(keys.map { SubmittedKey($0, regions: regions) }, source: "test", now: now)
    }

    @discardableResult
    func publish(_ now: Int64, early: Bool = false) throws -> PublicationReport {
        try authority.publish(now: now, early: early)
    }

    // What a web server would find.

    func file(_ path: String) -> [UInt8]? {
        for kind in ["json", "zip"] {
            let name = "\(folder.publicTree)\(path)/index.\(kind)"
            if let data = FileManager.default.contents(atPath: name) { return [UInt8](data) }
        }
        return FileManager.default.contents(atPath: folder.publicTree + path).map { [UInt8]($0) }
    }

    func list(_ path: String) throws -> JSON { try JSON(parsing: #require(file(path), "\(path)")) }

    static let dates = "/version/v1/diagnosis-keys/country/EUR/date"

    func dates(region: String = "EUR") throws -> [String] {
        try #require(list("/version/v1/diagnosis-keys/country/\(region)/date").array).compactMap(\.string)
    }

    func hours(_ date: String, region: String = "EUR") throws -> [Int64] {
        let path = "/version/v1/diagnosis-keys/country/\(region)/date/\(date)/hour"
        return file(path) == nil ? [] : try #require(list(path).array).compactMap(\.int)
    }

    /// The public keys of what is signed at `now`.
    func trust(at now: Int64 = start) throws -> TrustStore {
        try TrustStore(
            keys: authority.publicKeys(now: now).map { key in
                TrustedKey(name: key.name, role: key.role, key: try P256.VerificationKey(pemOrDER: Array(key.pem.utf8)))
            })
    }

    /// The keys of a package, in the order of the file, once its signature was verified as a board would.
    func package(_ path: String) throws -> (keys: [ExportedKey], summary: ExportSummary) {
        try Self.package(#require(file(path), "\(path)"), trust: trust())
    }

    static func package(_ bytes: [UInt8], trust: TrustStore) throws -> (keys: [ExportedKey], summary: ExportSummary) {
        let reader = try KeyFileReader(bytes: bytes)
        var keys: [ExportedKey] = []
        let verified = try reader.read(trust: trust, policy: .namedKeys, time: nil) { keys += $0 }
        return (keys, verified.summary)
    }

    /// Every list of the public tree names only what is there, and everything there verifies. Gives the number of packages.
    @discardableResult
    func checkTree() throws -> Int {
        var count = 0
        for region in try #require(list("/version/v1/diagnosis-keys/country").array).compactMap(\.string) {
            let base = "/version/v1/diagnosis-keys/country/\(region)/date"
            for date in try dates(region: region) {
                _ = try package("\(base)/\(date)")
                count += 1
            }
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.publicTree + base)) ?? []
            for date in names where date != "index.json" {
                for hour in try hours(date, region: region) {
                    _ = try package("\(base)/\(date)/hour/\(hour)")
                    count += 1
                }
            }
        }
        return count
    }
}

extension ExportedKey {
    /// Without the place in the file.
    var content: ExportedKey {
        var copy = self
        copy.dataOffset = 0
        return copy
    }
}

func same(_ left: [ExportedKey], _ right: [ExportedKey]) -> Bool { Set(left.map(\.content)) == Set(right.map(\.content)) }
