// SPDX-License-Identifier: Apache-2.0

extension InterfaceDescription {
    /// The largest number of types nested in each other: 64, which is systemd's limit.
    public static let maximumDepth = 64

    /// Reads the text of an interface.
    ///
    /// The comment directly above the interface, a member, a field or a word of an enumeration becomes its documentation;
    /// other comments are discarded. Throws, with line and column: `syntax` if the text breaks the grammar, `nestedTooDeep`
    /// above ``maximumDepth``, `duplicateName` if two members, or two fields or words in one type, have the same name,
    /// `undefinedType` if a named type is not defined, and `endlessType` if a type contains itself without `?`, `[]` or
    /// `[string]` in between.
    public init(parsing text: String) throws(VarlinkError) { try self.init(parsing: Array(text.utf8)) }

    /// Reads the text of an interface from bytes, otherwise the same as ``init(parsing:)-(String)``. A comment that is not
    /// UTF-8 is a `syntax` error.
    public init(parsing bytes: [UInt8]) throws(VarlinkError) {
        var parser = try InterfaceParser(bytes)
        self = try parser.interface()
    }
}

struct InterfaceParser {
    private typealias Interface = InterfaceDescription

    /// A use of a name, for the error when nobody defines it.
    private struct Use {
        let name: String
        let place: VarlinkError.Place
        /// Alias whose values contain one of this always; `nil` outside of aliases and behind `?`, `[]` and `[string]`.
        let container: String?
    }

    private var scanner: InterfaceScanner
    private var token: InterfaceScanner.Token
    private var depth = 0
    private var uses: [Use] = []
    private var alias: String?

    init(_ bytes: [UInt8]) throws(VarlinkError) {
        scanner = InterfaceScanner(bytes)
        token = try scanner.next()
    }

    mutating func interface() throws(VarlinkError) -> InterfaceDescription {
        let documentation = token.documentation
        guard token.kind == .word("interface") else { throw error("it must start with the word interface") }
        try advance()
        guard case .word(let name) = token.kind, Name.isInterface(name) else {
            throw error("the name of an interface has two or more parts of letters, digits and - with dots between")
        }
        try advance()
        var members: [InterfaceDescription.Member] = []
        var places: [String: VarlinkError.Place] = [:]
        while token.kind != .end {
            let (member, place) = try member()
            guard places.updateValue(place, forKey: member.name) == nil else {
                throw VarlinkError(.duplicateName, at: place, "types, methods and errors share one name space")
            }
            members.append(member)
        }
        let description = InterfaceDescription(name: name, documentation: documentation, members: members)
        for use in uses where description.type(named: use.name) == nil {
            throw VarlinkError(.undefinedType, at: use.place)
        }
        try refuseEndlessTypes(places)
        return description
    }

    private var place: VarlinkError.Place { .line(token.line, column: token.column) }
    private func error(_ detail: String) -> VarlinkError { VarlinkError(.syntax, at: place, detail) }
    private mutating func advance() throws(VarlinkError) { token = try scanner.next() }

    private mutating func expect(_ kind: InterfaceScanner.Kind, _ sign: String) throws(VarlinkError) {
        guard token.kind == kind else { throw error("expected \(sign)") }
        try advance()
    }

    private mutating func member() throws(VarlinkError) -> (InterfaceDescription.Member, VarlinkError.Place) {
        let documentation = token.documentation
        guard case .word(let keyword) = token.kind, ["type", "method", "error"].contains(keyword) else {
            throw error("expected type, method or error")
        }
        try advance()
        let place = place
        guard case .word(let name) = token.kind, Name.isMember(name) else {
            throw error("the name of a \(keyword) is a capital letter, then letters and digits")
        }
        try advance()
        switch keyword {
        case "type":
            alias = name
            defer { alias = nil }
            guard token.kind == .open else { throw error("a type is a struct or an enumeration: expected (") }
            return (.type(.init(name: name, type: try type(), documentation: documentation)), place)
        case "method":
            let parameters = try structure()
            try expect(.arrow, "->")
            let results = try structure()
            return (
                .method(.init(name: name, parameters: parameters, results: results, documentation: documentation)), place
            )
        default: return (.error(.init(name: name, parameters: try structure(), documentation: documentation)), place)
        }
    }

    private mutating func type() throws(VarlinkError) -> InterfaceDescription.TypeExpression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= InterfaceDescription.maximumDepth else {
            throw VarlinkError(.nestedTooDeep, at: place, "at most \(InterfaceDescription.maximumDepth) levels")
        }
        switch token.kind {
        case .question:
            try advance()
            guard token.kind != .question else { throw error("?? says nothing that ? does not") }
            return .optional(try loosely())
        case .array:
            try advance()
            return .array(try loosely())
        case .dictionary:
            try advance()
            return .dictionary(try loosely())
        case .open: return try structureOrEnumeration()
        case .word(let name): return try named(name)
        default: throw error("expected a type")
        }
    }

    /// A type of which a value of the whole may have none.
    private mutating func loosely() throws(VarlinkError) -> InterfaceDescription.TypeExpression {
        let outer = alias
        alias = nil
        defer { alias = outer }
        return try type()
    }

    private mutating func named(_ name: String) throws(VarlinkError) -> InterfaceDescription.TypeExpression {
        let type: InterfaceDescription.TypeExpression
        switch name {
        case "bool": type = .bool
        case "int": type = .int
        case "float": type = .float
        case "string": type = .string
        case "object": type = .object
        default:
            guard Name.isMember(name) else {
                throw error("expected bool, int, float, string, object or the name of a type")
            }
            uses.append(Use(name: name, place: place, container: alias))
            type = .named(name)
        }
        try advance()
        return type
    }

    private mutating func structure() throws(VarlinkError) -> [InterfaceDescription.Field] {
        depth += 1
        defer { depth -= 1 }
        switch try structureOrEnumeration() {
        case .structure(let fields): return fields
        default: throw error("methods and errors have fields with types, not an enumeration, before this")
        }
    }

    private mutating func structureOrEnumeration() throws(VarlinkError) -> InterfaceDescription.TypeExpression {
        try expect(.open, "(")
        if token.kind == .close {
            try advance()
            return .structure([])
        }
        var fields: [InterfaceDescription.Field] = []
        var words: [InterfaceDescription.Word] = []
        var names: Set<String> = []
        repeat {
            if !names.isEmpty { try advance() }
            let documentation = token.documentation
            guard case .word(let name) = token.kind, Name.isField(name) else {
                throw error("the name of a field is a letter, then letters and digits, with single _ between")
            }
            guard names.insert(name).inserted else { throw VarlinkError(.duplicateName, at: place) }
            try advance()
            if words.isEmpty, token.kind == .colon {
                try advance()
                fields.append(.init(name: name, type: try type(), documentation: documentation))
            } else if fields.isEmpty {
                words.append(.init(name: name, documentation: documentation))
            } else {
                throw error("expected : and a type")
            }
        } while token.kind == .comma
        try expect(.close, "a comma or )")
        return fields.isEmpty ? .enumeration(words) : .structure(fields)
    }

    /// Takes away aliases that contain no other, again and again; what stays contains itself.
    private func refuseEndlessTypes(_ places: [String: VarlinkError.Place]) throws(VarlinkError) {
        var containers: [String: [String]] = [:]
        var waiting: [String: Int] = [:]
        for use in uses {
            guard let container = use.container else { continue }
            containers[use.name, default: []].append(container)
            waiting[container, default: 0] += 1
        }
        var done = containers.keys.filter { waiting[$0] == nil }
        while let name = done.popLast() {
            for container in containers[name] ?? [] {
                waiting[container, default: 0] -= 1
                if waiting[container] == 0 {
                    waiting[container] = nil
                    done.append(container)
                }
            }
        }
        if let first = waiting.keys.min() { throw VarlinkError(.endlessType, at: places[first], first) }
    }
}
