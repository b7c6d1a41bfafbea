// SPDX-License-Identifier: Apache-2.0

extension CBOR {
    /// The value in core deterministic encoding (RFC 8949, section 4.2.1): heads as short as they can be, definite lengths,
    /// maps in the order of their encoded keys. Cannot fail.
    public var encoded: [UInt8] {
        var output: [UInt8] = []
        write(to: &output)
        return output
    }

    private func write(to output: inout [UInt8]) {
        switch self {
        case .unsigned(let value): Self.writeHead(.unsigned, value, to: &output)
        case .negative(let value): Self.writeHead(.negative, value, to: &output)
        case .bytes(let value):
            Self.writeHead(.bytes, UInt64(value.count), to: &output)
            output += value
        case .text(let value):
            Self.writeHead(.text, UInt64(value.utf8.count), to: &output)
            output += value.utf8
        case .array(let values):
            Self.writeHead(.array, UInt64(values.count), to: &output)
            for value in values { value.write(to: &output) }
        case .map(let map):
            Self.writeHead(.map, UInt64(map.entries.count), to: &output)
            for entry in map.entries {
                output += entry.encodedKey
                entry.value.write(to: &output)
            }
        case .tagged(let tag, let value):
            Self.writeHead(.tag, tag, to: &output)
            value.write(to: &output)
        case .bool(let value): Self.writeHead(.simple, value ? 21 : 20, to: &output)
        case .null: Self.writeHead(.simple, 22, to: &output)
        }
    }

    /// The upper three bits of an item's first byte (RFC 8949, section 3.1).
    enum MajorType: UInt8 {
        case unsigned, negative, bytes, text, array, map, tag, simple
    }

    private static func writeHead(_ type: MajorType, _ argument: UInt64, to output: inout [UInt8]) {
        let type = type.rawValue << 5
        // Additional information 24 to 27: the argument is in the next 1, 2, 4 or 8 bytes (RFC 8949, section 3).
        switch argument {
        case ..<24: output.append(type | UInt8(argument))
        case ...0xFF: output += [type | 24, UInt8(argument)]
        case ...0xFFFF:
            output.append(type | 25)
            withUnsafeBytes(of: UInt16(argument).bigEndian) { output += $0 }
        case ...0xFFFF_FFFF:
            output.append(type | 26)
            withUnsafeBytes(of: UInt32(argument).bigEndian) { output += $0 }
        default:
            output.append(type | 27)
            withUnsafeBytes(of: argument.bigEndian) { output += $0 }
        }
    }
}
