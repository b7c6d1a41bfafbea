// SPDX-License-Identifier: Apache-2.0

public import CivilTime

/// The paths of the Corona-Warn-App's distribution, below the server's address (spec cwa-protocols 2.1).
public enum CWAPath {
    /// The path of the index of countries (cwa-protocols 2.1). This path and all others here are appended to the source's
    /// base.
    public static let countries = "/version/v1/diagnosis-keys/country"
    /// The path of the signed configuration that Android phones fetch (cwa-protocols 2.1).
    public static let appConfiguration = "/version/v2/app_config_android"
    /// The path of Vigil's own signed document, our choice; the Corona-Warn-App's servers do not have it.
    public static let vigilConfiguration = "/version/v1/vigil_config"
    /// The path of the signed time, without the nonce; our choice, only Vigil's servers have it.
    public static let time = "/version/v1/time"

    /// Returns the path of the index of a country's days that are published as whole packages. Cannot fail.
    public static func days(_ country: String) -> String { "\(countries)/\(country)/date" }
    /// Returns the path of the package of one whole UTC day, such as `…/date/2020-08-19`. Cannot fail.
    public static func day(_ country: String, _ day: CivilDate) -> String { "\(days(country))/\(day.isoText)" }
    /// Returns the path of the index of the hours of one UTC day. Cannot fail.
    public static func hours(_ country: String, _ day: CivilDate) -> String { "\(self.day(country, day))/hour" }
    /// Returns the path of the package of one hour of a UTC day; `hour` is 0 to 23, not checked, and is written without a
    /// leading zero.
    public static func hour(_ country: String, _ day: CivilDate, _ hour: Int) -> String { "\(hours(country, day))/\(hour)" }
}

/// The plan of the packages to fetch from the Corona-Warn-App's distribution: packages of hours, so that a warning is not a
/// day late (cwa-issues 4), and whole days if no package of the day is here yet, its hours are no longer published, or one
/// of them was refused.
public struct CWAPlan: SourcePlan {
    private enum Index: Equatable {
        case days
        case hours(Int64)
    }

    private let country: String
    private let now: Int64
    /// The record of the source's packages, from which the offers follow.
    public var record: SourceRecord
    /// Days in the day index; `nil` as long as it did not come.
    private var listedDays: Set<Int64>?
    private var listedHours: [Int64: [Int]] = [:]
    private var queue: [Index] = []
    private var asked: Index?
    /// The number of refused lines, always 0: a JSON index is accepted as a whole or not at all.
    public let refusedLineCount = 0
    /// Whether an index that was taken ends before the newest package that is already here, so that it is probably an
    /// old copy. `false` before the first index; may become `true` with each further one.
    public private(set) var isOlder = false

    private var today: Int64 { Self.day(of: now) }
    private var oldest: Int64 { today - SourceSettings.historyDays }

    /// Begins the plan of one run.
    ///
    /// - Parameters:
    ///   - country: The country or region in the server's spelling; not checked.
    ///   - now: The time in Unix seconds by the best clock at hand; a negative one counts as the first day of 1970.
    ///   - record: The record of the source's packages from earlier runs.
    public init(country: String, now: Int64, record: SourceRecord) {
        self.country = country
        self.now = now
        self.record = record
        queue = [.days]
    }

    /// Returns the path of the next index: first that of the days, then those of the hours of each day that needs them,
    /// oldest first; `nil` after the last. Hours are asked for only if ``take(_:)`` has accepted the index of days.
    public mutating func nextIndex() -> String? {
        if asked == .days, listedDays != nil { queue += neededHours.map(Index.hours) }
        asked = queue.isEmpty ? nil : queue.removeFirst()
        switch asked {
        case nil: return nil
        case .days?: return CWAPath.days(country)
        case .hours(let day)?: return CWAPath.hours(country, CivilDate(day: day))
        }
    }

    /// Takes the body of the index that ``nextIndex()`` returned last; `nil` if the server does not have it, and
    /// then it names nothing. Days other than the 14 before today, and hours that have not begun, are left out. Has
    /// no effect if no index was asked for.
    ///
    /// - Throws: `IndexFault` if the body is not exactly a JSON array of days, or of hours, of at most
    ///   ``IndexReading/maximumJSONBytes`` (``IndexReading/days(_:)``, ``IndexReading/hours(_:)``).
    public mutating func take(_ body: [UInt8]?) throws(IndexFault) {
        switch asked {
        case .days?:
            // Not there: nothing was published yet, but hours of today may be.
            listedDays = []
            if let body { listedDays = Set(try IndexReading.days(body).map(\.dayNumber)) }
            // The current day is never in it; a server that says so is wrong about the day, or we are.
            listedDays = listedDays?.filter { $0 < today && $0 >= oldest }
            let newest = listedDays?.max() ?? today - SourceSettings.publishedDays
            isOlder = isOlder || done.contains { $0.value.day && $0.key > newest && $0.key < today }
        case .hours(let day)?:
            // An hour that has not begun is nobody's; the one under way is listed by authorities that publish at once (docs/authority.md).
            let hours = try IndexReading.hours(body ?? Array("[]".utf8)).filter { Self.start(day, $0) <= now }
            if body != nil { listedHours[day] = hours }
            // Of days before today the hours may be gone.
            let accepted = day == today ? done[day]?.hours ?? 0 : 0
            isOlder = isOlder || ((hours.last ?? -1) + 1..<24).contains { accepted & 1 << UInt32($0) != 0 }
        case nil: break
        }
    }

    /// Days whose hours are worth asking for: today, unless the hour before this one is here; days since the one before yesterday that are not
    /// whole and of which something is here, or which are not published as a whole.
    private var neededHours: [Int64] {
        let done = done
        return (max(today - 2, oldest)...today).filter { day in
            if done[day]?.isWhole == true { return false }
            if day == today {
                let hour = Int((now - UTCDay(number: day).start) / 3_600)
                return (0...hour).contains { wants(Self.hourID(day, $0)) }
            }
            return !(listedDays?.contains(day) ?? false) || done[day] != nil || isRefused(Self.dayID(day))
        }
    }

    /// Returns the packages to fetch, from 14 days ago to today in order: for each day the whole package, its hours, or
    /// nothing. Empty before an index was taken.
    public func offers() -> [PackageOffer] {
        let done = done
        return (oldest...today).flatMap { day -> [PackageOffer] in
            if done[day]?.isWhole == true { return [] }
            let hours = listedHours[day] ?? []
            let isListed = listedDays?.contains(day) ?? false
            let accepted = done[day]?.hours ?? 0
            let covered = hours.reduce(accepted) { $0 | 1 << UInt32($1) }
            let wantsDay = isListed && wants(Self.dayID(day))
            let hasBadHour = wantsDay && (0..<24).contains { isRefused(Self.hourID(day, $0)) }
            // The hours complete the day without fetching anything twice.
            if !wantsDay || (accepted != 0 && covered == Done.allHours && !hasBadHour) {
                return hours.compactMap { hour in
                    let id = Self.hourID(day, hour)
                    guard wants(id) else { return nil }
                    let start = Self.start(day, hour)
                    return PackageOffer(
                        id: id, path: CWAPath.hour(country, CivilDate(day: day), hour), start: start, end: start + 3_600)
                }
            }
            guard wantsDay else { return [] }
            return [
                PackageOffer(
                    id: Self.dayID(day), path: CWAPath.day(country, CivilDate(day: day)), start: UTCDay(number: day).start,
                    end: UTCDay(number: day + 1).start)
            ]
        }
    }

    /// What the core has of a day.
    private struct Done {
        static let allHours: UInt32 = 0xFF_FFFF
        var day = false
        /// One bit for each.
        var hours: UInt32 = 0
        /// Whether nothing is missing.
        var isWhole: Bool { day || hours == Self.allHours }
    }

    /// By day; absent where nothing is here.
    private var done: [Int64: Done] {
        var done: [Int64: Done] = [:]
        for (id, package) in record.packages where package.state == .accepted {
            guard let day = CivilDate(isoText: id.prefix(10))?.dayNumber else { continue }
            if id.utf8.count == 10 {
                done[day, default: Done()].day = true
            } else if let hour = Int(id.dropFirst(11)), (0..<24).contains(hour) {
                done[day, default: Done()].hours |= 1 << UInt32(hour)
            }
        }
        return done
    }

    private func isRefused(_ id: String) -> Bool { record.packages[id]?.state == .refused }

    private func wants(_ id: String) -> Bool { record.wants(id, at: now) }

    /// What the journal calls the package of a day.
    static func dayID(_ day: Int64) -> String { CivilDate(day: day).isoText }
    /// What the journal calls the package of an hour.
    static func hourID(_ day: Int64, _ hour: Int) -> String { "\(CivilDate(day: day).isoText)/\(hour)" }
    private static func start(_ day: Int64, _ hour: Int) -> Int64 { UTCDay(number: day).start + Int64(hour) * 3_600 }
    private static func day(of time: Int64) -> Int64 { time >= 0 ? UTCDay(containing: time).number : 0 }
}
