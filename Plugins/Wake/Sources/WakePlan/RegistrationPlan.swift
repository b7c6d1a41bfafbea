// SPDX-License-Identifier: Apache-2.0

/// Keeps a registration as ``RegistrationRule`` requires: derives the rule's events from observed facts, makes the
/// messages, and repeats what failed.
public struct RegistrationPlan: Sendable {
    /// The part of the plan that is stored over restarts of the process.
    public struct Record: Codable, Hashable, Sendable {
        /// The app-instance token: a random UUID in capitals, made for one registration, used only for it, and forgotten
        /// with it. Not checked in a stored record.
        public var instance: String
        /// The time at which the server last accepted the registration, in Unix seconds by the board's clock; `nil` before
        /// that.
        public var registered: Int64?
        /// Whether exposure notification was on when it was last observed, so that a change while the process did not run
        /// is noticed, too; `nil` if it was never observed.
        public var enActive: Bool?

        /// Creates a record of these values, unchecked.
        ///
        /// - Parameters:
        ///   - registered: The time in Unix seconds; `nil` if the server has not accepted the registration yet.
        ///   - enActive: Whether exposure notification was on; `nil` if it was never observed.
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
        /// Whether there is a check-in that is still stored.
        public var hasCheckIns: Bool
        /// Whether the wearer is in isolation, so that further warnings would tell them nothing new.
        public var inIsolation: Bool

        /// Creates the facts of one moment; cannot fail.
        public init(enActive: Bool, hasCheckIns: Bool, inIsolation: Bool) {
            self.enActive = enActive
            self.hasCheckIns = hasCheckIns
            self.inIsolation = inIsolation
        }

        /// Whether a wake would be of use, by ``RegistrationRule/isWanted(enActive:hasCheckIns:inIsolation:)``.
        public var isWanted: Bool {
            RegistrationRule.isWanted(enActive: enActive, hasCheckIns: hasCheckIns, inIsolation: inIsolation)
        }
    }

    private static let firstRetry = Duration.seconds(60)
    private static let longestRetry = Duration.seconds(6 * 3600)
    private static let day = Duration.seconds(86_400)

    /// The record that has to be stored after each call; `nil` if no registration was tried, and after the server has
    /// accepted its cancellation.
    public private(set) var record: Record?
    /// The number of registrations and cancellations that the server has accepted since the process started; 0 or more.
    public private(set) var sentCount: UInt64 = 0
    /// The number of failed tries since the process started; 0 or more.
    public private(set) var failureCount: UInt64 = 0

    private let pushType: PushRegistration.PushType
    private var facts: Facts?
    private var lastStart: Duration?
    private var open: RegistrationRule.Action = .none
    private var failures = 0
    private var retryAt: Duration?

    /// Creates a plan that continues from a record; nothing is sent before ``observe(_:at:unix:)``. Cannot fail.
    ///
    /// - Parameters:
    ///   - record: The stored record; `nil` on the first start.
    ///   - pushType: The push service that registrations name.
    public init(_ record: Record?, pushType: PushRegistration.PushType = .android) {
        self.record = record
        self.pushType = pushType
    }

    /// The time at which ``due(at:using:)`` has to be called again even without a new observation, on the clock of the
    /// calls; `nil` if there is nothing to send.
    public var deadline: Duration? { open == .none ? nil : retryAt }

    /// Takes the facts as they are now, and decides whether the server has to get a message, by
    /// ``RegistrationRule``; ``due(at:using:)`` then returns it. The first call counts as a start of the program,
    /// unless exposure notification was switched since the record was stored; so does a call a day after the last
    /// start. A new decision replaces one whose message the server has not accepted yet.
    /// - Parameters:
    ///   - now: The time on a monotonic clock, the same one in all calls.
    ///   - unix: The time in Unix seconds by the board's clock, right or wrong: a registration in its future counts
    ///     as too old.
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

    /// Returns the message to send at `now`; `nil` if none is due. Each has a new push token, 64 random hexadecimal
    /// digits, or an empty one to cancel the registration. Store ``record`` before you send the message, and report
    /// the outcome with ``answered(_:at:unix:)``: until then each call returns another message.
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

    /// Notes whether the server has accepted the message; ignored if there is nothing to send. After a failure the next try
    /// comes after a minute, and the wait doubles each time, up to six hours. `unix` is the time in Unix seconds, stored as
    /// ``Record/registered``.
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
