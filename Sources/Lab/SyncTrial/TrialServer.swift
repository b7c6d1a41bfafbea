// SPDX-License-Identifier: Apache-2.0

import CivilTime
import SyncPlan

/// What a package holds, in the trial: keys are numbers, and a rule it breaks takes the place of a real fault in the file.
struct TrialPackage: Hashable {
    var keys: [Int64]
    /// The rule of the core that it breaks.
    var brokenRule: String?
    var batch: String
    var batchNumber = 1
    var batchSize = 1
    /// Whether keys in it may also be in others: a whole day beside its hours.
    var isWhole = false
    var tag = ""
    /// Under its signature, Unix seconds.
    var start: Int64 = 0
    var end: Int64 = 0
    var region = "EUR"
}

/// A server of one kind, as a function of the time. Everything it publishes follows from the seed.
struct TrialServer {
    let kind: SourceSettings.Kind
    let seed: UInt64
    /// Share of packages that are bad when they are published, and are replaced two to thirty hours later.
    let badShare: Double
    /// Nothing is published badly any more after that, Unix seconds.
    let goodFrom: Int64
    /// From when on it gives other packages than those that are asked for, and which.
    var replay: (from: Int64, how: ReplayTrial.Replay)?

    private func mixed(_ value: Int64, _ salt: UInt64) -> UInt64 {
        TrialRandom.mix(seed ^ UInt64(bitPattern: value) &* 0x9E37_79B9 ^ salt << 48)
    }

    private func isBad(_ end: Int64, _ salt: UInt64) -> Bool {
        end < goodFrom && Double(mixed(end, salt) >> 11) / Double(1 << 53) < badShare
    }

    /// The keys first published in an hour (Unix hours); none in many.
    func keys(hour: Int64) -> [Int64] { (0..<Int64(mixed(hour, 1) % 4)).map { hour * 8 + $0 } }

    private func keys(_ hours: Range<Int64>) -> [Int64] { hours.flatMap { keys(hour: $0) } }

    /// When what ended at `end` (Unix seconds) is there.
    func published(_ end: Int64) -> Int64 { end + Int64(mixed(end, 2) % 300) }

    /// Bad ones are replaced then.
    private func replaced(_ end: Int64, _ salt: UInt64) -> Int64 {
        published(end) + 7_200 + Int64(mixed(end, salt + 9) % (28 * 3_600))
    }

    /// One package, as it is at `time`. `salt` tells kinds apart.
    private func package(
        _ hours: Range<Int64>, salt: UInt64, time: Int64, batch: String, number: Int = 1, size: Int = 1
    ) -> TrialPackage {
        let end = hours.upperBound * 3_600
        let all = keys(hours)
        var package = TrialPackage(
            keys: size == 1 ? all : all.filter { Int($0 % Int64(size)) == number - 1 }, batch: batch, batchNumber: number,
            batchSize: size, isWhole: hours.count > 6, tag: "\(salt)-\(end)-\(number)",
            // As NHS COVID-19 does.
            start: hours.lowerBound * 3_600 - (kind == .nhs ? 900 : 0), end: end - (kind == .nhs ? 900 : 0))
        if isBad(end + Int64(number), salt), time < replaced(end + Int64(number), salt) {
            switch mixed(end, salt + 5) % 3 {
            case 0: package.brokenRule = "signatureMismatch"
            case 1: package.brokenRule = "suspiciousRatio"
            // Good to look at, with keys that should not be in it: revoked later.
            default:
                guard kind == .cwa else { break }
                package.keys = package.keys.map { -$0 - 1 }
            }
            guard kind == .cwa || package.brokenRule != nil else { return package }
            package.tag = "old-\(salt)-\(end)-\(number)"
        }
        return package
    }

    /// Tags of packages with wrong keys that have been replaced.
    func revokedTags(_ time: Int64) -> [String] {
        guard kind == .cwa else { return [] }
        let today = UTCDay(containing: time).number
        var tags: [String] = []
        for day in (today - 15)...today {
            for (salt, ends) in [(UInt64(20), (1...24).map { day * 24 + $0 }), (30, [(day + 1) * 24])] {
                for endHour in ends {
                    let end = endHour * 3_600
                    if isBad(end + 1, salt), mixed(end, salt + 5) % 3 == 2, time >= replaced(end + 1, salt) {
                        tags.append("old-\(salt)-\(end)-1")
                    }
                }
            }
        }
        return tags
    }

    // MARK: - Documents

    /// Where a document is, on every kind of server.
    static func path(_ document: CarriedDocument) -> String { "version/v1/\(document.rawValue)" }

    /// Its version then: a new one every 13 hours, and none on the first day where there need not be one.
    func version(_ document: CarriedDocument, at time: Int64) -> Int64? {
        let age = time - Self.firstDocument
        return document.isOptional && age < UTCDay.seconds ? nil : age / (13 * 3_600) + 1
    }

    /// 2020-09-01.
    private static let firstDocument: Int64 = 1_598_918_400

    // MARK: - Paths

    enum Answer {
        case index([UInt8])
        case package(TrialPackage)
        case absent
    }

    func answer(_ path: String, at time: Int64) -> Answer {
        let honest = honestAnswer(path, at: time)
        guard let replay, time >= replay.from, case .package(let package) = honest else { return honest }
        return .package(replayed(package, replay.how, since: replay.from, at: time))
    }

    /// Another package that the authority signed, in the place of the one that was asked for.
    private func replayed(
        _ package: TrialPackage, _ how: ReplayTrial.Replay, since: Int64, at time: Int64
    ) -> TrialPackage {
        let oldDay = UTCDay(containing: since).number - 13
        let old = self.package(oldDay * 24..<(oldDay + 1) * 24, salt: 30, time: since, batch: "d\(oldDay)")
        switch how {
        case .nothing: return package
        case .oneOldFile: return old
        case .otherRegion:
            // For one hour of every two days it has what is new, of another region.
            guard (time - since) / 3_600 % 47 == 0 else { return old }
            var other = package
            other.region = "NL"
            return other
        case .swappedHours:
            guard package.end - package.start == 3_600 else { return package }
            let hour = (package.start / 3_600) ^ 1
            return self.package(hour..<(hour + 1), salt: 20, time: time, batch: "h\(hour)")
        case .hourForDay:
            guard package.end - package.start == UTCDay.seconds else { return package }
            let hour = package.start / 3_600 + 5
            return self.package(hour..<(hour + 1), salt: 20, time: time, batch: "h\(hour)")
        }
    }

    private func honestAnswer(_ path: String, at time: Int64) -> Answer {
        switch kind {
        case .cwa: return cwa(path, time)
        case .nhs: return nhs(path, time)
        case .index: return list(path, time)
        case .folder: return .absent
        }
    }

    private func cwa(_ path: String, _ time: Int64) -> Answer {
        let prefix = CWAPath.days("EUR")
        guard path.hasPrefix(prefix) else { return .absent }
        let parts = path.dropFirst(prefix.count).split(separator: "/").map(String.init)
        let today = UTCDay(containing: time).number
        if parts.isEmpty {
            let days = ((today - 14)..<today).filter { time >= published(($0 + 1) * UTCDay.seconds) }
            return .index(Array("[\(days.map { "\"\(CivilDate(day: $0).isoText)\"" }.joined(separator: ","))]".utf8))
        }
        guard let day = CivilDate(isoText: parts[0])?.dayNumber, day <= today, day >= today - 14 else { return .absent }
        if parts.count == 1 {
            guard day < today, time >= published(UTCDay(number: day + 1).start) else { return .absent }
            return .package(package(day * 24..<(day + 1) * 24, salt: 30, time: time, batch: "d\(day)"))
        }
        // Hours are kept for two days.
        guard day >= today - 1, parts[1] == "hour" else { return .absent }
        let isThere = { (hour: Int64) in time >= published((day * 24 + hour + 1) * 3_600) }
        if parts.count == 2 {
            return .index(Array("[\((0..<24).filter(isThere).map(String.init).joined(separator: ","))]".utf8))
        }
        guard let hour = Int64(parts[2]), (0..<24).contains(hour), isThere(hour) else { return .absent }
        let unix = day * 24 + hour
        return .package(package(unix..<(unix + 1), salt: 20, time: time, batch: "h\(unix)"))
    }

    private func nhs(_ path: String, _ time: Int64) -> Answer {
        let end = time / 3_600
        for hour in stride(from: end - end % 2, to: end - 15 * 24, by: -2) {
            for archive in [NHSArchive(isDaily: false, endHour: hour), NHSArchive(isDaily: true, endHour: hour)] {
                guard path == "/distribution/\(archive.name).zip" else { continue }
                guard time >= published(hour * 3_600), !archive.isDaily || hour % 24 == 0 else { return .absent }
                return .package(
                    package(
                        archive.startHour..<archive.endHour, salt: archive.isDaily ? 50 : 40, time: time,
                        batch: archive.name))
            }
        }
        return .absent
    }

    /// Files of six hours each, in one to three parts; every tenth period with names that do not tell what belongs together.
    private func files(_ time: Int64) -> [(name: String, end: Int64, number: Int, size: Int)] {
        let last = time / 21_600
        return ((last - 80)..<last).flatMap { period -> [(name: String, end: Int64, number: Int, size: Int)] in
            let end = (period + 1) * 21_600
            guard time >= published(end) else { return [] }
            let isOdd = mixed(period, 3) % 10 == 0
            let size = isOdd ? 2 : Int(mixed(period, 4) % 3) + 1
            return (1...size).map { number in
                let name = isOdd ? "keys/odd\(period)x\(number).zip" : "keys/\(end - 21_600)-\(end)-0000\(number).zip"
                return (name, end, number, size)
            }
        }
    }

    private func list(_ path: String, _ time: Int64) -> Answer {
        let files = files(time)
        if path == "/keys/index.txt" { return .index(Array(files.map { $0.name + "\n" }.joined().utf8)) }
        guard let file = files.first(where: { "/" + $0.name == path }) else { return .absent }
        let hours = (file.end / 3_600 - 6)..<(file.end / 3_600)
        return .package(
            package(hours, salt: 60, time: time, batch: "p\(file.end)", number: file.number, size: file.size))
    }
}
