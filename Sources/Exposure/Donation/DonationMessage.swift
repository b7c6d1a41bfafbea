// SPDX-License-Identifier: Apache-2.0

import KeyExport

/// A message of protobuf that is short enough for a table of its fields. Fields with the value that protobuf takes for absent are not
/// written.
package protocol DonationMessage: Sendable, Hashable {
    /// Creates a message in which everything is absent.
    init()
    /// The fields, in the order of their numbers.
    static var fields: [MessageField<Self>] { get }
}

/// One field of a message: how it is written, and how it is read.
package struct MessageField<Message> {
    /// The field's number.
    let number: Int
    let write: (Message, inout ProtobufWriter) -> Void
    /// Gives `false` for a value of another type, or outside of its range.
    let read: (inout Message, ProtobufValue) -> Bool
}

extension DonationMessage {
    /// The message as bytes, fields in the order of their numbers. Cannot fail.
    package var encoded: [UInt8] {
        var writer = ProtobufWriter()
        for field in Self.fields { field.write(self, &writer) }
        return writer.bytes
    }

    /// Reads a message, from anywhere; `nil` if it is malformed, if a known field has another type, or if an enumeration has a value that
    /// is not known. Unknown fields are ignored. Time and memory are at most proportional to the number of bytes.
    package init?(decoding bytes: [UInt8]) {
        guard let message = bytes.withUnsafeBytes({ Self(reading: $0) }) else { return nil }
        self = message
    }

    fileprivate init?(reading bytes: UnsafeRawBufferPointer) {
        self.init()
        let fields = Self.fields
        var message = self
        let isWhole = ProtobufCursor.forEachField(of: bytes) { number, value in
            fields.first { $0.number == Int(number) }?.read(&message, value) ?? true
        }
        guard isWhole else { return nil }
        self = message
    }
}

// MARK: Kinds of fields

extension MessageField {
    /// int32, int64 and uint32: a number that fits.
    static func number<Value: FixedWidthInteger & Sendable>(_ number: Int, _ path: WritableKeyPath<Message, Value>) -> Self
    {
        Self(number: number) { message, writer in
            let value = message[keyPath: path]
            // Negative numbers have the sign in all 64 bits.
            if value != 0 { writer.number(number, UInt64(truncatingIfNeeded: Int64(truncatingIfNeeded: value))) }
        } read: { message, value in
            value.number.map { message[keyPath: path] = Value(truncatingIfNeeded: $0) } != nil
        }
    }

    static func bool(_ number: Int, _ path: WritableKeyPath<Message, Bool>) -> Self {
        Self(number: number) { message, writer in
            if message[keyPath: path] { writer.number(number, 1) }
        } read: { message, value in
            value.number.map { message[keyPath: path] = $0 != 0 } != nil
        }
    }

    static func double(_ number: Int, _ path: WritableKeyPath<Message, Double>) -> Self {
        Self(number: number) { message, writer in
            // Zero with a sign is not the zero that is absent.
            if message[keyPath: path].bitPattern != 0 { writer.double(number, message[keyPath: path]) }
        } read: { message, value in
            value.fixed64.map { message[keyPath: path] = Double(bitPattern: $0) } != nil
        }
    }

    static func text(_ number: Int, _ path: WritableKeyPath<Message, String>) -> Self {
        Self(number: number) { message, writer in
            if !message[keyPath: path].isEmpty { writer.text(number, message[keyPath: path]) }
        } read: { message, value in
            store(value.text, in: &message[keyPath: path])
        }
    }

    static func bytes(_ number: Int, _ path: WritableKeyPath<Message, [UInt8]>) -> Self {
        Self(number: number) { message, writer in
            if !message[keyPath: path].isEmpty { writer.data(number, message[keyPath: path]) }
        } read: { message, value in
            store(value.bytes, in: &message[keyPath: path])
        }
    }

    /// An enumeration, of which the case 0 is absent.
    static func choice<Value: RawRepresentable<Int32>>(_ number: Int, _ path: WritableKeyPath<Message, Value>) -> Self {
        Self(number: number) { message, writer in
            if message[keyPath: path].rawValue != 0 { writer.int32(number, message[keyPath: path].rawValue) }
        } read: { message, value in
            store(value.number.flatMap { Value(rawValue: Int32(truncatingIfNeeded: $0)) }, in: &message[keyPath: path])
        }
    }

    static func message<Part: DonationMessage>(_ number: Int, _ path: WritableKeyPath<Message, Part?>) -> Self {
        Self(number: number) { message, writer in
            if let part = message[keyPath: path] { writer.data(number, part.encoded) }
        } read: { message, value in
            value.buffer.flatMap { Part(reading: $0) }.map { message[keyPath: path] = $0 } != nil
        }
    }

    static func list<Part: DonationMessage>(_ number: Int, _ path: WritableKeyPath<Message, [Part]>) -> Self {
        Self(number: number) { message, writer in
            for part in message[keyPath: path] { writer.data(number, part.encoded) }
        } read: { message, value in
            value.buffer.flatMap { Part(reading: $0) }.map { message[keyPath: path].append($0) } != nil
        }
    }
}
