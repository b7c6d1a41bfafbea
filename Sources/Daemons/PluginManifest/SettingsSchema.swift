// SPDX-License-Identifier: Apache-2.0

public import JSON

/// The settings that a plugin's operator can make: a subset of JSON Schema, with titles, because a page is made from it.
///
/// The settings are one flat object of texts, numbers, Booleans, and lists. The elements of a list are texts, numbers or
/// Booleans, or flat objects of these.
public struct SettingsSchema: Hashable, Sendable {
    /// One setting, or one field of a list's element.
    public struct Property: Hashable, Sendable {
        /// The name of the setting or field in `grants.json`: `[A-Za-z][A-Za-z0-9_]{0,63}`; empty for the element of a
        /// list.
        public let name: String
        /// The setting's name for people, 1 to 80 characters on one line; `nil` if the author gave none, and then
        /// ``name`` is shown.
        public let title: String?
        /// The effect of the setting, 1 to 1,000 characters on one line; `nil` if the author described none.
        public let description: String?
        /// The kind of value that the setting has, with its range; for a list, also the property of its elements.
        public let kind: Kind
        /// The values that can be chosen, each once and of the setting's kind, at most ``Limits/choices``; empty if any
        /// value of the kind is permitted.
        public let choices: [JSON]
        /// The default; `nil` if there is none. It obeys the setting's own rules.
        public let standard: JSON?
        /// Whether the setting must have a value; a default counts as one. Always `true` for the element of a list.
        public let isRequired: Bool
        /// Whether the value is a secret, which is never shown (`writeOnly`).
        public let isSecret: Bool
        /// Whether only `grants.json` can set it, so that no technician can change it (`operatorOnly`); always `false` for
        /// the fields of a list's element.
        public let isOperators: Bool
        /// Whether only a card's `grants.json` can set it, so that no fleet's configuration changes it (`cardOnly`): it says whom
        /// the plugin believes, or who the board is. Always `false` for the fields of a list's element.
        public let isCards: Bool
        /// Whether a value that a technician gave ends with the life of the device in which it was given, because it may say
        /// whose device it is (`endsWithReset`); always `false` for the fields of a list's element.
        public let endsWithReset: Bool
    }

    /// The kind of value that a setting has, with its range.
    public indirect enum Kind: Hashable, Sendable {
        /// A text, with the least and the most Unicode characters, 0 to ``Limits/settingLength``; 0 to 1,000 if the
        /// author gave neither. Line breaks and tabs are permitted, other characters that hide or control a
        /// terminal are not.
        case text(length: ClosedRange<Int>)
        /// A whole number, with its range; all of `Int64` if the author gave none.
        case integer(ClosedRange<Int64>)
        /// A number that may have a fraction, with its range, whose ends are finite.
        case number(ClosedRange<Double>)
        /// A Boolean: JSON's `true` or `false`.
        case bool
        /// A list of elements of one kind, which is scalar or ``object(_:)``, with the least and the most elements, 0 to
        /// ``Limits/settingElements``; 0 to 64 if the author gave neither.
        case list(of: Property, count: ClosedRange<Int>)
        /// An object with these fields, at most ``Limits/settings``, all of scalar kinds; only as an element of a list.
        case object([Property])
    }

    /// The settings in the author's order, at most ``Limits/settings``.
    public let properties: [Property]

    /// A schema without settings.
    public static let none = SettingsSchema(properties: [])

    /// Characters of a text without `maxLength`.
    static let standardLength = 1_000
    /// Elements of a list without `maxItems`.
    static let standardCount = 64

    init(properties: [Property]) { self.properties = properties }

    /// What its shape allows was looked at before; this adds what the shape cannot say.
    init(_ json: JSON, at path: JSONPath, _ check: inout ShapeCheck) {
        guard json["properties"] != nil else {
            self = .none
            return
        }
        self.init(properties: Self.properties(of: json, at: path, &check))
    }

    private static func properties(of json: JSON, at path: JSONPath, _ check: inout ShapeCheck) -> [Property] {
        let required = (json["required"]?.array ?? []).map { $0.string ?? "" }
        let members = (json["properties"]?.object?.members ?? []).prefix(Limits.settings)
        for (index, name) in required.enumerated() where !name.isEmpty && !members.contains(where: { $0.name == name }) {
            check.report(.contradiction, at: path.field("required").index(index), "there is no property \(name)")
        }
        return members.map { member in
            property(
                named: member.name, member.value, isRequired: required.contains(member.name),
                at: path.field("properties").field(member.name), &check)
        }
    }

    private static func property(
        named name: String, _ json: JSON, isRequired: Bool, at path: JSONPath, _ check: inout ShapeCheck
    ) -> Property {
        let type = json["type"]?.string ?? ""
        let fitting =
            ["type", "title", "description", "default", "operatorOnly", "cardOnly", "endsWithReset"] + (fitting[type] ?? [])
        for member in json.object?.members ?? [] where !type.isEmpty && !fitting.contains(member.name) {
            // What no property has is told by the shape already.
            guard Self.fitting.values.contains(where: { $0.contains(member.name) }) else { continue }
            check.report(.contradiction, at: path.field(member.name), "says nothing about \(type)")
        }
        let choices = json["enum"]?.array ?? []
        var property = Property(
            name: name, title: json["title"]?.string, description: json["description"]?.string,
            kind: kind(of: json, type: type, at: path, &check), choices: [], standard: nil, isRequired: isRequired,
            isSecret: json["writeOnly"]?.bool ?? false, isOperators: json["operatorOnly"]?.bool ?? false,
            isCards: json["cardOnly"]?.bool ?? false, endsWithReset: json["endsWithReset"]?.bool ?? false)
        for (index, choice) in choices.enumerated() {
            if let fault = property.fault(in: choice) {
                check.report(.contradiction, at: path.field("enum").index(index), fault)
            } else if choices[..<index].contains(choice) {
                check.report(.duplicate, at: path.field("enum").index(index), "is there already")
            }
        }
        property = property.with(choices: choices, standard: nil)
        guard let standard = json["default"] else { return property }
        var faults = SettingsCheck()
        _ = faults.filled(standard, property, at: path.field("default"))
        for fault in faults.faults { check.report(.contradiction, at: fault.path, fault.text) }
        return property.with(choices: choices, standard: standard)
    }

    private static let fitting: [String: [String]] = [
        "string": ["enum", "minLength", "maxLength", "writeOnly"], "integer": ["enum", "minimum", "maximum", "writeOnly"],
        "number": ["enum", "minimum", "maximum", "writeOnly"], "boolean": ["writeOnly"],
        "array": ["items", "minItems", "maxItems"], "object": ["properties", "required", "additionalProperties"],
    ]

    private static func kind(of json: JSON, type: String, at path: JSONPath, _ check: inout ShapeCheck) -> Kind {
        switch type {
        case "integer":
            func bound(_ name: String, _ standard: Int64) -> Int64 {
                switch json[name] {
                case .int(let value)?: return value
                case .double?:
                    check.report(.badForm, at: path.field(name), "must be a whole number, as the setting is one")
                    return standard
                default: return standard
                }
            }
            let (low, high) = (bound("minimum", .min), bound("maximum", .max))
            return .integer(range(low, high, at: path.field("minimum"), &check))
        case "number":
            let low = double(json["minimum"]) ?? -Double.greatestFiniteMagnitude
            let high = double(json["maximum"]) ?? Double.greatestFiniteMagnitude
            return .number(range(low, high, at: path.field("minimum"), &check))
        case "boolean": return .bool
        case "array":
            let low = Int(clamping: json["minItems"]?.int ?? 0)
            let high = Int(clamping: json["maxItems"]?.int ?? Int64(max(standardCount, low)))
            let count = range(low, high, at: path.field("minItems"), &check)
            guard let items = json["items"] else {
                check.report(.missing, at: path.field("items"), "is missing: what the list holds")
                return .list(of: Property.anything, count: count)
            }
            return .list(
                of: property(named: "", items, isRequired: true, at: path.field("items"), &check), count: count)
        case "object":
            if json["properties"] == nil {
                check.report(.missing, at: path.field("properties"), "is missing: the fields of each element")
            }
            return .object(properties(of: json, at: path, &check))
        default:
            let low = Int(clamping: json["minLength"]?.int ?? 0)
            let high = Int(clamping: json["maxLength"]?.int ?? Int64(max(standardLength, low)))
            return .text(length: range(low, high, at: path.field("minLength"), &check))
        }
    }

    private static func range<Bound: Comparable>(
        _ low: Bound, _ high: Bound, at path: JSONPath, _ check: inout ShapeCheck
    ) -> ClosedRange<Bound> {
        guard low <= high else {
            check.report(.contradiction, at: path, "is above the upper end, so nothing would do")
            return low...low
        }
        return low...high
    }

    static func double(_ json: JSON?) -> Double? {
        switch json {
        case .int(let value)?: Double(value)
        case .double(let value)? where value.isFinite: value
        default: nil
        }
    }
}

extension SettingsSchema.Property {
    static let anything = Self(
        name: "", title: nil, description: nil, kind: .text(length: 0...SettingsSchema.standardLength), choices: [],
        standard: nil, isRequired: true, isSecret: false, isOperators: false, isCards: false, endsWithReset: false)

    fileprivate func with(choices: [JSON], standard: JSON?) -> Self {
        Self(
            name: name, title: title, description: description, kind: kind, choices: choices, standard: standard,
            isRequired: isRequired, isSecret: isSecret, isOperators: isOperators, isCards: isCards,
            endsWithReset: endsWithReset)
    }
}
