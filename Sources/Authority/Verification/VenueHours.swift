// SPDX-License-Identifier: Apache-2.0

public import CrowdNotifier

/// The hours at venues that one person hands in to warn other visitors, without fakes: each lasts an hour at most. Times
/// are not compared with now.
public struct VenueHours: Sendable, Hashable {
    /// The most hours of one person: 336, as many as there are in the 14 days for which warnings are kept (spec checkin-and-nhs A.5). Our own bound: all people together have room for a
    /// limited number, and uploads have room for 1,024.
    public static let maximumCount = 14 * 24
    /// The genuine entries, in the order in which they were sent; at most ``maximumCount``.
    public let entries: [UserUpload.Entry]

    /// Creates an empty set of hours.
    public init() { entries = [] }

    /// Takes entries that are usable already.
    init(checked entries: [UserUpload.Entry]) { self.entries = entries }

    /// Reads messages `UploadVenueInfo`. Throws `tooManyHours` for more than ``maximumCount``, `malformed` if any is
    /// not such a message or is a fake, and `unusableTime` if any does not last an hour at most.
    public init(messages: [[UInt8]]) throws(VenueHoursFlaw) {
        guard messages.count <= Self.maximumCount else { throw .tooManyHours }
        var entries: [UserUpload.Entry] = []
        for message in messages {
            guard let entry = try? UserUpload.Entry(decoding: message), !entry.isFake else { throw .malformed }
            guard entry.hasUsableTime else { throw .unusableTime }
            entries.append(entry)
        }
        self.entries = entries
    }
}

/// The rule that an upload of hours at venues breaks. Raw values are stable: they name counters and appear in the details
/// of errors.
public enum VenueHoursFlaw: String, Error, Sendable, CaseIterable {
    /// The body is too large, or not a valid protobuf message, or an entry is.
    case malformed
    /// An upload does not have exactly ``UserUpload/entryCount`` entries.
    case wrongCount
    /// More than ``VenueHours/maximumCount`` hours warn others.
    case tooManyHours
    /// An entry does not end after it begins, or lasts longer than an hour. Only of lists; uploads leave such entries out.
    case unusableTime
    /// The person was at two places at once, or came to more than two within one minute.
    case overlap
}
