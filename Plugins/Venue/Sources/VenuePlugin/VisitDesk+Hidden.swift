// SPDX-License-Identifier: Apache-2.0

import BLS12381
import CrowdNotifier
import Cryptography
import Interfaces
import VenuePlan

/// What of a hidden visit the wearer's secret has opened. It is kept nowhere.
struct OpenedVisit {
    let words: (name: String, street: String?)
    /// Unix seconds; those of an open visit are in the clear.
    let arrival, departure: Int64
}

enum HiddenVisits {
    /// Hours of visits that are hidden with one write: some fifty pairings, seconds on a small board.
    private static let hoursAtOnce = 26

    /// Hides some of the visits that are still in the clear, if the wearer has chosen it, and returns whether there is more to do: then it has to be called again. The last time the file is written once
    /// more, so that none of its halves has what was in the clear. Each part is on the disk when it returns; after a cut it goes on where it was. The records are not locked for as long as that
    /// takes.
    static func hideSome(_ store: VenueStore, _ authority: MasterPublicKey, at now: Int64) throws -> Bool {
        guard store.records.unhiddenCount > 0 else { return false }
        let isPart = try store.changeSlowly { records in
            guard let hiding = records.hiding, hiding.isOn else { return false }
            var random = SystemRandomNumberGenerator()
            let count = try records.diary.hideNext(
                at: now, hours: hoursAtOnce, keys: try keys(hiding, authority), using: &random)
            if count > 0 { records.hasTrace = true }
            return count > 0
        }
        if !isPart { try store.clearTrace() }
        return isPart
    }

    /// Hides all of them, and returns how many are hidden.
    static func hideRest(_ store: VenueStore, _ authority: MasterPublicKey, at now: Int64) throws -> Int {
        while try hideSome(store, authority, at: now) {}
        return store.records.diary.hiddenCount
    }

    /// - Throws: `DiaryError.cannotHide` without the authority's key, or if the stored one is none.
    static func keys(_ hiding: VisitHiding, _ authority: MasterPublicKey?) throws(DiaryError) -> VisitDiary.HidingKeys {
        guard let authority, let wearer = try? MasterPublicKey(hiding.publicKey) else { throw DiaryError(.cannotHide) }
        return VisitDiary.HidingKeys(authority: authority, wearer: wearer)
    }
}

/// Hidden visits: docs/decisions/0064.
extension VisitDesk {
    /// It is hidden before it is written down for the first time: what was on the disk once may be found there.
    func checkIn(
        hiding venue: CrowdNotifierVenue, by hiding: VisitHiding, _ mark: CheckInMark?, at now: Int64
    ) throws -> Checkin1.CheckInReply {
        let keys = try hidingKeys(hiding)
        let reply = try store.changeSlowly { records in
            // Chosen meanwhile.
            guard records.hiding == hiding else { throw VenueFailure.changedMeanwhile }
            var random = SystemRandomNumberGenerator()
            let before = records.diary.visits
            let number = try records.diary.checkInHidden(venue, at: now, mark: mark, keys: keys, using: &random)
            let isNew = !before.contains { $0.number == number }
            // The one that has ended by it.
            if isNew, before.contains(where: { $0.isOpen && $0.place.isHidden }) { records.hasTrace = true }
            guard let visit = records.diary.visit(number) else { throw DiaryError(.unknownVisit) }
            // Whoever has shown the code knows the place.
            let opened = OpenedVisit(
                words: (venue.name, venue.address.isEmpty ? nil : venue.address), arrival: visit.arrival,
                departure: visit.departure)
            return Checkin1.CheckInReply(visit: Checkin1.Visit(visit, opened), began: isNew)
        }
        try? store.clearTrace()
        return reply
    }

    /// All of the visit is encrypted anew, and what was compared with its former times is compared again.
    func editHidden(_ call: Checkin1.EditCall, _ visit: DiaryVisit, at now: Int64) throws -> Checkin1.VisitReply {
        guard let secret = call.secret, case .hidden(let hidden) = visit.place else { throw DiaryError(.hiddenVisit) }
        guard let hiding = store.records.hiding, let read = try hiddenReader(secret).read(hidden) else {
            throw DiaryError(.wrongSecret)
        }
        let keys = try hidingKeys(hiding)
        return try store.changeSlowly { records in
            // What was read is of that visit as it was.
            guard records.diary.visit(call.number)?.place == visit.place else { throw VenueFailure.changedMeanwhile }
            var random = SystemRandomNumberGenerator()
            try records.diary.editHidden(
                call.number, read.content, arrival: call.arrival, departure: call.departure, at: now, keys: keys,
                using: &random)
            records.downloads.startOver(.swissCovid)
            guard let visit = records.diary.visit(call.number) else { throw DiaryError(.unknownVisit) }
            return Checkin1.VisitReply(
                visit: Checkin1.Visit(
                    visit,
                    OpenedVisit(words: Self.words(read.content.place), arrival: call.arrival, departure: call.departure)))
        }
    }

    /// Hides what comes from now on, once the choice is on the disk; what is kept is hidden afterwards (``HiddenVisits/hideSome(_:_:at:)``), and the reply says how much that is. Takes as long as a sign-in, so it is
    /// for the worker thread.
    func setHiding(_ call: Checkin1.HidingCall) throws -> Checkin1.HidingReply {
        var hiding = store.records.hiding
        if call.on {
            guard let secret = call.secret else { throw DiaryError(.unfitSecret) }
            guard authorityKey != nil, followed.contains(.swissCovid) else { throw DiaryError(.cannotHide) }
            hiding = try chosen(SecretBytes(copying: secret.utf8), isAnew: call.anew ?? false)
        } else {
            hiding?.isOn = false
        }
        let wanted = hiding
        return try store.change { records in
            (records.hiding, records.isChoiceLost) = (wanted, false)
            return Checkin1.HidingReply(
                hidden: records.diary.hiddenCount, unhidden: records.unhiddenCount > 0 ? records.unhiddenCount : nil)
        }
    }

    /// How many visits that are to be hidden are not yet; `nil` if all are.
    var unhidden: Int? {
        let count = store.records.unhiddenCount
        return count > 0 ? count : nil
    }

    /// Hides some of what is kept, and returns whether there is more to do; nothing without the authority's key.
    func hideSome(at now: Int64) throws -> Bool {
        guard let authorityKey else { return false }
        return try HiddenVisits.hideSome(store, authorityKey, at: now)
    }

    private func chosen(_ secret: SecretBytes, isAnew: Bool) throws(DiaryError) -> VisitHiding {
        var random = SystemRandomNumberGenerator()
        guard var former = store.records.hiding, !isAnew else {
            return try VisitHiding(secret: secret, using: &random)
        }
        _ = try former.opened(by: secret)
        former.isOn = true
        return former
    }

    private func hidingKeys(_ hiding: VisitHiding) throws(DiaryError) -> VisitDiary.HidingKeys {
        try HiddenVisits.keys(hiding, authorityKey)
    }

    /// - Throws: `DiaryError.wrongSecret` if it is not the wearer's.
    func hiddenReader(_ secret: String) throws(DiaryError) -> HiddenReader {
        guard let hiding = store.records.hiding,
            let reader = HiddenReader(secret: try hiding.opened(by: SecretBytes(copying: secret.utf8)))
        else { throw DiaryError(.wrongSecret) }
        return reader
    }

    /// What a reader opens of a visit; `nil` without one, for a visit that is not hidden, and for one that was hidden for another secret.
    func opened(by reader: HiddenReader?, _ visit: DiaryVisit) throws -> OpenedVisit? {
        guard let reader, case .hidden(let hidden) = visit.place, let read = try reader.read(hidden) else { return nil }
        return OpenedVisit(words: Self.words(read.content.place), arrival: read.content.arrival, departure: read.departure)
    }

    private static func words(_ place: HiddenPlace) -> (name: String, street: String?) {
        (place.name, place.address.isEmpty ? nil : place.address)
    }
}
