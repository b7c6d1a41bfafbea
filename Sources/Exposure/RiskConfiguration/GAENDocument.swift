// SPDX-License-Identifier: Apache-2.0

public import ExposureRisk
import GAEN
import Matching

/// Google's daily summaries as JSON, names as in `DailySummariesConfig` and `DiagnosisKeysDataMapping`.
extension RiskConfiguration {
    /// Reads `{"dailySummariesConfig": {…}, "diagnosisKeysDataMapping": {…}}`. The framework has no limit, so the
    /// caller passes the app's: `measure` is the score of a day that is compared with `increasedFrom`, which is in
    /// weighted seconds, above 0 and up to 1,000,000. The document has no version, so the caller passes a count as
    /// `version`, which is not checked. Throws `tooLarge`, `malformed`, or `outOfRange` and `invalid` with all
    /// problems, `invalid` also for another `increasedFrom`.
    public init(
        dailySummaries bytes: [UInt8], measure: DailySummariesParameters.Measure, increasedFrom: Double, version: Int64
    ) throws(RiskConfigurationError) {
        let json = try DocumentReading.json(bytes, limit: Self.maximumByteCount)
        let read = try DocumentReading.value(json, GAENReading.document)
        var parameters = DailySummariesParameters(summaries: read.summaries)
        parameters.measure = measure
        parameters.increasedFrom = increasedFrom
        let model = RiskModelParameters.dailySummaries(parameters)
        guard model.problems.isEmpty, increasedFrom.isFinite, increasedFrom >= 0 else {
            throw RiskConfigurationError(
                .invalid,
                problems: model.problems.isEmpty
                    ? [RiskProblem("increasedFrom", "must be a number from 0")] : model.problems)
        }
        self.init(version: version, models: [model], mapping: read.mapping)
    }
}

enum GAENReading {
    struct Document: Sendable {
        var summaries = GAENForms.noSummaries
        var mapping = DiagnosisKeyMapping.standard
    }

    static let document = Form.object(
        Document(),
        [
            .required("dailySummariesConfig", \.summaries, GAENForms.summaries, "How days are summed up."),
            .required(
                "diagnosisKeysDataMapping", \.mapping, GAENForms.mapping(isComplete: true),
                "How what was published with a key is read."),
        ])
}
