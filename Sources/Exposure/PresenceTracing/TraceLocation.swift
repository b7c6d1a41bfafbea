// SPDX-License-Identifier: Apache-2.0

/// A place or an event, as its code describes it (`QRCodePayload` of the Corona-Warn-App, spec cwa-protocols 8.1).
public struct TraceLocation: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The kind of a place (`TraceLocationType`).
    public enum Kind: UInt32, Sendable, Hashable, CaseIterable {
        /// No kind given, or one that this software does not know.
        case unspecified = 0
        /// A place that stays and has no kind of its own.
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
        /// A building of the authorities, such as a town hall.
        case permanentPublicBuilding = 8
        /// A concert, a play or the like.
        case temporaryCulturalEvent = 9
        /// A meeting of a club.
        case temporaryClubActivity = 10
        /// A private party or meeting.
        case temporaryPrivateEvent = 11
        /// A religious service.
        case temporaryWorshipService = 12

        /// Whether the kind is one of events, which end; false for `unspecified`.
        public var isTemporary: Bool {
            switch self {
            case .temporaryOther, .temporaryCulturalEvent, .temporaryClubActivity, .temporaryPrivateEvent,
                .temporaryWorshipService:
                true
            default: false
            }
        }
    }

    /// `QRCodePayload` as received, any bytes that are one: ids are made of these bytes, never of what was read out of them.
    public let payload: [UInt8]
    /// Version of the content as the code says; 0 when absent. ``supportedVersion`` is the only one in use.
    public let version: UInt32
    /// Version of the part that describes the place, as the code says; 0 when absent. Not checked.
    public let locationVersion: UInt32
    /// Name of the place (`description` in the message): one line of 1 to ``maximumTextLength`` UTF-16 units after
    /// ``check()``. Foreign text of the code's maker: show it by `ForeignText`.
    public let name: String
    /// Address of the place: one line of 1 to ``maximumTextLength`` UTF-16 units after ``check()``. Foreign text of the
    /// code's maker: show it by `ForeignText`.
    public let address: String
    /// Start of an event, Unix seconds; 0 when the code gives none. Not after ``end`` after ``check()``.
    public let start: UInt64
    /// End of an event, Unix seconds; 0 when the code gives none. At most the end of the year 9999 after ``check()``.
    public let end: UInt64
    /// The health authority's key for CrowdNotifier, of any length, perhaps empty; the Corona-Warn-App does not use it.
    public let publicKey: [UInt8]
    /// 16 random bytes after ``check()``, which make two codes of one place different.
    public let seed: [UInt8]
    /// The kind of the place; `unspecified` also for kinds that this software does not know.
    public let kind: Kind
    /// Minutes after which a visitor is usually gone; 0 when the code gives none.
    public let defaultMinutes: UInt32

    /// Most UTF-16 units of the name, and of the address (cwa-app-android `TraceLocationVerifier`; a comment in the
    /// protocol says 100).
    public static let maximumTextLength = 255
    /// Length of the random part of a code in bytes (spec cwa-protocols 8.1).
    public static let seedByteCount = 16
    /// The only version of codes there has been (spec cwa-protocols 8.1).
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

    /// The venue's id, derived from ``payload``. Each reading derives it anew; cannot fail.
    public var id: LocationID { LocationID(payload: payload) }

    /// Checks the content. Throws the first rule that is broken: `invalidName`, `invalidAddress`, `invalidTimes`, `invalidSeed`. A start needs an
    /// end that is not before it; an end alone is fine. ``version``, ``locationVersion`` and ``publicKey`` are not looked at.
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
