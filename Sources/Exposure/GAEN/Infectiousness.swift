// SPDX-License-Identifier: Apache-2.0

/// The infectiousness of a person on the day of an encounter; raw values are Google's and Apple's.
public enum Infectiousness: UInt8, Sendable, CaseIterable {
    /// The person was not contagious on that day; exposure windows of that day do not count.
    case none = 0
    /// As contagious as a diagnosed person usually is.
    case standard = 1
    /// More contagious than usual, as a person is near the onset of symptoms.
    case high = 2
}

/// The mapping by which a health authority wants published keys to be read: an infectiousness for each day since
/// onset, and a report type for keys without one (Apple and Google: `DiagnosisKeysDataMapping`).
public struct DiagnosisKeyMapping: Hashable, Sendable {
    /// The days since onset of symptoms to which an infectiousness can be assigned, both ends included (Google:
    /// `DiagnosisKeysDataMapping`).
    public static let days: ClosedRange<Int32> = -14...14

    /// The infectiousness for each day since onset from -14 to 14, in this order; always 29 entries.
    /// ``Infectiousness/none`` for days that the authority does not name.
    public let infectiousness: [Infectiousness]
    /// Bit n stands for day n - 14: the authority says something about it, if only that it means none.
    private let named: UInt32
    /// The infectiousness of keys whose days since onset are missing or outside -14 to 14.
    public let infectiousnessWhenOnsetMissing: Infectiousness
    /// The report type that replaces ``ReportType/unknown``. Any type is allowed here; documents accept only
    /// confirmed test, clinical diagnosis, self-report and recursive.
    public let reportTypeWhenMissing: ReportType
    /// The sources whose report types are codes for something else, such as the Corona-Warn-App's, which stand for
    /// transmission risk levels. A source is the id of a signing key, preceded by the authority's name and a slash
    /// where it has a name. Such a code is 1 for the highest levels, and phones allow no change from 1; therefore of
    /// these sources a board accepts a revocation whatever the type was before, and no other change. Phones have
    /// nothing like this. Empty by default.
    public var codedSources: Set<String> = []

    /// The mapping that phones assume before an authority has published one: every day is standard, so is a missing
    /// onset, and keys of unknown report type count as confirmed by a test.
    public static let standard = DiagnosisKeyMapping(
        knownInfectiousness: Array(repeating: .standard, count: 29), whenOnsetMissing: .standard,
        reportTypeWhenMissing: .confirmedTest)

    private static let everyDay: UInt32 = (1 << 29) - 1

    private init(
        knownInfectiousness: [Infectiousness], named: UInt32 = everyDay, whenOnsetMissing: Infectiousness,
        reportTypeWhenMissing: ReportType
    ) {
        self.infectiousness = knownInfectiousness
        self.named = named
        self.infectiousnessWhenOnsetMissing = whenOnsetMissing
        self.reportTypeWhenMissing = reportTypeWhenMissing
    }

    /// Creates a mapping that names every day, with the entry for day -14 first; returns `nil` unless there are 29
    /// entries.
    public init?(
        infectiousness: [Infectiousness], whenOnsetMissing: Infectiousness,
        reportTypeWhenMissing: ReportType = .confirmedTest
    ) {
        guard infectiousness.count == Self.days.count else { return nil }
        self.init(
            knownInfectiousness: infectiousness, whenOnsetMissing: whenOnsetMissing,
            reportTypeWhenMissing: reportTypeWhenMissing)
    }

    /// Creates the mapping of an authority that names some days only, as the Corona-Warn-App's does. The
    /// infectiousness of the other days is ``Infectiousness/none``, and their keys cannot be judged
    /// (``reads(daysSinceOnset:)``). Returns `nil` when a day is outside -14 to 14.
    public init?(
        days: [Int32: Infectiousness], whenOnsetMissing: Infectiousness,
        reportTypeWhenMissing: ReportType = .confirmedTest
    ) {
        guard days.keys.allSatisfy(Self.days.contains) else { return nil }
        self.init(
            knownInfectiousness: Self.days.map { days[$0] ?? .none },
            named: days.keys.reduce(0) { $0 | 1 << UInt32($1 - Self.days.lowerBound) },
            whenOnsetMissing: whenOnsetMissing, reportTypeWhenMissing: reportTypeWhenMissing)
    }

    /// Whether the authority assigns an infectiousness to this day since onset, which may be ``Infectiousness/none``;
    /// `false` for days outside -14 to 14.
    public func names(day: Int32) -> Bool {
        Self.days.contains(day) && named & 1 << UInt32(day - Self.days.lowerBound) != 0
    }

    /// Whether exposure windows of a key with this onset can be judged. They can if the authority names the day, even
    /// as ``Infectiousness/none``. If the onset is missing or outside -14 to 14, they can if
    /// ``infectiousnessWhenOnsetMissing`` is not `none`: authorities whose keys all have an onset write `none` there,
    /// so it says nothing.
    public func reads(daysSinceOnset: Int32?) -> Bool {
        guard let days = daysSinceOnset, Self.days.contains(days) else { return infectiousnessWhenOnsetMissing != .none }
        return names(day: days)
    }

    /// Creates a mapping that names every day from its compact form: two bits per day, with day -14 in the least
    /// significant bits, and bits 58 and 59 for a missing onset (`DiagnosisKeyDataMappingHelper`). Returns `nil` when
    /// a pair of bits is 3 or a bit above 59 is set.
    public init?(compact: UInt64, reportTypeWhenMissing: ReportType = .confirmedTest) {
        guard compact >> 60 == 0 else { return nil }
        var entries: [Infectiousness] = []
        for position in 0...29 {
            guard let entry = Infectiousness(rawValue: UInt8(compact >> (2 * UInt64(position)) & 3)) else { return nil }
            entries.append(entry)
        }
        guard let missing = entries.popLast() else { return nil }
        self.init(
            knownInfectiousness: entries, whenOnsetMissing: missing, reportTypeWhenMissing: reportTypeWhenMissing)
    }

    /// The compact form of the infectiousness entries, bits 0 to 59. It does not tell which days are named.
    public var compact: UInt64 {
        (infectiousness + [infectiousnessWhenOnsetMissing]).enumerated().reduce(0) {
            $0 | UInt64($1.element.rawValue) << (2 * UInt64($1.offset))
        }
    }

    /// Returns the infectiousness of a key with this number of days since onset; ``infectiousnessWhenOnsetMissing``
    /// when the number is `nil` or outside -14 to 14.
    public func infectiousness(daysSinceOnset: Int32?) -> Infectiousness {
        guard let days = daysSinceOnset, Self.days.contains(days) else { return infectiousnessWhenOnsetMissing }
        return infectiousness[Int(days - Self.days.lowerBound)]
    }

    /// Returns the report type that `type` counts as: ``reportTypeWhenMissing`` for `unknown`, otherwise `type`
    /// itself. Cannot fail.
    public func reportType(_ type: ReportType) -> ReportType {
        type == .unknown ? reportTypeWhenMissing : type
    }
}
