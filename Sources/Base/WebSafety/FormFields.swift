// SPDX-License-Identifier: Apache-2.0

import ForeignText

/// The fields of a form (`application/x-www-form-urlencoded`, URL Standard section 5.1), read strictly: most bodies
/// that no browser would send are refused.
public struct FormFields: Sendable {
    private let values: [String: [UInt8]]

    /// Reads the body of a form; an empty body has no fields. A field without `=` has an empty value, and nothing
    /// between two `&` is no field. Returns `nil` if there are more fields than `maximum`, if a name appears twice
    /// or is no text (``ForeignText/StreamSafe``), or if a percent sign is not followed by two hexadecimal digits.
    ///
    /// - Parameter maximum: The most fields that are accepted; 8 by default, our own bound.
    public init?(_ body: [UInt8], maximum: Int = 8) {
        var values: [String: [UInt8]] = [:]
        let pieces = body.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: true)
        guard pieces.count <= maximum else { return nil }
        for piece in pieces {
            let parts = piece.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = parts.first, let nameBytes = Self.decoded(first),
                let name = StreamSafe.decode(nameBytes), values[name] == nil,
                let value = parts.count == 2 ? Self.decoded(parts[1]) : []
            else { return nil }
            values[name] = value
        }
        self.values = values
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): result.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(Self.digit), let low = rest.popFirst().flatMap(Self.digit) else {
                    return nil
                }
                result.append(high << 4 | low)
            default: result.append(byte)
            }
        }
        return result
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The names of the fields, in no particular order; empty if there are none.
    public var names: [String] { Array(values.keys) }
    /// Returns the decoded bytes of a field; `nil` if there is no such field.
    public func bytes(_ name: String) -> [UInt8]? { values[name] }
    /// Returns the text of a field; `nil` if there is no such field or its bytes are no
    /// text (``ForeignText/StreamSafe``).
    public func text(_ name: String) -> String? { values[name].flatMap { StreamSafe.decode($0) } }
}
