// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
public import JSON

extension Sweep {
    /// The sweep as lines of text for a terminal: for one parameter a line for each value, for two a table of the numbers
    /// of increased cases.
    public var text: [String] {
        var lines = ["\(model.rawValue), \(cases) cases"]
        for (index, variation) in variations.enumerated() {
            let name = variations.count > 1 ? "\(["A", "B"][index]) = " : ""
            lines.append("\(name)\(variation.path), now \(StudyText.exact(present[index]))")
        }
        lines += variations.count == 1 ? list : grid
        if hasTruth, let best {
            let values = zip(heads, best.values).map { "\($0) \(StudyText.exact($1))" }.joined(separator: ", ")
            lines.append(
                "highest sum of sensitivity and specificity at \(values): sensitivity \(StudyText.share(best.result?.agreement.sensitivity)), "
                    + "specificity \(StudyText.share(best.result?.agreement.specificity))")
        }
        return lines
    }

    private var list: [String] {
        var rows = [["value", "increased", "of"] + (hasTruth ? ["sensitivity", "specificity"] : []) + [""]]
        for point in points {
            var row = point.values.map(StudyText.exact)
            if let result = point.result {
                row += ["\(result.increased)", "\(result.judged)"]
                if hasTruth {
                    row += [result.agreement.sensitivity, result.agreement.specificity].map { share in
                        share.map { StudyText.percent($0.value) } ?? "-"
                    }
                }
            } else {
                row += hasTruth ? ["-", "-", "-", "-"] : ["-", "-"]
            }
            row.append(point.values == present ? "now" : "")
            rows.append(row)
        }
        var table = StudyText.table(rows, left: 0)
        for (index, point) in points.enumerated() {
            if let problem = point.problem { table[index + 1] += "  cannot be used: \(problem)" }
        }
        return table
    }

    /// A down, B across. What is the matter with combinations that cannot be used is told once for each reason.
    private var grid: [String] {
        let across = variations[1].values
        var rows = [["A \\ B"] + across.map(StudyText.exact)]
        for (index, value) in variations[0].values.enumerated() {
            let row = points[(index * across.count)..<((index + 1) * across.count)]
            rows.append(
                [StudyText.exact(value)]
                    + row.map { point in
                        (point.result.map { "\($0.increased)" } ?? "x") + (point.values == present ? "*" : "")
                    })
        }
        var lines = StudyText.table(rows, left: 0) + ["increased of \(cases); * is now, x cannot be used"]
        var told: Set<String> = []
        for point in points {
            guard let problem = point.problem, told.insert(problem).inserted else { continue }
            let values = zip(heads, point.values).map { "\($0) \(StudyText.exact($1))" }.joined(separator: ", ")
            lines.append("x, first at \(values): \(problem)")
        }
        return lines
    }

    private var heads: [String] { variations.count > 1 ? ["A", "B"] : ["value"] }

    /// The first combination with the highest sum of sensitivity and specificity; `nil` where one of them is nowhere known.
    var best: Point? {
        func sum(_ point: Point) -> Double? {
            guard let one = point.result?.agreement.sensitivity, let other = point.result?.agreement.specificity else {
                return nil
            }
            return one.value + other.value
        }
        var best: (point: Point, sum: Double)?
        for point in points {
            if let value = sum(point), value > best?.sum ?? -1 { best = (point, value) }
        }
        return best?.point
    }

    /// The sweep as a CSV table with a header line, and one line for each combination; shares have their 95 %
    /// intervals, and unknown values are empty.
    public var csv: String {
        var names = variations.map(\.path) + ["judged", "increased"]
        for share in ["sensitivity", "specificity"] { names += [share, "\(share) low", "\(share) high"] }
        var text = (names + ["problem"]).map(StudyText.field).joined(separator: ",") + "\n"
        for point in points {
            var fields = point.values.map(StudyText.exact)
            fields += [point.result.map { "\($0.judged)" } ?? "", point.result.map { "\($0.increased)" } ?? ""]
            for share in [point.result?.agreement.sensitivity, point.result?.agreement.specificity] {
                fields += [share?.value, share?.low, share?.high].map { $0.map { StudyText.exact($0) } ?? "" }
            }
            text += (fields + [point.problem ?? ""]).map(StudyText.field).joined(separator: ",") + "\n"
        }
        return text
    }

    /// The sweep as a JSON object with the `format` `vigil-risk-sweep-1`. Unknown values are left out.
    public var json: JSON {
        [
            "format": "vigil-risk-sweep-1", "model": .string(model.rawValue), "cases": .int(Int64(cases)),
            "parameters": .array(
                zip(variations, present).map { ["path": .string($0.path), "now": .double($1)] }),
            "points": .array(
                points.map { point in
                    var object: JSON.Object = ["values": .array(point.values.map { .double($0) })]
                    object["problem"] = point.problem.map { .string($0) }
                    if let result = point.result {
                        object["judged"] = .int(Int64(result.judged))
                        object["increased"] = .int(Int64(result.increased))
                        object["sensitivity"] = result.agreement.sensitivity.map(\.json)
                        object["specificity"] = result.agreement.specificity.map(\.json)
                    }
                    return .object(object)
                }),
        ]
    }
}
