// SPDX-License-Identifier: Apache-2.0

public import CivilTime

/// The number of a configuration of the Corona-Warn-App's kind, which rises with each one that differs from the one before (decision 67).
///
/// The Corona-Warn-App's message has no field for it, so `vigil-authority` puts it among the features, where phones ignore what they do not know. The
/// Corona-Warn-App's own configurations have none.
public struct ConfigurationNumber: Sendable, Hashable, Comparable {
    /// The label of the feature whose value is the number; our choice.
    public static let label = "vigil-configuration-number"
    /// How many minutes after the present a number may be: a day, our choice, as for the fleet's configurations (decision 63). So no number that was believed
    /// shuts out those of tomorrow.
    public static let minutesAhead: Int64 = 1_440
    /// The numbers that there are: a feature's value is an `int32`, and 0 is the same as none.
    public static let range: ClosedRange<Int64> = 1...Int64(Int32.max)

    /// The number, in ``range``: minutes since 1970 in UTC when it was given, or one more than the number before.
    public let value: Int64

    /// Creates a number; `nil` if it is not in ``range``.
    public init?(_ value: Int64) {
        guard Self.range.contains(value) else { return nil }
        self.value = value
    }

    /// Creates the number of this time, in Unix seconds: the minute that it is in. Times outside of ``range`` give its first or last number.
    public init(time: Int64) { value = min(max(time / 60, Self.range.lowerBound), Self.range.upperBound) }

    /// Whether the first number is below the second.
    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }

    /// The UTC day that the number is from, if it was given by the time.
    public var day: UTCDay { UTCDay(containing: value * 60) }

    /// The number that follows where the content changes at `now`, in Unix seconds: the time's, if that is above this one. The last number of all is followed by
    /// itself.
    public func next(at now: Int64) -> Self {
        max(Self(time: now), Self(min(value + 1, Self.range.upperBound)) ?? self)
    }

    /// Whether the number is more than ``minutesAhead`` above the minute of `now`, in Unix seconds.
    public func isAhead(of now: Int64) -> Bool { value - Self.minutesAhead > Self(time: now).value }

    /// Returns the number in a message of a configuration, of either generation; `nil` if it has none.
    /// - Throws: ``ConfigurationRefusal/malformedNumber`` if it has one twice, or one outside of ``range``.
    public static func read(_ content: ConfigValue) throws(ConfigurationRefusal) -> Self? {
        let features = (content["appFeatures"]?["appFeatures"]?.list ?? []).filter { $0["label"]?.string == label }
        guard let feature = features.first else { return nil }
        guard features.count == 1, let number = Self(feature["value"]?.integer ?? 0) else { throw .malformedNumber }
        return number
    }

    /// Checks whether a configuration may follow the newest one that was believed. Neither changes.
    /// - Parameters:
    ///   - offered: The number of the configuration; `nil` if it has none.
    ///   - newest: The highest number that was believed of the same authority; `nil` before the first. It counts whatever the clock says, because a clock that is
    ///     set back must not bring back old rules.
    ///   - now: The present time in Unix seconds; `nil` while it is unknown: then no number is believed.
    /// - Throws: ``ConfigurationRefusal`` if it may not. A configuration with the same number may.
    public static func check(_ offered: Self?, after newest: Self?, at now: Int64?) throws(ConfigurationRefusal) {
        guard let offered else {
            guard let newest else { return }
            throw .withoutNumber(after: newest)
        }
        if let newest, offered < newest { throw .older(offered, after: newest) }
        guard let now else { throw .timeUnknown }
        guard !offered.isAhead(of: now) else { throw .ahead(offered) }
    }
}

/// The reason why a configuration that an authority has signed is not believed.
public enum ConfigurationRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// It has a number twice, or one that is none.
    case malformedNumber
    /// Its number is below the highest that was believed.
    case older(ConfigurationNumber, after: ConfigurationNumber)
    /// It has no number, and one that was believed had one.
    case withoutNumber(after: ConfigurationNumber)
    /// Its number is more than a day above the present time.
    case ahead(ConfigurationNumber)
    /// It has a number, and this device does not know the time to compare it with.
    case timeUnknown

    /// The refusal in one stable word, as counters and answers have it.
    public var rule: String {
        switch self {
        case .malformedNumber: "malformedNumber"
        case .older: "olderConfiguration"
        case .withoutNumber: "configurationWithoutNumber"
        case .ahead: "configurationAhead"
        case .timeUnknown: "timeUnknown"
        }
    }

    /// What happened, why, and what to do, in an English sentence of less than 250 characters that begins with a small letter and has no full stop at its end.
    public var description: String {
        switch self {
        case .malformedNumber:
            "the authority's configuration has a number that is none: the last good one holds; tell the health authority"
        case .older(let number, let newest):
            "the authority's configuration is older than one this device had (number \(number.value), after \(newest.value)): the newer one holds; if this goes on, tell the health authority that its server gives an old one"
        case .withoutNumber(let newest):
            "the authority's configuration has no number, and earlier ones had (\(newest.value)), so it may be an old one: the numbered one holds; tell the health authority if this goes on"
        case .ahead(let number):
            "the authority's configuration is of the future (number \(number.value), \(number.day.date.isoText)): the last good one holds; check this device's clock, else tell the health authority"
        case .timeUnknown:
            "the authority's configuration has a number that is compared with the time, and this device does not know the time: the last good one holds until it does"
        }
    }
}
