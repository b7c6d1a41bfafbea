// SPDX-License-Identifier: Apache-2.0

import ForeignText
public import JSON

extension SettingsSchema {
    /// Checks settings, and returns them with the author's defaults filled in: an object in the order of ``properties``,
    /// with secrets.
    ///
    /// - Parameter path: The path of the settings in `grants.json`, with which the places of problems begin.
    /// - Throws: `Refusal` with problems of code `badSetting`, at most ``Refusal/mostProblems``, in which no value
    ///   is quoted (names of settings and the schema's choices are), if a setting is unknown, missing or against
    ///   its rules, if the settings are not an object, or if they have more than ``Limits/settingsByteCount`` bytes
    ///   together with the defaults.
    public func filled(_ settings: JSON, at path: String = "settings") throws(Refusal) -> JSON {
        var check = SettingsCheck()
        let filled = check.filled(settings, properties, at: JSONPath(path))
        let byteCount = filled.bytes.count
        if byteCount > Limits.settingsByteCount {
            check.faults.append(
                (JSONPath(path), "are \(byteCount) bytes; at most \(Limits.settingsByteCount) are possible"))
        }
        guard check.faults.isEmpty else {
            throw Refusal(check.faults.map { Problem(.badSetting, .grants, at: $0.path.description, $0.text) })
        }
        return filled
    }

    /// Returns the settings in a form that pages and commands may show: each secret that is set is replaced by `"(set)"`,
    /// and in lists each element. What is not in the schema or does not fit it stays as it is, so settings that were not
    /// checked may still contain a secret.
    public func shown(_ settings: JSON) -> JSON { Self.shown(settings, properties) }

    private static func shown(_ value: JSON, _ properties: [Property]) -> JSON {
        guard case .object(var object) = value else { return value }
        for property in properties {
            guard let value = object[property.name] else { continue }
            switch property.kind {
            case _ where property.isSecret: object[property.name] = "(set)"
            case .list(let element, _):
                guard let elements = value.array else { continue }
                if element.isSecret {
                    object[property.name] = .array(elements.map { _ in "(set)" })
                } else if case .object(let inner) = element.kind {
                    object[property.name] = .array(elements.map { shown($0, inner) })
                }
            default: break
            }
        }
        return .object(object)
    }
}

extension SettingsSchema.Property {
    /// What a single value breaks, in words; `nil` when it fits. Lists and objects are judged by ``SettingsCheck``.
    func fault(in value: JSON) -> String? {
        switch (kind, value) {
        case (.text(let length), .string(let text)):
            guard length.contains(text.unicodeScalars.count) else {
                return "must have \(length.lowerBound) to \(length.upperBound) characters"
            }
            // Certificates have lines.
            guard text.unicodeScalars.allSatisfy({ ForeignText.isHarmless($0) || $0 == "\n" || $0 == "\t" || $0 == "\r" })
            else {
                return "must have no characters that hide, or turn the direction of reading, or control a terminal"
            }
        case (.integer(let range), .int(let number)):
            guard range.contains(number) else { return "must be \(Self.words(range))" }
        case (.number(let range), .int), (.number(let range), .double):
            guard let number = SettingsSchema.double(value), range.contains(number) else {
                return "must be \(Self.words(range))"
            }
        case (.bool, .bool): break
        default: return "must be \(word)"
        }
        guard choices.isEmpty || choices.contains(value) else {
            return "must be \(ShapeCheck.choice(choices.map { ForeignText.line($0.description, limit: 60) }))"
        }
        return nil
    }

    var word: String {
        switch kind {
        case .text: "a text"
        case .integer: "a whole number"
        case .number: "a number"
        case .bool: "true or false"
        case .list: "a list"
        case .object: "an object"
        }
    }

    private static func words(_ range: ClosedRange<Int64>) -> String {
        switch (range.lowerBound, range.upperBound) {
        case (.min, .max): "a whole number"
        case (.min, let high): "at most \(high)"
        case (let low, .max): "at least \(low)"
        case (let low, let high): "between \(low) and \(high)"
        }
    }

    private static func words(_ range: ClosedRange<Double>) -> String {
        let limit = Double.greatestFiniteMagnitude
        switch (range.lowerBound, range.upperBound) {
        case (-limit, limit): return "a number"
        case (-limit, let high): return "at most \(high)"
        case (let low, limit): return "at least \(low)"
        case (let low, let high): return "between \(low) and \(high)"
        }
    }
}

/// One pass over settings.
struct SettingsCheck {
    var faults: [(path: JSONPath, text: String)] = []

    private mutating func report(_ path: JSONPath, _ text: String) {
        if faults.count < Refusal.mostProblems { faults.append((path, text)) }
    }

    mutating func filled(_ value: JSON, _ properties: [SettingsSchema.Property], at path: JSONPath) -> JSON {
        guard case .object(let given) = value else {
            report(path, "must be an object")
            return .empty
        }
        var result = JSON.Object()
        for property in properties {
            if let value = given[property.name] {
                result[property.name] = filled(value, property, at: path.field(property.name))
            } else if let standard = property.standard {
                var standards = SettingsCheck()
                result[property.name] = standards.filled(standard, property, at: path.field(property.name))
            } else if property.isRequired {
                report(path.field(property.name), "must be set: \(property.title ?? property.description ?? property.name)")
            }
        }
        let known = properties.map(\.name)
        for member in given.members where !known.contains(member.name) {
            let names = known.isEmpty ? "there are none" : "there are \(ShapeCheck.choice(known, "and"))"
            report(path.field(member.name), "there is no such setting; \(names)")
        }
        return .object(result)
    }

    mutating func filled(_ value: JSON, _ property: SettingsSchema.Property, at path: JSONPath) -> JSON {
        switch (property.kind, value) {
        case (.list(let element, let count), .array(let elements)):
            guard count.contains(elements.count) else {
                report(path, "must have \(count.lowerBound) to \(count.upperBound) entries, and has \(elements.count)")
                return value
            }
            return .array(elements.enumerated().map { filled($1, element, at: path.index($0)) })
        case (.object(let properties), .object): return filled(value, properties, at: path)
        default:
            if let fault = property.fault(in: value) { report(path, fault) }
            return value
        }
    }
}
