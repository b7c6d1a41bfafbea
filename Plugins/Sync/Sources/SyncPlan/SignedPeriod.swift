// SPDX-License-Identifier: Apache-2.0

import CivilTime
import ForeignText

/// The statements about its keys that a file makes under its signature, as the core read them.
public struct SignedPeriod: Sendable, Hashable {
    /// The beginning of the period, in Unix seconds; `nil` if the file states none.
    public var start: Int64?
    /// The end of the period, in Unix seconds; `nil` if the file states none.
    public var end: Int64?
    /// The region that the file is signed for, in the file's spelling; `nil` if it states none.
    public var region: String?

    /// Creates a period with both ends in Unix seconds; `nil` stands for a value that the file does not state.
    public init(start: Int64? = nil, end: Int64? = nil, region: String? = nil) {
        self.start = start
        self.end = end
        self.region = region
    }
}

/// Whether a signed file is the one that was asked for. A server can give any file that its authority ever signed under any path.
enum PeriodCheck {
    /// Why it is not.
    struct Fault: Hashable {
        /// `wrongPeriod` or `wrongRegion`.
        let rule: String
        let sentence: String
    }

    /// Seconds by which NHS COVID-19 moves its windows back at most; 15 minutes where it was seen (spec rules-and-nhs 3).
    private static let latestShift: Int64 = 3_600
    /// Files of one period of exposure-notifications-server at most: each is signed for a second more than the one before.
    private static let mostParts: Int64 = 1_000
    /// The shortest package of a day: servers of the Corona-Warn-App sign from the first hour with keys to the last one
    /// (DateAggregatingDecorator), and one hour alone is a package of an hour, unless hours without keys are not published.
    private static func shortestDay(of source: SourceSettings) -> Int64 { source.isContinuous ? 2 * 3_600 : 3_600 }

    /// - Parameter id: The journal's name for the package.
    static func fault(of signed: SignedPeriod, asked id: String, of source: SourceSettings) -> Fault? {
        if let wanted = source.signedRegion, let region = signed.region, region.uppercased() != wanted.uppercased() {
            return Fault(
                rule: "wrongRegion",
                sentence:
                    "\(name(id)): the server gave a file that is signed for the region \(ForeignText.ascii(region, limit: 16)), and \(wanted) was asked for; what belongs there is not known, and it is asked for again later"
            )
        }
        guard let wanted = period(of: id, source.kind) else { return nil }
        guard let start = signed.start, let end = signed.end else {
            return Fault(
                rule: "wrongPeriod",
                sentence:
                    "\(name(id)): the server gave a file that does not say for which time it is signed; it is asked for again later"
            )
        }
        let isRight: Bool
        switch source.kind {
        case .cwa where wanted.end - wanted.start > 3_600:
            isRight = wanted.start <= start && end <= wanted.end && end - start >= shortestDay(of: source)
        case .cwa: isRight = start == wanted.start && end == wanted.end
        case .index, .folder: isRight = start == wanted.start && (0..<mostParts).contains(end - wanted.end)
        case .nhs:
            isRight = (0...latestShift).contains(wanted.start - start) && (0...latestShift).contains(wanted.end - end)
        }
        guard !isRight else { return nil }
        return Fault(
            rule: "wrongPeriod",
            sentence:
                "\(name(id)): the server gave a file that is signed for another time, \(moment(start)) to \(moment(end)) UTC; what belongs there is not known, and it is asked for again later"
        )
    }

    /// What was asked for; `nil` where the name does not tell.
    private static func period(of id: String, _ kind: SourceSettings.Kind) -> (start: Int64, end: Int64)? {
        switch kind {
        case .cwa:
            guard let day = CivilDate(isoText: id.prefix(10))?.dayNumber else { return nil }
            guard id.utf8.count > 10 else { return (UTCDay(number: day).start, UTCDay(number: day + 1).start) }
            guard let hour = Int64(id.dropFirst(11)), (0..<24).contains(hour) else { return nil }
            return (UTCDay(number: day).start + hour * 3_600, UTCDay(number: day).start + (hour + 1) * 3_600)
        case .nhs:
            guard let archive = NHSArchive(name: id) else { return nil }
            return (archive.startHour * 3_600, archive.endHour * 3_600)
        case .index: return IndexPlan.FileName(id).map { ($0.start, $0.end) }
        // Whoever copies files to a stick may call them what they like.
        case .folder: return nil
        }
    }

    private static func name(_ id: String) -> String { id.split(separator: "?").first.map(String.init) ?? id }

    private static func moment(_ time: Int64) -> String {
        let minutes = UTCDay.second(of: time) / 60
        let two = { (number: Int64) in (number < 10 ? "0" : "") + String(number) }
        return "\(UTCDay(containing: time).date.isoText) \(two(minutes / 60)):\(two(minutes % 60))"
    }
}

extension NHSArchive {
    /// The archive of that ``name``.
    init?(name: String) {
        let parts = name.split(separator: "/")
        guard parts.count == 2, parts[0] == "daily" || parts[0] == "two-hourly", parts[1].utf8.count == 10,
            let hour = Int64(parts[1].suffix(2)), (0..<24).contains(hour)
        else { return nil }
        let digits = parts[1]
        let iso = "\(digits.prefix(4))-\(digits.dropFirst(4).prefix(2))-\(digits.dropFirst(6).prefix(2))"
        guard let day = CivilDate(isoText: iso[...])?.dayNumber else { return nil }
        self.init(isDaily: parts[0] == "daily", endHour: day * 24 + hour)
    }
}
