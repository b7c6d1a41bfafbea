// SPDX-License-Identifier: Apache-2.0

import ForeignText

extension CBOR {
    /// The default limit of arrays, maps and tags nested in each other.
    public static let maximumDepth = 64
    /// The default limit of bytes.
    public static let maximumByteCount = 65_536

    /// Decodes exactly one value in core deterministic encoding (RFC 8949, section 4.2.1). What is accepted has exactly these
    /// bytes as its ``encoded``.
    ///
    /// Throws ``CBORError`` with the broken rule and the byte where it was broken. Time and memory are at most proportional to
    /// the number of bytes, times the depth in the case of maps whose keys are maps.
    ///
    /// - Parameters:
    ///   - maximumByteCount: The most bytes, 0 or more.
    ///   - maximumDepth: The most arrays, maps and tags nested in each other, 0 to 64.
    public init(
        decoding bytes: [UInt8], maximumByteCount: Int = CBOR.maximumByteCount, maximumDepth: Int = CBOR.maximumDepth
    ) throws(CBORError) {
        guard bytes.count <= maximumByteCount else {
            throw CBORError(.tooLarge, at: 0, "\(bytes.count) bytes, at most \(maximumByteCount)")
        }
        var decoder = CBORDecoder(bytes: bytes)
        self = try decoder.item(levels: min(maximumDepth, CBOR.maximumDepth))
        guard decoder.index == bytes.count else { throw CBORError(.trailingBytes, at: decoder.index) }
    }
}

private struct CBORDecoder {
    let bytes: [UInt8]
    var index = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    private var remaining: Int { bytes.count - index }

    /// The next item, which may contain `levels` further ones in each other.
    mutating func item(levels: Int) throws(CBORError) -> CBOR {
        let start = index
        let (type, argument) = try head()
        switch type {
        case .unsigned: return .unsigned(argument)
        case .negative: return .negative(argument)
        case .bytes: return .bytes(Array(try string(argument, from: start)))
        case .text:
            guard let text = StreamSafe.decode(try string(argument, from: start)) else {
                throw CBORError(.invalidText, at: start)
            }
            return .text(text)
        case .array:
            let count = try count(argument, bytesEach: 1, levels: levels, from: start)
            var values: [CBOR] = []
            for _ in 0..<count { values.append(try item(levels: levels - 1)) }
            return .array(values)
        case .map: return .map(try map(count(argument, bytesEach: 2, levels: levels, from: start), levels: levels - 1))
        case .tag:
            _ = try count(1, bytesEach: 1, levels: levels, from: start)
            return .tagged(argument, try item(levels: levels - 1))
        case .simple:
            switch argument {
            case 20: return .bool(false)
            case 21: return .bool(true)
            case 22: return .null
            default: throw CBORError(.unsupportedValue, at: start)
            }
        }
    }

    private mutating func map(_ count: Int, levels: Int) throws(CBORError) -> CBOR.Map {
        var entries: [CBOR.Map.Entry] = []
        for _ in 0..<count {
            let start = index
            let key = try item(levels: levels)
            // What was accepted is deterministic, so these bytes are the key's encoding.
            let encodedKey = Array(bytes[start..<index])
            if let last = entries.last, !last.encodedKey.lexicographicallyPrecedes(encodedKey) {
                throw CBORError(last.encodedKey == encodedKey ? .duplicateKey : .unsortedKeys, at: start)
            }
            entries.append(CBOR.Map.Entry(key: key, value: try item(levels: levels), encodedKey: encodedKey))
        }
        return CBOR.Map(ordered: entries)
    }

    /// The length of an array or a map, which must fit into what is left, and its level, which must be allowed.
    private func count(
        _ argument: UInt64, bytesEach: Int, levels: Int, from start: Int
    ) throws(CBORError) -> Int {
        guard levels > 0 else { throw CBORError(.tooDeep, at: start) }
        guard argument <= UInt64(remaining / bytesEach) else { throw CBORError(.truncated, at: start) }
        return Int(argument)
    }

    private mutating func string(_ argument: UInt64, from start: Int) throws(CBORError) -> ArraySlice<UInt8> {
        guard argument <= UInt64(remaining) else { throw CBORError(.truncated, at: start) }
        defer { index += Int(argument) }
        return bytes[index..<index + Int(argument)]
    }

    private mutating func head() throws(CBORError) -> (CBOR.MajorType, UInt64) {
        let start = index
        guard let first = bytes[index...].first else { throw CBORError(.truncated, at: start) }
        index += 1
        guard let type = CBOR.MajorType(rawValue: first >> 5) else { throw CBORError(.malformed, at: start) }
        let information = first & 0x1F
        switch information {
        case ..<24: return (type, UInt64(information))
        case 24...27 where type == .simple:
            // A simple value of two bytes, or a floating-point number.
            throw CBORError(.unsupportedValue, at: start)
        case 24...27:
            let count = 1 << Int(information - 24)
            guard remaining >= count else { throw CBORError(.truncated, at: start) }
            let argument = bytes[index..<index + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            index += count
            let shortest: UInt64 = information == 24 ? 24 : 1 << UInt64(4 * count)
            guard argument >= shortest else { throw CBORError(.notShortest, at: start) }
            return (type, argument)
        case 31 where [.bytes, .text, .array, .map].contains(type): throw CBORError(.indefiniteLength, at: start)
        default: throw CBORError(.malformed, at: start)
        }
    }
}
