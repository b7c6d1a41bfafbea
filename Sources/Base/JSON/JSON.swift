// SPDX-License-Identifier: Apache-2.0

/// A value of JSON (RFC 8259), with whole numbers kept apart from others and the order of objects kept.
public enum JSON: Hashable, Sendable {
    /// `null`, which is not an absent member.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number written without fraction and exponent.
    case int(Int64)
    /// Any other number. Written as `null` when it is not finite, which JSON cannot say; ``init(encoding:)`` refuses it.
    case double(Double)
    /// A text of any characters, with escapes resolved.
    case string(String)
    /// An array: values in the order of the text, any number of them.
    case array([JSON])
    /// An object: members in the order of the text.
    case object(Object)

    /// An object: names and values in the order of the text, each name once.
    ///
    /// Equal objects have the same members in the same order. Names are found by going through the members, which is quicker than
    /// hashing for the handful that messages have.
    public struct Object: Hashable, Sendable {
        /// One member of an object: a name and its value.
        public struct Member: Hashable, Sendable {
            /// The name, unescaped; unique in its object.
            public let name: String
            /// The value that stands under the name.
            public var value: JSON

            /// A member; whether its name is unique is the object's concern.
            public init(name: String, value: JSON) {
                self.name = name
                self.value = value
            }
        }

        /// The members in the order of the text, each name once.
        public private(set) var members: [Member]

        /// An object without members, to which some can be added.
        public init() { members = [] }

        /// Members whose names the caller knows to be different.
        init(distinct members: [Member]) { self.members = members }

        /// Whether it has no members: `{}`.
        public var isEmpty: Bool { members.isEmpty }

        /// The value of that name. Setting a new one appends it; setting `nil` removes the member.
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
    /// An object without members, `{}`: the usual parameters of a method that takes none.
    public static let empty = JSON.object(Object())

    /// The member of that name; `nil` when there is none or this is no object.
    public subscript(name: String) -> JSON? { object?[name] }

    /// The truth value; `nil` for any other kind of value.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The whole number, with its sign; `nil` for any other kind, and for numbers written with a fraction or an exponent.
    public var int: Int64? { if case .int(let value) = self { value } else { nil } }
    /// The text; `nil` for any other kind of value.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The elements in order; `nil` for any other kind of value.
    public var array: [JSON]? { if case .array(let value) = self { value } else { nil } }
    /// The object; `nil` for any other kind of value.
    public var object: Object? { if case .object(let value) = self { value } else { nil } }

    /// The kind of value in the words of the interface language (`int`, `float`, `string`), for messages to people.
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
    /// A name written twice keeps its first place and its last value. Cannot fail.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self.init()
        for (name, value) in elements { self[name] = value }
    }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral, ExpressibleByNilLiteral
{
    /// An object. A name written twice keeps its first place and its last value. Cannot fail.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        var object = Object()
        for (name, value) in elements { object[name] = value }
        self = .object(object)
    }
    /// An array with these elements in this order; none is allowed. Cannot fail.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    /// A text; any characters are allowed. Cannot fail.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number, any of 64 bits with sign. Cannot fail.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// One of JSON's `true` and `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A number with a fraction; also for literals such as 1.0. Cannot fail.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// JSON's `null`, which is not an absent member. Cannot fail.
    public init(nilLiteral: ()) { self = .null }
}
