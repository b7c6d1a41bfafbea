// SPDX-License-Identifier: Apache-2.0

import Cryptography
import DiagnosisPlan
import Glibc
import PluginKit
import RandomValues

@testable import DiagnosisPlugin

/// What a plugin finds on its disk if none of its slots is to fall into a test.
enum QuietDisk {
    /// How long nothing happens by itself: longer than a test takes, on its own clock and on the machine's.
    static let seconds: Int64 = 300

    /// Writes a seed into the plugin's folder for lasting files whose next slot is more than ``seconds`` away.
    static func write(_ state: String, _ density: SlotSchedule.Density) throws {
        // The seed is always the same; how many are tried depends on the time of day.
        var random = SeededGenerator(seed: 300)
        let now = Int64(time(nil))
        while true {
            let seed = SecretBytes(count: 32, from: &random)
            guard try SlotSchedule(seed: seed, density: density).next(after: now) > now + seconds else { continue }
            let store = try KeyValueStore(
                folder: state, limit: TestStore.storeBytes, slotBytes: TestStore.slotBytes, hasPatches: true)
            return try store.set(seed.withBytes { Base64.string(Array($0)) }, for: "seed")
        }
    }
}
