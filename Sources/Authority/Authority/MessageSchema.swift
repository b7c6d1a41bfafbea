// SPDX-License-Identifier: Apache-2.0

/// What a protobuf message may hold, as a table: the same table checks the operator's JSON (names as in protobuf's JSON
/// mapping) and writes the bytes.
struct MessageSchema: Sendable {
    indirect enum Kind: Sendable {
        case bool
        /// int32, uint32 and int64, which are written alike as long as they are within the range.
        case integer(ClosedRange<Int64>)
        case double(ClosedRange<Double>)
        case text(maximum: Int)
        /// Names by number.
        case enumeration([String])
        case message(MessageSchema)
        /// map<int32, int32>
        case integerMap(keys: ClosedRange<Int64>, values: ClosedRange<Int64>)
        /// map<int32, double>
        case doubleMap(keys: ClosedRange<Int64>, values: ClosedRange<Double>)
    }

    struct Field: Sendable {
        let number: Int
        let name: String
        let kind: Kind
        /// Elements of a repeated field at most; `nil` for a single value.
        let repeats: Int?

        init(_ number: Int, _ name: String, _ kind: Kind, repeats: Int? = nil) {
            self.number = number
            self.name = name
            self.kind = kind
            self.repeats = repeats
        }
    }

    let fields: [Field]
    init(_ fields: Field...) { self.fields = fields }
    init(fields: [Field]) { self.fields = fields }
}
