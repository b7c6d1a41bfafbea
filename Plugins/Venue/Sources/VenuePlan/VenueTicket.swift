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

        /// Reads a code as it was scanned or pasted. `now` (in Unix seconds) only matters for codes of CrowdNotifier.
        /// - Throws: `DiaryError`: `notAVenueCode` if the text belongs to no followed system; `codeRefused`, with the
        ///   system's own sentence, if it belongs to one but is broken, revoked or not signed by a key of the settings, or
        ///   if the text has more than ``VenueCode/maximumBytes`` bytes.
        public func read(_ text: some StringProtocol, at now: Int64) throws(DiaryError) -> VenueTicket {
            do throws(PresenceTracingError) {
                return .coronaWarnApp(try VenueCode.read(text, as: descriptors, revoked: revokedVersions))
            } catch {
                if error.code != .notAVenueCode { throw DiaryError(.codeRefused, error.description) }
            }
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

    /// The word `DiaryPlace`, without anything about the place.
    public var description: String { "DiaryPlace" }
}
