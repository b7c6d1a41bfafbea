// SPDX-License-Identifier: Apache-2.0

import GAEN
import Matching

@testable import Reality

/// Encounters that nobody had, with evidence of which everything is known.
enum MadeUpPairs {
    /// Phone 100 heard phone `number`: scans of typical attenuation and seconds. Near is near for the whole time.
    static func pair(
        _ scene: ScenePositions.Name, _ number: Int, scans: [(attenuation: Int, seconds: Int)], isNear: Bool
    ) -> MetPair {
        let window = ExposureWindow(
            day: 20_000, firstSighting: 0, reportType: .confirmedTest, infectiousness: .standard,
            calibrationConfidence: .high,
            scanInstances: scans.map {
                ScanInstance(
                    typicalAttenuation: $0.attenuation, minimumAttenuation: $0.attenuation, secondsSinceLastScan: $0.seconds
                )
            })
        return MetPair(
            scene: scene, receiver: 100, sender: number, windows: scans.isEmpty ? [] : [window],
            secondsWithinOneAndAHalf: isNear ? 1_200 : 0, secondsWithinTwo: isNear ? 1_200 : 0, metresAtScans: [])
    }

    /// Twenty minutes each; near below `edge` dB and far from it on, without error.
    static func scene(_ name: ScenePositions.Name, edge: Int, from: Int = 36, to: Int = 84) -> [MetPair] {
        (from...to).map { attenuation in
            pair(
                name, attenuation, scans: (0..<4).map { _ in (attenuation, 300) }, isNear: attenuation < edge)
        }
    }
}
