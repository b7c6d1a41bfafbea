// SPDX-License-Identifier: Apache-2.0

/// The messages of a board without a screen, by light and sound. Raw values are stable: they are words of
/// `org.vigil.indicator1`.
///
/// In the order of what has to be known first: where several hold, the first one blinks, and a press of the button tells all of them.
public enum Signal: String, Sendable, CaseIterable, Comparable {
    /// New software is being put in place: leave the battery where it is.
    case updating
    /// It cannot protect or warn at the moment: nothing is on air though somebody wants it to be.
    case problem
    /// It does not know the time, so nothing is on air.
    case timeUntrusted
    /// The battery is low: the board will switch itself off soon.
    case batteryLow
    /// There is something to read or to ask for: an exposure, a test result.
    case news
    /// It takes part: an identifier is on air. All is well, when nothing else holds.
    case onAir
    /// Nobody has agreed that it takes part, or somebody has switched it off.
    case off

    /// Orders by urgency: the more urgent signal is the lesser one.
    public static func < (one: Signal, other: Signal) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// The rhythm in which it blinks, in milliseconds; every signal has one of its own, so that the colour is never needed
    /// to tell two apart.
    public var rhythm: Rhythm {
        switch self {
        // Even and slow: neither asleep nor waiting for anybody.
        case .updating: Rhythm(flashes: [500], gap: 0, period: 1_000)
        case .problem: Rhythm(flashes: [Self.short, Self.short, Self.short, Self.short], period: 3_000)
        case .timeUntrusted: Rhythm(flashes: [Self.long, Self.short], period: 5_000)
        case .batteryLow: Rhythm(flashes: [Self.short, Self.short, Self.short], period: 6_000)
        case .news: Rhythm(flashes: [Self.short, Self.short], period: 4_000)
        case .onAir: Rhythm(flashes: [Self.short], period: 6_000)
        case .off: Rhythm(flashes: [Self.long, Self.long], period: 5_000)
        }
    }

    /// The colour that is wanted for it; a board shows it as well as its lights can (``Lights``), and nothing depends on it.
    public var colour: Colour {
        switch self {
        case .updating: .white
        case .problem, .batteryLow: .red
        case .timeUntrusted: .yellow
        case .news: .blue
        case .onAir: .green
        case .off: .white
        }
    }

    /// Whether it blinks by itself. What is switched off stays dark, and says so when it is asked.
    public var blinksUnasked: Bool { self != .off }

    /// Whether it is a word of trouble: while one holds, ``onAir`` is neither shown nor told.
    public var isTrouble: Bool {
        switch self {
        case .updating, .problem, .timeUntrusted, .batteryLow: true
        case .news, .onAir, .off: false
        }
    }

    /// Milliseconds. Long enough for an eye (a light of 10 ms is seen, but only by who looks), short enough for a battery.
    static let short = 40
    /// Six times as long: nobody takes one for the other.
    static let long = 240
}

/// The colour of a light, as a set of its three parts; 0 is no light.
public struct Colour: OptionSet, Sendable, Hashable {
    /// One bit for each part: 1 red, 2 green, 4 blue. Other bits have no meaning.
    public let rawValue: UInt8

    /// A colour of these parts; further bits mean nothing.
    ///
    /// - Parameter rawValue: Bits 1 red, 2 green, 4 blue, in any combination.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The red part alone, bit 1.
    public static let red = Colour(rawValue: 1)
    /// The green part alone, bit 2.
    public static let green = Colour(rawValue: 2)
    /// The blue part alone, bit 4.
    public static let blue = Colour(rawValue: 4)
    /// Red and green together, bits 1 and 2.
    public static let yellow: Colour = [.red, .green]
    /// All three parts together, bits 1, 2 and 4.
    public static let white: Colour = [.red, .green, .blue]
}
