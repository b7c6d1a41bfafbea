// SPDX-License-Identifier: Apache-2.0

import BLS12381
import CivilTime
import CrowdNotifier
import Cryptography
import JSON
import RandomValues
import Testing
import VenuePlan

/// Visits whose places are hidden, in the diary.
@Suite struct HiddenDiaryTests {
    /// The fourth of March 2021, 09:26:40 UTC.
    private let now: Int64 = 1_614_850_000
    private let midnight: Int64 = 1_614_816_000
    private let day: Int64 = 86_400
    private let secret: Scalar
    private let wearer: Scalar
    private let keys: VisitDiary.HidingKeys

    init() throws {
        var random = SeededGenerator(seed: 1)
        secret = .random(using: &random)
        wearer = .random(using: &random)
        keys = VisitDiary.HidingKeys(
            authority: try MasterPublicKey(secret: secret), wearer: try MasterPublicKey(secret: wearer))
    }

    private func venue(_ number: UInt8 = 2) throws -> CrowdNotifierVenue {
        try CrowdNotifierVenue(
            name: "Canary \(number)", address: "", start: 0, end: 2_000_000_000,
            publicKey: [UInt8](repeating: 1, count: 96),
            seed: [UInt8](repeating: number, count: 32), countryData: [])
    }

    private func key(_ venue: CrowdNotifierVenue, _ start: Int64, _ end: Int64) throws -> TraceKey {
        let hour = VisitHours.start(start)
        let (identity, nonce) = (venue.keys.identity(start: hour), [UInt8](repeating: 4, count: 24))
        return TraceKey(
            identity: identity, secretKey: try IdentityKey(identity: identity, secret: secret).bytes,
            day: hour - hour % day,
            encryptedData: try AssociatedData(message: "x", start: start, end: end).sealed(
                notificationKey: venue.keys.notificationKey, nonce: nonce), nonce: nonce)
    }

    private func refusal(_ body: () throws -> Void) -> DiaryError.Code? {
        do {
            try body()
            return nil
        } catch { return (error as? DiaryError)?.code }
    }

    private func matches(_ diary: VisitDiary, _ key: TraceKey, at now: Int64) throws -> [Int] {
        try HiddenMatcher(diary.hiddenStays(at: now)).matches(key).map(\.visit)
    }

    @Test func aHiddenVisitBeginsEndsAndIsFound() throws {
        var random = SeededGenerator(seed: 2)
        var diary = VisitDiary()
        let number = try diary.checkInHidden(venue(), at: now, keys: keys, using: &random)
        let open = try #require(diary.visit(number))
        #expect(open.isOpen && open.arrival == now && open.departure == now + HiddenVisit.longestSeconds)
        #expect(open.place.words.name.isEmpty && open.place.isHidden && open.place.system == .swissCovid)
        #expect(diary.crowdNotifierVisits(at: now).isEmpty && diary.hiddenStays(at: now).count == 1)
        // While it is open it lasts until now, as any other.
        let later = try key(venue(), now + 1_200, now + 1_800)
        #expect(try matches(diary, later, at: now + 1_199) == [])
        #expect(try matches(diary, later, at: now + 1_200) == [number])
        try diary.checkOut(number, at: now + 1_300, using: &random)
        let over = try #require(diary.visit(number))
        // Nothing of the times but the day.
        #expect(!over.isOpen && over.arrival == midnight && over.departure == midnight + day - 1)
        #expect(try matches(diary, later, at: now + day) == [number])
        #expect(try matches(diary, key(venue(), now + 1_301, now + 1_800), at: now + day) == [])
        #expect(try matches(diary, key(venue(3), now, now + 600), at: now + day) == [])
        #expect(refusal { try diary.checkOut(number, at: now, using: &random) } == .alreadyOver)
        // Once told it is not told again.
        diary.noteTold([number])
        #expect(diary.hiddenStays(at: now).isEmpty)
        #expect(try VisitDiary(diary.json) == diary)
    }

    @Test func itEndsByItselfAfterTwelveHours() throws {
        var random = SeededGenerator(seed: 3)
        var diary = VisitDiary()
        let number = try diary.checkInHidden(venue(), at: now, keys: keys, using: &random)
        let end = now + HiddenVisit.longestSeconds
        #expect(diary.reminders == [end - 900..<end] && diary.nextCheckOut == end)
        #expect(diary.checkOutDue(at: end - 1).isEmpty)
        #expect(diary.checkOutDue(at: end) == [number])
        #expect(diary.visit(number)?.arrival == midnight && diary.reminders.isEmpty)
        #expect(try matches(diary, key(venue(), end - 60, end), at: end + day) == [number])
        #expect(try matches(diary, key(venue(), end + 1, end + 60), at: end + day) == [])
        // Kept for as long as any other.
        diary.forget(at: midnight + 15 * day - 1)
        #expect(diary.visits.count == 1)
        diary.forget(at: midnight + 15 * day)
        #expect(diary.visits.isEmpty)
    }

    /// Nobody can tell whether a second code is that of the same place: the first visit ends, and none is there twice at once.
    @Test func aSecondHiddenVisitEndsTheFirst() throws {
        var random = SeededGenerator(seed: 4)
        var diary = VisitDiary()
        let first = try diary.checkInHidden(venue(), at: now, keys: keys, using: &random)
        let second = try diary.checkInHidden(venue(), at: now + 60, keys: keys, using: &random)
        #expect(first != second && diary.visits.map(\.isOpen) == [false, true])
        #expect(try matches(diary, key(venue(), now + 61, now + 90), at: now + 100) == [second])
    }

    /// A check-in whose answer was lost comes again by the same text and code, and is the same visit until it ends.
    @Test func theSameCheckInOnceMoreIsTheSameVisit() throws {
        var random = SeededGenerator(seed: 9)
        var diary = VisitDiary()
        let text = "0123456789abcdefABCD-_"
        let mark = try #require(CheckInMark(venue(), attempt: text))
        let first = try diary.checkInHidden(venue(), at: now, mark: mark, keys: keys, using: &random)
        var read = try VisitDiary(JSON(parsing: diary.json.bytes, maximumDepth: 8))
        #expect(read == diary && diary.visit(first)?.mark == mark)
        #expect(try read.checkInHidden(venue(), at: now + 60, mark: mark, keys: keys, using: &random) == first)
        #expect(read == diary)
        // Another text, another code, or none at all: another visit.
        for other in [CheckInMark(try venue(), attempt: text + "x"), CheckInMark(try venue(3), attempt: text), nil] {
            var another = diary
            #expect(try another.checkInHidden(venue(), at: now + 60, mark: other, keys: keys, using: &random) == first + 1)
            #expect(another.visits.map { $0.mark == nil } == [true, false])
        }
        // Over is over, and then nothing is kept of it.
        try read.checkOut(first, at: now + 100, using: &random)
        #expect(read.visit(first)?.mark == nil)
        #expect(try read.checkInHidden(venue(), at: now + 160, mark: mark, keys: keys, using: &random) == first + 1)
        // Nothing of the text is written down, and it decides.
        #expect(!String(decoding: diary.json.bytes, as: UTF8.self).contains(text) && "\(mark)" == "CheckInMark")
        for unfit in [
            "", "0123456789abcdefABCD-", String(repeating: "a", count: 65), "0123456789abcdefABCD-_ ",
            "0123456789abcdefABCDäö",
        ] {
            #expect(try CheckInMark(venue(), attempt: unfit) == nil)
        }
        let damaged = String(decoding: diary.json.bytes, as: UTF8.self).replacing(#""mark":""#, with: #""mark":"AA"#)
        #expect(refusal { _ = try VisitDiary(JSON(parsing: Array(damaged.utf8), maximumDepth: 8)) } == .damagedDiary)
    }

    @Test func theWearersSecretChangesTimesAndNothingElseDoes() throws {
        var random = SeededGenerator(seed: 5)
        var diary = VisitDiary()
        let number = try diary.checkInHidden(venue(), at: now, keys: keys, using: &random)
        try diary.checkOut(number, at: now + 600, using: &random)
        diary.tell(number, day: .init(containing: now), .message("x"))
        guard case .hidden(let hidden)? = diary.visit(number)?.place else { return #expect(Bool(false)) }
        #expect(refusal { try diary.edit(number, arrival: now, departure: now, at: now) } == .hiddenVisit)
        let read = try #require(try HiddenReader(secret: wearer)?.read(hidden))
        #expect(read.content.arrival == now && read.departure == now + 600 && read.content.place.name == "Canary 2")
        let (arrival, departure) = (now - 2 * day, now - 2 * day + 1_200)
        try diary.editHidden(
            number, read.content, arrival: arrival, departure: departure, at: now + 600, keys: keys, using: &random)
        #expect(diary.visit(number)?.arrival == midnight - 2 * day && diary.visit(number)?.wasTold == false)
        #expect(try matches(diary, key(venue(), arrival, arrival + 60), at: now) == [number])
        #expect(try matches(diary, key(venue(), now, now + 60), at: now) == [])
        for (arrival, departure) in [(now, now + 601), (now, now - 1), (now - 8 * day, now)] {
            let code = refusal {
                try diary.editHidden(
                    number, read.content, arrival: arrival, departure: departure, at: now + 600, keys: keys, using: &random)
            }
            #expect(code == .invalidTimes)
        }
        // Without the secret it is deleted, with its notice.
        try diary.delete(number)
        #expect(diary.visits.isEmpty && diary.notices.isEmpty)
    }

    /// Visits of before are found as before, and so are the notices about them.
    @Test func visitsOfBeforeAreHidden() throws {
        var random = SeededGenerator(seed: 6)
        var diary = VisitDiary()
        let over = try diary.checkIn(.swissCovid(venue(3)), at: now - day)
        try diary.checkOut(over, at: now - day + 600)
        diary.tell(over, day: .init(containing: now - day), .message("x"))
        let open = try diary.checkIn(.swissCovid(venue(4)), at: now)
        let stale = try diary.checkIn(.swissCovid(venue(5)), at: now - 13 * 3_600)
        #expect(try diary.hideAll(at: now + 60, keys: keys, using: &random) == 3)
        #expect(try diary.hideAll(at: now + 60, keys: keys, using: &random) == 0)
        #expect(diary.visits.allSatisfy(\.place.isHidden) && diary.hiddenCount == 3)
        #expect(diary.visits.map(\.isOpen) == [false, true, false] && diary.notices.count == 1)
        #expect(diary.visit(over)?.wasTold == true && diary.visit(open)?.arrival == now)
        #expect(try matches(diary, key(venue(4), now, now + 30), at: now + 60) == [open])
        #expect(try matches(diary, key(venue(5), now - 13 * 3_600, now - 12 * 3_600), at: now + 60) == [stale])
        #expect(try VisitDiary(diary.json) == diary)
    }

    /// Part by part it comes to the same: each part says how many there were, the last one none.
    @Test func visitsOfBeforeAreHiddenPartByPart() throws {
        var random = SeededGenerator(seed: 10)
        var diary = VisitDiary()
        for number in 1...5 {
            let visit = try diary.checkIn(.swissCovid(venue(UInt8(number))), at: now - Int64(number) * day)
            try diary.checkOut(visit, at: now - Int64(number) * day + 4_000)
        }
        var counts: [Int] = []
        while counts.last != 0 {
            counts.append(try diary.hideNext(at: now, hours: 4, keys: keys, using: &random))
            #expect(try VisitDiary(diary.json) == diary && diary.hiddenCount == counts.reduce(0, +))
        }
        #expect(counts == [2, 2, 1, 0])
        #expect(try diary.hideNext(at: now, hours: 0, keys: keys, using: &random) == 0)
    }

    @Test func aDamagedHiddenVisitIsADamagedDiary() throws {
        var random = SeededGenerator(seed: 7)
        var diary = VisitDiary()
        _ = try diary.checkInHidden(venue(), at: now, keys: keys, using: &random)
        let text = String(decoding: diary.json.bytes, as: UTF8.self)
        for (old, new) in [
            (#""key":""#, #""key":"AA"#), (#""end":""#, #""fin":""#), (#""hours":["#, #""hours":[1,"#),
            ("\(midnight),", "\(midnight + 1),"),
        ] {
            let damaged = text.split(separator: old, maxSplits: 1, omittingEmptySubsequences: false).joined(separator: new)
            #expect(damaged != text, "\(old)")
            #expect(refusal { _ = try VisitDiary(JSON(parsing: Array(damaged.utf8), maximumDepth: 8)) } == .damagedDiary)
        }
    }

    @Test func theWearersKeyOpensByTheSecretAlone() throws {
        var random = SeededGenerator(seed: 8)
        let secret = SecretBytes(copying: Array("a long secret".utf8))
        let hiding = try VisitHiding(secret: secret, using: &random)
        #expect(hiding.isOn)
        let key = try hiding.opened(by: secret)
        #expect(try MasterPublicKey(secret: key).bytes == hiding.publicKey)
        let other = SecretBytes(copying: Array("a long Secret".utf8))
        #expect(refusal { _ = try hiding.opened(by: other) } == .wrongSecret)
        for length in [0, 11, 257] {
            let unfit = SecretBytes(copying: [UInt8](repeating: 65, count: length))
            #expect(refusal { _ = try VisitHiding(secret: unfit, using: &random) } == .unfitSecret)
            #expect(refusal { _ = try hiding.opened(by: unfit) } == .wrongSecret)
        }
        let read = try #require(VisitHiding(hiding.json))
        #expect(read == hiding)
        #expect(try read.opened(by: secret) == key)
        // Nothing that was written is the key or the secret.
        let text = String(decoding: hiding.json.bytes, as: UTF8.self)
        #expect(!text.contains("a long") && !text.contains(key.bytes.withBytes { Base64.string(Array($0)) }))
        #expect(VisitHiding(["on": true]) == nil && "\(hiding)" == "VisitHiding")
        #expect(try VisitHiding(secret: secret, using: &random).publicKey != hiding.publicKey)
    }
}
