// SPDX-License-Identifier: Apache-2.0

import CommandFiles
public import Interfaces
import JSON
import Varlink

/// Configurations of scores: those that a file gives, or the defaults of the interfaces of phones.
public enum Configurations {
    /// Apple's documented defaults (ENExposureConfiguration: attenuation 50, 70, 90 dB, every weight 100 %), in the
    /// interface's form. Google publishes none: its DailySummariesConfig must be filled in. Health authorities set
    /// their own.
    public static let daily = Exposure1.DailySummariesConfiguration(
        attenuationThresholds: [50, 70, 90], attenuationWeights: [1, 1, 1, 1],
        reportTypeWeights: Exposure1.ReportTypeWeights(confirmedTest: 1, confirmedClinicalDiagnosis: 1, selfReport: 1),
        standardInfectiousnessWeight: 1, highInfectiousnessWeight: 1)

    /// Google's defaults (ExposureConfigurationBuilder): least score 4, every score 4, durations split at 50 and 74 dB.
    public static let first = Exposure1.ExposureConfiguration(
        minimumRiskScore: 4, attenuationScores: fours, daysSinceLastExposureScores: fours, durationScores: fours,
        transmissionRiskScores: fours, durationAtAttenuationThresholds: [50, 74])

    private static let fours = [Int](repeating: 4, count: 8)
    private static let mostBytes = 65_536

    /// Reads a file in the form of the interface's type named `type`, such as `ExposureConfiguration`. Everything the interface does
    /// not allow is refused here, with its path.
    static func read<Value: Decodable>(_ path: String, type: String, as _: Value.Type) throws(ControlFailure) -> Value {
        do {
            let json = try JSON(parsing: Files.read(path, limit: mostBytes))
            if let text = InterfaceTexts.all[Exposure1.name] {
                let description = try InterfaceDescription(parsing: text)
                if let alias = description.type(named: type), let fault = description.fault(in: json, type: alias.type) {
                    throw ControlFailure(
                        .badFile, "\(path) is no \(type): \(fault). `vigil ctl interfaces exposure1` has its form.")
                }
            }
            return try json.decode(Value.self)
        } catch let failure as ControlFailure {
            throw failure
        } catch let error as InputError {
            throw ControlFailure(.badFile, "\(error)")
        } catch {
            throw ControlFailure(.badFile, "\(path) cannot be read as \(type): \(error)")
        }
    }
}
