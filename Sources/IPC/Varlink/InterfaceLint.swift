// SPDX-License-Identifier: Apache-2.0

/// Checks Vigil's rules for interfaces: they must be documented, have a versioned name, be bounded, and have no field in
/// which a key, an identifier, an address or received data could leave its process.
///
/// The check looks at names and types only. It cannot find a key in a field named `colour`; transcripts with planted keys
/// are meant for that.
public enum InterfaceLint {
    /// The rules for interfaces. Raw values are stable, because they appear in reviews and build logs.
    public enum Rule: String, Sendable, CaseIterable {
        /// The interface, a type, a method or an error has no documentation.
        case undocumentedMember
        /// A field has no documentation.
        case undocumentedField
        /// The name of a field or word is not in lower camel case.
        case nameNotCamelCase
        /// The last part of the interface's name does not end in a number without a leading zero, after other
        /// characters, so there could be no incompatible successor.
        case interfaceWithoutNumber
        /// The name of a field, or of what contains it, suggests a secret or an identifier.
        case forbiddenName
        /// The name suggests bytes encoded as text, which nobody can review.
        case bytesAsText
        /// The type is `object`, which may contain anything.
        case untypedObject
        /// A method with a single reply returns a list without a limit. Write `# At most 20.` above the field, or send
        /// several replies.
        case unboundedList
        /// An exception that begins with the interface's name, and that no field needs.
        case unusedException
    }

    /// A place in an interface that breaks a rule.
    public struct Finding: Hashable, Sendable, CustomStringConvertible {
        /// The rule that the place breaks.
        public let rule: Rule
        /// The place, such as `org.example.board1.GetStatus.lastKey`; parameters and results look the same.
        public let path: String
        /// The problem and its remedy, in English.
        public let detail: String

        /// A line for build logs: place, detail and the stable name of the rule.
        public var description: String { "\(path): \(detail) [\(rule.rawValue)]" }
    }

    /// Returns the places of the interface that break a rule: first the rules of form, in the order of the text;
    /// then those of content, for methods, errors, and types that neither uses; then exceptions that are not
    /// needed. Empty if there are none.
    ///
    /// - Parameter exceptions: The full paths of fields that may contain what their names suggest, including everything
    ///   inside them; each one is a documented decision. They apply to ``Rule/forbiddenName`` and ``Rule/bytesAsText``
    ///   only.
    public static func findings(
        in interface: InterfaceDescription, exceptions: Set<String> = []
    ) -> [Finding] {
        var form = FormLint(interface: interface)
        form.check()
        var content = ContentLint(interface: interface, exceptions: exceptions)
        content.check()
        return form.findings + content.findings
    }
}

/// Documentation, spelling, and ends of lists.
private struct FormLint {
    typealias TypeExpression = InterfaceDescription.TypeExpression

    let interface: InterfaceDescription
    var findings: [InterfaceLint.Finding] = []
    private var visited: Set<String> = []

    init(interface: InterfaceDescription) { self.interface = interface }

    mutating func check() {
        if !Self.endsInNumber(interface.name) {
            add(.interfaceWithoutNumber, interface.name, "the last part of the name must end in a number, as in board1")
        }
        document(interface, interface.name)
        for member in interface.members {
            let path = "\(interface.name).\(member.name)"
            document(member, path)
            switch member {
            case .type(let alias): names(in: alias.type, path)
            case .error(let error): names(in: .structure(error.parameters), path)
            case .method(let method):
                names(in: .structure(method.parameters), path)
                names(in: .structure(method.results), path)
                visited = []
                if method.streaming == .none { bounds(method.results, path) }
            }
        }
    }

    private mutating func add(_ rule: InterfaceLint.Rule, _ path: String, _ detail: String) {
        findings.append(.init(rule: rule, path: path, detail: detail))
    }

    private mutating func document(_ element: some InterfaceElement, _ path: String) {
        // A line for machines is no documentation.
        guard element.prose.allSatisfy(\.isNewline) else { return }
        add(.undocumentedMember, path, "it needs a comment directly above")
    }

    private mutating func names(in type: TypeExpression, _ path: String) {
        switch type {
        case .structure(let fields):
            for field in fields {
                let path = "\(path).\(field.name)"
                if field.documentation.isEmpty { add(.undocumentedField, path, "it needs a comment directly above") }
                spell(field.name, path)
                names(in: field.type, path)
            }
        case .enumeration(let words): for word in words { spell(word.name, "\(path).\(word.name)") }
        case .array(let element), .dictionary(let element), .optional(let element): names(in: element, path)
        default: break
        }
    }

    private mutating func spell(_ name: String, _ path: String) {
        guard let first = name.utf8.first, !Name.isUpper(first), !name.utf8.contains(UInt8(ascii: "_")) else {
            return add(.nameNotCamelCase, path, "names of fields and words are written likeThis")
        }
    }

    private mutating func bounds(_ fields: [InterfaceDescription.Field], _ path: String) {
        for field in fields where !Self.isBounded(field.documentation) { bounds(field.type, "\(path).\(field.name)") }
    }

    private mutating func bounds(_ type: TypeExpression, _ path: String) {
        switch type {
        case .array, .dictionary:
            add(.unboundedList, path, "write \"At most N.\" above it, or reply several times")
        case .optional(let element): bounds(element, path)
        case .structure(let fields): bounds(fields, path)
        case .named(let name):
            guard visited.insert(name).inserted, let alias = interface.type(named: name) else { return }
            bounds(alias.type, path)
        default: break
        }
    }

    private static func isBounded(_ documentation: String) -> Bool {
        let words = documentation.split { $0 == " " || $0 == "\n" }
        return words.indices.dropLast(2).contains { index in
            words[index] == "At" && words[index + 1] == "most" && words[index + 2].utf8.first.map(Name.isDigit) == true
        }
    }

    private static func endsInNumber(_ name: String) -> Bool {
        guard let part = name.utf8.split(separator: UInt8(ascii: ".")).last else { return false }
        let digits = part.reversed().prefix(while: Name.isDigit)
        return !digits.isEmpty && digits.count < part.count && digits.last != UInt8(ascii: "0")
    }
}

/// What fields could carry.
private struct ContentLint {
    typealias TypeExpression = InterfaceDescription.TypeExpression

    /// Where a type is used.
    private struct Context: Hashable {
        /// The forbidden word of whatever it is in, if any.
        var inherited: FieldWords.Suspicion?
        let path: String
    }

    let interface: InterfaceDescription
    let exceptions: Set<String>
    var findings: [InterfaceLint.Finding] = []
    private var used: Set<String> = []
    /// Types gone through, by name and inherited suspicion, so that work stays small and recursion ends.
    private var visited: Set<String> = []
    private var reached: Set<String> = []

    init(interface: InterfaceDescription, exceptions: Set<String>) {
        self.interface = interface
        self.exceptions = exceptions
    }

    mutating func check() {
        for case .method(let method) in interface.members {
            // What a method is about comes out of it; what goes in is judged by its own words.
            check(.structure(method.parameters), "", Context(inherited: nil, path: "\(interface.name).\(method.name)"))
            member(method.name, method.results)
        }
        for case .error(let error) in interface.members { member(error.name, error.parameters) }
        // Types are judged where they are used, under the names they have there; what nobody uses, by itself.
        for case .type(let alias) in interface.members where !reached.contains(alias.name) {
            reached.insert(alias.name)
            check(alias.type, "", context(alias.name))
        }
        for exception in exceptions.sorted() where exception.hasPrefix(interface.name + ".") && !used.contains(exception) {
            add(.unusedException, exception, "nothing here needs it; take it off the list")
        }
    }

    private mutating func add(_ rule: InterfaceLint.Rule, _ path: String, _ detail: String) {
        findings.append(.init(rule: rule, path: path, detail: detail))
    }

    private func context(_ name: String) -> Context {
        let words = FieldWords(name)
        // "Data" in the name of a method is no encoding, and what is settled about keys is none.
        let suspicion = words.isSetting || words.suspicion?.kind == .encoding ? nil : words.suspicion
        return Context(inherited: suspicion, path: "\(interface.name).\(name)")
    }

    private mutating func member(_ name: String, _ fields: [InterfaceDescription.Field]) {
        check(.structure(fields), "", context(name))
    }

    private mutating func check(_ type: TypeExpression, _ name: String, _ context: Context) {
        switch type {
        case .structure(let fields):
            for field in fields {
                let inner = Context(
                    inherited: FieldWords(name).suspicion ?? context.inherited, path: "\(context.path).\(field.name)")
                check(field.type, field.name, inner)
            }
        case .named(let alias):
            reached.insert(alias)
            guard let definition = interface.type(named: alias) else { return }
            var inner = context
            inner.inherited = inner.inherited ?? FieldWords(name).suspicion ?? FieldWords(alias).suspicion
            // Again for each exception it lies below, as what is excepted there is not elsewhere.
            let circumstances = [alias, name, inner.inherited?.word ?? "", exception(for: context.path) ?? ""]
            guard visited.insert(circumstances.joined(separator: " ")).inserted else { return }
            check(definition.type, name, inner)
        case .array(let element), .optional(let element): check(element, name, context)
        case .dictionary(let element):
            judge(name, .string, context)
            check(element, name, context)
        case .enumeration: break
        case .object: add(.untypedObject, context.path, "describe what is in it, field by field")
        case .bool, .int, .float, .string: judge(name, type, context)
        }
    }

    private mutating func judge(_ name: String, _ type: TypeExpression, _ context: Context) {
        let words = FieldWords(name)
        let suspicion = words.suspicion
        if type == .bool && (suspicion == nil || words.isClaim) { return }
        if type != .string && type != .bool && words.isQuantity { return }
        if type == .bool && words.isQuantity { return }
        if type == .string && words.isNameOfSomething { return }
        guard let found = suspicion ?? context.inherited else { return }
        if let exception = exception(for: context.path) {
            used.insert(exception)
            return
        }
        let origin = suspicion == nil ? "what it is in" : "its name"
        switch found.kind {
        case .secret: add(.forbiddenName, context.path, "\(origin) says \"\(found.word)\", and it could carry one")
        case .encoding: add(.bytesAsText, context.path, "\(origin) says \"\(found.word)\": bytes do not travel as text")
        }
    }

    private func exception(for path: String) -> String? {
        exceptions.first { path == $0 || path.hasPrefix($0 + ".") }
    }
}
