// SPDX-License-Identifier: Apache-2.0

import GAEN
import Matching

/// Windows by their levels of attenuation, with scans four minutes apart.
enum DonatedWindowMaker {
    static func window(day: Int, levels: [Int]) -> ExposureWindow {
        ExposureWindow(
            day: UInt32(day), firstSighting: UInt32(day) * 86_400, reportType: .confirmedTest, infectiousness: .high,
            calibrationConfidence: .high,
            scanInstances: levels.map {
                ScanInstance(typicalAttenuation: $0, minimumAttenuation: $0 - 4, secondsSinceLastScan: 240)
            })
    }
}
