// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Donation
import JSON
import Ledger
import PrivacyPass
import Simulation
import SyncKillTrial
import Vault
import VirtualAir

/// What a board's store has, seen from outside, in a copy of it.
struct DonorLook {
    /// The book; `nil` if it is damaged.
    let book: DonationBook?
    /// What is frozen, without padding.
    let body: [UInt8]?
    /// Entries of the wearer's log: consents given, and taken back, to donations, to error logs and to surveys; logs that were let go.
    let donations: Entries, logs: Entries, surveys: Entries, released: Int
    let isLogWhole: Bool
    /// The keys of the ledger, newest first.
    let keys: [SecretBytes]
    /// What nobody may find in clear: seeds, tokens, their nonces, passwords, what is frozen, the times of the consents, the troubles that are noted.
    let secrets: [[UInt8]]
    /// The password of a survey, in the forms in which it could be kept; empty without one.
    let password: [[UInt8]]
    /// What the core keeps of donations, opened: the book, and what is frozen.
    let opened: [[UInt8]]

    /// How often the wearer's log has that a consent was given, and taken back.
    struct Entries: Equatable {
        var given = 0, withdrawn = 0
    }

    /// Looks at the store in `folder`, while no process works on it, by a copy in `scratch`. Throws what the stores throw.
    init(_ folder: String, scratch: String) throws {
        try DonationFiles.copy(folder, to: scratch)
        let vault = try Vault(
            PosixStorage(folder: "\(scratch)/data"), provider: FileKeyProvider(PosixStorage(folder: "\(scratch)/keys")),
            generator: SplitMix64(seed: 1))
        let ledger = try Ledger(path: "\(scratch)/data/ledger.sqlite", keys: DonorLookKeys(vault.ledgerKeys))
        for finding in ledger.findings {
            if case .renewalFinished = finding { continue }
            throw KilledDonationsFailure("the store has \(finding)")
        }
        let bytes = try ledger.setting(BoardLife.Setting.book)
        book = bytes.map { DonationBook(bytes: $0) } ?? DonationBook()
        body = try ledger.setting(BoardLife.Setting.body)
        let entries = try ledger.auditEntries(limit: Ledger.maximumAuditEntries).map(\.entry)
        func count(_ kind: String, _ purpose: String) -> Int {
            entries.count { $0.kind == kind && $0.details["purpose"] == purpose }
        }
        donations = Entries(given: count("consentGiven", "donation"), withdrawn: count("consentWithdrawn", "donation"))
        logs = Entries(given: count("consentGiven", "log"), withdrawn: count("consentWithdrawn", "log"))
        surveys = Entries(given: count("consentGiven", "survey"), withdrawn: count("consentWithdrawn", "survey"))
        released = entries.count { $0.kind == "errorLogReleased" }
        isLogWhole = try ledger.verifyAudit().isIntact
        keys = vault.ledgerKeys
        ledger.close()
        var secrets: [[UInt8]] = []
        let json = try JSON(parsing: bytes ?? Array("{}".utf8))
        let tickets = json["tickets"]?.array ?? []
        let monthly = [json["log"], json["survey"]].flatMap { [$0?["seed"], $0?["ticket"]?["token"]] }
        let texts =
            [json["seed"], json["clock"], json["sending"]?["token"]] + monthly + tickets.map { $0["token"] }
        for text in texts.compactMap({ $0?.string }) {
            let raw = Base64.bytes(text) ?? []
            secrets += [Array(text.utf8), raw]
            if let token = try? Token(decoding: raw) { secrets.append(token.nonce) }
        }
        let password = json["survey"]?["password"]?["secret"]?.string
        self.password = password.map { [Array($0.utf8), Base64.bytes($0) ?? []] } ?? []
        secrets += self.password
        opened = [bytes, body].compactMap(\.self)
        for since in [book?.consent?.since, book?[.log]?.consent.since, book?[.survey]?.consent.since] {
            secrets += since.map(Self.forms) ?? []
        }
        secrets += (book?[.log]?.seen ?? []).map { Array($0.trouble.rawValue.utf8) }
        // What is as short as an empty donation may be there by chance.
        if let body, body.count >= 24 { secrets.append(body) }
        self.secrets = secrets.filter { $0.count >= 8 }
    }

    private static func forms(of time: Int64) -> [[UInt8]] {
        [
            Array("\(time)".utf8), withUnsafeBytes(of: time.bigEndian) { Array($0) },
            withUnsafeBytes(of: time.littleEndian) { Array($0) },
        ]
    }

    /// Whether a store of earlier, in `folder`, can be opened with keys of now; it is looked at in a copy in `scratch`.
    static func opens(_ folder: String, with keys: [SecretBytes], scratch: String) throws -> Bool {
        try DonationFiles.copy(folder, to: scratch)
        for key in keys {
            let ledger = try Ledger(path: "\(scratch)/data/ledger.sqlite", keys: DonorLookKeys([key]))
            defer { ledger.close() }
            if try ledger.setting(BoardLife.Setting.book) != nil { return true }
            try DonationFiles.copy(folder, to: scratch)
        }
        return false
    }

    /// The files of `folder` that have one of `secrets` in clear.
    static func clearText(_ folder: String, _ secrets: Set<[UInt8]>) throws -> String? {
        for part in ["data", "keys"] {
            for name in KillPlaces.names("\(folder)/\(part)") {
                let bytes = try DonationFiles.read("\(folder)/\(part)/\(name)")
                if secrets.contains(where: { DonationFiles.contain(bytes, $0) }) { return name }
            }
        }
        return nil
    }
}

/// Keys of a ledger as they were found.
private final class DonorLookKeys: LedgerKeys {
    private(set) var keys: [SecretBytes]

    init(_ keys: [SecretBytes]) { self.keys = keys }

    func stage() throws -> SecretBytes { throw KilledDonationsFailure("a look makes no keys") }
    func retireOthers() { keys = Array(keys.prefix(1)) }
}
