// SPDX-License-Identifier: Apache-2.0

/// Where this firmware was decided to tell something else than the scenes have, and the scenes name no reading for it.
enum SceneReadings {
    /// One check of one scene.
    struct Answer {
        let check: Int
        let told: Scene.Told
    }

    /// Packages are offered by whole days (`daysToPublish`, docs/authority.md): that of a submission at noon is there until the tenth day ends,
    /// and not until the tenth day's noon. What is met so is warned.
    private static let wholeDaysAreOffered = [
        "age: contact on the day itself, first download on day 10, 9 min": Answer(check: 0, told: .increased),
        "age: contact on the day itself, first download on day 10, 8 min": Answer(check: 0, told: .low),
    ]

    /// Two days count from the end of the newest signed period, an hour before the download (docs/decisions/0032), and not from the download.
    private static let freshnessIsBySignedTime = [
        "outdated: 8 min, asked 47 h after the last download": Answer(check: 1, told: .unknown),
        "outdated: 8 min, asked 47 h after the last download, then on line again": Answer(check: 1, told: .unknown),
    ]

    static func decided(_ scene: Scene, check: Int) -> Scene.Told? {
        let answers = [wholeDaysAreOffered, freshnessIsBySignedTime].compactMap { $0[scene.name] }
        return answers.first { $0.check == check }?.told
    }
}
