// SPDX-License-Identifier: Apache-2.0

/// Decides from readings when a board stops because its battery is nearly empty. Two readings in a row have to say so: one bad reading stops no
/// board.
public struct LowBatteryWatch: Sendable {
    /// Readings in a row below the stop level.
    public static let readingsToStop = 2
    /// How often a battery is read.
    public static let pause = Duration.seconds(60)
    /// How soon it is read again when a reading says stop.
    public static let shortPause = Duration.seconds(10)
    /// How often a board looks for a battery that it has not.
    public static let longPause = Duration.seconds(600)
    /// A level this far above the stop level, in percent, ends the count of stops.
    public static let recovery = 3

    public enum Verdict: Sendable, Equatable {
        /// Nothing to do.
        case goOn
        /// Stored what happened, stop.
        case stop
        /// The charger is there, or the level is well above: former stops do not count any more.
        case recovered
    }

    public let rules: BatteryRules
    public private(set) var last: BatteryReading?
    private var inARow = 0

    public init(rules: BatteryRules) { self.rules = rules }

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

    /// How long until the next reading.
    public var pause: Duration {
        guard last != nil else { return Self.longPause }
        return inARow > 0 ? Self.shortPause : Self.pause
    }
}
