// SPDX-License-Identifier: Apache-2.0

import AppConfig

/// A configuration file as cwa-server loads it: YAML into a protobuf message, then its validators (spec rules-and-nhs 6). For the
/// laboratory: it tells whether a published file would have been published, in the server's own words.
struct CWAServerFile {
    /// A field and what is wrong with it, in the server's words; the file as a whole has no field.
    struct Fault: Equatable {
        let field: String
        let code: String
    }

    /// Names as in the message.
    let content: VectorValue

    /// Reads `text` as that message. Throws what keeps it from being loaded: syntax, an unknown field, another type, nothing at all, a file
    /// that includes itself.
    init(_ text: String, message: String, include: @escaping (String) throws -> VectorValue) throws {
        content = Self.camelCase(try YAML.parse(text, include: include))
        guard case .object = content else { throw YAML.Fault(description: "it has no fields") }
        try Self.check(content, .message(message), "")
    }

    static func camelCase(_ json: VectorValue) -> VectorValue {
        switch json {
        case .object(let members):
            var result: [String: VectorValue] = [:]
            for (name, value) in members {
                let parts = name.split { $0 == "-" || $0 == "_" }
                let rest = parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
                // A map's name is a number, and may be negative.
                result[Int(name) != nil ? name : (parts.first.map(String.init) ?? "") + rest] = camelCase(value)
            }
            return .object(result)
        case .array(let elements): return .array(elements.map(camelCase))
        default: return json
        }
    }

    private static func check(_ json: VectorValue, _ kind: ConfigSchema.Kind, _ path: String) throws {
        func wrong() -> YAML.Fault { YAML.Fault(description: "\(path): of another type") }
        switch kind {
        case .integer: guard json.int != nil else { throw wrong() }
        case .double: guard json.double != nil else { throw wrong() }
        case .bool: guard json.bool != nil else { throw wrong() }
        case .string, .bytes: guard json.string != nil else { throw wrong() }
        case .choice: guard json.int != nil || json.string != nil else { throw wrong() }
        case .repeated(let element):
            guard case .array(let elements) = json else { throw wrong() }
            for element_ in elements { try check(element_, element, path) }
        case .map(let element):
            guard case .object(let members) = json else { throw wrong() }
            for (name, value) in members {
                guard Int(name) != nil else { throw wrong() }
                try check(value, element, "\(path).\(name)")
            }
        case .message(let name):
            guard case .object(let members) = json, let fields = ConfigSchema.messages[name] else { throw wrong() }
            for (member, value) in members {
                guard let field = fields.values.first(where: { $0.name == member }) else {
                    throw YAML.Fault(description: "\(path): there is no field \(member)")
                }
                try check(value, field.kind, path.isEmpty ? member : "\(path).\(member)")
            }
        }
    }

    // MARK: Validators of the first generation

    private static let outOfBounds = "VALUE_OUT_OF_BOUNDS"

    /// Of `min-risk-score`, and of what is there of the four parts.
    static func application(_ json: VectorValue) -> [Fault] {
        var faults: [Fault] = []
        if let score = json["minRiskScore"].double, !(0...9_999).contains(score) {
            faults.append(Fault(field: "min-risk-score", code: outOfBounds))
        }
        let classes = json["riskScoreClasses"]["riskClasses"].array
        if !classes.isEmpty { faults += riskClasses(classes) }
        if !json["attenuationDuration"].isNull { faults += attenuationDuration(json["attenuationDuration"]) }
        if !json["exposureConfig"].isNull { faults += exposure(json["exposureConfig"]) }
        return faults
    }

    static func exposure(_ json: VectorValue) -> [Fault] {
        var faults: [Fault] = []
        for name in ["transmission", "duration", "attenuation"] {
            let weight = json[name + "Weight"].double ?? 0
            if hasManyPlaces(weight) { faults.append(Fault(field: name, code: "TOO_MANY_DECIMAL_PLACES")) }
            if !(0.001...100).contains(weight) { faults.append(Fault(field: name, code: outOfBounds)) }
        }
        for name in ["transmission", "duration", "daysSinceLastExposure", "attenuation"] {
            for (field, value) in json[name].object where !(0...8).contains(value.int ?? 0) {
                faults.append(Fault(field: "\(name).\(field)", code: outOfBounds))
            }
        }
        return faults
    }

    static func riskClasses(_ classes: [VectorValue]) -> [Fault] {
        var faults: [Fault] = []
        var sum = 0
        for entry in classes {
            let (label, url) = (entry["label"].string ?? "", entry["url"].string ?? "")
            if label.allSatisfy(\.isWhitespace) { faults.append(Fault(field: "label", code: "BLANK_LABEL")) }
            if !isAddress(url) { faults.append(Fault(field: "url", code: "INVALID_URL")) }
            for name in ["min", "max"] where !(0...9_999).contains(entry[name].int ?? 0) {
                faults.append(Fault(field: name, code: outOfBounds))
            }
            sum += (entry["max"].int ?? 0) - (entry["min"].int ?? 0)
        }
        if sum != 9_999 { faults.append(Fault(field: "risk-classes", code: "INVALID_PARTITIONING")) }
        return faults
    }

    static func attenuationDuration(_ json: VectorValue) -> [Fault] {
        var faults: [Fault] = []
        let (lower, upper) = (json["thresholds"]["lower"].int ?? 0, json["thresholds"]["upper"].int ?? 0)
        for (name, value) in [("lower", lower), ("upper", upper)] where !(0...100).contains(value) {
            faults.append(Fault(field: name, code: outOfBounds))
        }
        if lower > upper { faults.append(Fault(field: "thresholds", code: "MIN_GREATER_THAN_MAX")) }
        for name in ["low", "mid", "high"] {
            let weight = json["weights"][name].double ?? 0
            if !(0...1).contains(weight) { faults.append(Fault(field: name, code: outOfBounds)) }
            if hasManyPlaces(weight) { faults.append(Fault(field: name, code: "TOO_MANY_DECIMAL_PLACES")) }
        }
        if !(0...1).contains(json["defaultBucketOffset"].int ?? 0) {
            faults.append(Fault(field: "default-bucket-offset", code: outOfBounds))
        }
        if !(0...1_000).contains(json["riskScoreNormalizationDivisor"].int ?? 0) {
            faults.append(Fault(field: "risk-score-normalization-divisor", code: outOfBounds))
        }
        return faults
    }

    static func appVersion(latest: String, minimum: String) -> [Fault] {
        func numbers(_ text: String) -> [Int] { text.split(separator: ".").compactMap { Int($0) } }
        return numbers(latest).lexicographicallyPrecedes(numbers(minimum))
            ? [Fault(field: "latest", code: "MIN_GREATER_THAN_MAX")] : []
    }

    /// More than three decimal places, as the number is written.
    private static func hasManyPlaces(_ value: Double) -> Bool {
        let thousand = value * 1_000
        return abs(thousand - thousand.rounded()) > 1e-9 * max(1, abs(thousand))
    }

    private static func isAddress(_ text: String) -> Bool {
        guard let range = text.firstRange(of: "://"), range.lowerBound > text.startIndex else { return false }
        let scheme = text[..<range.lowerBound]
        return scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "+" || $0 == "-" || $0 == ".") }
            && scheme.first?.isLetter == true && range.upperBound < text.endIndex
    }
}
