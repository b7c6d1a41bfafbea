// SPDX-License-Identifier: Apache-2.0

import CrowdNotifier
import PresenceTracing

/// The systems for check-ins. Raw values are stable: they are on the disk, in interfaces and in settings.
public enum VenueSystem: String, Sendable, Hashable, CaseIterable {
    case coronaWarnApp
    /// CrowdNotifier: SwissCovid and NotifyMe.
    case swissCovid
    case nhs
}

extension VenueTicket {
    public var system: VenueSystem { place.system }

    /// As of ``DiaryPlace/words``.
    public var words: (name: String, street: String?) { place.words }

    /// Until when the code counts, Unix seconds; `nil` for one that counts for ever.
    public var ends: Int64? {
        switch self {
        case .coronaWarnApp(let location): location.end == 0 ? nil : Int64(clamping: location.end)
        case .swissCovid(let venue): Int64(clamping: venue.end)
        case .nhs: nil
        }
    }
}

extension DiaryPlace {
    public var system: VenueSystem {
        switch self {
        case .coronaWarnApp: .coronaWarnApp
        case .swissCovid: .swissCovid
        case .nhs: .nhs
        }
    }

    /// What the code calls the place, and where it says that it is. Of somebody else: show them by `ForeignText`. The name is empty for what is no
    /// code any more.
    public var words: (name: String, street: String?) {
        switch self {
        case .coronaWarnApp(let payload):
            let location = try? TraceLocation(payload: payload)
            return (location?.name ?? "", location?.address)
        case .swissCovid(let payload):
            let venue = try? CrowdNotifierVenue(payload: payload)
            return (venue?.name ?? "", venue.flatMap { $0.address.isEmpty ? nil : $0.address })
        case .nhs(_, let name, let postcode): return (name, postcode)
        }
    }
}
