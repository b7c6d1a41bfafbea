// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import VirtualAir

/// The scenes of `Tests/Vectors/warnings/scenes.json`, which were made from the specifications by somebody who had not seen
/// this firmware, as the table beside them was.
public struct SceneTable: Sendable, Decodable {
    let mappings: [String: WarningTable.Mapping]
    let scenes: [Scene]

    /// Reads `scenes.json` at `path`. Throws when it cannot be read, has another form, or has a scene with an unknown
    /// mapping.
    public init(contentsOf path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else { throw WarningFailure("\(path) cannot be read") }
        self = try JSONDecoder().decode(Self.self, from: data)
        guard scenes.allSatisfy({ mappings[$0.mapping] != nil }) else {
            throw WarningFailure("\(path) has a scene with a mapping that it does not say")
        }
    }

    /// The number of scenes in the table, 0 or more.
    public var count: Int { scenes.count }

    /// One scene in `share`, spread so that scenes which differ in one number only are not passed over together; each keeps its number.
    func share(_ share: Int, first: Int) -> [(number: Int, scene: Scene)] {
        scenes.enumerated().compactMap { number, scene in
            var generator = SplitMix64(seed: UInt64(number) &+ 77)
            let isChosen = (generator.next() &+ UInt64(first)) % UInt64(share) == 0
            return isChosen ? (number, scene) : nil
        }
    }
}
