// SPDX-License-Identifier: Apache-2.0

/// Decides from readings when a board stops because its battery is nearly empty. Two consecutive readings are needed, so
/// that a single wrong one does not stop a board.
public struct LowBatteryWatch: Sendable {
    /// The number of consecutive readings below the stop level that stop a board. Our own choice.
    public static let readingsToStop = 2
    /// The time between two readings of a battery: a minute. Our own choice.
    public static let pause = Duration.seconds(60)
    /// The time until the next reading after one below the stop level: ten seconds, so that a stop follows soon. Our own
    /// choice.
    public static let shortPause = Duration.seconds(10)
    /// The time until a board without a battery looks for one again: ten minutes. Our own choice.
    public static let longPause = Duration.seconds(600)
    /// The percentage points above the stop level, inclusive, at which earlier stops no longer count, so that a fluctuating
    /// gauge does not end the count. Our own choice.
    public static let recovery = 3

    /// What follows from a reading.
    public enum Verdict: Sendable, Equatable {
        /// Nothing is to be done: there is no reading, the battery is neither empty nor recovered, or there was only one
        /// reading below the stop level.
        case goOn
        /// The battery is empty and no charger is connected: store a ``LowBatteryRecord``, then stop the board.
        case stop
        /// A charger is connected, or the percentage is at least ``recovery`` above the stop level, or there is no
        /// percentage and the battery is not low. Earlier stops no longer count.
        case recovered
    }

    /// The levels at which a battery is low and the board stops.
    public let rules: BatteryRules
    /// The last reading; `nil` before the first one, and if there was none the last time.
    public private(set) var last: BatteryReading?
    private var inARow = 0

    /// Creates a watch without readings. The rules are not checked.
    public init(rules: BatteryRules) { self.rules = rules }

    /// Evaluates a reading and returns what follows from it.
    ///
    /// - Parameter reading: The reading; `nil` if there is no battery or its values are unbelievable.
    public mutating func take(_ reading: BatteryReading?) -> Verdict {
        last = reading
        guard let reading else {
            inARow = 0
            return .goOn
        }
        // A driver that does not say whether there is a charger stops nobody: a board that is charged while it is empty would never come up,
        // and one that is not only loses power, which loses nothing.
        guard rules.isToStop(reading), reading.isPowered == false else {
            inARow = 0
            if reading.isPowered == true { return .recovered }
            let isWell = reading.percent.map { $0 >= rules.stop + Self.recovery } ?? !rules.isLow(reading)
            return isWell ? .recovered : .goOn
        }
        inARow += 1
        return inARow >= Self.readingsToStop ? .stop : .goOn
    }

    /// The time until the next reading: ``longPause`` if the last one was `nil`, ``shortPause`` if it was below the stop
    /// level without a charger, otherwise a minute.
    public var pause: Duration {
        guard last != nil else { return Self.longPause }
        return inARow > 0 ? Self.shortPause : Self.pause
    }
}
