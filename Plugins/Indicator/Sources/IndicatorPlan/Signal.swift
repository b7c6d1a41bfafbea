// SPDX-License-Identifier: Apache-2.0

/// The messages of a board without a screen, shown by light and sound. Raw values are stable: they are words of
/// `org.vigil.indicator1`.
///
/// They are in order of urgency: if several hold, the first one blinks, and a press of the button shows all of them.
public enum Signal: String, Sendable, CaseIterable, Comparable {
    /// New software is being installed: leave the battery in place.
    case updating
    /// The board cannot protect or warn at the moment: nothing is on air, although it is switched on.
    case problem
    /// The board does not know the time, so nothing is on air.
    case timeUntrusted
    /// The battery is low: the board will switch itself off soon.
    case batteryLow
    /// There is something to read or to ask for, such as an exposure or a test result.
    case news
    /// Something that the wearer began ends by itself soon, such as a visit.
    case reminder
    /// The board takes part: an identifier is on air. If no other signal holds, all is well.
    case onAir
    /// The board does not take part: nobody has agreed, or it was switched off.
    case off

    /// Returns whether `one` is more urgent than `other`: the more urgent signal is the lesser one.
    public static func < (one: Signal, other: Signal) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// The rhythm of the signal's flashes, in milliseconds. No two signals have the same rhythm, so colour is never needed
    /// to tell them apart.
    public var rhythm: Rhythm {
        switch self {
        // Even and slow: neither asleep nor waiting for anybody.
        case .updating: Rhythm(flashes: [500], gap: 0, period: 1_000)
        case .problem: Rhythm(flashes: [Self.short, Self.short, Self.short, Self.short], period: 3_000)
        case .timeUntrusted: Rhythm(flashes: [Self.long, Self.short], period: 5_000)
        case .batteryLow: Rhythm(flashes: [Self.short, Self.short, Self.short], period: 6_000)
        case .news: Rhythm(flashes: [Self.short, Self.short], period: 4_000)
        case .reminder: Rhythm(flashes: [Self.short, Self.long, Self.short], period: 6_000)
        case .onAir: Rhythm(flashes: [Self.short], period: 6_000)
        case .off: Rhythm(flashes: [Self.long, Self.long], period: 5_000)
        }
    }

    /// The colour for the signal; a board shows it as well as its lights can (``Lights``), and nothing depends on it.
    public var colour: Colour {
        switch self {
        case .updating: .white
        case .problem, .batteryLow: .red
        case .timeUntrusted: .yellow
        case .news, .reminder: .blue
        case .onAir: .green
        case .off: .white
        }
    }

    /// Whether the signal blinks without a press. A board that is switched off stays dark, and shows that only after a
    /// press.
    public var blinksUnasked: Bool { self != .off }

    /// Whether the signal means trouble: while one that does holds, ``onAir`` is not shown.
    public var isTrouble: Bool {
        switch self {
        case .updating, .problem, .timeUntrusted, .batteryLow: true
        case .news, .reminder, .onAir, .off: false
        }
    }

    /// Milliseconds. Long enough for an eye (a light of 10 ms is seen, but only by who looks), short enough for a battery.
    static let short = 40
    /// Six times as long: nobody takes one for the other.
    static let long = 240
}

/// The colour of a light, as a set of its three parts; 0 is no light.
public struct Colour: OptionSet, Sendable, Hashable {
    /// The parts as bits: 1 red, 2 green, 4 blue. Other bits have no meaning.
    public let rawValue: UInt8

    /// Creates a colour of these parts.
    ///
    /// - Parameter rawValue: The bits 1 for red, 2 for green and 4 for blue, in any combination; other bits have no
    ///   meaning.
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
