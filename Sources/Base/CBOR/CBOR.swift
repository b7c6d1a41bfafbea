// SPDX-License-Identifier: Apache-2.0

/// A value of CBOR (RFC 8949), without floating-point numbers and without simple values other than `false`, `true` and `null`.
///
/// A value has one encoding only, the core deterministic one (RFC 8949, section 4.2.1), and two values are equal if they have
/// the same encoding. So two texts that Swift takes for equal, because Unicode says that they look the same, are different
/// here.
public indirect enum CBOR: Sendable {
    /// A whole number, 0 or more (major type 0).
    case unsigned(UInt64)
    /// A number below zero, -1 - n (major type 1).
    case negative(UInt64)
    /// A string of bytes (major type 2).
    case bytes([UInt8])
    /// A text (major type 3).
    case text(String)
    /// Values in order (major type 4).
    case array([CBOR])
    /// Values by key (major type 5).
    case map(Map)
    /// A value with a number that says what it is (major type 6).
    case tagged(UInt64, CBOR)
    /// `false` or `true` (simple values 20 and 21).
    case bool(Bool)
    /// `null` (simple value 22).
    case null

    /// Creates a whole number. Cannot fail.
    public init(_ value: Int64) {
        self = value < 0 ? .negative(UInt64(bitPattern: ~value)) : .unsigned(UInt64(value))
    }

    /// The whole number; `nil` for another kind of value, and for a number outside 64 bits with a sign.
    public var integer: Int64? {
        switch self {
        case .unsigned(let value): Int64(exactly: value)
        case .negative(let value): Int64(exactly: value).map { ~$0 }
        default: nil
        }
    }
    /// The bytes; `nil` for another kind of value.
    public var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    /// The text; `nil` for another kind of value.
    public var text: String? { if case .text(let value) = self { value } else { nil } }
    /// The elements of an array; `nil` for another kind of value.
    public var array: [CBOR]? { if case .array(let value) = self { value } else { nil } }
    /// The map; `nil` for another kind of value.
    public var map: Map? { if case .map(let value) = self { value } else { nil } }
    /// The truth value; `nil` for another kind of value.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
}

extension CBOR {
    /// Values by key. Keys are unique, and entries are in the order of their keys' encodings.
    public struct Map: Sendable {
        /// A key with its value.
        public struct Entry: Sendable {
            /// The key; unique in its map.
            public let key: CBOR
            /// The value.
            public let value: CBOR
            /// What entries are ordered and found by.
            let encodedKey: [UInt8]

            init(key: CBOR, value: CBOR, encodedKey: [UInt8]) {
                self.key = key
                self.value = value
                self.encodedKey = encodedKey
            }
        }

        /// The entries, ascending by the encodings of their keys.
        public private(set) var entries: [Entry]

        /// Creates a map without entries.
        public init() { entries = [] }

        /// Entries that the caller knows to be in order and unique.
        init(ordered entries: [Entry]) { self.entries = entries }

        /// The value of a key; `nil` if there is none. Setting a value adds or replaces an entry, and setting `nil` removes it.
        /// Takes time proportional to the number of entries.
        public subscript(key: CBOR) -> CBOR? {
            get {
                let encodedKey = key.encoded
                return entries.first { $0.encodedKey == encodedKey }?.value
            }
            set {
                let encodedKey = key.encoded
                entries.removeAll { $0.encodedKey == encodedKey }
                guard let newValue else { return }
                let place = entries.firstIndex { encodedKey.lexicographicallyPrecedes($0.encodedKey) } ?? entries.endIndex
                entries.insert(Entry(key: key, value: newValue, encodedKey: encodedKey), at: place)
            }
        }

        /// The value of a whole number as key; `nil` if there is none.
        public subscript(label: Int64) -> CBOR? {
            get { self[CBOR(label)] }
            set { self[CBOR(label)] = newValue }
        }
    }
}

extension CBOR: Hashable {
    /// Returns whether both have the same encoding.
    public static func == (left: CBOR, right: CBOR) -> Bool { left.encoded == right.encoded }
    /// Hashes the encoding, in agreement with equality.
    public func hash(into hasher: inout Hasher) { hasher.combine(encoded) }
}

extension CBOR.Map: Hashable {
    /// Returns whether both have the same encoding.
    public static func == (left: Self, right: Self) -> Bool { CBOR.map(left) == CBOR.map(right) }
    /// Hashes the encoding, in agreement with equality.
    public func hash(into hasher: inout Hasher) { hasher.combine(CBOR.map(self)) }
}
