// SPDX-License-Identifier: Apache-2.0

import ExposureRisk

/// What SwissCovid calls it (DP-3T's `GAENSDKConfig`; spec rules-and-nhs 7).
enum SwissCovidForms {
    private static let factor = Form.number(0...100)

    /// The five numbers that are published. Of what is left out the software kit's own values hold.
    static let published: [Field<SwissCovidParameters>] = [
        .optional("lowerThreshold", \.lowerThreshold, .integer(0...255), "dB below which time is near."),
        .optional("higherThreshold", \.higherThreshold, .integer(0...255), "dB below which time is medium."),
        .optional("factorLow", \.factorLow, factor, "What a near minute counts."),
        .optional("factorHigh", \.factorHigh, factor, "What a medium minute counts."),
        .optional(
            "triggerThreshold", \.triggerThreshold, .number(0...1_440, above: true),
            "Weighted minutes of a day from which on the risk is increased."),
    ]

    /// In Vigil's own document.
    static let rule = Form.object(
        SwissCovidParameters(),
        published + [
            .optional(
                "daysToConsider", \.daysToConsider, .integer(1...365),
                "Days before today beyond which windows are left out.")
        ])
}
