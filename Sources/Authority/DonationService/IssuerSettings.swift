// SPDX-License-Identifier: Apache-2.0

package import DeviceEvidence
package import Donation
package import JSON

/// What an operator decides about an issuer (`settings.json` of its folder).
package struct IssuerSettings: Sendable, Hashable {
    /// The host as challenges name it, in lower case, perhaps with a port.
    package var name: String
    /// The address for boards, `https://…` without a slash at its end.
    package var address: String
    /// The fewest devices of the fleet, 2 or more: with fewer, a donation could be guessed to be somebody's.
    package var minimumFleet: Int
    /// The days for which keys are made ahead, today among them; 1 to 60.
    package var daysAhead = 10
    /// The monthly purposes that the issuer has keys for, besides donations.
    package var purposes: Set<MonthlyPurpose>
    /// The days, today among them, in which a device must have shown evidence to count for the fleet.
    package static let fleetDays: Int64 = 8
    /// The days from the one on which the fleet has become large enough until tokens are signed.
    package static let waitingDays: Int64 = 2
    /// The largest ``minimumFleet``.
    package static let maximumFleet = 1_000_000
    /// The tiers of evidence that are accepted.
    package static let tiers: Set<DeviceEvidence.Tier> = [.software, .keptByModule]

    /// Takes settings. Throws `invalidSettings` if one is out of its range.
    package init(
        name: String, address: String, minimumFleet: Int, purposes: Set<MonthlyPurpose> = []
    ) throws(DonationServiceError) {
        // The document that boards get has the rules for names and addresses.
        guard
            DonationTerms(
                version: 1, issuerName: name, issuerAddress: address, origin: "donation.invalid",
                serverAddress: "https://donation.invalid", keys: []) != nil
        else { throw DonationServiceError(.invalidSettings, "the issuer's name or address") }
        guard (2...Self.maximumFleet).contains(minimumFleet) else {
            throw DonationServiceError(.invalidSettings, "the minimum fleet is 2 to \(Self.maximumFleet)")
        }
        self.name = name
        self.address = address
        self.minimumFleet = minimumFleet
        self.purposes = purposes
    }

    /// Reads `settings.json`. Throws `invalidSettings`.
    package init(_ json: JSON) throws(DonationServiceError) {
        guard let name = json["name"]?.string, let address = json["address"]?.string,
            let fleet = json["minimumFleet"]?.int
        else { throw DonationServiceError(.invalidSettings, "settings.json") }
        var purposes: Set<MonthlyPurpose> = []
        for word in json["purposes"]?.array ?? [] {
            guard let purpose = word.string.flatMap({ MonthlyPurpose(rawValue: $0) }) else {
                throw DonationServiceError(.invalidSettings, "settings.json: purposes")
            }
            purposes.insert(purpose)
        }
        try self.init(name: name, address: address, minimumFleet: Int(clamping: fleet), purposes: purposes)
    }

    /// The content of `settings.json`.
    package var json: JSON {
        [
            "name": .string(name), "address": .string(address), "minimumFleet": .int(Int64(minimumFleet)),
            "purposes": .array(MonthlyPurpose.allCases.filter(purposes.contains).map { .string($0.rawValue) }),
        ]
    }
}
