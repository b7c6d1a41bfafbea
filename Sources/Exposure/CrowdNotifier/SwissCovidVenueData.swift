// SPDX-License-Identifier: Apache-2.0

import KeyExport

/// The part of a venue's code that is SwissCovid's own (`SwissCovidLocationData`, spec checkin-and-nhs A.2 and
/// A.8).
public struct SwissCovidVenueData: Sendable, Hashable {
    /// The version of the format as the code states; 0 when absent. Nothing depends on it.
    public var version: UInt32 = 0
    /// The type of the code: 0 when anybody made it in the app, also when absent; 1 when an authority made it. Other
    /// numbers are accepted and have no meaning here.
    public var type: UInt32 = 0
    /// The room or part of the place, of any length, may be empty. It is foreign text by the maker of the code: show
    /// it with `ForeignText`.
    public var room = ""
    /// The number of milliseconds after which the visitor is asked, as written: any number, 0 when absent.
    /// ``checkOutWarningMinutes`` is the value to use.
    public var checkOutWarningDelay: Int64 = 0
    /// The number of milliseconds after which a visit ends automatically, as written: any number, 0 when absent.
    /// ``automaticCheckOutMinutes`` is the value to use.
    public var automaticCheckOutDelay: Int64 = 0
    /// The numbers of milliseconds after which reminders are offered, as written, any numbers; at most 100 in data
    /// that were read. ``reminderMinutes`` has the values to use.
    public var reminderDelays: [Int64] = []

    /// Numbers of reminders that are read; three are offered.
    static let maximumReminders = 100

    /// Creates data whose numbers are 0 and whose texts and lists are empty.
    public init() {}

    /// Reads the protobuf message of a code's `countryData`; the list of reminders may be packed or not. Returns
    /// `nil` when it is malformed or has more than 100 reminders.
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

    /// The number of whole minutes, rounded down, after which a visit ends automatically: the code's value if it is
    /// from one minute to 7 days, otherwise twelve hours.
    public var automaticCheckOutMinutes: Int { Int(checkOut / Self.minute) }

    private var checkOut: Int64 {
        (Self.minute...Self.longest).contains(automaticCheckOutDelay) ? automaticCheckOutDelay : 12 * Self.hour
    }

    /// The number of whole minutes, rounded down, after which the visitor is asked whether they are still there, 1 or
    /// more: the code's value if it is a minute or more, otherwise eight hours. `nil` when that is not before the
    /// automatic check-out.
    public var checkOutWarningMinutes: Int? {
        let delay = checkOutWarningDelay >= Self.minute ? checkOutWarningDelay : 8 * Self.hour
        return delay < checkOut ? Int(delay / Self.minute) : nil
    }

    /// The numbers of whole minutes, rounded down, that are offered for a reminder, at most three, shortest first:
    /// the first three of the code's delays from one minute to before the automatic check-out, of which those with
    /// the same number count once; without any, half an hour, one hour and two hours, as far as they are before it.
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
