// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
import Matching
import RiskConfiguration

/// A case in the words of models.
struct CaseEvidence {
    /// The study's day 0: far enough from 1970 that every day of a study exists. No answer depends on it.
    static let dayZero = 20_000

    private let windows: [StudyWindow]
    private let exposures: [StudyExposure]
    private let isApproximated: Bool
    private let mapping: DiagnosisKeyMapping

    init(_ one: StudyCase, mapping: DiagnosisKeyMapping) {
        self.mapping = mapping
        // Boards do not look at others (`Match.givesExposure`).
        windows = one.windows.filter { ![.revoked, .recursive].contains(mapping.reportType($0.reportType)) }
        exposures = one.exposures ?? windows.compactMap(StudyExposure.init)
        isApproximated = one.exposures == nil
    }

    func source(for model: RiskModelParameters) -> CaseResult.Source {
        if model.looksAtWindows { return windows.isEmpty && !exposures.isEmpty && !isApproximated ? .missing : .given }
        guard isApproximated else { return .given }
        if windows.isEmpty { return .given }
        return exposures.count == windows.count ? .approximated : .missing
    }

    var confidences: Set<CalibrationConfidence> {
        Set(windows.map(\.calibrationConfidence) + exposures.map(\.calibrationConfidence))
    }

    /// With all attenuations shifted by a share of the error of their calibration.
    func evidence(for model: any RiskModel, today: Int, error: CalibrationError, share: Double) -> RiskEvidence {
        func shifted(_ attenuation: Int, _ confidence: CalibrationConfidence) -> Int {
            min(max(attenuation + Int((share * error[confidence]).rounded()), 0), 255)
        }
        switch model.input {
        case .windows:
            return RiskEvidence(
                windows: windows.map { window in
                    ExposureWindow(
                        day: Self.day(window.day), firstSighting: 0, reportType: mapping.reportType(window.reportType),
                        infectiousness: window.infectiousness
                            ?? mapping.infectiousness(daysSinceOnset: window.daysSinceOnset),
                        calibrationConfidence: window.calibrationConfidence,
                        scanInstances: window.scanInstances.map {
                            ScanInstance(
                                typicalAttenuation: shifted($0.typicalAttenuation, window.calibrationConfidence),
                                minimumAttenuation: shifted($0.minimumAttenuation, window.calibrationConfidence),
                                secondsSinceLastScan: $0.secondsSinceLastScan)
                        })
                })
        case .exposuresV1(let configuration):
            return RiskEvidence(
                exposures: exposures.map { exposure in
                    exposure.scored(under: configuration, today: today) {
                        shifted($0, exposure.calibrationConfidence)
                    }
                })
        }
    }

    static func day(_ relative: Int) -> UInt32 { UInt32(dayZero + relative) }
}

extension StudyExposure {
    /// A window as phones of the first generation would nearly have had it: each scan's seconds at its smallest attenuation. They did not
    /// cut after half an hour. `nil` for windows without transmission risk level.
    init?(_ window: StudyWindow) {
        guard let level = window.transmissionRiskLevel else { return nil }
        self.init(
            day: window.day, transmissionRiskLevel: level, calibrationConfidence: window.calibrationConfidence,
            periods: window.scanInstances.map {
                Period(attenuation: $0.minimumAttenuation, seconds: $0.secondsSinceLastScan)
            })
    }

    /// The arithmetic of phones (``Matching/ExposureArithmeticV1``).
    func scored(
        under configuration: ExposureConfigurationV1, today: Int, attenuation shifted: (Int) -> Int
    ) -> ExposureV1 {
        let periods = periods.map {
            ExposureArithmeticV1.Period(seconds: $0.seconds, attenuation: shifted($0.attenuation))
        }
        let (low, high) = configuration.durationThresholds
        func seconds(_ isIn: (Int) -> Bool) -> Int {
            periods.filter { isIn($0.attenuation) }.reduce(0) { $0 + $1.seconds }
        }
        let mean = ExposureArithmeticV1.weightedAttenuation(periods)
        // The periods have half a scan interval before the first sighting and after the last one already.
        let span = periods.reduce(0) { $0 + $1.seconds } - ExposureArithmeticV1.scanIntervalSeconds
        let duration = ExposureArithmeticV1.bucketedDuration(span: span)
        return ExposureV1(
            keyStart: ENIN(CaseEvidence.day(day) * ENIN.perDay), duration: duration, attenuation: mean,
            attenuationDurations: [
                seconds { $0 < low }, seconds { $0 >= low && $0 < high }, seconds { $0 >= high },
            ],
            transmissionRiskLevel: transmissionRiskLevel,
            riskScore: ExposureArithmeticV1.riskScore(
                attenuation: mean, days: max(0, today - day), duration: duration,
                transmissionRiskLevel: transmissionRiskLevel, configuration: configuration))
    }
}
