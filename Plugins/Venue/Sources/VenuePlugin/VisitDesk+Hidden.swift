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
    /// Hides the visits that are still in the clear, if the wearer has chosen it, and returns how many are hidden. The records are not locked for as long as that
    /// takes.
    static func hideRest(_ store: VenueStore, _ authority: MasterPublicKey, at now: Int64) throws -> Int {
        while true {
            let before = store.records
            guard let hiding = before.hiding, hiding.isOn, before.diary.visits.contains(where: \.place.isInTheClear) else {
                return before.diary.hiddenCount
            }
            var after = before.diary
            var random = SystemRandomNumberGenerator()
            _ = try after.hideAll(at: now, keys: try keys(hiding, authority), using: &random)
            let result = after
            let isDone = try store.change { records in
                guard records.diary == before.diary, records.hiding == hiding else { return false }
                records.diary = result
                return true
            }
            guard isDone else { continue }
            // The file still has what was there before this change. After a cut the next change does the same.
            try store.rewrite()
            return result.hiddenCount
        }
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
        hiding venue: CrowdNotifierVenue, by hiding: VisitHiding, at now: Int64
    ) throws -> Checkin1.CheckInReply {
        let keys = try hidingKeys(hiding)
        return try store.change { records in
            var random = SystemRandomNumberGenerator()
            let number = try records.diary.checkInHidden(venue, at: now, keys: keys, using: &random)
            guard let visit = records.diary.visit(number) else { throw DiaryError(.unknownVisit) }
            // Whoever has shown the code knows the place.
            let opened = OpenedVisit(
                words: (venue.name, venue.address.isEmpty ? nil : venue.address), arrival: visit.arrival,
                departure: visit.departure)
            return Checkin1.CheckInReply(visit: Checkin1.Visit(visit, opened), began: true)
        }
    }

    /// All of the visit is encrypted anew, and what was compared with its former times is compared again.
    func editHidden(_ call: Checkin1.EditCall, _ visit: DiaryVisit, at now: Int64) throws -> Checkin1.VisitReply {
        guard let secret = call.secret, case .hidden(let hidden) = visit.place else { throw DiaryError(.hiddenVisit) }
        guard let hiding = store.records.hiding, let read = try hiddenReader(secret).read(hidden) else {
            throw DiaryError(.wrongSecret)
        }
        let keys = try hidingKeys(hiding)
        return try store.change { records in
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

    /// Hides what is kept, and what comes. Takes as long as a sign-in, and a pairing or two for each hour of a visit, so it is for the worker thread.
    func setHiding(_ call: Checkin1.HidingCall, at now: Int64) throws -> Checkin1.HidingReply {
        guard call.on else {
            return try store.change { records in
                records.hiding?.isOn = false
                return Checkin1.HidingReply(hidden: records.diary.hiddenCount)
            }
        }
        guard let secret = call.secret else { throw DiaryError(.unfitSecret) }
        guard authorityKey != nil, followed.contains(.swissCovid) else { throw DiaryError(.cannotHide) }
        let hiding = try chosen(SecretBytes(copying: secret.utf8), isAnew: call.anew ?? false)
        guard let authorityKey else { throw DiaryError(.cannotHide) }
        // From now on new visits are hidden. If the power fails before those of before are, the next look for warnings hides them.
        try store.change { $0.hiding = hiding }
        return Checkin1.HidingReply(hidden: try HiddenVisits.hideRest(store, authorityKey, at: now))
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
