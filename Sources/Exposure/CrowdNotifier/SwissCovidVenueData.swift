// SPDX-License-Identifier: Apache-2.0

import KeyExport

/// SwissCovid's own part of a venue's code (`SwissCovidLocationData`, spec checkin-and-nhs A.2 and A.8).
public struct SwissCovidVenueData: Sendable, Hashable {
    /// Version of the format as the code says; 0 when absent. Nothing depends on it.
    public var version: UInt32 = 0
    /// 0: made by anybody in the app, also when absent; 1: of an authority. Other numbers are taken and mean nothing
    /// here.
    public var type: UInt32 = 0
    /// Room or part of the place, of any length, perhaps empty. Foreign text of the code's maker: show it by `ForeignText`.
    public var room = ""
    /// Milliseconds after which the visitor is asked, as written: any number, 0 when absent. ``checkOutWarningMinutes`` has
    /// what counts.
    public var checkOutWarningDelay: Int64 = 0
    /// Milliseconds after which a visit ends by itself, as written: any number, 0 when absent. ``automaticCheckOutMinutes``
    /// has what counts.
    public var automaticCheckOutDelay: Int64 = 0
    /// Milliseconds of the reminders on offer, as written, any numbers; at most 100 in data that were read.
    /// ``reminderMinutes`` has what counts.
    public var reminderDelays: [Int64] = []

    /// Numbers of reminders that are read; three are offered.
    static let maximumReminders = 100

    /// Data that says nothing: numbers 0, texts and lists empty.
    public init() {}

    /// Reads the protobuf message of a code's `countryData`; numbers of reminders may be packed or not. `nil` when it is
    /// malformed or has more than 100 reminders.
    public init?(_ bytes: [UInt8]) {
        let isWhole = bytes.withUnsafeBytes { message in
            ProtobufCursor.forEachField(of: message) { field, value in
                switch field {
                case 1: return store(value.uint32, in: &version)
                case 2: return store(value.uint32, in: &type)
                case 3: return store(value.text, in: &room)
                case 4: return store(value.number.map(Int64.init(bitPattern:)), in: &checkOutWarningDelay)
                case 5: return store(value.number.map(Int64.init(bitPattern:)), in: &automaticCheckOutDelay)
                case 6:
                    if let number = value.number {
                        reminderDelays.append(Int64(bitPattern: number))
                    } else if let packed = value.buffer {
                        var cursor = ProtobufCursor(packed)
                        while !cursor.isAtEnd {
                            guard let number = cursor.varint(), reminderDelays.count < Self.maximumReminders else {
                                return false
                            }
                            reminderDelays.append(Int64(bitPattern: number))
                        }
                    } else {
                        return false
                    }
                    return reminderDelays.count <= Self.maximumReminders
                default: return true
                }
            }
        }
        guard isWhole else { return nil }
    }

    /// The protobuf message (`SwissCovidLocationData`); fields of 0 and empty ones are left out. Cannot fail.
    public var encoded: [UInt8] {
        var writer = ProtobufWriter()
        if version != 0 { writer.number(1, UInt64(version)) }
        if type != 0 { writer.number(2, UInt64(type)) }
        if !room.isEmpty { writer.text(3, room) }
        if checkOutWarningDelay != 0 { writer.number(4, UInt64(bitPattern: checkOutWarningDelay)) }
        if automaticCheckOutDelay != 0 { writer.number(5, UInt64(bitPattern: automaticCheckOutDelay)) }
        if !reminderDelays.isEmpty {
            var packed = ProtobufWriter()
            for delay in reminderDelays { packed.varint(UInt64(bitPattern: delay)) }
            writer.data(6, packed.bytes)
        }
        return writer.bytes
    }

    private static let minute: Int64 = 60_000
    private static let hour: Int64 = 60 * minute
    /// Longer delays than a week are none: a slip of the maker's.
    private static let longest = 7 * 24 * hour

    /// Whole minutes, rounded down, after which a visit ends by itself: what the code says if that is a minute to 7
    /// days, else twelve hours.
    public var automaticCheckOutMinutes: Int { Int(checkOut / Self.minute) }

    private var checkOut: Int64 {
        (Self.minute...Self.longest).contains(automaticCheckOutDelay) ? automaticCheckOutDelay : 12 * Self.hour
    }

    /// Whole minutes, rounded down, after which the visitor is asked whether they are still there, 1 or more: what the
    /// code says if that is a minute or more, else eight hours; `nil` where that is not before the automatic check-out.
    public var checkOutWarningMinutes: Int? {
        let delay = checkOutWarningDelay >= Self.minute ? checkOutWarningDelay : 8 * Self.hour
        return delay < checkOut ? Int(delay / Self.minute) : nil
    }

    /// Whole minutes, rounded down, that are offered for a reminder, at most three and all different: the first three such delays of the code from a
    /// minute on and before the automatic check-out, the shortest first; if it has none, half an hour, one and two, as far as they fit.
    public var reminderMinutes: [Int] {
        func usable(_ delays: [Int64]) -> [Int] {
            var result: [Int] = []
            for delay in delays where delay >= Self.minute && delay < checkOut {
                let minutes = Int(delay / Self.minute)
                if !result.contains(minutes) { result.append(minutes) }
            }
            return result.prefix(3).sorted()
        }
        let own = usable(reminderDelays)
        return own.isEmpty ? usable([30 * Self.minute, Self.hour, 2 * Self.hour]) : own
    }
}
