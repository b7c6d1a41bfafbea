// SPDX-License-Identifier: Apache-2.0

public import CrowdNotifier
public import PresenceTracing
public import VenueNotices

/// A code that was read, of whichever system.
public enum VenueTicket: Sendable, Hashable, CustomStringConvertible {
    /// A code of the Corona-Warn-App, with its location.
    case coronaWarnApp(TraceLocation)
    /// A code of CrowdNotifier, as SwissCovid uses it, with its venue.
    case swissCovid(CrowdNotifierVenue)
    /// A poster of the NHS, whose signature holds.
    case nhs(VenuePoster)

    /// The systems that are followed, by the authority's settings; a code of another one is none.
    public struct Reader: Sendable {
        /// Links of the Corona-Warn-App; empty when it is not followed.
        public var descriptors: [VenueCode.Descriptor]
        /// Versions of the Corona-Warn-App's codes that are not taken any more; empty for none.
        public var revokedVersions: Set<UInt32>
        /// Links of CrowdNotifier; empty when it is not followed.
        public var crowdNotifier: [CrowdNotifierCode]
        /// The keys that posters may be signed with; empty when the NHS is not followed.
        public var posterKeys: [VenuePoster.Key]

        /// A reader with these settings, as they are; without any it follows no system and refuses every code.
        public init(
            descriptors: [VenueCode.Descriptor] = [], revokedVersions: Set<UInt32> = [],
            crowdNotifier: [CrowdNotifierCode] = [], posterKeys: [VenuePoster.Key] = []
        ) {
            self.descriptors = descriptors
            self.revokedVersions = revokedVersions
            self.crowdNotifier = crowdNotifier
            self.posterKeys = posterKeys
        }

        /// Reads a code as scanned or pasted, at `now` (Unix seconds), which counts for codes of CrowdNotifier only.
        /// - Throws: `notAVenueCode` if it is of no system that is followed; `codeRefused`, with the system's own sentence, if it is of one and
        ///   broken, revoked or not signed by a key of the settings, and for any text of more than ``VenueCode/maximumBytes``.
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

    /// The word `VenueTicket`, and nothing of the place.
    public var description: String { "VenueTicket" }
}

/// A place as the diary keeps it. Codes are kept whole: ids and keys are derived from them.
public enum DiaryPlace: Sendable, Hashable, CustomStringConvertible {
    /// The bytes of the code of the Corona-Warn-App, in protobuf.
    case coronaWarnApp(payload: [UInt8])
    /// The bytes of the code of CrowdNotifier, in protobuf.
    case swissCovid(payload: [UInt8])
    /// The poster of the NHS: its venue's id, name and postcode, `nil` if it has none.
    case nhs(id: String, name: String, postcode: String?)

    /// The word `DiaryPlace`, and nothing of the place.
    public var description: String { "DiaryPlace" }
}
