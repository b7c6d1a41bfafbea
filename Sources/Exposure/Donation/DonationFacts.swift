// SPDX-License-Identifier: Apache-2.0

/// What a person's device has to donate at one moment.
public struct DonationFacts: Sendable, Hashable {
    /// Whether its wearer is told of an increased risk. Low and unknown are the same here, as with Corona-Warn-App.
    public var isIncreased: Bool
    /// The encounters of the last 14 days.
    public var windows: [DonatedWindow]

    /// Creates facts; nothing is checked.
    public init(isIncreased: Bool, windows: [DonatedWindow]) {
        self.isIncreased = isIncreased
        self.windows = windows
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
        client.boardClass = .wearable
        // No version: the issuer knows it from evidence, and would find the few devices that have a new one. No tag of the configuration: who has an old
        // one would be known by it.
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
