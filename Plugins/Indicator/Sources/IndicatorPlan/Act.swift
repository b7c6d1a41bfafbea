// SPDX-License-Identifier: Apache-2.0

/// The acts of the button, each with a rhythm that no ``Signal`` has.
public enum Act: Sendable, Hashable, CaseIterable {
    /// Press the button to agree: very fast flashes.
    case consentWanted
    /// Hold on: the code of the place here is being collected, or the visit is being written down: quick pairs of flashes.
    case collecting
    /// This many counts are left while the button is held: as many short flashes.
    case five, four, three, two, one
    /// Let go of the button: light without a pause.
    case release
    /// Press once more to erase everything: light that is nearly always on.
    case confirmWanted
    /// What was agreed to is done: long flashes.
    case done
    /// The act was cancelled: a long flash and a short one.
    case cancelled

    /// The length of each count while the button is held, in milliseconds: five of them are the countdown of 8 s before a
    /// reset, which the core runs.
    public static let count = 1_600

    init?(count: Int) {
        switch count {
        case 5: self = .five
        case 4: self = .four
        case 3: self = .three
        case 2: self = .two
        case 1: self = .one
        default: return nil
        }
    }

    /// The rhythm of the light during this act; all its times are in milliseconds.
    public var rhythm: Rhythm {
        switch self {
        case .consentWanted: Rhythm(flashes: [125], gap: 0, period: 250)
        case .collecting: Rhythm(flashes: [100, 100], gap: 100, period: 600)
        case .five: Self.counting(5)
        case .four: Self.counting(4)
        case .three: Self.counting(3)
        case .two: Self.counting(2)
        case .one: Self.counting(1)
        case .release: Rhythm(flashes: [1_000], gap: 0, period: 1_000)
        case .confirmWanted: Rhythm(flashes: [700], gap: 0, period: 800)
        case .done: Rhythm(flashes: [1_200], gap: 0, period: 2_400)
        case .cancelled: Rhythm(flashes: [400, 80], gap: 120, period: 1_600)
        }
    }

    /// That many flashes: who holds the button sees, or hears, how many counts are left.
    private static func counting(_ number: Int) -> Rhythm {
        Rhythm(flashes: Array(repeating: 100, count: number), gap: 120, period: count)
    }

    /// The colour for the act; ``Lights`` chooses the lights that come nearest.
    public var colour: Colour {
        switch self {
        case .consentWanted, .collecting: .blue
        case .done: .green
        case .cancelled: .white
        case .five, .four, .three, .two, .one, .release, .confirmWanted: .red
        }
    }
}
