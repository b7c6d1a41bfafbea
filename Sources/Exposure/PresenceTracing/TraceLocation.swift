// SPDX-License-Identifier: Apache-2.0

/// A place or an event, as its code describes it (`QRCodePayload` of the Corona-Warn-App, spec cwa-protocols 8.1).
public struct TraceLocation: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// What kind of place it is (`TraceLocationType`).
    public enum Kind: UInt32, Sendable, Hashable, CaseIterable {
        case unspecified = 0
        case permanentOther = 1
        case temporaryOther = 2
        case permanentRetail = 3
        case permanentFoodService = 4
        case permanentCraft = 5
        case permanentWorkplace = 6
        case permanentEducationalInstitution = 7
        case permanentPublicBuilding = 8
        case temporaryCulturalEvent = 9
        case temporaryClubActivity = 10
        case temporaryPrivateEvent = 11
        case temporaryWorshipService = 12

        /// Whether it is an event with an end of its own.
        public var isTemporary: Bool {
            switch self {
            case .temporaryOther, .temporaryCulturalEvent, .temporaryClubActivity, .temporaryPrivateEvent,
                .temporaryWorshipService:
                true
            default: false
            }
        }
    }

    /// `QRCodePayload` as received: ids are made of these bytes, never of what was read out of them.
    public let payload: [UInt8]
    public let version: UInt32
    /// Of the part that describes the place.
    public let locationVersion: UInt32
    /// `description` in the message. Of somebody else: show it by `ForeignText`.
    public let name: String
    /// Likewise.
    public let address: String
    /// Unix seconds; 0 when the code gives none.
    public let start: UInt64
    /// Unix seconds; 0 when the code gives none.
    public let end: UInt64
    /// Of the health authority, for CrowdNotifier; the Corona-Warn-App does not use it.
    public let publicKey: [UInt8]
    /// Makes two codes of one place different.
    public let seed: [UInt8]
    /// `unspecified` also for kinds that this software does not know.
    public let kind: Kind
    /// Minutes after which a visitor is usually gone; 0 when the code gives none.
    public let defaultMinutes: UInt32

    /// UTF-16 units of name and address at most (cwa-app-android `TraceLocationVerifier`; a comment in the protocol says 100).
    public static let maximumTextLength = 255
    public static let seedByteCount = 16
    /// The only version of codes there has been.
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

    public var id: LocationID { LocationID(payload: payload) }

    /// Throws the first rule of the content that is broken: `invalidName`, `invalidAddress`, `invalidTimes`, `invalidSeed`. A start needs an
    /// end that is not before it; an end alone is fine.
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

    /// Shows nothing of the place.
    public var description: String { "TraceLocation" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
