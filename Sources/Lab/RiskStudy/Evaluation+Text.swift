// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
public import JSON

extension CaseResult {
    /// The verdict in words: `increased`, `low`, `no level`, or `not judged`.
    public var verdict: String {
        switch (source, level) {
        case (.missing, _): "not judged"
        case (_, .increased?): "increased"
        case (_, .low?): "low"
        case (_, nil): "no level"
        }
    }
}

extension RiskUnit {
    /// For people.
    var words: String {
        switch self {
        case .weightedMinutes: "weighted minutes"
        case .weightedSeconds: "weighted seconds"
        case .points: "points"
        }
    }
}

extension Evaluation {
    /// The evaluation as lines of text for a terminal: for each model a table of the cases and a summary.
    public var text: [String] {
        var lines: [String] = []
        for model in models {
            if !lines.isEmpty { lines.append("") }
            lines.append("\(model.model.rawValue), in \(model.unit.words)")
            var rows = [
                ["case", "truth", "expected", "verdict", "", "minutes", "score", "lowest", "highest", "limit", "day"]
            ]
            for (one, result) in zip(dataset.cases, model.cases) {
                let isJudged = result.isJudged
                func text(_ value: Double) -> String { isJudged ? StudyText.number(value) : "-" }
                let expected = one.truth?.expected.map { "\($0)" } ?? ""
                rows.append([
                    StudyText.cut(one.name, 40), StudyText.cut(one.truth?.words ?? "", 44), expected,
                    result.verdict + Self.mark(one, result),
                    isJudged ? result.robustness.rawValue : "", StudyText.number(Double(one.seconds) / 60),
                    text(result.score), text(result.lowest), text(result.highest),
                    result.limit.map(StudyText.number) ?? "-", result.day.map { "\($0)" } ?? "-",
                ])
            }
            lines += StudyText.table(rows, left: 5)
            lines += summary(of: model)
        }
        lines.append("")
        lines.append(
            "lowest, highest: attenuations nearer and further by the error of the calibration (\(calibration.words))")
        return lines
    }

    /// What differs from what is expected.
    private static func mark(_ one: StudyCase, _ result: CaseResult) -> String {
        guard let expected = one.truth?.expected, result.isJudged else { return "" }
        return (expected == .increased) == result.isIncreased ? "" : " (wrong)"
    }

    private func summary(of model: ModelResult) -> [String] {
        var lines = [
            "\(model.increased) of \(model.judged) increased; \(model.judged - model.eitherWay) sure, \(model.eitherWay) either way"
        ]
        let approximated = model.cases.count { $0.source == .approximated }
        if approximated > 0 {
            lines.append("\(approximated) judged by first-generation exposures that were made from windows")
        }
        let missing = model.cases.count - model.judged
        if missing > 0 {
            let need =
                [.cwaFirst, .nhsFirst].contains(model.model)
                ? "exposures, or windows with a transmissionRiskLevel" : "windows"
            lines.append("\(missing) not judged: this model needs \(need)")
        }
        if model.agreement.cases > 0 {
            lines.append("sensitivity \(StudyText.share(model.agreement.sensitivity))")
            lines.append("specificity \(StudyText.share(model.agreement.specificity))")
        }
        return lines
    }

    /// The evaluation as a CSV table (RFC 4180) with a header line, and one line for each case and model. Unknown
    /// values are empty. A text that a spreadsheet would take for a formula is preceded by an apostrophe.
    public var csv: String {
        var text =
            "model,case,metres,minutes near,geometry,expected,minutes,score,lowest,highest,limit,unit,verdict,robustness,day,source\n"
        for model in models {
            for (one, result) in zip(dataset.cases, model.cases) {
                func number(_ value: Double?) -> String {
                    result.isJudged ? value.map(StudyText.exact) ?? "" : ""
                }
                let fields: [String] = [
                    model.model.rawValue, one.name, one.truth?.metres.map(StudyText.exact) ?? "",
                    one.truth?.minutes.map(StudyText.exact) ?? "", one.truth?.geometry ?? "",
                    one.truth?.expected.map { "\($0)" } ?? "", StudyText.exact(Double(one.seconds) / 60),
                    number(result.score), number(result.lowest), number(result.highest), number(result.limit),
                    model.unit.rawValue, result.verdict, result.isJudged ? result.robustness.rawValue : "",
                    result.day.map { "\($0)" } ?? "", result.source.rawValue,
                ]
                text += fields.map(StudyText.field).joined(separator: ",") + "\n"
            }
        }
        return text
    }

    /// The evaluation as a JSON object with the `format` `vigil-risk-evaluation-1`. Unknown values are left out.
    public var json: JSON {
        [
            "format": "vigil-risk-evaluation-1",
            "calibration": [
                "lowest": .double(calibration[.lowest]), "low": .double(calibration[.low]),
                "medium": .double(calibration[.medium]), "high": .double(calibration[.high]),
            ],
            "models": .array(
                models.map { model in
                    var object: JSON.Object = [
                        "model": .string(model.model.rawValue), "unit": .string(model.unit.rawValue),
                        "judged": .int(Int64(model.judged)), "increased": .int(Int64(model.increased)),
                        "eitherWay": .int(Int64(model.eitherWay)),
                    ]
                    object["sensitivity"] = model.agreement.sensitivity.map(\.json)
                    object["specificity"] = model.agreement.specificity.map(\.json)
                    object["cases"] = .array(zip(dataset.cases, model.cases).map { Self.json($0, $1) })
                    return .object(object)
                }),
        ]
    }

    private static func json(_ one: StudyCase, _ result: CaseResult) -> JSON {
        var object: JSON.Object = ["name": .string(one.name), "seconds": .int(Int64(one.seconds))]
        object["expected"] = one.truth?.expected.map { .string("\($0)") }
        object["source"] = .string(result.source.rawValue)
        guard result.isJudged else { return .object(object) }
        object["verdict"] = .string(result.verdict)
        object["robustness"] = .string(result.robustness.rawValue)
        object["score"] = .double(result.score)
        object["lowest"] = .double(result.lowest)
        object["highest"] = .double(result.highest)
        object["limit"] = result.limit.map { .double($0) }
        object["day"] = result.day.map { .int(Int64($0)) }
        return .object(object)
    }
}

extension Share {
    var json: JSON {
        [
            "count": .int(Int64(count)), "of": .int(Int64(of)), "value": .double(value), "low": .double(low),
            "high": .double(high),
        ]
    }
}
