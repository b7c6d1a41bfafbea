// SPDX-License-Identifier: Apache-2.0

/// A place or an event as described by its code (`QRCodePayload` of the Corona-Warn-App, spec cwa-protocols 8.1).
public struct TraceLocation: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The kind of a place (`TraceLocationType`).
    public enum Kind: UInt32, Sendable, Hashable, CaseIterable {
        /// The code states no kind, or one that this software does not know.
        case unspecified = 0
        /// A permanent place that has no kind of its own.
        case permanentOther = 1
        /// An event that has no kind of its own.
        case temporaryOther = 2
        /// A shop.
        case permanentRetail = 3
        /// A restaurant, a bar or the like.
        case permanentFoodService = 4
        /// A workshop.
        case permanentCraft = 5
        /// A place of work.
        case permanentWorkplace = 6
        /// A school, a university or the like.
        case permanentEducationalInstitution = 7
        /// A public building, such as a town hall.
        case permanentPublicBuilding = 8
        /// A concert, a play or the like.
        case temporaryCulturalEvent = 9
        /// A meeting of a club.
        case temporaryClubActivity = 10
        /// A private party or meeting.
        case temporaryPrivateEvent = 11
        /// A religious service.
        case temporaryWorshipService = 12

        /// Whether this kind is an event, which ends, rather than a permanent place; `false` for `unspecified`.
        public var isTemporary: Bool {
            switch self {
            case .temporaryOther, .temporaryCulturalEvent, .temporaryClubActivity, .temporaryPrivateEvent,
                .temporaryWorshipService:
                true
            default: false
            }
        }
    }

    /// The `QRCodePayload` exactly as received. Ids are derived from these bytes, never from the decoded values.
    public let payload: [UInt8]
    /// The version of the content as the code states; 0 when absent. Only ``supportedVersion`` is in use.
    public let version: UInt32
    /// The version of the part that describes the place, as the code states; 0 when absent. Not checked.
    public let locationVersion: UInt32
    /// The name of the place (`description` in the message): one line of 1 to ``maximumTextLength`` UTF-16 units if
    /// ``check()`` succeeds. It is foreign text by the maker of the code: show it with `ForeignText`.
    public let name: String
    /// The address of the place: one line of 1 to ``maximumTextLength`` UTF-16 units if ``check()`` succeeds. It is
    /// foreign text by the maker of the code: show it with `ForeignText`.
    public let address: String
    /// The start of an event, in Unix seconds; 0 when the code states none. Not after ``end`` if ``check()``
    /// succeeds.
    public let start: UInt64
    /// The end of an event, in Unix seconds; 0 when the code states none. At most the end of the year 9999 if
    /// ``check()`` succeeds.
    public let end: UInt64
    /// The health authority's key for CrowdNotifier, of any length, may be empty; the Corona-Warn-App does not use
    /// it.
    public let publicKey: [UInt8]
    /// The random part, which makes two codes of one place different; 16 bytes if ``check()`` succeeds.
    public let seed: [UInt8]
    /// The kind of the place; `unspecified` also for kinds that this software does not know.
    public let kind: Kind
    /// The number of minutes after which a visitor has usually left; 0 when the code states none.
    public let defaultMinutes: UInt32

    /// The maximum number of UTF-16 units of the name, and of the address (cwa-app-android `TraceLocationVerifier`; a
    /// comment in the protocol says 100).
    public static let maximumTextLength = 255
    /// The length of the random part of a code in bytes (spec cwa-protocols 8.1).
    public static let seedByteCount = 16
    /// The only version of codes that exists (spec cwa-protocols 8.1).
    public static let supportedVersion: UInt32 = 1

    init(
        payload: [UInt8], version: UInt32, locationVersion: UInt32, name: String, address: String, start: UInt64,
        end: UInt64,
        publicKey: [UInt8], seed: [UInt8], kind: Kind, defaultMinutes: UInt32
    ) {
        self.payload = payload
        self.version = version
        self.locationVersion = locationVersion
        self.name = name
        self.address = address
        self.start = start
        self.end = end
        self.publicKey = publicKey
        self.seed = seed
        self.kind = kind
        self.defaultMinutes = defaultMinutes
    }

    /// The venue's id, derived from ``payload`` at each access. Cannot fail.
    public var id: LocationID { LocationID(payload: payload) }

    /// Checks the content and throws the first error that applies: `invalidName` or `invalidAddress` when the text is
    /// empty, too long or has several lines; `invalidTimes` when the start is after the end, a start has no end, or
    /// the end is after the year 9999; `invalidSeed` when the random part does not have 16 bytes. An end without a
    /// start is allowed. ``version``, ``locationVersion`` and ``publicKey`` are not checked.
    public func check() throws(PresenceTracingError) {
        guard Self.isOneLine(name) else { throw PresenceTracingError(.invalidName) }
        guard Self.isOneLine(address) else { throw PresenceTracingError(.invalidAddress) }
        guard start <= end, end <= Self.latestTime else { throw PresenceTracingError(.invalidTimes) }
        guard seed.count == Self.seedByteCount else { throw PresenceTracingError(.invalidSeed, "there are \(seed.count)") }
    }

    /// The end of the year 9999. Later times are none, and would overflow what is computed with them.
    static let latestTime: UInt64 = 253_402_300_799

    private static func isOneLine(_ text: String) -> Bool {
        (1...maximumTextLength).contains(text.utf16.count) && !text.contains(where: \.isNewline)
    }

    /// The name of the type, and nothing of the place.
    public var description: String { "TraceLocation" }
    /// A mirror without children, so that `dump` shows nothing of the place.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
