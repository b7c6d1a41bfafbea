// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import DeviceEvidence
import Donation
import DonationService
import Glibc
import HTTPService
import PrivacyPass

/// The real issuer and the real donation server behind their HTTP handlers, over their files in the folder of the dump, at a time that is told. With the flaw
/// `deviceKey` there is an issuer for each group of devices, over one registry and one ledger.
final class TrialServers {
    static let issuerHost = "issuer.example", serverHost = "donation.example"

    /// Unix seconds.
    private final class Time { var now: Int64 = 0 }

    /// An issuer with the keys of a group.
    private struct Group {
        let keys: IssuerKeys
        let issuer: TokenIssuer
        let handler: IssuerHTTP
    }

    private let folder: String
    private let store: IssuerStore
    private let groups: [Group]
    private let server: DonationServer
    private let donations: DonationHTTP
    private let daysAhead: Int
    private let purposes: Set<MonthlyPurpose>
    private let time = Time()
    /// What the donation server holds for the terms.
    private let held: HeldTerms
    private var version: Int64 = 0

    /// The terms that the donation server looks at: those of its file or, with the flaw `deviceKey`, those of the group whose key a token has.
    private final class HeldTerms {
        let file: TermsFile
        var ofGroups: [DonationTerms] = []
        var groupOfKey: [[UInt8]: Int] = [:]
        var keyID: [UInt8] = []

        init(_ path: String) { file = TermsFile(path: path) }

        var current: DonationTerms? {
            ofGroups.count > 1 ? ofGroups[groupOfKey[keyID] ?? 0] : file.current()
        }
    }

    init(
        _ settings: DonationTrialSettings, folder: String, makeKey: @escaping () throws(DonationServiceError) -> DayKey
    ) throws {
        self.folder = folder
        var rules = try IssuerSettings(
            name: Self.issuerHost, address: "https://\(Self.issuerHost)", minimumFleet: settings.fleet)
        rules.daysAhead = Self.daysAhead
        purposes = settings.hasSurvey ? [.survey] : []
        daysAhead = rules.daysAhead
        store = try IssuerStore(path: "\(folder)/issuer.db")
        let (store, time) = (store, time)
        let count = settings.flaw == .deviceKey ? min(max(1, settings.deviceKeys), 128) : 1
        var taken: [Int64: Set<UInt8>] = [:]
        groups = try (0..<count).map { group in
            let keys = try Self.keys("\(folder)/keys-\(group).db", alone: count == 1, makeKey) {
                taken[$0, default: []].insert($1).inserted
            }
            let random = SeededNumbers(settings.seed, part: 1_000_000 + UInt64(group))
            let issuer = TokenIssuer(settings: rules, keys: keys, store: store, using: random)
            return Group(keys: keys, issuer: issuer, handler: IssuerHTTP(issuer: issuer) { time.now })
        }
        let held = HeldTerms("\(folder)/terms.json")
        self.held = held
        server = DonationServer(store: try DonationStore(path: "\(folder)/donations.db")) { held.current }
        donations = DonationHTTP(server: server) { time.now }
    }

    static let daysAhead = 10

    /// A survey that invites each wearer.
    private static let survey = DonationTerms.Survey(
        link: "https://survey.example/start", about: ["en": "How was your warning?"], invited: .everybody)

    /// The keys of a group. Those that a day has for several groups differ in the byte that a request names them by, so the issuer knows who asks by it.
    private static func keys(
        _ path: String, alone: Bool, _ makeKey: @escaping () throws(DonationServiceError) -> DayKey,
        isFree: @escaping (_ day: Int64, UInt8) -> Bool
    ) throws -> IssuerKeys {
        final class Place { weak var keys: IssuerKeys? }
        let place = Place()
        let keys = try IssuerKeys(path: path) { () throws(DonationServiceError) in
            guard !alone else { return try makeKey() }
            while true {
                let key = try makeKey()
                // They are made in the order of the days.
                let next = (place.keys?.live.last?.day.number ?? 0) + 1
                if isFree(next, key.publicKey.truncatedID) { return key }
            }
        }
        place.keys = keys
        return keys
    }

    /// The number of groups of devices that have token keys of their own: 1 as it should be.
    var groupCount: Int { groups.count }

    // MARK: Operators

    /// Adds a device to the registry.
    func add(_ key: P256.VerificationKey) throws { _ = try store.add(key) }

    /// What `donations terms` does, and then the publishing authority: makes the missing keys, and publishes the document, which the donation server takes
    /// at once. Returns it, for each group.
    func publish(at now: Int64) throws -> [DonationTerms] {
        version += 1
        var published: [DonationTerms] = []
        let people = DonationTerms.Responsible(issuer: "City", server: "Institute", recipients: "University", keptDays: 31)
        guard let people else { throw DonationTrialError("the survey's operators have a part out of range") }
        for (number, group) in groups.enumerated() {
            try group.keys.keep(today: UTCDay(containing: now), count: daysAhead, purposes: purposes)
            let months = group.keys.keys(for: .survey)
            guard
                let terms = DonationTerms(
                    version: version, issuerName: Self.issuerHost, issuerAddress: "https://\(Self.issuerHost)",
                    origin: Self.serverHost, serverAddress: "https://\(Self.serverHost)",
                    keys: group.keys.keys(for: nil), monthlyKeys: purposes.isEmpty ? [:] : [.survey: months],
                    responsible: purposes.isEmpty ? [:] : [.survey: people], survey: purposes.isEmpty ? nil : Self.survey)
            else { throw DonationTrialError("the document about donations has a part out of range") }
            for entry in terms.keys { held.groupOfKey[entry.key.id] = number }
            published.append(terms)
        }
        held.ofGroups = published
        try DonationFolder.writePublic(published[0].encoded, to: "\(folder)/terms.json")
        return published
    }

    // MARK: Boards

    /// The issuer's answer.
    func ask(_ request: BoardWire.Request, group: Int, at now: Double) -> BoardWire.Answer {
        answer(request, groups[group].handler, now)
    }

    /// The donation server's answer.
    func donate(_ request: BoardWire.Request, at now: Double) -> BoardWire.Answer {
        if groups.count > 1 {
            held.keyID =
                request.received.authorization.flatMap { PrivateTokenScheme.token(inAuthorization: $0) }?.keyID ?? []
        }
        return answer(request, donations, now)
    }

    /// As `HTTPServer` has a handler answer.
    private func answer(_ request: BoardWire.Request, _ handler: any HTTPHandler, _ now: Double) -> BoardWire.Answer {
        time.now = Int64(now)
        let received = request.received
        switch handler.begin(received) {
        case .failure(let refusal): return BoardWire.Answer(refusal.response, at: time.now)
        case .success(let limit):
            let response = received.body.count > limit ? handler.refuseTooLarge(received) : handler.answer(received)
            return BoardWire.Answer(response, at: time.now)
        }
    }

    // MARK: The end

    static func writePublic(_ bytes: [UInt8], to path: String) throws { try DonationFolder.writePublic(bytes, to: path) }

    /// What the two servers write when they start, and nothing after that.
    static func writeLogs(_ folder: String) throws {
        for (name, port) in [("issuer", 8_796), ("donations", 8_797)] {
            try DonationFolder.writePublic(Array("ready port=\(port)\n".utf8), to: "\(folder)/\(name).log")
        }
    }

    /// Writes down what was counted.
    func flush() throws {
        for group in groups { try group.issuer.flush() }
        try server.flush()
    }

    /// Takes the private keys out of a folder whose servers have ended.
    static func removeKeys(_ folder: String, groups: Int) {
        for group in 0..<groups {
            for end in ["", "-wal", "-shm"] { unlink("\(folder)/keys-\(group).db\(end)") }
        }
    }
}
