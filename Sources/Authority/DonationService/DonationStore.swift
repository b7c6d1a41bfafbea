// SPDX-License-Identifier: Apache-2.0

package import CivilTime
import Cryptography
package import Donation
import SQLiteFile

/// What a donation server counts by day: it names nobody.
package enum DonationEvent: String, Sendable, CaseIterable {
    case stored, storedBefore, cover, tokenRequired, tokenMalformed, tokenInvalid, tokenNotYetValid, tokenExpired,
        contentNotValid,
        tokenRedeemed, logStored, surveyStored, surveyRedeemed, surveyUnknown, redemptionUnauthorised, redemptionTooOften

    /// Whether it counts what people have sent or used, which is never told below ``DonationStatistics/smallestCell``, nor of a day under way; refusals are.
    var isOfPeople: Bool {
        switch self {
        case .stored, .storedBefore, .cover, .logStored, .surveyStored, .surveyRedeemed: true
        case .tokenRequired, .tokenMalformed, .tokenInvalid, .tokenNotYetValid, .tokenExpired, .contentNotValid,
            .tokenRedeemed, .surveyUnknown, .redemptionUnauthorised, .redemptionTooOften:
            false
        }
    }
}

/// The donations and the tokens that were spent for them. A donation has its content and a day, no time, no address and no token; rows lie in
/// the order of random numbers. The order of arrival can be read for a minute, until counts are written. Used by one thread; several processes may have the
/// file open. Every method throws `storageUnusable`, `storageTooNew`, `storageDamaged`, `storageInUse` or `full` if the database fails.
package final class DonationStore {
    /// The days for which donations are kept at most, as Corona-Warn-App's server keeps them.
    package static let donationDays: Int64 = 14

    /// A function that is called before and after each write of ``take(content:digest:key:nonce:days:today:purpose:survey:)`` and of ``redeem(digest:today:survey:)`` with the step's
    /// name, for tests that kill the process there; `nil` otherwise.
    package var stepHook: ((String) -> Void)?

    private let database: SQLiteDatabase<DonationServiceError>
    private var generator = SystemRandomNumberGenerator()

    private static let schema = SQLiteSchema(steps: [
        [
            "CREATE TABLE donation (id BLOB PRIMARY KEY, day INTEGER NOT NULL, content BLOB NOT NULL) STRICT, WITHOUT ROWID",
            """
            CREATE TABLE spent (key BLOB, nonce BLOB, digest BLOB NOT NULL, day INTEGER NOT NULL, PRIMARY KEY (key, nonce))
            STRICT, WITHOUT ROWID
            """,
            EventTable.schema,
        ],
        ["CREATE TABLE log (id BLOB PRIMARY KEY, day INTEGER NOT NULL, content BLOB NOT NULL) STRICT, WITHOUT ROWID"],
        // In the order of the digests, which is one of chance. `last` is the last day on which the password is good, `survey` the identity of the survey that it opens: as the
        // document had them when the digest came.
        [
            """
            CREATE TABLE survey (digest BLOB PRIMARY KEY, day INTEGER NOT NULL, last INTEGER NOT NULL, survey BLOB NOT NULL, \
            redeemed INTEGER NOT NULL) STRICT, WITHOUT ROWID
            """
        ],
    ])

    /// Opens the file at `path`, or makes it.
    package init(path: String) throws(DonationServiceError) {
        database = try SQLiteDatabase(path: path, schema: Self.schema)
        try database.run("PRAGMA secure_delete = ON")
    }

    /// Takes a donation, or what was sent for a monthly purpose, and its token in one transaction, both or neither.
    ///
    /// - Parameters:
    ///   - content: The content.
    ///   - digest: SHA-256 of the body, which tells whether a repeated donation is the same.
    ///   - key: The name of the token's key.
    ///   - nonce: The token's nonce.
    ///   - days: The days on which the token is good.
    ///   - today: The day of the server.
    ///   - purpose: What was sent; `nil` for a donation.
    func take(
        content: [UInt8], digest: [UInt8], key: [UInt8], nonce: [UInt8], days: ClosedRange<Int64>, today: UTCDay,
        purpose: MonthlyPurpose? = nil, survey: SurveyOffer? = nil
    ) throws(DonationServiceError) -> RedemptionRule.Answer {
        let password = purpose == .survey ? SurveyReport.digest(of: content) : nil
        guard purpose != .survey || password != nil && survey != nil else { return .contentNotValid }

        let id: [UInt8] = (0..<16).map { _ in .random(in: 0 ... .max, using: &generator) }
        stepHook?("donation.begin")
        let answer = try database.transaction { () throws(DonationServiceError) in
            var spent = try database.first(
                "SELECT digest FROM spent WHERE key = ? AND nonce = ?", [.blob(key), .blob(nonce)])?.blob
            // Earlier releases noted the digest of the content: the same content, sent once more after the upgrade, is no other one.
            if let noted = spent, noted == SHA256.digest(of: content) { spent = digest }
            let answer = RedemptionRule.answer(
                days: days, today: today, contentIsValid: true, bodyDigest: digest, spentFor: spent)
            guard answer == .stored else { return answer }
            try database.run(
                "INSERT INTO spent VALUES (?, ?, ?, ?)",
                // The last day of the key: the token is remembered for as long as it is good.
                [.blob(key), .blob(nonce), .blob(digest), .integer(days.upperBound - 1)])
            stepHook?("donation.spent")
            switch purpose {
            case nil, .log:
                try database.run(
                    "INSERT INTO \(purpose == nil ? "donation" : "log") VALUES (?, ?, ?)",
                    [.blob(id), .integer(today.number), .blob(content)])
            case .survey:
                // One that is there stays as it is: no second token makes a password good again.
                try database.run(
                    "INSERT OR IGNORE INTO survey VALUES (?, ?, ?, ?, 0)",
                    [
                        .blob(password ?? []), .integer(today.number), .integer(today.number + (survey?.days ?? 1) - 1),
                        .blob(survey?.identity ?? []),
                    ])
            }
            stepHook?("donation.stored")
            return answer
        }
        stepHook?("donation.committed")
        return answer
    }

    /// Writes as for a donation of `byteCount` bytes, and takes it back in the same transaction: cover is refused as well while nothing can be stored. Throws what the
    /// database throws.
    func tryWriting(byteCount: Int, today: UTCDay) throws(DonationServiceError) {
        let name: [UInt8] = (0..<32).map { _ in .random(in: 0 ... .max, using: &generator) }
        try database.transaction { () throws(DonationServiceError) in
            try database.run("INSERT INTO spent VALUES (?1, ?1, ?1, ?2)", [.blob(name), .integer(today.number)])
            try database.run(
                "INSERT INTO donation VALUES (?, ?, ?)",
                [.blob(name), .integer(today.number), .blob([UInt8](repeating: 0, count: byteCount))])
            try database.run("DELETE FROM donation WHERE id = ?", [.blob(name)])
            try database.run("DELETE FROM spent WHERE key = ?1 AND nonce = ?1", [.blob(name)])
        }
    }

    /// Calls `body` with the day and the content of each donation, in no order that tells anything.
    package func forEachDonation(_ body: (UTCDay, [UInt8]) -> Void) throws(DonationServiceError) {
        try database.run("SELECT day, content FROM donation") { row in
            if let day = row[0].integer, let content = row[1].blob { body(UTCDay(number: day), content) }
        }
    }

    /// Calls `body` with the day and the troubles of each error log, in no order that tells anything.
    package func forEachLog(_ body: (UTCDay, [DeviceTrouble]) -> Void) throws(DonationServiceError) {
        try database.run("SELECT day, content FROM log") { row in
            if let day = row[0].integer, let troubles = row[1].blob.flatMap({ TroubleReport.troubles(of: $0) }) {
                body(UTCDay(number: day), troubles)
            }
        }
    }

    /// Calls `body` with the digest of each password, the last day on which it is good, and whether it was redeemed, in the order of the digests.
    package func forEachDigest(_ body: ([UInt8], _ lastDay: Int64, _ isRedeemed: Bool) -> Void) throws(DonationServiceError)
    {
        try database.run("SELECT digest, last, redeemed FROM survey ORDER BY digest") { row in
            if let digest = row[0].blob, let last = row[1].integer, let redeemed = row[2].integer {
                body(digest, last, redeemed != 0)
            }
        }
    }

    /// What a password is worth.
    package enum Redemption: String, Sendable, CaseIterable {
        /// It was good, and is not any more.
        case valid
        /// It was used before.
        case redeemed
        /// Its days are over, or it is of another survey than that of today.
        case expired
        /// No digest of it is there: it was never taken, or is deleted.
        case unknown
    }

    /// Redeems the password that has this digest, once: of two that come at the same time one is good.
    ///
    /// - Parameters:
    ///   - today: The day of the server.
    ///   - survey: The survey of the document of today; `nil` if it has none, and every password is over.
    package func redeem(
        digest: [UInt8], today: UTCDay, survey: SurveyOffer?
    ) throws(DonationServiceError) -> Redemption {
        stepHook?("redemption.begin")
        let redemption = try database.transaction { () throws(DonationServiceError) -> Redemption in
            var found: (last: Int64, survey: [UInt8], isRedeemed: Bool)?
            try database.run("SELECT last, survey, redeemed FROM survey WHERE digest = ?", [.blob(digest)]) { row in
                if let last = row[0].integer, let survey = row[1].blob, let redeemed = row[2].integer {
                    found = (last, survey, redeemed != 0)
                }
            }
            guard let found else { return .unknown }
            if found.isRedeemed { return .redeemed }
            if found.last < today.number || found.survey != survey?.identity { return .expired }
            try database.run("UPDATE survey SET redeemed = 1 WHERE digest = ?", [.blob(digest)])
            stepHook?("redemption.marked")
            return .valid
        }
        stepHook?("redemption.committed")
        return redemption
    }

    /// The survey that a document has: what is kept of it with each digest.
    package struct SurveyOffer: Sendable, Hashable {
        /// ``Donation/DonationTerms/surveyIdentity``, 32 bytes.
        package let identity: [UInt8]
        /// The days for which a password is good and its digest is kept, the day on which it came among them; 1 or more.
        package let days: Int64

        /// `nil` if the document has no survey.
        package init?(_ terms: DonationTerms) {
            guard let identity = terms.surveyIdentity, let kept = terms.responsible(for: .survey)?.keptDays else {
                return nil
            }
            self.identity = identity
            days = kept
        }
    }

    /// Adds to the counts of a day, and forgets the order in which donations came: it stands in the log that SQLite writes ahead.
    func count(_ events: [DonationEvent: Int], on day: UTCDay) throws(DonationServiceError) {
        try EventTable.add(events, on: day, to: database)
        try database.run("PRAGMA wal_checkpoint(TRUNCATE)") { _ in }
    }

    /// The counts of each day as an operator may be told them, in order: of what people have sent or used only those of whole days, `nil` for those below
    /// ``DonationStatistics/smallestCell``.
    package func toldEvents(
        today: UTCDay
    ) throws(DonationServiceError) -> [(day: UTCDay, event: String, count: Int64?)] {
        try events().compactMap { entry in
            guard DonationEvent(rawValue: entry.event)?.isOfPeople != false else {
                return (entry.day, entry.event, entry.count)
            }
            guard entry.day < today else { return nil }
            return (entry.day, entry.event, entry.count < DonationStatistics.smallestCell ? nil : entry.count)
        }
    }

    /// The counts of each day, in order.
    package func events() throws(DonationServiceError) -> [(day: UTCDay, event: String, count: Int64)] {
        try EventTable.all(database)
    }

    /// Deletes tokens whose key can no longer be used, donations and logs that are older than ``donationDays`` or than `terms` tell people, digests of
    /// passwords whose days are over, and old counts.
    package func clean(today: UTCDay, terms: DonationTerms? = nil) throws(DonationServiceError) {
        func last(_ purpose: MonthlyPurpose?) -> Int64 {
            today.number - min(Self.donationDays, terms?.responsible(for: purpose)?.keptDays ?? Self.donationDays)
        }
        try database.transaction { () throws(DonationServiceError) in
            try database.run("DELETE FROM spent WHERE day < ?", [.integer(today.number - 1)])
            try database.run("DELETE FROM donation WHERE day <= ?", [.integer(last(nil))])
            try database.run("DELETE FROM log WHERE day <= ?", [.integer(last(.log))])
            // As people were told when it came, whatever the document says today.
            try database.run("DELETE FROM survey WHERE last < ?", [.integer(today.number)])
            try EventTable.clean(database, today: today)
        }
    }
}
