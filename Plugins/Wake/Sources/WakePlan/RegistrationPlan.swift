// SPDX-License-Identifier: Apache-2.0

/// Keeps a registration as ``RegistrationRule`` wants it: turns what is observed into its events, makes the messages, and tries
/// again what failed.
public struct RegistrationPlan: Sendable {
    /// The part of the plan that is kept over restarts of the process.
    public struct Record: Codable, Hashable, Sendable {
        /// The app-instance token: a random UUID in capitals, made for one registration, used for that and nothing else, forgotten with it. Not
        /// checked in a record that was kept.
        public var instance: String
        /// The moment when the server agreed to the registration last, Unix seconds by the board's clock; `nil` before that.
        public var registered: Int64?
        /// Whether exposure notification was on when it was last looked at: a change while this did not run is one, too.
        /// `nil` if it was never looked at.
        public var enActive: Bool?

        /// A record with these values, as they are.
        ///
        /// - Parameters:
        ///   - registered: Unix seconds; `nil` before the server has agreed.
        ///   - enActive: `nil` if it was never looked at.
        public init(instance: String, registered: Int64?, enActive: Bool? = nil) {
            self.instance = instance
            self.registered = registered
            self.enActive = enActive
        }
    }

    /// The facts about the board that the plan is told whenever one changes.
    public struct Facts: Hashable, Sendable {
        /// Whether exposure notification is on.
        public var enActive: Bool
        /// Whether there is a check-in that is still remembered.
        public var hasCheckIns: Bool
        /// Whether the wearer is in isolation, so that further warnings would tell them nothing new.
        public var inIsolation: Bool

        /// The facts as they are at one moment; cannot fail.
        public init(enActive: Bool, hasCheckIns: Bool, inIsolation: Bool) {
            self.enActive = enActive
            self.hasCheckIns = hasCheckIns
            self.inIsolation = inIsolation
        }

        /// Whether a wake would be of any use, by ``RegistrationRule/isWanted(enActive:hasCheckIns:inIsolation:)``.
        public var isWanted: Bool {
            RegistrationRule.isWanted(enActive: enActive, hasCheckIns: hasCheckIns, inIsolation: inIsolation)
        }
    }

    private static let firstRetry = Duration.seconds(60)
    private static let longestRetry = Duration.seconds(6 * 3600)
    private static let day = Duration.seconds(86_400)

    /// The record that has to be kept over restarts after each call; `nil` while no registration was tried, or since the server has agreed to take
    /// it back.
    public private(set) var record: Record?
    /// The number of registrations and deregistrations that the server has agreed to since the process started, 0 or more.
    public private(set) var sentCount: UInt64 = 0
    /// The number of tries that failed since the process started, 0 or more.
    public private(set) var failureCount: UInt64 = 0

    private let pushType: PushRegistration.PushType
    private var facts: Facts?
    private var lastStart: Duration?
    private var open: RegistrationRule.Action = .none
    private var failures = 0
    private var retryAt: Duration?

    /// A plan that goes on where the record ends.
    ///
    /// - Parameter record: The record that was kept; `nil` on the first start.
    public init(_ record: Record?, pushType: PushRegistration.PushType = .android) {
        self.record = record
        self.pushType = pushType
    }

    /// The moment when ``due(at:using:)`` is to be asked again even if nothing new was observed, on the clock of the calls;
    /// `nil` if nothing is to be sent.
    public var deadline: Duration? { open == .none ? nil : retryAt }

    /// Takes what is observed now. The first call counts as a start of the program, unless exposure notification was switched since the record was
    /// kept; so does one a day after the last start.
    /// - Parameters:
    ///   - now: The time of a clock that never goes back, the same in all calls.
    ///   - unix: Unix seconds by the board's clock, right or wrong: a registration from its future counts as too old.
    public mutating func observe(_ new: Facts, at now: Duration, unix: Int64) {
        var event: RegistrationRule.Event?
        let before = facts?.enActive ?? record?.enActive
        if let before, before != new.enActive {
            event = new.enActive ? .userActivatesEN : .userDeactivatesEN
        } else if lastStart.map({ now - $0 >= Self.day }) ?? true {
            event = .appStart
        } else if let facts, !facts.hasCheckIns, new.hasCheckIns {
            event = .checkOut
        }
        if lastStart == nil || event == .appStart { lastStart = now }
        facts = new
        record?.enActive = new.enActive
        guard let event else { return }
        let state = RegistrationRule.State(
            enActive: event == .userActivatesEN || event == .userDeactivatesEN ? !new.enActive : new.enActive,
            hasCheckIns: new.hasCheckIns, inIsolation: new.inIsolation, registrationAge: age(unix: unix))
        let action = RegistrationRule.action(on: event, state)
        // A decision is in place of the one before; "nothing to do" takes back only what would be wrong now.
        if action != .none {
            open = action
            failures = 0
            retryAt = now
        } else if open == .register, new.enActive {
            open = .none
        }
    }

    /// The message to be sent at `now`; `nil` if nothing is due. Each has another push token, 64 random hexadecimal digits; it is empty to take the
    /// registration back. Answer it with ``answered(_:at:unix:)``, and keep ``record`` before sending.
    public mutating func due(
        at now: Duration, using random: inout some RandomNumberGenerator
    ) -> PushRegistration? {
        guard open != .none, let retryAt, retryAt <= now else { return nil }
        if open == .deregister {
            guard let record else {
                open = .none
                return nil
            }
            return PushRegistration(pushToken: "", pushType: pushType, deviceId: record.instance)
        }
        // Kept before it is sent: a registration whose answer is lost can be taken back all the same.
        let kept = record ?? Record(instance: Self.uuid(using: &random), registered: nil, enActive: facts?.enActive)
        record = kept
        return PushRegistration(
            pushToken: Self.hexadecimal(32, using: &random), pushType: pushType, deviceId: kept.instance)
    }

    /// Takes whether the server has agreed; ignored if nothing is to be sent. After a failure the next try comes after a minute, doubled each time,
    /// up to six hours. `unix` is Unix seconds, kept as ``Record/registered``.
    public mutating func answered(_ isAccepted: Bool, at now: Duration, unix: Int64) {
        guard open != .none else { return }
        guard isAccepted else {
            failureCount += 1
            failures += 1
            retryAt = now + min(Self.firstRetry * (1 << min(failures - 1, 16)), Self.longestRetry)
            return
        }
        sentCount += 1
        if open == .register { record?.registered = unix } else { record = nil }
        open = .none
        retryAt = nil
    }

    /// One the server has not said yes to counts as too old: it may be there, and it may not. So does one from the future.
    private func age(unix: Int64) -> Duration? {
        guard let record else { return nil }
        guard let registered = record.registered, unix >= registered else {
            return RegistrationRule.lifetime + .seconds(1)
        }
        return .seconds(unix - registered)
    }

    /// Version 4, as phones write it.
    private static func uuid(using random: inout some RandomNumberGenerator) -> String {
        var digits = Array(hexadecimal(16, using: &random).uppercased())
        digits[12] = "4"
        digits[16] = Array("89AB")[Int.random(in: 0..<4, using: &random)]
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    private static func hexadecimal(_ byteCount: Int, using random: inout some RandomNumberGenerator) -> String {
        let alphabet = Array("0123456789abcdef")
        return String((0..<byteCount * 2).map { _ in alphabet[Int.random(in: 0..<16, using: &random)] })
    }
}
