// SPDX-License-Identifier: Apache-2.0

import CrowdNotifier
import Cryptography

enum Samples {
    static let publicKey = [UInt8](repeating: 0x5A, count: 96)
    static let seed = Array(1...32 as ClosedRange<UInt8>)
    /// The fourth of March 2021, 00:00 UTC.
    static let midnight: Int64 = 1_614_816_000

    static func venue(
        name: String = "Bar zum Adler", address: String = "Bern", start: UInt64 = 1_600_000_000,
        end: UInt64 = 1_700_000_000,
        publicKey: [UInt8] = publicKey, seed: [UInt8] = seed, countryData: [UInt8] = SwissCovidVenueData().encoded
    ) throws -> CrowdNotifierVenue {
        try CrowdNotifierVenue(
            name: name, address: address, start: start, end: end, publicKey: publicKey, seed: seed, countryData: countryData
        )
    }

    static func refusal(_ body: () throws -> Void) -> CrowdNotifierError.Code? {
        do {
            try body()
            return nil
        } catch { return (error as? CrowdNotifierError)?.code }
    }
}
