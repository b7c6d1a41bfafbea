// SPDX-License-Identifier: Apache-2.0

public import CivilTime
public import CrowdNotifier

/// The rules for an upload of hours at venues (SwissCovid's `InsertManager`; spec checkin-and-nhs A.6). They depend on
/// nothing else: the same body with the same onset gets the same verdict.
public struct UserUploadRules: Sendable {
    /// The most bytes of a body: 160 KiB. Uploads have 128,000 bytes. Our own bound.
    public static let maximumBytes = 160 << 10
    /// The most stays that begin within one minute: 2. Our own bound: without the half hour that devices add, a stay of that length at most has none, so that it overlaps no other.
    public static let maximumBeginnings = 2

    /// Creates the rules. Cannot fail.
    public init() {}

    /// Reads a body (`UserUploadPayload`). Throws `malformed` or `wrongCount`. Fakes are dropped; what remains may be
    /// empty, and then the upload is cover traffic.
    public func genuine(_ body: [UInt8]) throws(VenueHoursFlaw) -> [UserUpload.Entry] {
        guard body.count <= Self.maximumBytes else { throw .malformed }
        let upload: UserUpload
        do throws(CrowdNotifierError) { upload = try UserUpload(decoding: body) } catch {
            throw error.code == .tooManyEntries ? .wrongCount : .malformed
        }
        guard upload.entries.count == UserUpload.entryCount else { throw .wrongCount }
        return upload.entries.filter { !$0.isFake }
    }

    /// Returns the hours that warn others: those that last an hour at most and end on the day of `onset` or later. Throws
    /// `tooManyHours` for more of them than ``VenueHours/maximumCount``, and `overlap` when the person was at two places at once, without the half hour that devices add to each stay, or came to
    /// more than ``maximumBeginnings`` within one minute.
    public func selected(_ entries: [UserUpload.Entry], onset: CivilDate) throws(VenueHoursFlaw) -> VenueHours {
        let kept = entries.filter { entry in
            entry.hasUsableTime
                && UTCDay(containing: Int64(clamping: entry.end / 1_000)).number >= onset.dayNumber
        }
        guard kept.count <= VenueHours.maximumCount else { throw .tooManyHours }
        let stays = Self.stays(kept)
        let beginnings = Dictionary(grouping: stays) { $0.start / 60_000 }
        guard beginnings.values.allSatisfy({ $0.count <= Self.maximumBeginnings }) else { throw .overlap }
        for (index, stay) in stays.enumerated() {
            for other in stays[(index + 1)...] where stay.overlaps(other) { throw .overlap }
        }
        return VenueHours(checked: kept)
    }

    private struct Stay {
        let preID: [UInt8]
        let start: UInt64
        var end: UInt64

        /// Both ends are outside, as in the original; a stay of no length still lies within another one.
        func overlaps(_ other: Stay) -> Bool { !(shortened <= other.start || other.shortened <= start) }

        private var shortened: UInt64 {
            let air = UInt64(UserUpload.stayingAirMilliseconds)
            return end > air ? end - air : 0
        }
    }

    /// Hours at one place that follow each other are one stay. The original looks at the order of the upload, in which
    /// its devices leave hours together; here the order does not matter.
    private static func stays(_ entries: [UserUpload.Entry]) -> [Stay] {
        var stays: [Stay] = []
        let sorted = entries.sorted {
            $0.preID == $1.preID ? $0.start < $1.start : $0.preID.lexicographicallyPrecedes($1.preID)
        }
        for entry in sorted {
            if let last = stays.last, last.preID == entry.preID, last.end == entry.start {
                stays[stays.count - 1].end = entry.end
            } else {
                stays.append(Stay(preID: entry.preID, start: entry.start, end: entry.end))
            }
        }
        return stays
    }
}
