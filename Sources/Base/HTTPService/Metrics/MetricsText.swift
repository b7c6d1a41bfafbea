// SPDX-License-Identifier: Apache-2.0

/// Writes metrics in the text format 0.0.4 of Prometheus (prometheus.io/docs/instrumenting/exposition_formats).
public enum MetricsText {
    /// The path that Prometheus requests by default.
    public static let path = "/metrics"
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Returns the metrics as lines that each end with a line feed; the empty text if no family has a sample. Cannot fail;
    /// names and the names of labels are not checked.
    public static func text(_ families: [MetricFamily]) -> String {
        var text = ""
        for family in families where !family.samples.isEmpty {
            text += "# HELP \(family.name) \(escaped(family.help, isLabel: false))\n"
            text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
            for sample in family.samples {
                let labels = sample.labels.sorted { $0.key < $1.key }
                    .map { "\($0.key)=\"\(escaped($0.value, isLabel: true))\"" }.joined(separator: ",")
                text += "\(family.name)\(labels.isEmpty ? "" : "{\(labels)}") \(number(sample.value))\n"
            }
        }
        return text
    }

    private static func number(_ value: Double) -> String {
        // 2^53: beyond it a Double has no single integer.
        if let whole = Int64(exactly: value), abs(value) < 9_007_199_254_740_992 { return "\(whole)" }
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return "\(value)"
    }

    private static func escaped(_ text: String, isLabel: Bool) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where isLabel: result += "\\\""
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }

    /// Returns the answer to a monitoring system: status 200 with the text of `families`, not to be cached.
    package static func answer(_ families: [MetricFamily]) -> HTTPResponse {
        HTTPResponse(
            status: 200, headers: [("Content-Type", contentType), ("Cache-Control", "no-store")],
            body: .bytes(Array(text(families).utf8)))
    }

    /// Returns a refusal with status 405 unless the method is GET or HEAD; `nil` for these two.
    package static func refusal(_ request: HTTPRequest) -> HTTPRefusal? {
        guard request.method != "GET", request.method != "HEAD" else { return nil }
        var answer = HTTPResponse.text(405, "metrics are asked for with GET")
        answer.headers.append(("Allow", "GET, HEAD"))
        return HTTPRefusal(response: answer)
    }
}
