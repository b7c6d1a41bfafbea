// SPDX-License-Identifier: Apache-2.0

/// What `configuration.json` says in a new state folder: the parameters the Corona-Warn-App was published with at its end
/// (cwa-app-android 3.2.1, `default_app_config_android.bin`), which an operator adapts.
enum DefaultConfiguration {
    static let text = ##"""
        {
          "version": 1,
          "vigil": {
            "wakeWindowSeconds": 600
          },
          "appConfig": {
            "supportedCountries": ["DE"],
            "keyDownloadParameters": {"downloadTimeoutInSeconds": 60, "overallTimeoutInSeconds": 480},
            "exposureDetectionParameters": {"maxExposureDetectionsPerInterval": 6, "overallTimeoutInSeconds": 900},
            "riskCalculationParameters": {
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
                "infectiousnessOffsetStandard": 1, "infectiousnessOffsetHigh": 2, "reportTypeOffsetSelfReport": 2,
                "reportTypeOffsetConfirmedClinicalDiagnosis": 4, "reportTypeOffsetConfirmedTest": 6
              },
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
            },
            "diagnosisKeysDataMapping": {
              "daysSinceOnsetToInfectiousness": {"1": 1, "2": 2},
              "infectiousnessWhenDaysSinceOnsetMissing": 0,
              "reportTypeWhenMissing": 1
            },
            "dailySummariesConfig": {
              "attenuationBucketThresholdDb": [30, 50, 70],
              "attenuationBucketWeights": [1.0, 1.0, 1.0, 1.0],
              "infectiousnessWeights": {"1": 1.0, "2": 1.0},
              "reportTypeWeights": {"1": 1.0, "2": 1.0, "3": 1.0, "4": 1.0}
            },
            "presenceTracingParameters": {
              "riskCalculationParameters": {
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
                "normalizedTimePerCheckInToRiskLevelMapping": [
                  {"normalizedTimeRange": {"min": 0, "minExclusive": true, "max": 10, "maxExclusive": true}, "riskLevel": "LOW"},
                  {"normalizedTimeRange": {"min": 10, "max": 999999}, "riskLevel": "HIGH"}
                ],
                "normalizedTimePerDayToRiskLevelMapping": [
                  {"normalizedTimeRange": {"min": 0, "minExclusive": true, "max": 10, "maxExclusive": true}, "riskLevel": "LOW"},
                  {"normalizedTimeRange": {"min": 10, "max": 999999}, "riskLevel": "HIGH"}
                ],
                "maxCheckInAgeInDays": 10
              },
              "submissionParameters": {
                "durationFilters": [{"dropIfMinutesInRange": {"min": 0, "max": 10, "maxExclusive": true}}],
                "aerosoleDecayLinearFunctions": [
                  {"minutesRange": {"min": 0, "max": 30}, "slope": 1, "intercept": 0},
                  {"minutesRange": {"min": 30, "minExclusive": true, "max": 999999}, "slope": 0, "intercept": 30}
                ]
              },
              "qrCodeDescriptors": [
                {"regexPattern": "https://e\\.coronawarn\\.app/?\\?v=(\\d+)\\#(.+)", "versionGroupIndex": 0,
                 "encodedPayloadGroupIndex": 1, "payloadEncoding": "BASE64"},
                {"regexPattern": "https://app\\.luca-app\\.de/webapp/.*#.*/CWA(\\d+)/(.+)", "versionGroupIndex": 0,
                 "encodedPayloadGroupIndex": 1, "payloadEncoding": "BASE64"}
              ]
            }
          }
        }

        """##
}
