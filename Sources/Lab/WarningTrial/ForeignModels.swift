// SPDX-License-Identifier: Apache-2.0

import JSON

/// The lists of models that authorities of the tables publish.
enum ForeignModels {
    /// The Corona-Warn-App's second generation (`second`), with its first as a fallback (`secondFirst`), Google's daily summaries (`daily`), or
    /// one of NHS COVID-19's (`nhs1`, `nhs2`). `ours` are the Corona-Warn-App's two.
    static func models(named name: String, ours: [JSON]) throws -> [JSON] {
        guard ours.count == 2 else {
            throw WarningFailure("the rules of a new state folder are not the two models that the table asks for")
        }
        switch name {
        case "second": return [ours[0]]
        case "secondFirst": return ours
        case "daily": return [try JSON(parsing: Array(dailySummaries.utf8))]
        case "nhs1": return [try JSON(parsing: Array(nhsFirst.utf8))]
        case "nhs2": return [try JSON(parsing: Array(nhsSecond.utf8))]
        default: throw WarningFailure("the table has models \(name) that are not known here")
        }
    }

    /// The defaults that Google publishes, and its sample's threshold.
    private static let dailySummaries = """
        {"dailySummaries": {"summaries": {"attenuationBucketThresholdDb": [30, 50, 60], "attenuationBucketWeights": [1.5, 1, 0.5, 0],
         "daysSinceExposureThreshold": 14, "infectiousnessWeights": {"1": 1, "2": 1}, "minimumWindowScore": 0,
         "reportTypeWeights": {"1": 1, "2": 1, "3": 1}}, "measure": "sum", "increasedFrom": 2700}}
        """

    /// NHS COVID-19's exposure configuration of 2020-09-24.
    private static let nhsFirst = """
        {"nhsFirst": {"exposures": {"minimumRiskScore": 11, "attenuationScores": [0, 1, 1, 1, 1, 1, 1, 1],
         "daysSinceLastExposureScores": [5, 5, 5, 5, 5, 5, 5, 5], "durationScores": [0, 0, 0, 1, 1, 1, 1, 1],
         "transmissionRiskScores": [0, 1, 2, 3, 4, 5, 6, 7], "durationAtAttenuationThresholds": [55, 63]},
         "durationBucketWeights": [1, 0.5, 0], "riskThreshold": 900}}
        """

    /// Its second generation with the last threshold that was published.
    private static let nhsSecond = """
        {"nhsSecond": {"riskScore": {"sampleResolution": 1.0, "expectedDistance": 0.1, "minimumDistance": 1.0,
         "rssiParameters": {"weightCoefficient": 0.1270547531082051, "intercept": 4.2309333657856945,
         "covariance": 0.4947614361027773}, "powerLossParameters": {"wavelength": 0.125, "pathLossFactor": 20.0,
         "refDeviceLoss": 0.0}, "observationType": "log", "initialData": {"mean": 2.0, "covariance": 10.0},
         "smootherParameters": {"alpha": 1.0, "beta": 0.0, "kappa": 0.0}}, "infectiousnessWeights": [0, 0.4, 1],
         "riskThreshold": 100, "contactCaseDays": 11}}
        """
}
