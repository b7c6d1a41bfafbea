// SPDX-License-Identifier: Apache-2.0

/// A JSON value (RFC 8259). Whole numbers are distinguished from other numbers, and the members of objects keep their
/// order.
public enum JSON: Hashable, Sendable {
    /// `null`, which differs from an absent member.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number written without fraction and exponent, within 64 bits.
    case int(Int64)
    /// Any other number. One that is not finite has no form in JSON: it is written as `null`. ``init(encoding:)``
    /// refuses such a `Double` or `Float`, but does not look into a `JSON` value.
    case double(Double)
    /// A text with escapes resolved; any characters are allowed.
    case string(String)
    /// An array with its elements in order; may be empty.
    case array([JSON])
    /// An object with its members in the order of the text.
    case object(Object)

    /// The members of a JSON object, in the order of the text; each name appears one time only.
    ///
    /// Equal objects have the same members in the same order. Names are compared as Swift strings, so two spellings
    /// that are canonically equivalent in Unicode are one name. A name is found by searching all members, which is
    /// faster than hashing for the few that messages have.
    public struct Object: Hashable, Sendable {
        /// A member of an object, with its name and its value.
        public struct Member: Hashable, Sendable {
            /// The name without escapes; unique in its object.
            public let name: String
            /// The value of the member.
            public var value: JSON

            /// Creates a member. The object, not the member, ensures that the name is unique.
            public init(name: String, value: JSON) {
                self.name = name
                self.value = value
            }
        }

        /// The members in the order of the text, with unique names.
        public private(set) var members: [Member]

        /// Creates an object without members.
        public init() { members = [] }

        /// Members whose names the caller knows to be different.
        init(distinct members: [Member]) { self.members = members }

        /// Whether the object has no members: `{}`.
        public var isEmpty: Bool { members.isEmpty }

        /// The value of the member with this name; `nil` if there is none. Setting the value of a new name appends a
        /// member; setting `nil` removes it.
        public subscript(name: String) -> JSON? {
            get { members.first { $0.name == name }?.value }
            set {
                let index = members.firstIndex { $0.name == name }
                switch (index, newValue) {
                case (let index?, let value?): members[index].value = value
                case (let index?, nil): members.remove(at: index)
                case (nil, let value?): members.append(Member(name: name, value: value))
                case (nil, nil): break
                }
            }
        }
    }
}

extension JSON {
    /// An object without members, `{}`: the parameters of a method that takes none.
    public static let empty = JSON.object(Object())

    /// The value of the member with this name; `nil` if there is none or the value is not an object.
    public subscript(name: String) -> JSON? { object?[name] }

    /// The truth value; `nil` for any other kind of value.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The whole number; `nil` for any other kind of value, including numbers with a fraction or an exponent.
    public var int: Int64? { if case .int(let value) = self { value } else { nil } }
    /// The text; `nil` for any other kind of value.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The elements in order; `nil` for any other kind of value.
    public var array: [JSON]? { if case .array(let value) = self { value } else { nil } }
    /// The object; `nil` for any other kind of value.
    public var object: Object? { if case .object(let value) = self { value } else { nil } }

    /// The kind of value in the words of the Varlink interface language (`int`, `float`, `string`), for messages to people.
    public var kind: String {
        switch self {
        case .null: "null"
        case .bool: "bool"
        case .int: "int"
        case .double: "float"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}

extension JSON.Object: ExpressibleByDictionaryLiteral {
    /// Creates an object. If a name appears twice, its first place and its last value count. Cannot fail.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self.init()
        for (name, value) in elements { self[name] = value }
    }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral, ExpressibleByNilLiteral
{
    /// Creates an object. If a name appears twice, its first place and its last value count. Cannot fail.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        var object = Object()
        for (name, value) in elements { object[name] = value }
        self = .object(object)
    }
    /// Creates an array from these elements, which may be none. Cannot fail.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    /// Creates a text from any characters. Cannot fail.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates a whole number. Cannot fail.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// Creates `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates a number with a fraction, also from a literal such as 1.0. Cannot fail.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Creates `null`, which differs from an absent member. Cannot fail.
    public init(nilLiteral: ()) { self = .null }
}
