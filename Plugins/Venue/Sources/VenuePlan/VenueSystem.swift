// SPDX-License-Identifier: Apache-2.0

import CrowdNotifier
import PresenceTracing

/// The systems for check-ins. Raw values are stable: they are on the disk, in interfaces and in settings.
public enum VenueSystem: String, Sendable, Hashable, CaseIterable {
    /// The Corona-Warn-App of Germany.
    case coronaWarnApp
    /// CrowdNotifier: SwissCovid and NotifyMe.
    case swissCovid
    /// NHS COVID-19 of England and Wales.
    case nhs
}

extension VenueTicket {
    /// The system that the code is of.
    public var system: VenueSystem { place.system }

    /// The name of the place and where it is, as for ``DiaryPlace/words``.
    public var words: (name: String, street: String?) { place.words }

    /// The moment until which the code counts, Unix seconds; `nil` for one that counts for ever: of the NHS, and of the Corona-Warn-App without an
    /// end.
    public var ends: Int64? {
        switch self {
        case .coronaWarnApp(let location): location.end == 0 ? nil : Int64(clamping: location.end)
        case .swissCovid(let venue): Int64(clamping: venue.end)
        case .nhs: nil
        }
    }
}

extension DiaryPlace {
    /// The system that the place's code is of.
    public var system: VenueSystem {
        switch self {
        case .coronaWarnApp: .coronaWarnApp
        case .swissCovid: .swissCovid
        case .nhs: .nhs
        }
    }

    /// The name that the code gives the place, and its address (of the NHS its postcode), `nil` if the code has none. Of somebody else: show them
    /// by `ForeignText`. The name is empty, and the address `nil`, for a kept code that cannot be read any more.
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
