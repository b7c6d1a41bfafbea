// SPDX-License-Identifier: Apache-2.0

/// Decodes Swift values from a tree of JSON.
struct TreeDecoder: Decoder {
    let value: JSON
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = value else { throw mismatch("object") }
        return KeyedDecodingContainer(TreeKeyedDecoding(object: object, codingPath: codingPath))
    }
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch("array") }
        return TreeUnkeyedDecoding(elements: elements, codingPath: codingPath)
    }
    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func mismatch(_ expected: String) -> DecodingError {
        .typeMismatch(
            JSON.self, .init(codingPath: codingPath, debugDescription: "expected \(expected), found \(value.kind)"))
    }

    func unbox<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let leaf: Any?
        switch type {
        case is JSON.Type: leaf = value
        case is Bool.Type: leaf = value.bool
        case is String.Type: leaf = value.string
        case is Double.Type: leaf = double
        case is Float.Type: leaf = double.map { Float($0) }
        case let type as any FixedWidthInteger.Type: leaf = try integer(type)
        default: return try type.init(from: self)
        }
        guard let result = leaf as? Value else { throw mismatch(Self.word(type)) }
        return result
    }

    private var double: Double? {
        switch value {
        case .double(let value): value
        case .int(let value): Double(value)
        default: nil
        }
    }

    private func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        guard case .int(let value) = value else { throw mismatch("int") }
        guard let number = Number(exactly: value) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: codingPath, debugDescription: "expected \(Number.min) to \(Number.max)"))
        }
        return number
    }

    private static func word(_ type: Any.Type) -> String {
        switch type {
        case is Bool.Type: "bool"
        case is String.Type: "string"
        case is Double.Type, is Float.Type: "float"
        default: "another value"
        }
    }
}

extension TreeDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value == .null }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try unbox(type) }
}

private struct TreeKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let object: JSON.Object
    let codingPath: [any CodingKey]

    var allKeys: [Key] { object.members.compactMap { Key(stringValue: $0.name) } }
    func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }

    private func child(_ key: any CodingKey) throws -> TreeDecoder {
        guard let value = object[key.stringValue] else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "missing"))
        }
        return TreeDecoder(value: value, codingPath: codingPath + [key])
    }

    func decodeNil(forKey key: Key) throws -> Bool { try child(key).decodeNil() }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try child(key).unbox(type) }
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try child(key).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try child(key).unkeyedContainer()
    }
    func superDecoder() throws -> any Decoder { try child(NameKey(stringValue: "super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try child(key) }
}

private struct TreeUnkeyedDecoding: UnkeyedDecodingContainer {
    let elements: [JSON]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(elements: [JSON], codingPath: [any CodingKey]) {
        self.elements = elements
        self.codingPath = codingPath
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    private func current() throws -> TreeDecoder {
        let path = codingPath + [IndexKey(currentIndex)]
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(JSON.self, .init(codingPath: path, debugDescription: "it is missing"))
        }
        return TreeDecoder(value: elements[currentIndex], codingPath: path)
    }

    mutating func decodeNil() throws -> Bool {
        let isNull = try current().decodeNil()
        if isNull { currentIndex += 1 }
        return isNull
    }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try current().unbox(type)
        currentIndex += 1
        return value
    }
    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try current().container(keyedBy: type)
        currentIndex += 1
        return container
    }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try current().unkeyedContainer()
        currentIndex += 1
        return container
    }
    mutating func superDecoder() throws -> any Decoder {
        let decoder = try current()
        currentIndex += 1
        return decoder
    }
}
