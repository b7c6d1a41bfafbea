// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import DeviceEvidence
import Donation
import DonationService
import HTTPService
import JSON
import PrivacyPass
import Simulation

/// An issuer in a process of its own, which the judge asks line by line, and which dies at one of its steps.
package struct IssuerLife {
    private let folder: String

    /// Creates a life with its databases in `folder`, which has the `pool` of keys. Nothing happens before ``play()``.
    package init(folder: String) { self.folder = folder }

    /// The most days for which there are keys.
    static let daysAhead = 10

    /// Answers until nobody asks any more, unless it is killed before. Blocks. Throws what its stores throw.
    package func play() throws {
        var lines = LifeLines(input: 0, output: 1)
        let fatal = KillSwitch(number: nil, isAfter: false)
        let pool = try DonationPool.read("\(folder)/../pool")
        let store = try IssuerStore(path: "\(folder)/issuer.db")
        var next = 0
        let keys = try IssuerKeys(path: "\(folder)/keys.db") { () throws(DonationServiceError) in
            fatal.pass("key")
            next += 1
            return pool[next % pool.count]
        }
        let settings = try IssuerSettings(
            name: "issuer.example", address: "https://issuer.example", minimumFleet: 2,
            purposes: Set(MonthlyPurpose.allCases))
        let issuer = TokenIssuer(settings: settings, keys: keys, store: FatalStore(store, fatal))
        while let words = try lines.next(), let order = words.first {
            let now = words.count > 1 ? Int64(words[1]) ?? 0 : 0
            next = max(next, Int(now / 86_400) % pool.count)
            switch order {
            case "aim":
                fatal.aim(Int(words[1]) ?? 0, isAfter: words[2] == "after")
                lines.say(["aimed"])
            case "register":
                // A second board, so that it is a fleet.
                for key in [try P256.SigningKey.generate().verificationKey] {
                    _ = try store.add(key)
                    try store.saw(keyID: DeviceEvidence.keyID(of: key), on: UTCDay(containing: now))
                }
                if words.count > 2 { _ = try store.add(try P256.VerificationKey(pemOrDER: Base64.bytes(words[2]) ?? [])) }
                lines.say(["done"])
            case "keys":
                try issuer.keep(now: now)
                lines.say(
                    ["keys"]
                        + keys.live.map {
                            "\($0.day.number):\($0.purpose?.rawValue ?? "-"):\(Base64.string($0.key.publicKey.encoded))"
                        })
            case "alarms":
                try issuer.flush()
                lines.say(["alarms", "\(try store.events().filter { $0.event == IssuerEvent.cloneAlarm.rawValue }.count)"])
            case "ask":
                let field = words[3] == "-" ? nil : String(decoding: Base64.bytes(words[3]) ?? [], as: UTF8.self)
                let answer = try issuer.answer(body: Base64.bytes(words[2]) ?? [], authorization: field, now: now)
                fatal.pass("signed")
                let nonce = Hex.string(answer.nonce)
                switch answer.result {
                case .success(let signature): lines.say(["signed", nonce, Base64.string(signature)])
                case .failure(let refusal):
                    lines.say(["refused", nonce, refusal.reason.rawValue, "\(refusal.reason.status)"])
                }
            default: throw KilledDonationsFailure("unknown: \(order)")
            }
        }
    }
}

/// A donation server in a process of its own, which the judge asks line by line, and which dies at one of its steps.
package struct ServerLife {
    private let folder: String

    /// Creates a life with its database and its terms in `folder`. Nothing happens before ``play()``.
    package init(folder: String) { self.folder = folder }

    /// Answers until nobody asks any more, unless it is killed before. Blocks. Throws what its store throws.
    package func play() throws {
        var lines = LifeLines(input: 0, output: 1)
        let fatal = KillSwitch(number: nil, isAfter: false)
        let store = try DonationStore(path: "\(folder)/server.db")
        store.stepHook = { fatal.pass($0) }
        let terms = TermsFile(path: "\(folder)/terms.json")
        let server = DonationServer(store: store) { terms.current() }
        var now: Int64 = 0
        let redemption = try RedemptionHTTP(
            store: store, secret: Self.secret, terms: { terms.current() }, now: { now }, slotMilliseconds: 0)
        while let words = try lines.next(), let order = words.first {
            switch order {
            case "aim":
                fatal.aim(Int(words[1]) ?? 0, isAfter: words[2] == "after")
                lines.say(["aimed"])
            case "give":
                let field = String(decoding: Base64.bytes(words[3]) ?? [], as: UTF8.self)
                let answer = server.answer(
                    body: Base64.bytes(words[2]) ?? [], authorization: field,
                    purpose: MonthlyPurpose(rawValue: words[4]), now: Int64(words[1]) ?? 0)
                fatal.pass("taken")
                lines.say(answer.refusal.map { ["refused", $0.rawValue, "\($0.status)"] } ?? ["taken"])
            case "redeem":
                now = Int64(words[1]) ?? 0
                let answer = redemption.answer(Self.request(words[2]))
                fatal.pass("told")
                lines.say(["told", Self.state(answer) ?? "\(answer.status)"])
            default: throw KilledDonationsFailure("unknown: \(order)")
            }
        }
    }
}

extension ServerLife {
    /// The secret of whoever runs the survey.
    fileprivate static let secret = String(repeating: "s", count: RedemptionHTTP.fewestSecretCharacters)

    /// What whoever runs the survey asks about a password.
    fileprivate static func request(_ password: String) -> HTTPRequest {
        HTTPRequest(
            method: "POST", path: RedemptionHTTP.path,
            headers: ["content-type": "application/json", "authorization": "Bearer \(secret)"],
            body: JSON.object(["otp": .string(password)]).bytes)
    }

    fileprivate static func state(_ answer: HTTPResponse) -> String? {
        guard [200, 400].contains(answer.status), case .bytes(let body) = answer.body else { return nil }
        return (try? JSON(parsing: body))?["state"]?.string
    }
}

/// An issuer's store in which every write may be the process's last.
private final class FatalStore: IssuerStoring {
    private let inner: IssuerStore
    private let fatal: KillSwitch

    init(_ inner: IssuerStore, _ fatal: KillSwitch) {
        self.inner = inner
        self.fatal = fatal
    }

    private func write<Result>(
        _ name: String, _ body: () throws(DonationServiceError) -> Result
    ) throws(DonationServiceError) -> Result {
        fatal.pass("before \(name)")
        let result = try body()
        fatal.pass("after \(name)")
        return result
    }

    func device(keyID: [UInt8]) throws(DonationServiceError) -> FleetDevice? { try inner.device(keyID: keyID) }

    func saw(keyID: [UInt8], on day: UTCDay) throws(DonationServiceError) {
        try write("seen") { () throws(DonationServiceError) in try inner.saw(keyID: keyID, on: day) }
    }

    func noteFleet(isLarge: Bool, today: UTCDay) throws(DonationServiceError) -> UTCDay? {
        try write("fleet") { () throws(DonationServiceError) in try inner.noteFleet(isLarge: isLarge, today: today) }
    }

    func fleet(since day: UTCDay, isAtLeast count: Int) throws(DonationServiceError) -> Bool {
        try inner.fleet(since: day, isAtLeast: count)
    }

    func enter(
        digest: [UInt8], keyID: [UInt8], key: [UInt8], day: UTCDay, rule: IssuanceRule
    ) throws(DonationServiceError) -> IssuanceRule.Answer {
        try write("ledger") { () throws(DonationServiceError) in
            try inner.enter(digest: digest, keyID: keyID, key: key, day: day, rule: rule)
        }
    }

    func tryWriting(day: UTCDay) throws(DonationServiceError) {
        try write("cover") { () throws(DonationServiceError) in try inner.tryWriting(day: day) }
    }

    func count(_ events: [IssuerEvent: Int], on day: UTCDay) throws(DonationServiceError) {
        try write("counts") { () throws(DonationServiceError) in try inner.count(events, on: day) }
    }

    func clean(today: UTCDay) throws(DonationServiceError) {
        try write("clean") { () throws(DonationServiceError) in try inner.clean(today: today) }
    }
}

/// Keys of days and months that are made once, because making them takes time; a key comes back for another day when the one before is over.
enum DonationPool {
    /// More than are live at one time: twelve days, and three months of two purposes.
    private static let count = 24

    /// Makes keys that differ in the byte by which a request names them. Throws `cryptography`, and ``KilledDonationsFailure`` if the file cannot be written.
    static func make(_ path: String) throws {
        var made: [DayKey] = []
        while made.count < count {
            let key = try DayKey.generate()
            if !made.contains(where: { $0.publicKey.truncatedID == key.publicKey.truncatedID }) { made.append(key) }
        }
        try DonationFiles.write(Array(made.map { Base64.string($0.encoded) }.joined(separator: "\n").utf8), path)
    }

    /// Throws ``KilledDonationsFailure`` if the file cannot be read, and `storageDamaged`.
    static func read(_ path: String) throws -> [DayKey] {
        try String(decoding: DonationFiles.read(path), as: UTF8.self).split(separator: "\n").map {
            try DayKey(encoded: Base64.bytes(String($0)) ?? [])
        }
    }
}
