// SPDX-License-Identifier: Apache-2.0

/// Decides from readings when a board stops because its battery is nearly empty. Two readings in a row have to say so: one bad reading stops no
/// board.
public struct LowBatteryWatch: Sendable {
    /// Readings in a row below the stop level that stop a board: one alone may be wrong. Our own choice.
    public static let readingsToStop = 2
    /// Time between two readings of a battery, a minute: our own choice.
    public static let pause = Duration.seconds(60)
    /// Time until the next reading when one says stop, ten seconds, so that the stop comes soon after. Our own choice.
    public static let shortPause = Duration.seconds(10)
    /// Time until a board without a battery looks for one again, ten minutes. Our own choice.
    public static let longPause = Duration.seconds(600)
    /// Percentage points above the stop level, inclusive, at which the count of stops ends, so that a gauge that wavers does not end it. Our own
    /// choice.
    public static let recovery = 3

    /// The consequence of a reading for the board.
    public enum Verdict: Sendable, Equatable {
        /// Nothing is to be done: there is no reading, the battery is neither empty nor well above, or one low reading is not yet believed.
        case goOn
        /// The battery is empty and no charger is there: store what happened, then stop the board.
        case stop
        /// The charger is there, the percentage is at least ``recovery`` above the stop level, or where there is none, the battery is not low:
        /// former stops do not count any more.
        case recovered
    }

    /// The levels at which a battery is low and the board stops.
    public let rules: BatteryRules
    /// The reading taken last; `nil` before the first, and when it was none.
    public private(set) var last: BatteryReading?
    private var inARow = 0

    /// A watch that has read nothing yet; the rules are taken unchecked.
    public init(rules: BatteryRules) { self.rules = rules }

    /// Takes a reading and says what follows.
    ///
    /// - Parameter reading: `nil` when there is no battery, or it says nothing that can be believed.
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

    /// Time until the next reading: ``longPause`` while there is none, ``shortPause`` after one that says stop, otherwise a minute.
    public var pause: Duration {
        guard last != nil else { return Self.longPause }
        return inARow > 0 ? Self.shortPause : Self.pause
    }
}
