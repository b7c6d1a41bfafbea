// SPDX-License-Identifier: Apache-2.0

extension JSON: CustomStringConvertible {
    /// The value as compact JSON in UTF-8: without white space, members in their order, with only `"`, `\` and
    /// characters below U+0020 escaped, and doubles with the fewest digits that preserve them. Equal values give
    /// equal bytes, except that 0.0 and -0.0, and texts that are canonically equivalent in Unicode, are equal and
    /// keep their own bytes.
    public var bytes: [UInt8] {
        var output: [UInt8] = []
        write(to: &output)
        return output
    }

    /// The text of ``bytes``: the complete value, including any secret or foreign text in it.
    public var description: String { String(decoding: bytes, as: UTF8.self) }

    func write(to output: inout [UInt8]) {
        switch self {
        case .null: output += "null".utf8
        case .bool(let value): output += value ? "true".utf8 : "false".utf8
        case .int(let value): output += String(value).utf8
        case .double(let value): output += value.isFinite ? value.description.utf8 : "null".utf8
        case .string(let value): Self.write(value, to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                element.write(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let object):
            output.append(UInt8(ascii: "{"))
            for (index, member) in object.members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                Self.write(member.name, to: &output)
                output.append(UInt8(ascii: ":"))
                member.value.write(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        // Nearly every text is written as it is.
        var text = text
        let isPlain = text.withUTF8 { bytes in
            guard bytes.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) else {
                return false
            }
            output.append(contentsOf: bytes)
            return true
        }
        guard !isPlain else { return output.append(UInt8(ascii: "\"")) }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
            case 0x08: output += "\\b".utf8
            case 0x09: output += "\\t".utf8
            case 0x0A: output += "\\n".utf8
            case 0x0C: output += "\\f".utf8
            case 0x0D: output += "\\r".utf8
            case 0..<0x20:
                output += "\\u00".utf8
                output += [hexadecimal(byte >> 4), hexadecimal(byte & 15)]
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }
}
