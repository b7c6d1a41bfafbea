// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Vault

/// What is in Tests/Vectors/store-0.2.0, as its README says.
enum MigratedStore {
    private static let today: UInt32 = 19_700

    /// What is missing in `vault`, which may have gone on since.
    static func problem(_ vault: Vault) throws -> String? {
        guard vault.isEnabled == true else { return "the choice of before is lost" }
        let keys = vault.schedule.past + (vault.schedule.current.map { [$0] } ?? [])
        for day in (today - 5)...today {
            let secret = SecretBytes(copying: [UInt8](repeating: UInt8(day % 100), count: 16))
            guard let key = keys.first(where: { $0.rollingStart == ENIN(day * 144) }), key.secret == secret,
                key.rollingPeriod == 144
            else { return "the key of day \(day) is lost" }
        }
        guard Set(vault.days).isSuperset(of: [today - 1, today]) else { return "days are lost" }
        for day in [today - 1, today] {
            let scans = try vault.scans(day: day)
            guard scans.count == 3 else { return "\(scans.count) scans of day \(day)" }
            for (number, scan) in scans.enumerated() {
                let start = day * 86_400 + UInt32(number) * 250
                let identifiers = (0...number).map {
                    RollingProximityIdentifier(Block(low: UInt64(start), high: UInt64($0)))
                }
                guard scan.start == start, scan.previousScan == start - 250, scan.profileRevision == 7,
                    scan.heard.map(\.payload.identifier) == identifiers
                else { return "a scan of day \(day) is another" }
            }
        }
        return nil
    }
}
