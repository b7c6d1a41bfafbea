// SPDX-License-Identifier: Apache-2.0

import JSON

/// A form that is made from a plugin's settings schema (docs/manifest.md), and reads the posted fields. Settings
/// that only the operator sets are shown, and not read.
///
/// Fields are named `set.NAME`, those in lists of objects `set.NAME.ROW.FIELD`, with rows from 0; `clear.NAME`
/// removes a secret. The core checks whether values fit; a text in a number's place is passed on as text, and the
/// core refuses it with its path.
public struct SettingsForm: Sendable {
    enum Kind: Sendable, Equatable {
        case text(maxLength: Int?)
        case integer, number, bool
        case scalars(of: String)
        case objects([Property])
    }

    struct Property: Sendable, Equatable {
        var name: String
        var title: String
        var description: String?
        var kind: Kind
        var choices: [String]
        var minimum: String?
        var maximum: String?
        var standard: JSON?
        var isRequired: Bool
        var isSecret: Bool
        /// Only the operator sets it: shown, not asked for.
        var isOperators: Bool
        var isList: Bool { if case .scalars = kind { true } else { false } }
    }

    /// The most settings, and the most fields of a list's element: as many as a manifest may have.
    private static let mostProperties = 64
    /// The most rows of a list: as many elements as a setting may have.
    private static let mostRows = 256
    /// Empty rows below those that there are, to be filled in.
    private static let spareRows = 2

    let properties: [Property]
    private let values: JSON
    private let secretsSet: Set<String>

    /// Creates a form for a plugin's settings; `nil` if there is no schema, or it is not a JSON object with `properties`.
    /// - Parameters:
    ///   - schema: The manifest's schema as JSON text, of which the first 64 properties are shown.
    ///   - settings: The settings in force, as JSON text, without secrets; if they cannot be read, they count as empty.
    ///   - secretsSet: The names of secrets that have a value.
    public init?(schema: String?, settings: String, secretsSet: [String]) {
        guard let schema, let json = try? JSON(parsing: Array(schema.utf8)),
            let members = json["properties"]?.object?.members
        else { return nil }
        let required = (json["required"]?.array ?? []).compactMap(\.string)
        properties = members.prefix(Self.mostProperties).map {
            Self.property($0.name, $0.value, isRequired: required.contains($0.name))
        }
        values = (try? JSON(parsing: Array(settings.utf8))) ?? .empty
        self.secretsSet = Set(secretsSet)
    }

    private static func property(_ name: String, _ json: JSON, isRequired: Bool) -> Property {
        let kind: Kind =
            switch json["type"]?.string {
            case "integer": .integer
            case "number": .number
            case "boolean": .bool
            case "array":
                if json["items"]?["type"]?.string == "object" {
                    .objects(
                        (json["items"]?["properties"]?.object?.members ?? []).prefix(mostProperties).map {
                            property($0.name, $0.value, isRequired: false)
                        })
                } else {
                    .scalars(of: json["items"]?["type"]?.string ?? "string")
                }
            default: .text(maxLength: json["maxLength"]?.int.flatMap { Int(exactly: $0) })
            }
        return Property(
            name: name, title: json["title"]?.string ?? name, description: json["description"]?.string, kind: kind,
            choices: (json["enum"]?.array ?? []).compactMap(shown), minimum: json["minimum"].flatMap(shown),
            maximum: json["maximum"].flatMap(shown),
            standard: json["default"], isRequired: isRequired, isSecret: json["writeOnly"]?.bool == true,
            isOperators: json["operatorOnly"]?.bool == true)
    }

    private static func shown(_ value: JSON) -> String? {
        switch value {
        case .string(let text): text
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .bool(let yes): yes ? "yes" : ""
        default: nil
        }
    }

    // MARK: Drawing

    /// Every setting as a field, with what was typed before where that did not fit.
    func fields(typed: [String: String], _ context: PageContext) -> [HTML] {
        properties.filter { !$0.isOperators }.map { property in
            if case .objects(let fields) = property.kind { return rows(property, fields, typed, context) }
            return field(
                property, name: "set." + property.name, value: values[property.name] ?? property.standard, typed: typed,
                context)
        }
    }

    private func elements(of property: Property) -> [JSON] { (values[property.name] ?? property.standard)?.array ?? [] }

    /// Rows that are drawn, and that may come back.
    private func rowCount(of property: Property) -> Int {
        min(elements(of: property).count + Self.spareRows, Self.mostRows)
    }

    private func rows(_ property: Property, _ fields: [Property], _ typed: [String: String], _ context: PageContext) -> HTML
    {
        let present = elements(of: property)
        return el(.fieldset, .class("field")) {
            el(.legend, .lang("en"), text: property.title)
            if let description = property.description { el(.p, .class("hint"), .lang("en"), text: description) }
            (0..<rowCount(of: property)).map { row in
                el(.fieldset, .class("row")) {
                    el(.legend, text: context.t("tech.plugin.row", ["n": "\(row + 1)"]))
                    fields.map { part in
                        field(
                            part, name: "set.\(property.name).\(row).\(part.name)",
                            value: row < present.count ? present[row][part.name] : nil,
                            typed: typed, context)
                    }
                }
            }
        }
    }

    private func field(
        _ property: Property, name: String, value: JSON?, typed: [String: String], _ context: PageContext
    ) -> HTML {
        var shown = typed[name] ?? value.flatMap(Self.shown) ?? ""
        // A box that nobody ticked does not come back.
        if property.kind == .bool, !typed.isEmpty { shown = typed[name] ?? "" }
        if property.isSecret {
            let isSet = secretsSet.contains(property.name)
            return el(.div) {
                Field.line(
                    name, property.title,
                    hint: [property.description, context.t(isSet ? "tech.plugin.secret-set" : "tech.plugin.secret-unset")]
                        .compactMap { $0 }
                        .joined(separator: " "), type: .password, .autocomplete("off"))
                if isSet {
                    Field.check("clear." + property.name, context.t("tech.plugin.secret-clear", ["name": property.title]))
                }
            }
        }
        if !property.choices.isEmpty {
            return Field.choice(
                name, property.title,
                options: (property.isRequired ? [] : [("", context.t("tech.plugin.unset"))])
                    + property.choices.map { ($0, $0) },
                selected: shown, hint: property.description)
        }
        switch property.kind {
        case .bool: return Field.check(name, property.title, hint: property.description, isOn: !shown.isEmpty)
        case .integer, .number:
            return Field.line(
                name, property.title, hint: property.description, value: shown, type: .number,
                property.minimum.map { .min($0) },
                property.maximum.map { .max($0) }, .step(property.kind == .integer ? "1" : "any"),
                isRequired: property.isRequired)
        case .scalars:
            let lines = typed[name] ?? (value?.array ?? []).compactMap(Self.shown).joined(separator: "\n")
            return Field.area(
                name, property.title,
                hint: [property.description, context.t("tech.plugin.one-per-line")].compactMap { $0 }.joined(
                    separator: " "),
                value: lines)
        case .text(let maxLength):
            return Field.line(
                name, property.title, hint: property.description, value: shown, maxLength.map { .maxlength($0) },
                .noCorrection,
                isRequired: property.isRequired)
        case .objects: return .nothing
        }
    }

    /// What is set, for those who may not change it: for a technician who may, what is the operator's.
    func values(_ context: PageContext, ofOperator: Bool = false) -> HTML {
        Part.facts(
            properties.filter { !ofOperator || $0.isOperators }.map { property in
                let value = values[property.name] ?? property.standard
                let text: String =
                    if property.isSecret {
                        context.t(
                            secretsSet.contains(property.name) ? "tech.plugin.secret-set" : "tech.plugin.secret-unset")
                    } else if let array = value?.array {
                        array.map { element in
                            element.object.map {
                                $0.members.map { "\($0.name): \(Self.shown($0.value) ?? "")" }.joined(separator: ", ")
                            }
                                ?? Self.shown(element) ?? ""
                        }.joined(separator: "; ")
                    } else {
                        value.flatMap(Self.shown) ?? context.t("tech.plugin.unset")
                    }
                return (property.title, Part.foreign(text))
            })
    }

    // MARK: Reading

    /// Returns the JSON text for `org.vigil.technician1.SetSettings`, from the form's fields by their names.
    /// Settings that only the operator sets are left out. An empty text or number becomes `null`, so that the
    /// default applies; a box without a tick becomes `false`, and a list without entries becomes an empty list. An
    /// empty secret is left out, so that it keeps its value, and becomes `null` if `clear.NAME` is `yes`. A row in
    /// which everything is empty is removed. Whether values fit is not checked.
    ///
    /// `nil` if the rows of a list are not those of this form, because one is missing or was not in the form: then
    /// the settings have changed since, or the fields were forged, and elements would be lost.
    public func settings(from fields: [String: String]) -> String? {
        var object = JSON.Object()
        for property in properties where !property.isOperators {
            let name = "set." + property.name
            let typed = fields[name] ?? ""
            if property.isSecret {
                if fields["clear." + property.name] == "yes" {
                    object[property.name] = .null
                } else if !typed.isEmpty {
                    object[property.name] = Self.value(typed, property)
                }
                continue
            }
            switch property.kind {
            case .bool: object[property.name] = .bool(typed == "yes")
            case .objects(let parts):
                guard let rows = rows(property, parts, fields) else { return nil }
                object[property.name] = .array(rows)
            default: object[property.name] = typed.isEmpty && !property.isList ? .null : Self.value(typed, property)
            }
        }
        return JSON.object(object).description
    }

    private func rows(_ property: Property, _ parts: [Property], _ fields: [String: String]) -> [JSON]? {
        let (present, count) = (elements(of: property).count, rowCount(of: property))
        let names = (0..<count).map { row in parts.map { "set.\(property.name).\(row).\($0.name)" } }
        let known = Set(names.joined())
        guard fields.keys.allSatisfy({ !$0.hasPrefix("set.\(property.name).") || known.contains($0) }) else { return nil }
        // Boxes that nobody ticked do not come back; of a row that has others at least one does.
        let hasOnlyBoxes = parts.allSatisfy { $0.kind == .bool }
        guard hasOnlyBoxes || names.prefix(present).allSatisfy({ $0.contains { fields[$0] != nil } }) else { return nil }
        return (0..<count).compactMap { row in
            var object = JSON.Object()
            var hasAny = hasOnlyBoxes && row < present
            for (part, name) in zip(parts, names[row]) {
                let typed = fields[name] ?? ""
                if part.kind == .bool {
                    object[part.name] = .bool(typed == "yes")
                } else if !typed.isEmpty {
                    object[part.name] = Self.value(typed, part)
                }
                hasAny = hasAny || !typed.isEmpty
            }
            return hasAny ? .object(object) : nil
        }
    }

    private static func value(_ typed: String, _ property: Property) -> JSON {
        switch property.kind {
        case .scalars(let type):
            let lines = typed.utf8.split { $0 == 0x0A || $0 == 0x0D }.map { String($0) ?? "" }.filter { !$0.isEmpty }
            return .array(lines.map { scalar($0, type) })
        case .integer: return scalar(typed, "integer")
        case .number: return scalar(typed, "number")
        default: return .string(typed)
        }
    }

    private static func scalar(_ typed: String, _ type: String) -> JSON {
        switch type {
        case "integer": Int64(typed).map { .int($0) } ?? .string(typed)
        case "number": Double(typed).flatMap { $0.isFinite ? .double($0) : nil } ?? .string(typed)
        case "boolean":
            typed == "true" || typed == "yes"
                ? .bool(true) : typed == "false" || typed == "no" ? .bool(false) : .string(typed)
        default: .string(typed)
        }
    }
}
