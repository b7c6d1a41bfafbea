// SPDX-License-Identifier: Apache-2.0

/// What `risk.json` says in a new state folder: the parameters of the Corona-Warn-App's last release (cwa-server
/// `risk-calculation-parameters-1.15.yaml`, cwa-app-android 3.2.1), and for keys without onset those of its first generation
/// (cwa-server `exposure-config.yaml` and others, final values of 2020-09-15).
enum DefaultRiskConfiguration {
    static let text = """
        {
          "vigilRisk": 1,
          "version": 1,
          "models": [
            {
              "cwaSecond": {
                "minutesAtAttenuationFilters": [],
                "trlFilters": [],
                "minutesAtAttenuationWeights": [
                  {"attenuationRange": {"min": 0, "max": 63, "maxExclusive": true}, "weight": 0.8},
                  {"attenuationRange": {"min": 63, "max": 73, "maxExclusive": true}, "weight": 1.0},
                  {"attenuationRange": {"min": 73, "max": 79, "maxExclusive": true}, "weight": 0.1}
                ],
                "normalizedTimePerEWToRiskLevelMapping": [
                  {"normalizedTimeRange": {"min": 0, "max": 9, "maxExclusive": true}, "riskLevel": "LOW"},
                  {"normalizedTimeRange": {"min": 9, "max": 9999}, "riskLevel": "HIGH"}
                ],
                "normalizedTimePerDayToRiskLevelMapping": [
                  {"normalizedTimeRange": {"min": 5, "max": 9, "maxExclusive": true}, "riskLevel": "LOW"},
                  {"normalizedTimeRange": {"min": 9, "max": 99999}, "riskLevel": "HIGH"}
                ],
                "trlEncoding": {
                  "infectiousnessOffsetStandard": 1, "infectiousnessOffsetHigh": 2, "reportTypeOffsetRecursive": 0,
                  "reportTypeOffsetSelfReport": 2, "reportTypeOffsetConfirmedClinicalDiagnosis": 4,
                  "reportTypeOffsetConfirmedTest": 6
                },
                "transmissionRiskLevelMultiplier": 0,
                "transmissionRiskValueMapping": [
                  {"transmissionRiskLevel": 1, "transmissionRiskValue": 0},
                  {"transmissionRiskLevel": 2, "transmissionRiskValue": 0},
                  {"transmissionRiskLevel": 3, "transmissionRiskValue": 0.6},
                  {"transmissionRiskLevel": 4, "transmissionRiskValue": 0.8},
                  {"transmissionRiskLevel": 5, "transmissionRiskValue": 1.0},
                  {"transmissionRiskLevel": 6, "transmissionRiskValue": 1.2},
                  {"transmissionRiskLevel": 7, "transmissionRiskValue": 1.4},
                  {"transmissionRiskLevel": 8, "transmissionRiskValue": 1.6}
                ],
                "maxEncounterAgeInDays": 10
              }
            },
            {
              "cwaFirst": {
                "exposures": {
                  "minimumRiskScore": 11,
                  "attenuationScores": [0, 2, 2, 2, 2, 2, 2, 2],
                  "daysSinceLastExposureScores": [5, 5, 5, 5, 5, 5, 5, 5],
                  "durationScores": [0, 0, 0, 1, 1, 1, 1, 1],
                  "transmissionRiskScores": [0, 0, 3, 4, 5, 6, 7, 8],
                  "durationAtAttenuationThresholds": [55, 63]
                },
                "weights": [1.0, 0.5, 0.0],
                "offset": 0,
                "divisor": 50,
                "capMinutes": 30,
                "classes": [
                  {"level": "LOW", "min": 0, "max": 15},
                  {"level": "HIGH", "min": 15, "max": 9999}
                ]
              }
            }
          ],
          "mapping": {
            "daysSinceOnsetToInfectiousness": {"1": 1, "2": 2},
            "infectiousnessWhenDaysSinceOnsetMissing": 0,
            "reportTypeWhenMissing": 1
          },
          "service": {"state": "running"},
          "reportTypes": "codes"
        }

        """
}
