// SPDX-License-Identifier: Apache-2.0

/// Encodes a Swift value into a tree of JSON.
final class TreeEncoder: Encoder {
    /// A place in the tree that is filled while the value encodes itself.
    final class Node {
        enum Content {
            case nothing
            case value(JSON)
            case members([(name: String, node: Node)])
            case elements([Node])
        }
        var content = Content.nothing
        var isSorted = false

        func addMember(_ name: String, _ node: Node) {
            var members: [(name: String, node: Node)] = []
            if case .members(let before) = content { members = before }
            content = .nothing
            members.append((name, node))
            content = .members(members)
        }

        func addElement(_ node: Node) {
            var elements: [Node] = []
            if case .elements(let before) = content { elements = before }
            content = .nothing
            elements.append(node)
            content = .elements(elements)
        }

        var elementCount: Int { if case .elements(let elements) = content { elements.count } else { 0 } }

        var json: JSON {
            switch content {
            // A type without anything to encode is an object without members.
            case .nothing: return .empty
            case .value(let value): return value
            case .elements(let nodes): return .array(nodes.map(\.json))
            case .members(let members):
                let ordered = isSorted ? members.sorted { $0.name < $1.name } : members
                guard Set(ordered.map(\.name)).count < ordered.count else {
                    return .object(JSON.Object(distinct: ordered.map { .init(name: $0.name, value: $0.node.json) }))
                }
                // A type that encodes one key twice means the later value.
                var object = JSON.Object()
                for member in ordered { object[member.name] = member.node.json }
                return .object(object)
            }
        }
    }

    let node: Node
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(node: Node, codingPath: [any CodingKey]) {
        self.node = node
        self.codingPath = codingPath
    }

    static func encode(_ value: some Encodable, path: [any CodingKey]) throws -> JSON {
        let node = Node()
        try fill(node, with: value, path: path)
        return node.json
    }

    static func fill(_ node: Node, with value: some Encodable, path: [any CodingKey]) throws {
        guard path.count <= JSON.maximumDepth else {
            throw EncodingError.invalidValue(value, .init(codingPath: path, debugDescription: "it is nested too deep"))
        }
        if let leaf = try leaf(value, path: path) {
            node.content = .value(leaf)
            return
        }
        try value.encode(to: TreeEncoder(node: node, codingPath: path))
        node.isSorted = value is any StringKeyed
    }

    /// The JSON of a value that is not made of others; `nil` for all that are.
    private static func leaf(_ value: some Encodable, path: [any CodingKey]) throws -> JSON? {
        switch value {
        case let value as JSON: return value
        case let value as Bool: return .bool(value)
        case let value as String: return .string(value)
        case let value as Double: return try number(value, path)
        case let value as Float: return try number(Double(value), path)
        case let value as Int: return .int(Int64(value))
        case let value as any FixedWidthInteger:
            guard let number = Int64(exactly: value) else {
                throw EncodingError.invalidValue(
                    value, .init(codingPath: path, debugDescription: "it is above the largest whole number"))
            }
            return .int(number)
        default: return nil
        }
    }

    private static func number(_ value: Double, _ path: [any CodingKey]) throws -> JSON {
        guard value.isFinite else {
            throw EncodingError.invalidValue(value, .init(codingPath: path, debugDescription: "it is not finite"))
        }
        return .double(value)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(TreeKeyedEncoding(node: node, codingPath: codingPath))
    }
    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        TreeUnkeyedEncoding(node: node, codingPath: codingPath)
    }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

/// Dictionaries whose keys are strings: the only ones that come out as objects.
private protocol StringKeyed {}
extension Dictionary: StringKeyed where Key == String {}

extension TreeEncoder: SingleValueEncodingContainer {
    func encodeNil() { node.content = .value(.null) }
    func encode(_ value: some Encodable) throws { try Self.fill(node, with: value, path: codingPath) }
}

private struct TreeKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: TreeEncoder.Node
    let codingPath: [any CodingKey]

    init(node: TreeEncoder.Node, codingPath: [any CodingKey]) {
        self.node = node
        self.codingPath = codingPath
        if case .nothing = node.content { node.content = .members([]) }
    }

    private func child(_ key: any CodingKey) -> TreeEncoder.Node {
        let child = TreeEncoder.Node()
        node.addMember(key.stringValue, child)
        return child
    }

    func encodeNil(forKey key: Key) { child(key).content = .value(.null) }
    func encode(_ value: some Encodable, forKey key: Key) throws {
        try TreeEncoder.fill(child(key), with: value, path: codingPath + [key])
    }
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(TreeKeyedEncoding<Nested>(node: child(key), codingPath: codingPath + [key]))
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        TreeUnkeyedEncoding(node: child(key), codingPath: codingPath + [key])
    }
    func superEncoder() -> any Encoder { encoder(NameKey(stringValue: "super")) }
    func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }
    private func encoder(_ key: any CodingKey) -> any Encoder {
        TreeEncoder(node: child(key), codingPath: codingPath + [key])
    }
}

private struct TreeUnkeyedEncoding: UnkeyedEncodingContainer {
    let node: TreeEncoder.Node
    let codingPath: [any CodingKey]

    init(node: TreeEncoder.Node, codingPath: [any CodingKey]) {
        self.node = node
        self.codingPath = codingPath
        if case .nothing = node.content { node.content = .elements([]) }
    }

    var count: Int { node.elementCount }

    private func child() -> (node: TreeEncoder.Node, path: [any CodingKey]) {
        let path = codingPath + [IndexKey(count)]
        let child = TreeEncoder.Node()
        node.addElement(child)
        return (child, path)
    }

    func encodeNil() { child().node.content = .value(.null) }
    func encode(_ value: some Encodable) throws {
        let (node, path) = child()
        try TreeEncoder.fill(node, with: value, path: path)
    }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        let (node, path) = child()
        return KeyedEncodingContainer(TreeKeyedEncoding<Nested>(node: node, codingPath: path))
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let (node, path) = child()
        return TreeUnkeyedEncoding(node: node, codingPath: path)
    }
    func superEncoder() -> any Encoder {
        let (node, path) = child()
        return TreeEncoder(node: node, codingPath: path)
    }
}
