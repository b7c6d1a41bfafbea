// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// Object identifiers, and the distinguished names that boards have.
enum Names {
    static let ecdsaWithSHA256 = DER.sequence(DER.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]))
    static let commonName: [UInt8] = [0x55, 0x04, 0x03]
    static let serialNumber: [UInt8] = [0x55, 0x04, 0x05]

    /// The subject of a board: common name and serial number are its name.
    static func subject(_ name: BoardName) -> [UInt8] {
        let text = Array(name.text.utf8)
        return DER.sequence(
            attribute(commonName, DER.value(0x0C, text)),
            // serialNumber is a PrintableString (X.520).
            attribute(serialNumber, DER.value(0x13, text)))
    }

    static func attribute(_ identifier: [UInt8], _ value: [UInt8]) -> [UInt8] {
        DER.value(0x31, DER.sequence(DER.identifier(identifier), value))
    }

    /// The values of a name's attribute, as UTF-8, in order; `nil` if the name cannot be read. `name` is the content of its SEQUENCE. Of
    /// more than 32 attributes nothing is read.
    static func values(of identifier: [UInt8], in name: ArraySlice<UInt8>) -> [String]? {
        var found: [String] = []
        var sets = DERReader(name)
        for _ in 0..<32 {
            if sets.isAtEnd { return found }
            guard let set = sets.take(0x31) else { return nil }
            var pairs = DERReader(set)
            guard let pair = pairs.take(0x30), pairs.isAtEnd else { return nil }
            var parts = DERReader(pair)
            guard let type = parts.take(0x06), let tag = parts.tag, let value = parts.take(tag), parts.isAtEnd else {
                return nil
            }
            // UTF8String, PrintableString, IA5String: others cannot be a board's name.
            guard Array(type) == identifier else { continue }
            guard [0x0C, 0x13, 0x16].contains(tag), let text = String(validating: value, as: UTF8.self) else { return nil }
            found.append(text)
        }
        return nil
    }

    /// The board that a name is of: one common name, and each serial number the same. `nil` otherwise.
    static func board(in name: ArraySlice<UInt8>) -> BoardName? {
        guard let common = values(of: commonName, in: name), common.count == 1,
            let serials = values(of: serialNumber, in: name), serials.allSatisfy({ $0 == common[0] })
        else { return nil }
        return BoardName(common[0])
    }
}
