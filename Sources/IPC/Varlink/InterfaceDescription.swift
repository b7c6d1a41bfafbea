// SPDX-License-Identifier: Apache-2.0

/// The types, methods and errors of an interface, as written in the Varlink interface language.
///
/// Two descriptions are equal if they have the same members in the same order with the same documentation.
public struct InterfaceDescription: Hashable, Sendable {
    /// A type, a method or an error of an interface. All three share one namespace.
    public enum Member: Hashable, Sendable {
        /// A name for a struct or an enumeration.
        case type(TypeAlias)
        /// A method of an interface.
        case method(Method)
        /// An error with which methods can fail.
        case error(ErrorDeclaration)

        /// The member's name, unique in the interface.
        public var name: String {
            switch self {
            case .type(let alias): alias.name
            case .method(let method): method.name
            case .error(let error): error.name
            }
        }

        /// The lines of the comment directly above, without `#` and one space; empty if there is none.
        public var documentation: String {
            switch self {
            case .type(let alias): alias.documentation
            case .method(let method): method.documentation
            case .error(let error): error.documentation
            }
        }
    }

    /// A name for a struct or an enumeration in an interface.
    public struct TypeAlias: Hashable, Sendable {
        /// The name of the type, which begins with a capital letter.
        public let name: String
        /// The named type, which is always ``TypeExpression/structure(_:)`` or ``TypeExpression/enumeration(_:)``.
        public let type: TypeExpression
        /// The comment directly above; empty if there is none.
        public let documentation: String
    }

    /// A method of an interface.
    public struct Method: Hashable, Sendable {
        /// Whether a call may, must or must not ask for several replies.
        public enum Streaming: String, Hashable, Sendable {
            /// A call has one reply and must not ask for several.
            case none
            /// A call may ask for several replies: `# [Supports 'more' flag]` in the documentation.
            case supported
            /// A call must ask for several replies: `# [Requires 'more' flag]` in the documentation.
            case required
        }

        /// The name of the method without the interface; begins with a capital letter.
        public let name: String
        /// The fields of a call, in the order of the text; may be empty.
        public let parameters: [Field]
        /// The fields of a reply, in the order of the text; may be empty.
        public let results: [Field]
        /// The comment directly above, including flags; empty if there is none.
        public let documentation: String

        /// Whether a call may ask for several replies, according to the flag in the comment.
        public var streaming: Streaming {
            // Written so by systemd; other flags may stand in the same brackets.
            for line in documentation.split(separator: "\n") where line.hasPrefix("[") && line.hasSuffix("]") {
                if line.utf8.starts(with: "[Requires 'more' flag".utf8) { return .required }
                if line.utf8.starts(with: "[Supports 'more' flag".utf8) { return .supported }
            }
            return .none
        }
    }

    /// An error with which methods of the interface can fail.
    public struct ErrorDeclaration: Hashable, Sendable {
        /// The name of the error without the interface; begins with a capital letter.
        public let name: String
        /// The fields of the error, in the order of the text; may be empty.
        public let parameters: [Field]
        /// The comment directly above; empty if there is none.
        public let documentation: String
    }

    /// A field of a struct, of a call, of a reply or of an error.
    public struct Field: Hashable, Sendable {
        /// The field's name, unique in its struct.
        public let name: String
        /// The type of the field's values.
        public let type: TypeExpression
        /// The comment directly above; empty if there is none.
        public let documentation: String
    }

    /// One of the words of an enumeration.
    public struct Word: Hashable, Sendable {
        /// The word in messages, unique in its enumeration.
        public let name: String
        /// The comment directly above; empty if there is none.
        public let documentation: String
    }

    /// The type of a value in a message.
    public indirect enum TypeExpression: Hashable, Sendable {
        /// `true` or `false`.
        case bool
        /// A signed whole number of 64 bits.
        case int
        /// A floating-point number of 64 bits.
        case float
        /// A text in UTF-8.
        case string
        /// Any JSON value.
        case object
        /// A ``TypeAlias`` of the same interface.
        case named(String)
        /// An object with these fields, in the order of the text.
        case structure([Field])
        /// One of these words.
        case enumeration([Word])
        /// An array of values of that type, of any length.
        case array(TypeExpression)
        /// An object with any names, whose values have this type.
        case dictionary(TypeExpression)
        /// A value of that type, `null`, or absent.
        case optional(TypeExpression)
    }

    /// The name of the interface, such as `org.vigil.device1`: two or more parts of letters, digits and dashes, separated
    /// by dots. It begins with a letter, and no part begins or ends with a dash.
    public let name: String
    /// The lines of the comment directly above `interface`, without `#` and one space; empty if there is none.
    public let documentation: String
    /// The types, methods and errors in the order of the text.
    public let members: [Member]
    private let indices: [String: Int]

    /// For the parser, which has made sure of names and types.
    init(name: String, documentation: String, members: [Member]) {
        self.name = name
        self.documentation = documentation
        self.members = members
        indices = Dictionary(members.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    /// Returns the type with this name; `nil` if there is none, or if the name belongs to a method or an error.
    public func type(named name: String) -> TypeAlias? {
        if case .type(let alias)? = member(named: name) { alias } else { nil }
    }

    /// Returns the method with this name; `nil` if there is none, or if the name belongs to a type or an error.
    public func method(named name: String) -> Method? {
        if case .method(let method)? = member(named: name) { method } else { nil }
    }

    /// Returns the error with this name; `nil` if there is none, or if the name belongs to a type or a method.
    public func error(named name: String) -> ErrorDeclaration? {
        if case .error(let error)? = member(named: name) { error } else { nil }
    }

    /// The methods in the order of the text; may be empty.
    public var methods: [Method] { members.compactMap { if case .method(let method) = $0 { method } else { nil } } }

    private func member(named name: String) -> Member? { indices[name].map { members[$0] } }
}
