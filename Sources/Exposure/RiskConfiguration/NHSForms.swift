// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import Matching

/// What NHS COVID-19 calls it (spec checkin-and-nhs B.1 to B.3).
enum NHSForms {
    typealias Second = NHSSecondParameters

    private static func positive(_ limit: Double) -> Form<Double> { .number(0...limit, above: true) }

    /// The block `riskScore`. Its parts are required: a filter with a stand-in among its numbers judges nobody.
    static let riskScore: [Field<Second>] = [
        .required("sampleResolution", \.sampleResolution, .number(0.1...60), "Seconds of one step."),
        .required(
            "expectedDistance", \.expectedDistance, positive(100), "Metres per second that people are expected to move."),
        .required("minimumDistance", \.minimumDistance, positive(100), "Metres below which nearer is no worse."),
        .group(
            "rssiParameters",
            [
                .required(
                    "weightCoefficient", \.weightCoefficient, positive(100),
                    "Slope of the logarithm of attenuation over that of distance."),
                .required("intercept", \.intercept, .number(-100...100), "Logarithm of the attenuation at one metre."),
                .required("covariance", \.covariance, positive(1_000), "How far observations scatter."),
            ], in: Second(), "How attenuation depends on distance."),
        .group(
            "powerLossParameters",
            [
                .required("wavelength", \.wavelength, positive(1_000), "Metres."),
                .required("pathLossFactor", \.pathLossFactor, positive(1_000), "For observations of kind gen."),
                .required("refDeviceLoss", \.referenceDeviceLoss, .number(-1_000...1_000), "dB."),
            ], in: Second(), "For observations of kind gen."),
        .required(
            "observationType", \.observationType, .word([("log", .log), ("gen", .gen)]), "How attenuation is observed."),
        .group(
            "initialData",
            [
                .required("mean", \.initialMean, positive(1_000), "Metres."),
                .required("covariance", \.initialCovariance, positive(1_000_000), "Square metres."),
            ], in: Second(), "What is assumed before the first observation."),
        .group(
            "smootherParameters",
            [
                .required("alpha", \.alpha, positive(10), "Spread of the sigma points."),
                .required("beta", \.beta, .number(0...10), "Weight of the middle one."),
                .required("kappa", \.kappa, .number(-3...100, above: true), "Second spread."),
            ], in: Second(), "Of the unscented filter."),
    ]

    static let infectiousnessWeights = Form.list(Form.number(0...100), 3...3)

    static let second = Form.object(
        Second(),
        [
            .group("riskScore", riskScore, in: Second(), "How distance is estimated."),
            .required(
                "infectiousnessWeights", \.infectiousnessWeights, infectiousnessWeights,
                "For infectiousness none, standard and high."),
            .required(
                "riskThreshold", \.riskThreshold, positive(1_000_000),
                "Score of a window from which on the risk is increased."),
            .optional(
                "contactCaseDays", \.contactCaseDays, .integer(0...365),
                "Days before today beyond which a window warns nobody."),
        ])

    static let first = Form.object(
        NHSFirstParameters(exposures: GAENForms.noScores),
        [
            .required("exposures", \.exposures, GAENForms.exposuresV1, "How an exposure is measured."),
            .required(
                "durationBucketWeights", \.durationBucketWeights, GAENForms.bucketWeights,
                "For below, between and above the two thresholds."),
            .required("riskThreshold", \.riskThreshold, positive(1_000_000), "Score from which on the risk is increased."),
            .optional("sigma", \.sigma, positive(100), "Of the bell over the level's distance from 7."),
        ])

    /// What documents call the parameters of ``second``, where that is not their own name.
    static let places = [
        "sampleResolution": "riskScore.sampleResolution", "expectedDistance": "riskScore.expectedDistance",
        "minimumDistance": "riskScore.minimumDistance",
        "weightCoefficient": "riskScore.rssiParameters.weightCoefficient",
        "intercept": "riskScore.rssiParameters.intercept", "covariance": "riskScore.rssiParameters.covariance",
        "wavelength": "riskScore.powerLossParameters.wavelength",
        "pathLossFactor": "riskScore.powerLossParameters.pathLossFactor",
        "referenceDeviceLoss": "riskScore.powerLossParameters.refDeviceLoss",
        "observationType": "riskScore.observationType", "initialMean": "riskScore.initialData.mean",
        "initialCovariance": "riskScore.initialData.covariance", "alpha": "riskScore.smootherParameters.alpha",
        "beta": "riskScore.smootherParameters.beta", "kappa": "riskScore.smootherParameters.kappa",
    ]
}
