// SPDX-License-Identifier: Apache-2.0

/// CBOR of any form (RFC 8949), for published vectors: numbers of any length, indefinite lengths, floating-point numbers, keys in
/// any order. Nothing of a board reads this: see the target `CBOR`.
indirect enum LenientCBOR {
    case unsigned(UInt64)
    /// -1 - n.
    case negative(UInt64)
    case bytes([UInt8])
    /// Bytes that came in pieces.
    case pieces([[UInt8]])
    case text(String)
    case array([LenientCBOR])
    case map([(key: LenientCBOR, value: LenientCBOR)])
    case tagged(UInt64, LenientCBOR)
    case simple(UInt8)
    case float(Double)

    /// Reads exactly one value.
    init(decoding bytes: [UInt8]) throws {
        var decoder = Decoder(rest: bytes[...])
        guard let value = try decoder.item(depth: 64) else { throw Mismatch(description: "CBOR: a lone end") }
        guard decoder.rest.isEmpty else { throw Mismatch(description: "CBOR: bytes after the value") }
        self = value
    }

    private struct Decoder {
        var rest: ArraySlice<UInt8>

        mutating func take(_ count: UInt64) throws -> ArraySlice<UInt8> {
            guard count <= UInt64(rest.count) else { throw Mismatch(description: "CBOR: cut") }
            defer { rest = rest.dropFirst(Int(count)) }
            return rest.prefix(Int(count))
        }

        /// The next item; `nil` for the end of an indefinite length.
        mutating func item(depth: Int) throws -> LenientCBOR? {
            guard depth > 0 else { throw Mismatch(description: "CBOR: too deep") }
            let first = try take(1).reduce(0) { $1 + $0 }
            let (type, information) = (first >> 5, first & 31)
            let isIndefinite = information == 31
            guard information < 28 || isIndefinite else { throw Mismatch(description: "CBOR: reserved") }
            let size: UInt64 = (24...27).contains(information) ? 1 << UInt64(information - 24) : 0
            var argument = isIndefinite ? 0 : UInt64(information)
            if size > 0 { argument = try take(size).reduce(0) { $0 << 8 | UInt64($1) } }
            switch type {
            case 0 where !isIndefinite: return .unsigned(argument)
            case 1 where !isIndefinite: return .negative(argument)
            case 2 where isIndefinite:
                return .pieces(
                    try untilEnd(depth) { if case .bytes(let piece) = $0 { piece } else { nil } })
            case 2: return .bytes(Array(try take(argument)))
            case 3 where isIndefinite:
                return .text(try untilEnd(depth) { if case .text(let piece) = $0 { piece } else { nil } }.joined())
            case 3: return .text(String(decoding: try take(argument), as: UTF8.self))
            case 4 where isIndefinite: return .array(try untilEnd(depth) { $0 })
            case 4: return .array(try items(argument, depth))
            case 5:
                guard argument <= UInt64(rest.count) else { throw Mismatch(description: "CBOR: cut") }
                let flat = try isIndefinite ? untilEnd(depth) { $0 } : items(argument * 2, depth)
                guard flat.count.isMultiple(of: 2) else { throw Mismatch(description: "CBOR: a key without a value") }
                return .map(stride(from: 0, to: flat.count, by: 2).map { (key: flat[$0], value: flat[$0 + 1]) })
            case 6 where !isIndefinite: return .tagged(argument, try items(1, depth)[0])
            case 7:
                switch information {
                case 25: return .float(Self.half(UInt16(argument)))
                case 26: return .float(Double(Float(bitPattern: UInt32(argument))))
                case 27: return .float(Double(bitPattern: argument))
                case 31: return nil
                default: return .simple(UInt8(argument))
                }
            default: throw Mismatch(description: "CBOR: a number without a length")
            }
        }

        private mutating func items(_ count: UInt64, _ depth: Int) throws -> [LenientCBOR] {
            guard count <= UInt64(rest.count) else { throw Mismatch(description: "CBOR: cut") }
            return try (0..<count).map { _ in
                guard let next = try item(depth: depth - 1) else { throw Mismatch(description: "CBOR: a lone end") }
                return next
            }
        }

        private mutating func untilEnd<Part>(_ depth: Int, _ part: (LenientCBOR) -> Part?) throws -> [Part] {
            var parts: [Part] = []
            while let next = try item(depth: depth - 1) {
                guard let part = part(next) else { throw Mismatch(description: "CBOR: a piece of another kind") }
                parts.append(part)
            }
            return parts
        }

        private static func half(_ bits: UInt16) -> Double {
            let (exponent, fraction) = (Int(bits >> 10 & 31), Double(bits & 1_023))
            let size: Double =
                switch exponent {
                case 0: fraction * 0x1p-24
                case 31: fraction == 0 ? .infinity : .nan
                default: (1 + fraction / 1_024) * Double(sign: .plus, exponent: exponent - 15, significand: 1)
                }
            return bits & 0x8000 == 0 ? size : -size
        }
    }
}

// MARK: Preferred serialisation

extension LenientCBOR {
    /// The value in preferred serialisation (RFC 8949, section 4.1), maps in the order in which they were read.
    var preferred: [UInt8] {
        switch self {
        case .unsigned(let value): Self.head(0, value)
        case .negative(let value): Self.head(1, value)
        case .bytes(let value): Self.head(2, UInt64(value.count)) + value
        case .pieces(let value): LenientCBOR.bytes(value.flatMap(\.self)).preferred
        case .text(let value): Self.head(3, UInt64(value.utf8.count)) + value.utf8
        case .array(let values): Self.head(4, UInt64(values.count)) + values.flatMap(\.preferred)
        case .map(let entries):
            Self.head(5, UInt64(entries.count)) + entries.flatMap { $0.key.preferred + $0.value.preferred }
        case .tagged(let tag, let value): Self.head(6, tag) + value.preferred
        case .simple(let value): Self.head(7, UInt64(value))
        case .float(let value): Self.float(value)
        }
    }

    private static func head(_ type: UInt8, _ argument: UInt64) -> [UInt8] {
        guard argument >= 24 else { return [type << 5 | UInt8(argument)] }
        let size = argument < 1 << 8 ? 0 : argument < 1 << 16 ? 1 : argument < 1 << 32 ? 2 : 3
        return [type << 5 | UInt8(24 + size)] + bigEndian(argument, 1 << size)
    }

    private static func bigEndian(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }

    private static func float(_ value: Double) -> [UInt8] {
        if let half = half(of: value) { return [0xF9] + bigEndian(UInt64(half), 2) }
        if Double(Float(value)) == value { return [0xFA] + bigEndian(UInt64(Float(value).bitPattern), 4) }
        return [0xFB] + bigEndian(value.bitPattern, 8)
    }

    /// The bits of a number that has a form in 16 bits.
    private static func half(of value: Double) -> UInt16? {
        let sign: UInt16 = value.sign == .minus && !value.isNaN ? 0x8000 : 0
        if value.isNaN { return 0x7E00 }
        if value.isInfinite { return sign | 0x7C00 }
        let size = value.magnitude
        // 2^-24 is the smallest number; below 2^-14 there are only its multiples.
        if size < 0x1p-14 {
            let multiple = size * 0x1p24
            return multiple == multiple.rounded() ? sign | UInt16(multiple) : nil
        }
        guard size <= 65_504 else { return nil }
        let fraction = (size.significand - 1) * 1_024
        guard fraction == fraction.rounded() else { return nil }
        return sign | UInt16(size.exponent + 15) << 10 | UInt16(fraction)
    }
}

// MARK: Words

extension LenientCBOR {
    /// The value in diagnostic notation (RFC 8949, section 8).
    var diagnostic: String {
        switch self {
        case .unsigned(let value): "\(value)"
        case .negative: integerText ?? "?"
        case .bytes(let value): "h'\(Self.hex(value))'"
        case .pieces(let values): "(_ \(values.map { "h'\(Self.hex($0))'" }.joined(separator: ", ")))"
        case .text(let value): "\"\(value)\""
        case .array(let values): "[\(values.map(\.diagnostic).joined(separator: ", "))]"
        case .map(let entries):
            "{\(entries.map { "\($0.key.diagnostic): \($0.value.diagnostic)" }.joined(separator: ", "))}"
        case .tagged(let tag, let value): "\(tag)(\(value.diagnostic))"
        case .simple(20): "false"
        case .simple(21): "true"
        case .simple(22): "null"
        case .simple(23): "undefined"
        case .simple(let value): "simple(\(value))"
        case .float(let value):
            value.isNaN ? "NaN" : value.isInfinite ? (value < 0 ? "-Infinity" : "Infinity") : "\(value)"
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// The digits of a whole number of any size, tags 2 and 3 included; `nil` for another kind of value.
    var integerText: String? {
        switch self {
        case .unsigned(let value): Self.decimal(value.bytes)
        // -1 - n has the digits of n + 1.
        case .negative(let value): "-" + Self.decimal(Self.incremented(value.bytes))
        case .tagged(2, .bytes(let value)): Self.decimal(value)
        case .tagged(3, .bytes(let value)): "-" + Self.decimal(Self.incremented(value))
        default: nil
        }
    }

    private static func incremented(_ bytes: [UInt8]) -> [UInt8] {
        var result = [0] + bytes
        var index = result.count - 1
        while result[index] == 0xFF {
            result[index] = 0
            index -= 1
        }
        result[index] += 1
        return result
    }

    private static func decimal(_ bytes: [UInt8]) -> String {
        var digits = [0]
        for byte in bytes {
            var carry = Int(byte)
            for index in digits.indices {
                carry += digits[index] << 8
                digits[index] = carry % 10
                carry /= 10
            }
            while carry > 0 {
                digits.append(carry % 10)
                carry /= 10
            }
        }
        return digits.reversed().map(String.init).joined()
    }
}

extension UInt64 {
    fileprivate var bytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
