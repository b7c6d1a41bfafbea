// SPDX-License-Identifier: Apache-2.0

import CrowdNotifier
import PresenceTracing

/// The systems for check-ins. Raw values are stable: they appear on disk, in interfaces and in settings.
public enum VenueSystem: String, Sendable, Hashable, CaseIterable {
    /// The Corona-Warn-App of Germany.
    case coronaWarnApp
    /// CrowdNotifier: SwissCovid and NotifyMe.
    case swissCovid
    /// NHS COVID-19 of England and Wales.
    case nhs
}

extension VenueTicket {
    /// The system that the code belongs to.
    public var system: VenueSystem { place.system }

    /// The name and the address of the place in the code, as in ``DiaryPlace/words``.
    public var words: (name: String, street: String?) { place.words }

    /// The time until which the code is valid, in Unix seconds; `nil` for a code without an end, as all of the NHS's, and
    /// the Corona-Warn-App's that name none.
    public var ends: Int64? {
        switch self {
        case .coronaWarnApp(let location): location.end == 0 ? nil : Int64(clamping: location.end)
        case .swissCovid(let venue): Int64(clamping: venue.end)
        case .nhs: nil
        }
    }
}

extension DiaryPlace {
    /// The system that the place's code belongs to.
    public var system: VenueSystem {
        switch self {
        case .coronaWarnApp: .coronaWarnApp
        case .swissCovid, .hidden: .swissCovid
        case .nhs: .nhs
        }
    }

    /// The name of the place in the code, and its address (for the NHS its postcode), `nil` if the code has none. Both are
    /// foreign text: show them with `ForeignText`. For a stored code that cannot be read any more the name is empty, and
    /// the address is `nil`; likewise for one that is hidden.
    public var words: (name: String, street: String?) {
        switch self {
        case .coronaWarnApp(let payload):
            let location = try? TraceLocation(payload: payload)
            return (location?.name ?? "", location?.address)
        case .swissCovid(let payload):
            let venue = try? CrowdNotifierVenue(payload: payload)
            return (venue?.name ?? "", venue.flatMap { $0.address.isEmpty ? nil : $0.address })
        case .nhs(_, let name, let postcode): return (name, postcode)
        case .hidden: return ("", nil)
        }
    }
}
