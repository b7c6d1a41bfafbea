// SPDX-License-Identifier: Apache-2.0

import AppConfig
import AuthorityProfile
import CivilTime
import Core
import Cryptography
import GAEN
import Interfaces
import KeyArchive
import KeyExport
import RiskConfiguration
import Trust

/// One authority of the table of several: a profile with keys of its own, rules in the form in which its system published them, and signed files.
final class SceneAuthority {
    let name: String
    private let form: SourcesTable.System.Form
    private let region: String?
    /// The rules as published, or as the operator writes them into the profile.
    private let document: [UInt8]
    private let exports: P256.SigningKey
    private let config: P256.SigningKey
    private var sources: [String: AuthoritySource] = [:]
    private var strangers: [Int64: [UInt8]] = [:]
    private var published: [String: (document: [UInt8], approvals: [UInt8])] = [:]

    /// Two authorities may call their keys the same, and these all do.
    private static let keyName = KeyName(id: "262", version: "v1")
    /// The date that the NHS's servers signed, by which the table's document is named.
    private static let nhsDate = "Mon, 11 Jan 2021 10:00:00 UTC"
    /// NHS COVID-19's profile names no region: then files of any are its own, if it has signed them.
    private static let regions = ["cwa": "EUR", "ens": "US", "own": "DE"]
    /// Days after its end on which an authority has everything erased: behind the last check.
    private static let daysUntilErased: Int64 = 60

    /// `own` is the document of a new state folder of ours, from which rules that nobody published are made.
    init(_ name: String, _ table: SourcesTable, own: [UInt8]) throws {
        guard let system = table.systems[name] else { throw WarningFailure("the table has no system \(name)") }
        self.name = name
        form = system.form
        region = Self.regions[name]
        exports = try P256.SigningKey.generate()
        config = try P256.SigningKey.generate()
        document =
            switch system.form {
            case .cwa, .nhs: table.documents[name] ?? []
            case .profile:
                try ForeignAuthority.document(
                    version: 1, models: "daily", mapping: system.mapping, reportTypes: .stated, own: own)
            case .vigil:
                try ForeignAuthority.document(
                    version: 7, models: "second", mapping: system.mapping, reportTypes: .codes, own: own)
            }
    }

    /// Whether its rules are fetched, and not a part of its profile.
    var publishesRules: Bool { form != .profile }

    // MARK: Profile

    /// The authority as a board that reads its profile follows it. `knowsRules` is for rules that are a part of it.
    func source(isOff: Bool, knowsRules: Bool) throws -> AuthoritySource {
        let state = "\(isOff) \(knowsRules)"
        if let known = sources[state] { return known }
        let profile = AuthorityProfile(
            name: name, title: ["en": "Authority \(name)"], status: isOff ? .switchedOff : .running, region: region,
            keys: [
                .init(id: Self.keyName.id, version: Self.keyName.version, role: .export, key: exports.verificationKey),
                .init(id: Self.keyName.id, version: Self.keyName.version, role: .rules, key: config.verificationKey),
            ],
            rules: try rules(areKnown: knowsRules), distribution: distribution)
        // As an operator's file is read.
        let source = AuthoritySource(try AuthorityProfile(parsing: profile.document))
        sources[state] = source
        return source
    }

    private func rules(areKnown: Bool) throws -> AuthorityProfile.Rules? {
        switch form {
        case .cwa: .init(form: .cwa, country: "DE")
        case .nhs: .init(form: .nhs)
        case .vigil: .init(form: .vigil)
        case .profile: areKnown ? .init(form: .profile, document: try RiskConfiguration(profileDocument: document)) : nil
        }
    }

    private var distribution: AuthorityProfile.Distribution {
        let base = "https://\(name).example.org"
        return switch form {
        case .cwa: .init(kind: .cwa, base: base, country: "EUR")
        case .nhs: .init(kind: .nhs, base: base)
        case .profile: .init(kind: .index, base: base, index: "index.txt")
        case .vigil: .init(kind: .cwa, base: base, country: "DE")
        }
    }

    /// What sync says of it when it hands files over.
    var wanted: Exposure1.Source { .init(name: name, region: region, continuous: false) }

    // MARK: Rules

    /// The rules as they are published at first.
    func rules() throws -> (document: [UInt8], approvals: [UInt8]) { try signed("running", document) }

    /// Rules that stop or end the service from `day` on (counted from 1970, UTC).
    func rules(_ event: SourcesScene.Event.Kind, day: Int64) throws -> (document: [UInt8], approvals: [UInt8]) {
        guard form == .vigil else { throw WarningFailure("\(name) has no words for \(event.rawValue)") }
        var rules = try RiskConfiguration(parsing: document)
        rules.version += 1
        rules.service =
            event == .ended ? .ended(eraseOn: CivilDate(day: day + Self.daysUntilErased), words: nil) : .paused(words: nil)
        return try signed(event.rawValue, rules.document)
    }

    private func signed(_ state: String, _ document: [UInt8]) throws -> (document: [UInt8], approvals: [UInt8]) {
        if let known = published[state] { return known }
        let approvals: [UInt8]
        if form == .nhs {
            let digest = SHA256.digest(of: NHSSignature.content(date: Self.nhsDate, body: document))
            let header = NHSSignature.header(keyID: Self.keyName.id, signature: try config.sign(digest))
            approvals = NHSSignature.lines(header: header, date: Self.nhsDate)
        } else {
            approvals = try encoder(0..<0).exportSig(for: document, keys: [config])
        }
        published[state] = (document, approvals)
        return (document, approvals)
    }

    // MARK: Key files

    private func encoder(_ period: Range<Int64>) -> ExportEncoder {
        ExportEncoder(
            startTimestamp: UInt64(period.lowerBound), endTimestamp: UInt64(period.upperBound), region: region ?? "GB-EAW",
            signatureInfos: [ExportEncoder.signatureInfo(for: Self.keyName)])
    }

    /// A signed file of the hour before `end`, Unix seconds.
    func package(_ keys: [ExportedKey], end: Int64) throws -> [UInt8] {
        let encoder = encoder((end - 3_600)..<end)
        let bin = encoder.exportBin(keys)
        return try KeyArchiveWriter.archive(exportBin: bin, exportSig: try encoder.exportSig(for: bin, keys: [exports]))
    }

    /// A file of the hour before `end` with somebody's key whom nobody met: somebody always warns.
    func strangersPackage(end: Int64) throws -> [UInt8] {
        if let known = strangers[end] { return known }
        var key = ExportedKey()
        key.data = Block(low: UInt64(end), high: 2)
        key.dataByteCount = 16
        key.rollingStart = Int32((UTCDay(containing: end).number - 1) * Int64(ENIN.perDay))
        key.rollingPeriod = Int32(ENIN.perDay)
        key.reportType = 1
        let package = try package([key], end: end)
        strangers[end] = package
        return package
    }
}
