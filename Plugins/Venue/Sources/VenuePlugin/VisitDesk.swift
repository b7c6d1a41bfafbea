// SPDX-License-Identifier: Apache-2.0

import BLS12381
import CivilTime
import Cryptography
import ExposureRisk
import ForeignText
import Interfaces
import PresenceTracing
import VenueNotices
import VenuePlan

/// The wearer's half of the interface: visits, and notices about them. It knows nothing of who asks.
struct VisitDesk: Sendable {
    /// Visits or notices of one reply: with the longest names it stays below a message's 64 KiB.
    static let pageSize = 12
    /// Scalars of a name that are shown: all that codes of the Corona-Warn-App and SwissCovid may have.
    static let nameLimit = 255
    /// Scalars of an authority's message that are shown.
    static let messageLimit = 1_000

    let store: VenueStore
    let reader: VenueTicket.Reader
    let followed: [VenueSystem]
    /// Those that have a server: of others codes are taken, and warnings never come (docs/check-in-rules.md).
    let served: Set<VenueSystem>
    /// What places of SwissCovid are hidden with; `nil` where they cannot be.
    let authorityKey: MasterPublicKey?

    /// By default each system has a server.
    init(
        store: VenueStore, reader: VenueTicket.Reader, followed: [VenueSystem], served: Set<VenueSystem>? = nil,
        authorityKey: MasterPublicKey? = nil
    ) {
        self.store = store
        self.reader = reader
        self.followed = followed
        self.served = served ?? Set(followed)
        self.authorityKey = authorityKey
    }

    func checkIn(_ call: Checkin1.CheckInCall, at now: Int64) throws -> Checkin1.CheckInReply {
        var reader = reader
        reader.revokedVersions = store.records.withdrawnVersions
        let ticket = try reader.readForVisit(call.code, at: now)
        if case .swissCovid(let venue) = ticket {
            let mark = CheckInMark(venue, attempt: call.attempt ?? "")
            guard call.attempt == nil || mark != nil else { throw DiaryError(.unfitAttempt) }
            guard !store.records.isChoiceLost else { throw DiaryError(.choiceLost) }
            if let hiding = store.records.hiding, hiding.isOn {
                return try checkIn(hiding: venue, by: hiding, mark, at: now)
            }
        }
        return try store.change { records in
            let before = records.diary.visits.count
            let number = try records.diary.checkIn(ticket, at: now)
            return Checkin1.CheckInReply(
                visit: try records.diary.shown(number), began: records.diary.visits.count > before)
        }
    }

    func checkOut(_ number: Int, at now: Int64) throws -> Checkin1.VisitReply {
        let reply = try store.changeSlowly { records in
            var random = SystemRandomNumberGenerator()
            try records.diary.checkOut(number, at: now, using: &random)
            let visit = try records.diary.shown(number)
            // The other half of the file has the times of a hidden visit until it is written over.
            if visit.hidden == true { records.hasTrace = true }
            return Checkin1.VisitReply(visit: visit)
        }
        // The visit is over whether or not that can be written now.
        try? store.clearTrace()
        return reply
    }

    /// Warnings that were compared with the former times are compared again.
    func edit(_ call: Checkin1.EditCall, at now: Int64) throws -> Checkin1.VisitReply {
        if let visit = store.records.diary.visit(call.number), visit.place.isHidden {
            return try editHidden(call, visit, at: now)
        }
        return try store.change { records in
            let isOther = try records.diary.edit(
                call.number, arrival: call.arrival, departure: call.departure, at: now)
            guard let visit = records.diary.visit(call.number) else { throw DiaryError(.unknownVisit) }
            guard isOther else { return Checkin1.VisitReply(visit: Checkin1.Visit(visit)) }
            if visit.place.system == .coronaWarnApp { records.diary.forgetMatches() }
            records.downloads.startOver(visit.place.system)
            // What the operators are asked about is of former times.
            records.downloads.release(visit.number)
            return Checkin1.VisitReply(visit: Checkin1.Visit(visit))
        }
    }

    func setWarning(_ call: Checkin1.SetWarningCall) throws -> Checkin1.VisitReply {
        try changed(call.number) { try $0.setWarning(call.number, to: call.warns) }
    }

    /// The longest list of levels: the ages that a statement about symptoms has (cwa-protocols 5.1).
    static let mostLevels = 15

    /// Reports for a warning, on disk under a name before anybody has them. Which warnings are out has to be known.
    func takeReports(_ call: Checkin1.TakeReportsCall, at now: Int64) throws -> Checkin1.ReportsReply {
        guard call.levels.count <= Self.mostLevels, call.levels.allSatisfy({ CheckInRecord.levels.contains(Int64($0)) }),
            (0...VisitDiary.maximumReports).contains(call.most)
        else { throw VenueFailure.impossibleReports }
        return try store.change { records in
            if let name = call.batch, !records.diary.allowsName(name) { throw VenueFailure.impossibleName }
            let parts = records.diary.parts(
                levels: call.levels.map { UInt8($0) }, rules: records.rules ?? .published, most: call.most, at: now)
            guard !parts.isEmpty else { return Checkin1.ReportsReply(reports: [], visits: 0, batch: nil) }
            guard records.diary.takesBatch else { throw VenueFailure.tooManyWarnings }
            var random = SystemRandomNumberGenerator()
            let reports = try CheckInSubmission.reports(parts, using: &random)
            let name = call.batch ?? Int64.random(in: ReportBatch.names, using: &random)
            let numbers = Set(parts.map(\.visit))
            records.diary.handOut(parts, as: name)
            return Checkin1.ReportsReply(
                reports: reports.map { Base64.string($0.encoded) }, visits: numbers.count, batch: name)
        }
    }

    func delete(_ number: Int) throws { try store.change { try $0.diary.delete(number) } }

    func visits(_ call: Checkin1.VisitsCall) throws -> Checkin1.VisitsReply {
        let rest = store.records.diary.visits.filter { $0.number > call.after ?? 0 }
        let reader = try call.secret.map(hiddenReader)
        return Checkin1.VisitsReply(
            visits: try rest.prefix(Self.pageSize).map { try Checkin1.Visit($0, opened(by: reader, $0)) },
            more: rest.count > Self.pageSize, hides: hides, unhidden: unhidden,
            hidingIsSet: store.records.hiding != nil ? true : nil,
            choiceLost: store.records.isChoiceLost ? true : nil)
    }

    /// Whoever hides places can end it, also when the key is gone and no code is taken any more.
    private var hides: Bool? {
        if store.records.hiding?.isOn == true { return true }
        return authorityKey == nil || !followed.contains(.swissCovid) ? nil : false
    }

    /// RFC 4180. What a spreadsheet would take for a formula is quoted for it, too.
    func export(_ call: Checkin1.VisitsCall) throws -> Checkin1.ExportReply {
        let rest = store.records.diary.visits.filter { $0.number > call.after ?? 0 }
        let reader = try call.secret.map(hiddenReader)
        var lines = call.after == nil ? ["number,system,name,street,arrival,departure"] : []
        for stored in rest.prefix(Self.pageSize) {
            let opened = try opened(by: reader, stored)
            let visit = Checkin1.Visit(stored, opened)
            // Of a hidden visit only the days are known: a time would be a wrong one.
            let isBlurred = stored.place.isHidden && !stored.isOpen && opened == nil
            func time(_ seconds: Int64) -> String { isBlurred ? String(Self.time(seconds).prefix(10)) : Self.time(seconds) }
            let departure = visit.open ? "" : time(visit.departure)
            lines.append(
                [
                    "\(visit.number)", visit.system.rawValue, Self.field(visit.name), Self.field(visit.street ?? ""),
                    time(visit.arrival), departure,
                ].joined(separator: ","))
        }
        return Checkin1.ExportReply(
            text: lines.map { $0 + "\r\n" }.joined(),
            next: rest.count > Self.pageSize ? rest.prefix(Self.pageSize).last?.number : nil)
    }

    private static func time(_ seconds: Int64) -> String { UTCDay.text(time: UInt64(max(0, seconds))) }

    private static func field(_ text: String) -> String {
        let isFormula = text.first.map { "=+-@".contains($0) } ?? false
        let doubled = text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
        return "\"\(isFormula ? "'" : "")\(doubled)\""
    }

    /// Without the time nobody can say how long ago warnings were looked at.
    func notices(after: Int?, at now: Int64?) -> Checkin1.NoticesReply {
        let records = store.records
        let rest = records.diary.notices.filter { $0.number > after ?? 0 }
        return Checkin1.NoticesReply(
            notices: rest.prefix(Self.pageSize).map { notice in
                Checkin1.Notice(notice, records.diary.visit(notice.visit))
            }, more: rest.count > Self.pageSize,
            followed: followed.map { system in
                Checkin1.Followed(
                    system: Checkin1.System(system), checked: records.downloads.checked[system],
                    problem: records.downloads.problems[system],
                    behind: served.contains(system) && now.map { records.isBehind(system, at: $0) } ?? false)
            }, news: records.diary.hasNews, lost: records.wasLost)
    }

    func acknowledge(_ number: Int) throws {
        try store.change { records in
            records.diary.acknowledge(upTo: number)
            records.wasLost = false
        }
    }

    private func changed(_ number: Int, _ change: (inout VisitDiary) throws -> Void) throws -> Checkin1.VisitReply {
        try store.change { records in
            try change(&records.diary)
            return Checkin1.VisitReply(visit: try records.diary.shown(number))
        }
    }
}

extension VenueRecords {
    /// Whether there was a visit of this system two days ago, and since then all warnings were not known once: as with keys, there may be one by now.
    fileprivate func isBehind(_ system: VenueSystem, at now: Int64) -> Bool {
        // Later than now is what a clock that was ahead has said.
        // Of a hidden visit that is over the day is known, and not when it was: the last second of it asks too early for no warning.
        let arrivals = diary.visits.filter { $0.place.system == system }.map {
            $0.place.isHidden && !$0.isOpen ? $0.departure : $0.arrival
        }.filter { $0 <= now }
        guard let first = arrivals.min() else { return false }
        let checked = downloads.checked[system].flatMap { $0 <= now ? $0 : nil }
        return now - max(first, checked ?? first) > WarningFetcher.oldest
    }
}

extension VisitDiary {
    fileprivate func shown(_ number: Int) throws -> Checkin1.Visit {
        guard let visit = visit(number) else { throw DiaryError(.unknownVisit) }
        return Checkin1.Visit(visit)
    }
}

extension Checkin1.System {
    init(_ system: VenueSystem) {
        self =
            switch system {
            case .coronaWarnApp: .coronaWarnApp
            case .swissCovid: .swissCovid
            case .nhs: .nhs
            }
    }
}

extension Checkin1.Visit {
    init(_ visit: DiaryVisit, _ opened: OpenedVisit? = nil) {
        let words = opened?.words ?? visit.place.words
        let times = visit.isOpen ? nil : opened
        self.init(
            number: visit.number, system: Checkin1.System(visit.place.system),
            name: ForeignText.line(words.name, limit: VisitDesk.nameLimit),
            street: words.street.map { ForeignText.line($0, limit: VisitDesk.nameLimit) },
            arrival: times?.arrival ?? visit.arrival, departure: times?.departure ?? visit.departure, open: visit.isOpen,
            warns: visit.warns, published: visit.isSubmitted, remindFrom: visit.reminder?.lowerBound,
            hidden: visit.place.isHidden ? true : nil)
    }
}

extension Checkin1.Notice {
    init(_ notice: VisitNotice, _ visit: DiaryVisit?) {
        var level: Checkin1.Level?
        var advice: Checkin1.Advice?
        var message: String?
        var system = Checkin1.System.coronaWarnApp
        switch notice.content {
        case .level(let verdict):
            level = verdict.level.map { $0 == .increased ? .increased : .low } ?? .unknown
        case .message(let text):
            system = .swissCovid
            message = text.isEmpty ? nil : ForeignText.line(text, limit: VisitDesk.messageLimit)
        case .advice(let given):
            system = .nhs
            advice = given == .bookATest ? .bookATest : .inform
        }
        self.init(
            number: notice.number, system: system, visit: notice.visit,
            name: ForeignText.line(visit?.place.words.name ?? "", limit: VisitDesk.nameLimit), day: notice.day,
            level: level, advice: advice, message: message, news: !notice.wasSeen)
    }
}
