// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import JSON
public import PrivacyPass

/// What a device keeps of its donations: the wearer's consent, tokens, what is under way, what was sent. A value: write it to disk after each change,
/// before acting on it.
///
/// Its bytes are secret: they hold tokens and seeds. It has no text form.
public struct DonationBook: Sendable, Hashable, Codable, CustomStringConvertible {
    /// How long nothing is asked for, sent or collected after a consent: a day, so that a consent and what follows are not seen together.
    public static let pause: Int64 = 86_400
    /// For how many days ahead tokens are asked for.
    public static let daysAhead: Int64 = 8
    /// The shortest and the longest time between two batches of requests, in seconds: six and seven days. A batch reaches further than that.
    public static let batchSeconds: ClosedRange<Int64> = 6 * 86_400...7 * 86_400
    /// How long after a failure the next try is, in seconds, at random.
    public static let retrySeconds: ClosedRange<Int64> = 3_600...3 * 3_600
    /// How long until the next try where today there is nothing to be had, in seconds, at random.
    static let dayAndMore: ClosedRange<Int64> = 86_400...27 * 3_600
    /// How late a donation may begin: a device that was off or asleep at its second leaves the day out.
    public static let lateness: Int64 = 600
    /// The days for which it is remembered which encounters were donated: one more than encounters are kept for.
    public static let memoryDays: Int64 = 15
    /// The most donations that are listed.
    public static let maximumHistory = 30
    /// The most encounters that are remembered as donated, and so are in donations of 15 days; our own bound on the disk.
    public static let maximumMarks = 400
    /// The most bytes of a book that is read; our own bound.
    public static let maximumByteCount = 30_000

    /// The wearer's consent.
    public struct Consent: Sendable, Hashable, Codable {
        /// When it was given, Unix seconds.
        public let since: Int64
        /// The version of the text that the wearer had before them.
        public let text: Int64
    }

    /// The right to donate once, on one day.
    struct Ticket: Sendable, Hashable, Codable {
        /// Days since 1970.
        let day: Int64
        /// The name of the key, in Base64.
        let key: String
        /// The token, in Base64; absent while it is asked for.
        var token: String?
        var isWanted: Bool { token == nil }
    }

    /// A donation that is frozen: whatever happens, the same bytes are sent with the same token.
    struct Sending: Sendable, Hashable, Codable {
        let day: Int64
        let token: String
        let windows: Int
        var notBefore: Int64
    }

    /// What became of a donation.
    public enum Outcome: String, Sendable, Codable, CaseIterable {
        /// The server has it.
        case taken
        /// The server did not want it.
        case refused
        /// It could not be sent until its day and the next one were over.
        case lapsed
    }

    /// A donation that is over.
    public struct Past: Sendable, Hashable, Codable {
        /// The day, in days since 1970.
        public let day: Int64
        /// What became of it.
        public let outcome: Outcome
        /// The number of encounters in it.
        public let windows: Int
    }

    /// Why nothing is asked for and sent any more, until the terms change.
    public enum Stop: String, Sendable, Codable, CaseIterable {
        /// The issuer has signed with a key that is not the one of the signed document.
        case otherKey
        /// The issuer gives this device no tokens.
        case deviceRefused
    }

    struct Answer: Sendable, Hashable, Codable {
        let truth: Bool
        let told: Bool
    }

    struct Mark: Sendable, Hashable, Codable {
        let day: Int64
        let mark: String
    }

    /// The wearer's consent; `nil` without one.
    public internal(set) var consent: Consent?
    /// Why it has stopped; `nil` if it has not.
    public internal(set) var stopped: Stop?
    /// The version of the terms with which it stopped.
    var stoppedVersion: Int64?
    /// Donations that are over, oldest first.
    public internal(set) var history: [Past] = []
    var tickets: [Ticket] = []
    var sending: Sending?
    var seed: String?
    /// The secret that the seconds of donations are drawn from.
    var clock: String?
    var nextBatch: Int64?
    /// The last day that a token was ever asked for. It outlives a withdrawal: a second request for one key would be another device's to the issuer.
    var askedUntil: Int64?
    var answer: Answer?
    var toldBefore: Bool?
    var marks: [Mark] = []
    /// What is frozen and not donated yet counts as donated only then.
    var frozenMarks: [Mark] = []

    /// Creates a book without a consent.
    public init() {}

    /// Whether there is a consent, and nothing else.
    public var description: String { consent == nil ? "no consent" : "consent" }

    // MARK: Consent

    /// Notes the consent of the wearer at `now`, Unix seconds; has no effect if there is one.
    public mutating func agree(text: Int64, at now: Int64, using random: inout some RandomNumberGenerator) {
        guard consent == nil else { return }
        consent = Consent(since: now, text: text)
        clock = Self.secret(&random)
        // Within the day after the pause.
        nextBatch = now + Self.pause + .random(in: 0..<UTCDay.seconds, using: &random)
    }

    /// Erases everything but the last day that was asked for. What was donated cannot be found again by anybody. Has no effect without a consent.
    public mutating func withdraw() {
        let asked = askedUntil
        self = DonationBook()
        askedUntil = asked
    }

    // MARK: Steps

    /// What is to be done next.
    public enum Step: Sendable, Hashable {
        /// Nothing before this time, Unix seconds; `nil`: nothing until somebody agrees, or the terms change.
        case wait(until: Int64?)
        /// Ask for the token of this day, with this request of 259 bytes.
        case request(day: Int64, TokenRequest)
        /// Compose a donation for this day, and freeze it (``freeze(_:told:at:)``).
        case compose(day: Int64)
        /// Send what is frozen, with this token.
        case send(day: Int64, Token)
    }

    /// What is to be done at `now`, Unix seconds; `terms` is `nil` if there are none. Notes what must be on the disk before it is done, such as the seed of
    /// requests: write the book first, then act.
    ///
    /// Throws `operationFailed` if Mbed TLS fails.
    public mutating func step(
        _ terms: DonationTerms?, at now: Int64, using random: inout some RandomNumberGenerator
    ) throws(PrivacyPassError) -> Step {
        guard let consent else { return .wait(until: nil) }
        forget(at: now)
        guard let terms else { return .wait(until: nil) }
        if stopped != nil {
            guard terms.version != stoppedVersion else { return .wait(until: nil) }
            (stopped, stoppedVersion) = (nil, nil)
        }
        guard now >= consent.since + Self.pause else { return .wait(until: consent.since + Self.pause) }
        if let step = try request(terms, at: now, using: &random) { return step }
        return try donation(terms, at: now)
    }

    mutating func forget(at now: Int64) {
        let today = UTCDay(containing: now).number
        // Who gets a token on its day would be known by the donation that follows.
        tickets.removeAll { $0.day < today || $0.isWanted && $0.day == today }
        // A token is good on its day and the one after.
        if let sending, sending.day + 1 < today { end(sending.day, .lapsed) }
        marks.removeAll { $0.day <= today - Self.memoryDays }
        if !tickets.contains(where: \.isWanted) { seed = nil }
    }

    mutating func change(_ day: Int64, _ change: (inout Ticket) -> Void) {
        guard let index = tickets.firstIndex(where: { $0.day == day }) else { return }
        change(&tickets[index])
    }

    static func token(_ text: String) -> Token? { Base64.bytes(text).flatMap { try? Token(decoding: $0) } }

    static func secret(_ random: inout some RandomNumberGenerator) -> String {
        Base64.string((0..<TokenSeed.byteCount).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    // MARK: On disk

    /// The book as bytes, to be written to disk: they are secret. Throws `JSONError` if it cannot be encoded.
    public func bytes() throws -> [UInt8] { try JSON(encoding: self).bytes }

    /// Reads a book; `nil` if it is damaged.
    public init?(bytes: [UInt8]) {
        guard bytes.count <= Self.maximumByteCount, let json = try? JSON(parsing: bytes),
            let book = try? json.decode(DonationBook.self)
        else { return nil }
        self = book
    }
}
