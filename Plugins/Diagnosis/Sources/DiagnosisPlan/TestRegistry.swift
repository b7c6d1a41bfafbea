// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import JSON

/// All tests of a device and their warnings, as the plugin stores them. It is a value: write it to disk after each change,
/// before you act on it.
///
/// Nothing in it names a person. It has no text form, because it contains tokens, and keys that are about to be published.
public struct TestRegistry: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The most tests at a time: 8, our choice. When there are as many, a new test replaces the oldest finished one.
    public static let maximumTests = 8
    /// The number of days after which a test is forgotten with all that belongs to it, counted from its entry: 60, because
    /// the server has deleted it by then (cwa-protocols 4.3).
    public static let retentionDays: Int64 = 60
    /// The number of days after the consent at which a warning ends: 14, because its keys are useless then (gaen-core: keys
    /// are looked for over 14 days).
    public static let warningDays: Int64 = 14
    /// Numbers and attempts beyond are none of ours.
    static let largestCount = Int(Int32.max)
    /// The most bytes of a registry that is read: 128 KiB, our choice; eight tests with submissions need less.
    public static let maximumBytes = 128 << 10

    /// All tests that are not forgotten, in the order in which they were entered; at most ``maximumTests``.
    public private(set) var tests: [RegisteredTest] = []
    private var last = 0
    /// What a key server gave for the keys that it has of this device: kept for the next upload, longer than any test (specification ens 6.2).
    var revisionToken: String?
    /// The number of the test whose warning alone was ever on its way to a key server; 0 for several. Kept as long as the token: an answer that got
    /// lost may have had one.
    var uploader: Int?
    /// Until when a server asked not to be asked, Unix seconds.
    var waitUntil: Int64?
    /// The batches of visits that went out, oldest first; absent if there are none.
    var published: [PublishedBatch]?

    /// Creates a registry without tests.
    public init() {}

    /// The number of tests, without anything else about them.
    public var description: String { "\(tests.count) tests" }

    /// Whether there is news that the wearer has not seen, of any test.
    public var hasNews: Bool { tests.contains(where: \.hasNews) }

    /// Returns the test with this number; `nil` if there is none.
    public func test(_ number: Int) -> RegisteredTest? { tests.first { $0.number == number } }

    // MARK: What the wearer does

    /// Adds a test that is to be registered, and returns its number, from 1. If there are ``maximumTests`` already,
    /// the oldest finished one is forgotten: one that was refused, or has a final result, whose news the wearer has
    /// seen. A positive one is finished only after its warning, and that for the rest of its day, was sent or has
    /// ended.
    ///
    /// - Parameters:
    ///   - key: The test's registration key.
    ///   - kind: The kind of test.
    ///   - sampleCollected: The time at which the sample was taken, in Unix seconds; `nil` if it is unknown.
    ///   - request: The name of the registration's request, a random UUID; not checked.
    ///   - way: The way by which the test is registered.
    ///   - now: The time in Unix seconds.
    /// - Throws: `DiagnosisPlanError.alreadyEntered` if a test with this key is waiting to be registered;
    ///   `DiagnosisPlanError.tooManyTests` if there are ``maximumTests``, none of which is finished.
    public mutating func enter(
        _ key: RegistrationKey, kind: TestKind, sampleCollected: Int64? = nil, request: String,
        way: WarningWay.Kind = .cwa, at now: Int64
    ) throws(DiagnosisPlanError) -> Int {
        for test in tests {
            if case .wanted(let other, _, _) = test.registration, other.text == key.text {
                throw DiagnosisPlanError(.alreadyEntered)
            }
        }
        if tests.count >= Self.maximumTests {
            guard let index = tests.firstIndex(where: \.isOver) else { throw DiagnosisPlanError(.tooManyTests) }
            tests.remove(at: index)
        }
        last += 1
        tests.append(
            RegisteredTest(
                number: last, kind: kind, isTeleTAN: key.form == .teleTAN, entered: now, sampleCollected: sampleCollected,
                registration: .wanted(key, request: request, attempts: 0)))
        if key.birthKey != nil, way == .cwa { change(last) { $0.isBoundToBirth = true } }
        if way != .cwa { change(last) { $0.way = way } }
        return last
    }

    /// Notes that a person has seen the news of the test with this number, on `day` (in days since 1970; `nil` if it is not
    /// known): the first day on which a final result was seen stays. A day before the one on which the result came is that of a
    /// clock that has not been set yet, and is not noted. Has no effect if there is no such test.
    public mutating func see(_ number: Int, on day: Int64? = nil) {
        change(number) {
            $0.isSeen = true
            guard $0.seenDay == nil, $0.result?.isFinal == true, let day, let came = $0.lastAsked else { return }
            if day >= UTCDay(containing: came).number { $0.seenDay = day }
        }
    }

    /// Forgets the test with this number at once, with a warning that was not sent, and returns `true`, also if there is no
    /// such test. Returns `false`, and forgets nothing, while its warning, or the one for the rest of its day, is being
    /// sent.
    public mutating func forget(_ number: Int) -> Bool {
        if test(number)?.isBeingSent == true { return false }
        tests.removeAll { $0.number == number }
        return true
    }

    /// Notes that the wearer agrees to warn others, in place of an earlier warning of the test; `now` is in Unix
    /// seconds. The warning then waits for its keys (``wantingKeys``).
    /// - Throws: `DiagnosisPlanError.noWarningPossible` if there is no such test, its result is not positive, it
    ///   has no valid token, or there was a warning for it that does not allow another
    ///   (``WarningStage/allowsAnother``).
    public mutating func agree(_ number: Int, _ agreement: WarningStage.Agreement, at now: Int64) throws(DiagnosisPlanError)
    {
        guard let test = test(number), test.givenToken != nil, test.result?.allowsWarning == true,
            test.warning?.allowsAnother ?? true, test.tokenUntil.map({ now < $0 }) ?? true
        else { throw DiagnosisPlanError(.noWarningPossible) }
        change(number) {
            $0.warning = .agreed(agreement)
            $0.warningAgreed = now
            $0.visits = nil
        }
    }

    /// Withdraws the consent for the test with this number: erases what was prepared for the warning or, if that was sent,
    /// for the rest of its day. Returns `false`, and changes nothing, if it is too late or there is nothing to withdraw.
    public mutating func withdraw(_ number: Int) -> Bool {
        guard let test = test(number) else { return false }
        if test.warning?.isRevocable == true {
            change(number) {
                switch $0.warning {
                // The NHS's token came with the result, and is still good.
                case .askingTAN, .ready: if $0.way != .nhs { $0.permissionIsSpent = true }
                default: break
                }
                $0.warning = .ended(.withdrawn)
                $0.remainder = nil
                $0.remainderHours = nil
                $0.visits = nil
            }
            return true
        }
        guard test.remainder?.isRevocable == true else { return false }
        endRemainder(number, .withdrawn)
        return true
    }

    // MARK: Keys

    /// The warnings that wait for keys, with their tests' numbers and what the wearer agreed to, in the order of the tests;
    /// empty if there are none. The core hands out keys once: note its answer with
    /// ``prepare(_:_:request:remainder:hours:)`` or one of its variants, or with ``loseKeys(_:because:)``.
    public var wantingKeys: [(number: Int, agreement: WarningStage.Agreement)] {
        tests.compactMap { test in
            guard case .agreed(let agreement)? = test.warning else { return nil }
            return (test.number, agreement)
        }
    }

    /// Notes that the core has handed out the keys, for the Corona-Warn-App's way. Has no effect unless the test waits for
    /// keys.
    /// - Parameters:
    ///   - number: The test's number.
    ///   - body: The whole body of the submission, as it will be sent.
    ///   - request: The request's name, a random UUID.
    ///   - remainder: What happens to the keys for the rest of the day; `nil` if there is no rest.
    ///   - hours: The rest of the day in Unix seconds of the machine; `nil` if there is no rest.
    ///   - visits: The visits whose reports are in the body; `nil` if nobody here keeps visits.
    public mutating func prepare(
        _ number: Int, _ body: [UInt8], request: String, remainder: RemainderStage? = nil, hours: Range<Int64>? = nil,
        visits: VisitsInWarning? = nil
    ) {
        guard case .agreed? = test(number)?.warning else { return }
        change(number) {
            $0.warning = .prepared(.init(body: Base64.string(body), request: request))
            $0.remainder = remainder
            $0.remainderHours = hours
            $0.visits = visits
        }
    }

    /// Notes that the core has handed out the keys, for Google's way: they are published exactly as they are here, once
    /// there is a certificate for them. Has no effect unless the test waits for keys.
    /// - Parameters:
    ///   - number: The test's number.
    ///   - keys: The keys to publish.
    ///   - request: The request's name, a random UUID.
    ///   - hours: The rest of the day in Unix seconds of the machine, which cannot be sent by this way; `nil` if there is
    ///     no rest.
    public mutating func prepare(_ number: Int, _ keys: FrozenKeys, request: String, hours: Range<Int64>? = nil) {
        guard case .agreed? = test(number)?.warning else { return }
        change(number) {
            $0.warning = .prepared(.init(body: "", request: request, frozen: keys))
            $0.remainder = hours.map { _ in .ended(.notOffered) }
            $0.remainderHours = hours
        }
    }

    /// Notes that the core has handed out the keys, for the NHS's way: `body` is sent with the token that came with the
    /// result, as long as that is valid. Has no effect unless the test waits for keys and has a token.
    /// - Parameters:
    ///   - number: The test's number.
    ///   - body: The whole body of the submission, as it will be sent.
    ///   - request: The request's name, a random UUID.
    ///   - hours: The rest of the day in Unix seconds of the machine, which cannot be sent by this way; `nil` if there is
    ///     no rest.
    public mutating func prepareReady(_ number: Int, _ body: [UInt8], request: String, hours: Range<Int64>? = nil) {
        guard let test = test(number), case .agreed? = test.warning, let token = test.givenToken else { return }
        change(number) {
            $0.warning = .ready(.init(body: Base64.string(body), request: request, until: test.tokenUntil), tan: token)
            $0.remainder = hours.map { _ in .ended(.notOffered) }
            $0.remainderHours = hours
        }
    }

    /// Notes that a server asks for a wait of `seconds`, limited to 0 to 86,400; replaces an earlier wait. `now` is in Unix
    /// seconds.
    public mutating func wait(_ seconds: Int64, at now: Int64) { waitUntil = now + min(max(seconds, 0), UTCDay.seconds) }

    /// Notes that the core refused the keys, because the ticket was used or there are no keys: the warning of the test with
    /// this number ends for `reason`. Has no effect unless it waits for keys.
    public mutating func loseKeys(_ number: Int, because reason: WarningStage.Reason = .keysLost) {
        guard case .agreed? = test(number)?.warning else { return }
        end(number, reason)
    }

    // MARK: Time

    /// Forgets tests ``retentionDays`` after their entry, ends warnings ``warningDays`` after the consent, ends warnings
    /// for the rest of a day that were not sent in time, and does the work of ``expire(before:)``. A test whose warning is
    /// being sent is kept until that has ended, and until its wearer has seen how, at most twice ``warningDays`` after the
    /// consent. Call it at least once a
    /// day, and only when the time is certain. `now` is in Unix seconds. Cannot fail.
    public mutating func forget(before now: Int64) {
        tests.removeAll { test in
            // What is being sent may have arrived, and somebody has to hear how it ended, which is noted below.
            !test.isBeingSent && !test.endIsUnheard(at: now)
                && now.subtractingReportingOverflow(test.entered).partialValue >= Self.retentionDays * UTCDay.seconds
        }
        for test in tests {
            guard let agreed = test.warningAgreed,
                now.subtractingReportingOverflow(agreed).partialValue >= Self.warningDays * UTCDay.seconds
            else { continue }
            switch test.warning {
            case .agreed, .prepared, .askingTAN, .ready: end(test.number, .tooLate)
            case .sending: endUncertain(test.number, at: now)
            case .sent, .ended, nil: break
            }
        }
        forgetRemainders(before: now)
        forgetPublished(before: now)
        expire(before: now)
    }

    /// Ends what has expired of ways other than the Corona-Warn-App's: registrations that were entered a day ago or
    /// earlier (``WarningWay/Kind/ens``) or ``NHSResult/codeDays`` ago (``WarningWay/Kind/nhs``), and warnings
    /// whose token or certificate has expired. A warning that was being sent ends as uncertain, unless the server
    /// answered each attempt with an error. Call it before every slot. `now` is in Unix seconds. Cannot fail.
    public mutating func expire(before now: Int64) {
        for test in tests {
            // No code of theirs lives longer.
            let life: Int64? =
                test.way == .ens ? UTCDay.seconds : test.way == .nhs ? NHSResult.codeDays * UTCDay.seconds : nil
            if case .wanted = test.registration, let life,
                now.subtractingReportingOverflow(test.entered).partialValue >= life
            {
                refuse(test.number, .expired)
            }
            switch test.warning {
            case .ready(let submission, _)?:
                if let until = submission.until, now >= until { end(test.number, .permissionExpired) }
            case .sending(let submission, _, let attempts)?:
                if let until = submission.until, now >= until {
                    // One whose answer did not come may have arrived.
                    if test.serverFailures == attempts {
                        end(test.number, .serverFailed)
                    } else {
                        endUncertain(test.number, at: now)
                    }
                }
            case .agreed?, .prepared?, .askingTAN?:
                if let until = test.tokenUntil, now >= until { end(test.number, .permissionExpired) }
            case .sent?, .ended?, nil: break
            }
        }
    }

    /// The server does not take the test, and somebody should hear why.
    mutating func refuse(_ number: Int, _ reason: RegisteredTest.Refusal) {
        change(number) {
            $0.registration = .refused(reason)
            $0.isSeen = false
            $0.trouble = nil
        }
    }

    /// The server has the warning.
    mutating func sent(_ number: Int, at now: Int64) {
        notePublished(test(number)?.visits, at: now)
        change(number) {
            $0.warning = .sent(now)
            $0.isSeen = false
            $0.trouble = nil
        }
    }

    mutating func note(_ trouble: ExchangeTrouble?, _ number: Int) {
        guard let trouble else { return }
        change(number) {
            $0.trouble = trouble
            if trouble == .serverFails, case .sending? = $0.warning { $0.serverFailures = ($0.serverFailures ?? 0) + 1 }
        }
    }

    /// The warning is over, and somebody should hear how.
    mutating func end(_ number: Int, _ reason: WarningStage.Reason) {
        change(number) {
            $0.warning = .ended(reason)
            $0.isSeen = false
            $0.visits = nil
            // What goes with a warning goes without it nowhere.
            if $0.remainder?.isOpen == true { $0.remainder = nil }
            if $0.remainder == nil { $0.remainderHours = nil }
        }
    }

    /// Nobody knows whether the server has the warning: its visits meet no warning, and can go along with another one.
    mutating func endUncertain(_ number: Int, at now: Int64) {
        notePublished(test(number)?.visits, isUncertain: true, at: now)
        end(number, .uncertain)
    }

    /// For looking at some of them.
    mutating func keep(_ isKept: (RegisteredTest) -> Bool) { tests = tests.filter(isKept) }

    /// Changes the test with this number; has no effect if there is none.
    package mutating func change(_ number: Int, _ change: (inout RegisteredTest) -> Void) {
        guard let index = tests.firstIndex(where: { $0.number == number }) else { return }
        change(&tests[index])
    }

    // MARK: On disk

    /// Encodes the registry as JSON, to be written to disk. The bytes are secret: they contain tokens, and keys that are
    /// about to be published.
    /// - Throws: `JSONError` if it cannot be encoded.
    public func bytes() throws -> [UInt8] { try JSON(encoding: self).bytes }

    /// Reads a registry that ``bytes()`` has encoded.
    /// - Throws: `DiagnosisPlanError.damagedBook` if it has more than ``maximumBytes`` or ``maximumTests``, if two tests
    ///   have the same number, or if a number, count or day is out of its range; `JSONError` if the bytes are not JSON or
    ///   not a registry.
    public init(bytes: [UInt8]) throws {
        guard bytes.count <= Self.maximumBytes else { throw DiagnosisPlanError(.damagedBook) }
        self = try JSON(parsing: bytes, maximumDepth: 16).decode(Self.self)
        guard tests.count <= Self.maximumTests, Set(tests.map(\.number)).count == tests.count,
            (0...Self.largestCount).contains(last), (published?.count ?? 0) <= Self.maximumPublished,
            tests.allSatisfy({ $0.number >= 1 && $0.number <= last && $0.isSane })
        else { throw DiagnosisPlanError(.damagedBook) }
    }
}

extension RegisteredTest {
    /// Whether its counts are such as come of counting.
    var isSane: Bool {
        func isCount(_ number: Int) -> Bool { number >= 0 && number < TestRegistry.largestCount }
        if case .wanted(_, _, let attempts) = registration, !isCount(attempts) { return false }
        // Days of the calendar.
        for day in [onsetDay, testDay, seenDay] { if let day, !(0...2_932_896).contains(day) { return false } }
        if case .sending(_, _, _, let attempts)? = remainder, !isCount(attempts) { return false }
        if let visits, !visits.isSane { return false }
        return switch warning {
        case .askingTAN(_, let attempts)?, .sending(_, _, let attempts)?: isCount(attempts)
        default: true
        }
    }

    /// Whether nothing more will come of it.
    var isOver: Bool {
        switch registration {
        case .wanted: return false
        case .refused: return isSeen
        case .made: break
        }
        guard let result, result.isFinal, isSeen, remainder?.isOpen != true else { return false }
        switch warning {
        case .sent, .ended: return true
        case nil: return !result.allowsWarning
        default: return false
        }
    }
}

extension RegisteredTest {
    /// Whether its warning, or the one for the rest of its day, may be on its way.
    fileprivate var isBeingSent: Bool {
        if case .sending? = warning { return true }
        if case .sending? = remainder { return true }
        return false
    }

    /// Whether its warning has ended lately, and its wearer has not seen how.
    fileprivate func endIsUnheard(at now: Int64) -> Bool {
        guard warning?.isOver == true, !isSeen, let warningAgreed else { return false }
        let age = now.subtractingReportingOverflow(warningAgreed).partialValue
        return age < 2 * TestRegistry.warningDays * UTCDay.seconds
    }
}
