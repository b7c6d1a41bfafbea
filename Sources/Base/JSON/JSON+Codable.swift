// SPDX-License-Identifier: Apache-2.0

extension JSON {
    /// The value as JSON. Optionals that are nil are left out; dictionaries with texts as keys are sorted by them, so that equal values give equal
    /// bytes.
    ///
    /// Throws ``JSONError/Code/notEncodable`` with the path for numbers that are not finite, whole numbers above `Int64`, and what is nested deeper
    /// than ``maximumDepth``; without a path when the type's own encoding refuses.
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

    /// The value as a Swift type. Optionals become nil for members that are absent or null; unknown members are passed over. A whole number becomes a
    /// `Double` where one is wanted, never the other way round.
    ///
    /// Throws ``JSONError/Code/notDecodable`` with the path of the first thing that is wrong; without a path when the type's own decoding refuses.
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

/// Any JSON inside of a Swift type. It travels through ``JSON/init(encoding:)`` and ``JSON/decode(_:)`` only.
extension JSON: Codable {
    /// Takes the value as it stands. Throws `DecodingError.dataCorrupted` for any decoder but the one of ``JSON/decode(_:)``.
    public init(from decoder: any Decoder) throws {
        guard let tree = decoder as? TreeDecoder else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "JSON decodes from JSON only"))
        }
        self = tree.value
    }

    /// Gives the value as it is. Throws `EncodingError.invalidValue` for any encoder but the one of ``JSON/init(encoding:)``.
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
