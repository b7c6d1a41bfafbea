// SPDX-License-Identifier: Apache-2.0

/// An interface's types, methods and errors, as written in Varlink's interface language.
///
/// Equal descriptions have the same members in the same order with the same documentation.
public struct InterfaceDescription: Hashable, Sendable {
    /// A type, method or error of an interface; they share one name space.
    public enum Member: Hashable, Sendable {
        /// A name for a struct or an enumeration.
        case type(TypeAlias)
        /// A method that can be called.
        case method(Method)
        /// A way in which methods can fail.
        case error(ErrorDeclaration)

        /// The member's name, unique in the interface.
        public var name: String {
            switch self {
            case .type(let alias): alias.name
            case .method(let method): method.name
            case .error(let error): error.name
            }
        }

        /// The comment directly above: lines without their `#` and one space; empty without one.
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
        /// The type's name, with a capital letter.
        public let name: String
        /// The type behind the name, always ``TypeExpression/structure(_:)`` or ``TypeExpression/enumeration(_:)``.
        public let type: TypeExpression
        /// The comment directly above; empty without one.
        public let documentation: String
    }

    /// A method that can be called.
    public struct Method: Hashable, Sendable {
        /// The use of several replies: a call may, must, or must not ask for them.
        public enum Streaming: String, Hashable, Sendable {
            /// A call has one reply, and must not ask for more.
            case none
            /// `# [Supports 'more' flag]` in the documentation.
            case supported
            /// `# [Requires 'more' flag]` in the documentation.
            case required
        }

        /// The method's name, with a capital letter, without the interface.
        public let name: String
        /// Fields of a call, in the order of the text; empty without any.
        public let parameters: [Field]
        /// Fields of a reply, in the order of the text; empty without any.
        public let results: [Field]
        /// The comment directly above, flags included; empty without one.
        public let documentation: String

        /// The method's use of several replies, by the flag in the comment, as systemd writes it.
        public var streaming: Streaming {
            // Written so by systemd; other flags may stand in the same brackets.
            for line in documentation.split(separator: "\n") where line.hasPrefix("[") && line.hasSuffix("]") {
                if line.utf8.starts(with: "[Requires 'more' flag".utf8) { return .required }
                if line.utf8.starts(with: "[Supports 'more' flag".utf8) { return .supported }
            }
            return .none
        }
    }

    /// A way in which methods of the interface can fail.
    public struct ErrorDeclaration: Hashable, Sendable {
        /// The error's name, with a capital letter, without the interface.
        public let name: String
        /// Fields of the error, in the order of the text; empty without any.
        public let parameters: [Field]
        /// The comment directly above; empty without one.
        public let documentation: String
    }

    /// A field of a struct, of a call, of a reply or of an error.
    public struct Field: Hashable, Sendable {
        /// The field's name, unique in its struct.
        public let name: String
        /// The type of the field's values.
        public let type: TypeExpression
        /// The comment directly above; empty without one.
        public let documentation: String
    }

    /// One of the words an enumeration can be.
    public struct Word: Hashable, Sendable {
        /// The word as it travels, unique in its enumeration.
        public let name: String
        /// The comment directly above; empty without one.
        public let documentation: String
    }

    /// The type of a value in a message.
    public indirect enum TypeExpression: Hashable, Sendable {
        /// `true` or `false`.
        case bool
        /// A whole number of 64 bits with its sign.
        case int
        /// A floating-point number of 64 bits.
        case float
        /// A text of UTF-8.
        case string
        /// Any JSON at all.
        case object
        /// A ``TypeAlias`` of the same interface.
        case named(String)
        /// An object with these fields, in the order of the text.
        case structure([Field])
        /// One of these words.
        case enumeration([Word])
        /// An array of values of that type, of any length.
        case array(TypeExpression)
        /// From strings to values.
        case dictionary(TypeExpression)
        /// A value of that type, `null`, or absent.
        case optional(TypeExpression)
    }

    /// The interface's name, such as `org.vigil.device1`: two or more parts of letters, digits and dashes with dots between. It begins with a
    /// letter, and no part begins or ends with a dash.
    public let name: String
    /// The comment directly above `interface`: lines without their `#` and one space; empty without one.
    public let documentation: String
    /// Types, methods and errors in the order of the text.
    public let members: [Member]
    private let indices: [String: Int]

    /// For the parser, which has made sure of names and types.
    init(name: String, documentation: String, members: [Member]) {
        self.name = name
        self.documentation = documentation
        self.members = members
        indices = Dictionary(members.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    /// The type of that name; `nil` when there is none, or another kind of member has the name.
    public func type(named name: String) -> TypeAlias? {
        if case .type(let alias)? = member(named: name) { alias } else { nil }
    }

    /// The method of that name; `nil` when there is none, or another kind of member has the name.
    public func method(named name: String) -> Method? {
        if case .method(let method)? = member(named: name) { method } else { nil }
    }

    /// The error of that name; `nil` when there is none, or another kind of member has the name.
    public func error(named name: String) -> ErrorDeclaration? {
        if case .error(let error)? = member(named: name) { error } else { nil }
    }

    /// All methods in the order of the text; empty without any.
    public var methods: [Method] { members.compactMap { if case .method(let method) = $0 { method } else { nil } } }

    private func member(named name: String) -> Member? { indices[name].map { members[$0] } }
}
