// SPDX-License-Identifier: Apache-2.0

public import JSON

/// The first difference between a value and the description in its interface.
public struct ParameterFault: Hashable, Sendable, CustomStringConvertible {
    /// The place in the value, such as `files[3].name`, at most 200 characters; empty for the value as a whole. May contain
    /// names from the other side.
    public let path: String
    /// What is expected at that place, in English; never the value.
    public let expected: String

    /// Place and expectation in one line, for plugin authors. May contain names from the other side.
    public var description: String { "\(path.isEmpty ? "the value" : path): \(expected)" }

    fileprivate init(_ expected: String) {
        path = ""
        self.expected = expected
    }

    private init(path: String, expected: String) {
        self.path = path
        self.expected = expected
    }

    /// The same fault seen from one level further out.
    fileprivate func inside(_ step: String) -> Self {
        let separator = path.isEmpty || path.hasPrefix("[") ? "" : "."
        return Self(path: clipped(step + separator + path), expected: expected)
    }
}

/// At most 200 characters: what comes from the other side and goes back to it must not make a reply too long.
func clipped(_ text: String) -> String { String(String.UnicodeScalarView(text.unicodeScalars.prefix(200))) }

extension InterfaceDescription {
    /// Returns the first difference between the object and these fields; `nil` if there is none.
    ///
    /// Fields are checked in the order of the description, then unknown ones are refused. An optional field may be missing
    /// or null. A whole number is accepted as a float, but not the other way round.
    public func fault(in object: JSON.Object, fields: [Field]) -> ParameterFault? {
        for field in fields {
            switch object[field.name] {
            case nil:
                guard case .optional = field.type else { return ParameterFault("it is missing").inside(field.name) }
            case let value?:
                if let fault = fault(in: value, type: field.type) { return fault.inside(field.name) }
            }
        }
        guard object.members.count > 0 else { return nil }
        let known = Set(fields.map(\.name))
        for member in object.members where !known.contains(member.name) {
            return ParameterFault("there is no such field").inside(member.name)
        }
        return nil
    }

    /// Returns the first difference between the value and the type; `nil` if there is none.
    public func fault(in value: JSON, type: TypeExpression) -> ParameterFault? {
        switch (type, value) {
        case (.optional, .null): return nil
        case (.optional(let type), _): return fault(in: value, type: type)
        case (.bool, .bool), (.int, .int), (.float, .double), (.float, .int), (.string, .string): return nil
        // systemd uses it for any value, others for objects; whoever needs it strict describes the fields.
        case (.object, _): return nil
        case (.named(let name), _):
            guard let alias = self.type(named: name) else { return ParameterFault("its type is unknown") }
            return fault(in: value, type: alias.type)
        case (.structure(let fields), .object(let object)): return fault(in: object, fields: fields)
        case (.enumeration(let words), .string(let text)):
            guard !words.contains(where: { $0.name == text }) else { return nil }
            return ParameterFault("expected one of \(words.map(\.name).joined(separator: ", "))")
        case (.array(let type), .array(let elements)):
            for (index, element) in elements.enumerated() {
                if let fault = fault(in: element, type: type) { return fault.inside("[\(index)]") }
            }
            return nil
        case (.dictionary(let type), .object(let object)):
            for member in object.members {
                if let fault = fault(in: member.value, type: type) { return fault.inside(member.name) }
            }
            return nil
        default: return ParameterFault("expected \(Self.words(type)), found \(value.kind)")
        }
    }

    private static func words(_ type: TypeExpression) -> String {
        switch type {
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .string, .enumeration: "string"
        case .array: "array"
        default: "object"
        }
    }
}
