// SPDX-License-Identifier: Apache-2.0

import JSON
import KeyExport

extension MessageSchema {
    /// The fields that are there, in ascending order, defaults left out, maps by ascending key: one content, one encoding.
    /// `value` must have passed ``check(_:path:_:)``; what did not is left out.
    func encode(_ value: JSON, to writer: inout ProtobufWriter) {
        for field in fields {
            guard let member = value[field.name] else { continue }
            if field.repeats != nil {
                Self.encode(repeated: member.array ?? [], field, to: &writer)
            } else {
                Self.encode(member, field.number, field.kind, keepsDefault: false, to: &writer)
            }
        }
    }

    private static func encode(repeated elements: [JSON], _ field: Field, to writer: inout ProtobufWriter) {
        guard !elements.isEmpty else { return }
        // proto3 packs numbers.
        switch field.kind {
        case .integer:
            var packed = ProtobufWriter()
            for element in elements { packed.varint(UInt64(bitPattern: element.wholeNumber ?? 0)) }
            writer.data(field.number, packed.bytes)
        case .double:
            var packed: [UInt8] = []
            for element in elements {
                withUnsafeBytes(of: (element.anyNumber ?? 0).bitPattern.littleEndian) { packed += $0 }
            }
            writer.data(field.number, packed)
        default:
            for element in elements { encode(element, field.number, field.kind, keepsDefault: true, to: &writer) }
        }
    }

    private static func encode(
        _ value: JSON, _ number: Int, _ kind: Kind, keepsDefault: Bool, to writer: inout ProtobufWriter
    ) {
        switch kind {
        case .bool:
            if value.bool == true { writer.number(number, 1) }
        case .integer:
            let integer = value.wholeNumber ?? 0
            if integer != 0 || keepsDefault { writer.number(number, UInt64(bitPattern: integer)) }
        case .double:
            let double = value.anyNumber ?? 0
            if double != 0 || keepsDefault { writer.double(number, double) }
        case .text:
            writer.text(number, value.string ?? "")
        case .enumeration(let names):
            let index = names.firstIndex(of: value.string ?? "") ?? 0
            if index != 0 { writer.number(number, UInt64(index)) }
        case .message(let schema):
            writer.message(number) { schema.encode(value, to: &$0) }
        case .integerMap(_, let values):
            encode(map: value, number, .integer(values), to: &writer)
        case .doubleMap(_, let values):
            encode(map: value, number, .double(values), to: &writer)
        }
    }

    /// A map is a repeated message of key and value, both always written (as Java and Go do).
    private static func encode(map value: JSON, _ number: Int, _ kind: Kind, to writer: inout ProtobufWriter) {
        let members = (value.object?.members ?? []).compactMap { member in
            Int64(member.name).map { ($0, member.value) }
        }
        for (key, element) in members.sorted(by: { $0.0 < $1.0 }) {
            writer.message(number) { entry in
                entry.number(1, UInt64(bitPattern: key))
                encode(element, 2, kind, keepsDefault: true, to: &entry)
            }
        }
    }
}
