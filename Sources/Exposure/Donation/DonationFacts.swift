// SPDX-License-Identifier: Apache-2.0

/// What a person's device has to donate at one moment.
public struct DonationFacts: Sendable, Hashable {
    /// Whether its wearer is told of an increased risk. Low and unknown are the same here, as with Corona-Warn-App.
    public var isIncreased: Bool
    /// The encounters of the last 14 days.
    public var windows: [DonatedWindow]
    /// The version of the software, without what comes after the second number.
    public var major: UInt32, minor: UInt32

    /// Creates facts; nothing is checked.
    public init(isIncreased: Bool, windows: [DonatedWindow], major: UInt32, minor: UInt32) {
        self.isIncreased = isIncreased
        self.windows = windows
        self.major = major
        self.minor = minor
    }

    /// The content of a donation, without padding: at most ``DonationPadding/maximumContentByteCount`` bytes.
    ///
    /// - Parameters:
    ///   - told: The answer about the risk, drawn once for each truth (``RandomisedResponse``): whether it is called increased.
    ///   - windows: The encounters to tell of. Those that do not fit are left out, from the end.
    /// - Returns: The content, and how many of `windows` are in it. Cannot fail.
    public func content(told: Bool, windows: [DonatedWindow]) -> (bytes: [UInt8], windowCount: Int) {
        var donation = PPADataDevice()
        var risk = ExposureRiskMetadata()
        risk.riskLevel = told ? .high : .low
        // A date, or that it has changed, would say whether the answer is true.
        risk.mostRecentDateAtRiskLevel = -1
        risk.ptMostRecentDateAtRiskLevel = -1
        donation.exposureRiskMetadataSet = [risk]
        var client = PPAClientMetadataDevice()
        client.major = major
        client.minor = minor
        client.boardClass = .wearable
        // No tag of the configuration: who has an old one would be known by it.
        donation.clientMetadata = client
        var free = DonationPadding.maximumContentByteCount - donation.encoded.count
        for window in windows.prefix(DonationLimits.maximumWindows) {
            let message = window.message
            var alone = PPADataDevice()
            alone.newExposureWindows = [message]
            free -= alone.encoded.count
            guard free >= 0 else { break }
            donation.newExposureWindows.append(message)
        }
        return (donation.encoded, donation.newExposureWindows.count)
    }
}
