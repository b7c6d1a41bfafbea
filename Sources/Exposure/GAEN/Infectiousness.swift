// SPDX-License-Identifier: Apache-2.0

/// The infectiousness of a person on the day of an encounter; raw values are Google's and Apple's.
public enum Infectiousness: UInt8, Sendable, CaseIterable {
    /// The person was not contagious on that day: windows do not count.
    case none = 0
    /// As contagious as a diagnosed person usually is.
    case standard = 1
    /// More contagious than usual, as near the onset of symptoms.
    case high = 2
}

/// The health authority's reading of what was published with a key (Apple and Google: `DiagnosisKeysDataMapping`).
public struct DiagnosisKeyMapping: Hashable, Sendable {
    /// The days since onset of symptoms that an infectiousness can be mapped for, both inclusive (Google:
    /// `DiagnosisKeysDataMapping`).
    public static let days: ClosedRange<Int32> = -14...14

    /// Infectiousness for the days -14 to 14 since onset, in this order, always 29 entries; ``Infectiousness/none`` for
    /// days that the authority does not name.
    public let infectiousness: [Infectiousness]
    /// Bit n stands for day n - 14: the authority says something about it, if only that it means none.
    private let named: UInt32
    /// Infectiousness of keys without an onset, or with one outside -14 to 14.
    public let infectiousnessWhenOnsetMissing: Infectiousness
    /// The report type that a key without one counts as.
    public let reportTypeWhenMissing: ReportType
    /// Sources whose report types are codes for something else, as the Corona-Warn-App's for its transmission risk levels: ids of signing keys, with
    /// the name of the authority and a slash before them where it has one. A code is 1 for the highest levels, and phones let 1 become nothing; so of
    /// these sources a board believes a revocation whatever the type was, and no other change. Phones have nothing like it. Empty at first.
    public var codedSources: Set<String> = []

    /// The assumptions of phones before an authority has said anything: every day standard, unknown reports count as tests.
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

    /// A mapping that names every day, from -14 on; `nil` unless there are 29 entries.
    public init?(
        infectiousness: [Infectiousness], whenOnsetMissing: Infectiousness,
        reportTypeWhenMissing: ReportType = .confirmedTest
    ) {
        guard infectiousness.count == Self.days.count else { return nil }
        self.init(
            knownInfectiousness: infectiousness, whenOnsetMissing: whenOnsetMissing,
            reportTypeWhenMissing: reportTypeWhenMissing)
    }

    /// A mapping of an authority that names some days only, as the Corona-Warn-App's does: the others mean none in windows,
    /// and nothing is known of their keys (``reads(daysSinceOnset:)``). `nil` when a day is not one of -14 to 14.
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

    /// Whether the authority says what this day since onset means; false for days outside of -14 to 14.
    public func names(day: Int32) -> Bool {
        Self.days.contains(day) && named & 1 << UInt32(day - Self.days.lowerBound) != 0
    }

    /// Whether windows of a key with this onset can be judged: the authority names the day, if only as none; or there is no onset that can
    /// be mapped, and it says how infectious such keys are. A missing onset that means none says nothing: it is what an authority writes
    /// whose keys all have one.
    public func reads(daysSinceOnset: Int32?) -> Bool {
        guard let days = daysSinceOnset, Self.days.contains(days) else { return infectiousnessWhenOnsetMissing != .none }
        return names(day: days)
    }

    /// Reads the compact form, which names every day: two bits per day from day -14 at the least significant end, bits 58 and 59 for a missing
    /// onset. `nil` when a pair of bits is 3 or a higher bit is set. (`DiagnosisKeyDataMappingHelper`.)
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

    /// The compact form of the infectiousness entries, bits 0 to 59. Which days are named is not in it.
    public var compact: UInt64 {
        (infectiousness + [infectiousnessWhenOnsetMissing]).enumerated().reduce(0) {
            $0 | UInt64($1.element.rawValue) << (2 * UInt64($1.offset))
        }
    }

    /// Infectiousness of a key with this onset, in days; that of a missing one when it is `nil` or outside -14 to 14.
    public func infectiousness(daysSinceOnset: Int32?) -> Infectiousness {
        guard let days = daysSinceOnset, Self.days.contains(days) else { return infectiousnessWhenOnsetMissing }
        return infectiousness[Int(days - Self.days.lowerBound)]
    }

    /// The report type that `type` counts as: ``reportTypeWhenMissing`` for `unknown`, otherwise itself. Cannot fail.
    public func reportType(_ type: ReportType) -> ReportType {
        type == .unknown ? reportTypeWhenMissing : type
    }
}
