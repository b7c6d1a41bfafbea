// SPDX-License-Identifier: Apache-2.0

extension JSON {
    /// Encodes a Swift value. Optional members that are `nil` are left out. The members of a dictionary with
    /// `String` keys are sorted by key, so that equal values give equal bytes; other dictionaries keep the order of
    /// the moment.
    ///
    /// Throws ``JSONError/Code/notEncodable``: with a path for a number that is not finite, a whole number outside
    /// `Int64`, or a value nested deeper than ``maximumDepth``; without a path if the encoding of the type itself
    /// throws.
    public init(encoding value: some Encodable) throws(JSONError) {
        if let json = value as? JSON {
            self = json
            return
        }
        do {
            self = try TreeEncoder.encode(value, path: [])
        } catch let error as JSONError {
            throw error
        } catch EncodingError.invalidValue(_, let context) {
            throw JSONError(.notEncodable, at: .path(Self.path(context.codingPath)), context.debugDescription)
        } catch {
            throw JSONError(.notEncodable, "the type's own encoding refused")
        }
    }

    /// Decodes a Swift value. Optional members become `nil` if they are absent or null; unknown members are ignored. A
    /// whole number can become a `Double`, but not the other way round.
    ///
    /// Throws ``JSONError/Code/notDecodable``: with the path of the first value that is missing or has the wrong kind or
    /// range; without a path if the decoding of the type itself throws.
    public func decode<Value: Decodable>(_ type: Value.Type) throws(JSONError) -> Value {
        do {
            return try TreeDecoder(value: self, codingPath: []).unbox(type)
        } catch let error as JSONError {
            throw error
        } catch let error as DecodingError {
            throw Self.refusal(error)
        } catch {
            throw JSONError(.notDecodable, "the type's own decoding refused")
        }
    }

    private static func refusal(_ error: DecodingError) -> JSONError {
        switch error {
        case .keyNotFound(let key, let context):
            JSONError(.notDecodable, at: .path(path(context.codingPath + [key])), "it is missing")
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            JSONError(.notDecodable, at: .path(path(context.codingPath)), context.debugDescription)
        @unknown default: JSONError(.notDecodable)
        }
    }

    /// `files[3].name`
    static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce(into: "") { path, key in
            if let index = key.intValue, !(key is NameKey) {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}

/// JSON as a member of a Swift type. It can be encoded by ``JSON/init(encoding:)`` and decoded by ``JSON/decode(_:)`` only.
extension JSON: Codable {
    /// Takes the value from the decoder unchanged. Throws `DecodingError.dataCorrupted` for any decoder but that of
    /// ``JSON/decode(_:)``.
    public init(from decoder: any Decoder) throws {
        guard let tree = decoder as? TreeDecoder else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "JSON decodes from JSON only"))
        }
        self = tree.value
    }

    /// Passes the value to the encoder unchanged. Throws `EncodingError.invalidValue` for any encoder but that of
    /// ``JSON/init(encoding:)``.
    public func encode(to encoder: any Encoder) throws {
        guard let tree = encoder as? TreeEncoder else {
            throw EncodingError.invalidValue(
                self, .init(codingPath: encoder.codingPath, debugDescription: "JSON encodes to JSON only"))
        }
        tree.node.content = .value(self)
    }
}

/// A key that is its name, or an index into an array.
struct NameKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

struct IndexKey: CodingKey {
    let index: Int
    var stringValue: String { String(index) }
    var intValue: Int? { index }

    init(_ index: Int) { self.index = index }
    init?(stringValue: String) { nil }
    init?(intValue: Int) { index = intValue }
}
