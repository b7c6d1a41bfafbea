// SPDX-License-Identifier: Apache-2.0

public import CrowdNotifier
public import PresenceTracing
public import VenueNotices

/// A code that was read, of any system.
public enum VenueTicket: Sendable, Hashable, CustomStringConvertible {
    /// A code of the Corona-Warn-App, with its location.
    case coronaWarnApp(TraceLocation)
    /// A code of CrowdNotifier, as SwissCovid uses it, with its venue.
    case swissCovid(CrowdNotifierVenue)
    /// A poster of the NHS with a valid signature.
    case nhs(VenuePoster)

    /// Reads the codes of the systems that the device follows, by its settings; refuses those of other systems.
    public struct Reader: Sendable {
        /// The forms of the Corona-Warn-App's links; empty if the system is not followed.
        public var descriptors: [VenueCode.Descriptor]
        /// The versions of the Corona-Warn-App's codes that are no longer accepted; may be empty.
        public var revokedVersions: Set<UInt32>
        /// The forms of CrowdNotifier's links; empty if the system is not followed.
        public var crowdNotifier: [CrowdNotifierCode]
        /// The keys that may sign posters of the NHS; empty if the system is not followed.
        public var posterKeys: [VenuePoster.Key]

        /// Creates a reader of these settings, unchecked; with the defaults it refuses every code.
        public init(
            descriptors: [VenueCode.Descriptor] = [], revokedVersions: Set<UInt32> = [],
            crowdNotifier: [CrowdNotifierCode] = [], posterKeys: [VenuePoster.Key] = []
        ) {
            self.descriptors = descriptors
            self.revokedVersions = revokedVersions
            self.crowdNotifier = crowdNotifier
            self.posterKeys = posterKeys
        }

        /// Seconds before an event from which on its code is taken: two hours, our choice, for guests who come early.
        public static let eventLead: Int64 = 7_200

        /// Reads a code for a visit that begins at `now`, in Unix seconds: one of an event, too, is limited in time, because the visit would meet nobody there.
        /// - Throws: `DiaryError` as ``read(_:at:)`` does; `codeRefused` also if the event is over, or begins more than ``eventLead`` later.
        public func readForVisit(_ text: some StringProtocol, at now: Int64) throws(DiaryError) -> VenueTicket {
            let ticket = try read(text, at: now)
            guard case .coronaWarnApp(let location) = ticket else { return ticket }
            let (start, end) = (Int64(clamping: location.start), Int64(clamping: location.end))
            guard end == 0 || now < end else { throw DiaryError(.codeRefused, "the event of this code is over") }
            guard start <= now || start - now <= Self.eventLead else {
                throw DiaryError(.codeRefused, "the event of this code begins later; check in when you are there")
            }
            return ticket
        }

        /// The place of a code of the Corona-Warn-App, in whichever encoding that the system knows; `nil` for the codes of others.
        private func location(_ text: some StringProtocol) throws(DiaryError) -> TraceLocation? {
            var refusal: PresenceTracingError?
            for descriptor in descriptors {
                do throws(PresenceTracingError) {
                    return try VenueCode.read(text, as: [descriptor], revoked: revokedVersions)
                } catch {
                    // The first says what is wrong: others are for other links, or for what is no Base64.
                    if error.code != .notAVenueCode { refusal = refusal ?? error }
                }
            }
            if let refusal { throw DiaryError(.codeRefused, refusal.description) }
            return nil
        }

        /// Reads a code as it was scanned or pasted. `now` (in Unix seconds) only matters for codes of CrowdNotifier.
        /// - Throws: `DiaryError`: `notAVenueCode` if the text belongs to no followed system; `codeRefused`, with the
        ///   system's own sentence, if it belongs to one but is broken, revoked or not signed by a key of the settings, or
        ///   if the text has more than ``VenueCode/maximumBytes`` bytes.
        public func read(_ text: some StringProtocol, at now: Int64) throws(DiaryError) -> VenueTicket {
            if let location = try location(text) { return .coronaWarnApp(location) }
            for code in crowdNotifier {
                do throws(CrowdNotifierError) { return .swissCovid(try code.read(text, at: now)) } catch {
                    if error.code != .notAVenueCode { throw DiaryError(.codeRefused, error.description) }
                }
            }
            guard !posterKeys.isEmpty else { throw DiaryError(.notAVenueCode) }
            do throws(VenueNoticesError) { return .nhs(try VenuePoster(text, keys: posterKeys)) } catch {
                if error.code != .notAPoster { throw DiaryError(.codeRefused, error.description) }
            }
            throw DiaryError(.notAVenueCode)
        }
    }

    /// What the diary keeps of it.
    var place: DiaryPlace {
        switch self {
        case .coronaWarnApp(let location): .coronaWarnApp(payload: location.payload)
        case .swissCovid(let venue): .swissCovid(payload: venue.payload)
        case .nhs(let poster): .nhs(id: poster.id, name: poster.name, postcode: poster.postcode)
        }
    }

    /// Minutes after which a visit that begins at `now` (Unix seconds) ends by itself. The NHS's app ended visits at midnight; here they end after
    /// twelve hours, as SwissCovid's do by default.
    func minutes(at now: Int64) -> Int {
        switch self {
        case .coronaWarnApp(let location): location.autoCheckOutMinutes(checkIn: now)
        case .swissCovid(let venue):
            SwissCovidVenueData(venue.countryData)?.automaticCheckOutMinutes
                ?? SwissCovidVenueData().automaticCheckOutMinutes
        case .nhs: SwissCovidVenueData().automaticCheckOutMinutes
        }
    }

    /// The word `VenueTicket`, without anything about the place.
    public var description: String { "VenueTicket" }
}

/// A place as the diary stores it: the whole code, because identifiers and keys are derived from it.
public enum DiaryPlace: Sendable, Hashable, CustomStringConvertible {
    /// A code of the Corona-Warn-App, as protobuf bytes.
    case coronaWarnApp(payload: [UInt8])
    /// A code of CrowdNotifier, as protobuf bytes.
    case swissCovid(payload: [UInt8])
    /// A poster of the NHS: the venue's identifier, its name, and its postcode, `nil` if it has none.
    case nhs(id: String, name: String, postcode: String?)
    /// A place of CrowdNotifier that the wearer has hidden: what is stored does not tell which one.
    case hidden(HiddenVisit)

    /// Whether it is hidden.
    public var isHidden: Bool { if case .hidden = self { true } else { false } }
    /// Whether it could be hidden, and is not.
    public var isInTheClear: Bool { if case .swissCovid = self { true } else { false } }

    /// The word `DiaryPlace`, without anything about the place.
    public var description: String { "DiaryPlace" }
}
