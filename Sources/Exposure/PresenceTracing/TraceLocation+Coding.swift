// SPDX-License-Identifier: Apache-2.0

import KeyExport

extension TraceLocation {
    /// Reads `QRCodePayload`. Throws `malformedContent` when it is not such a message; ``check()`` judges the
    /// content.
    public init(payload: [UInt8]) throws(PresenceTracingError) {
        var fields = Fields()
        guard payload.withUnsafeBytes({ fields.merge(payload: $0) }) else { throw PresenceTracingError(.malformedContent) }
        self.init(
            payload: payload, version: fields.version, locationVersion: fields.locationVersion, name: fields.name,
            address: fields.address, start: fields.start, end: fields.end, publicKey: fields.publicKey, seed: fields.seed,
            kind: Kind(rawValue: fields.kind) ?? .unspecified, defaultMinutes: fields.defaultMinutes)
    }

    /// Creates a place for a new code. `seed` must be 16 random bytes; `publicKey` is the health authority's, of any
    /// length, and may be empty; `defaultMinutes` is 0 for none; `start` and `end` are in Unix seconds, 0 for none.
    /// Throws the errors of ``check()``.
    public init(
        name: String, address: String, start: UInt64 = 0, end: UInt64 = 0, kind: Kind, defaultMinutes: UInt32 = 0,
        publicKey: [UInt8], seed: [UInt8]
    ) throws(PresenceTracingError) {
        let version = Self.supportedVersion
        // Fields in rising order and without defaults, as the apps write them.
        var payload = ProtobufWriter()
        payload.number(1, UInt64(version))
        payload.message(2) { location in
            location.number(1, UInt64(version))
            location.text(2, name)
            location.text(3, address)
            if start != 0 { location.number(5, start) }
            if end != 0 { location.number(6, end) }
        }
        payload.message(3) { crowdNotifier in
            crowdNotifier.number(1, UInt64(version))
            if !publicKey.isEmpty { crowdNotifier.data(2, publicKey) }
            crowdNotifier.data(3, seed)
        }
        payload.message(4) { vendor in
            vendor.number(1, UInt64(version))
            if kind != .unspecified { vendor.number(2, UInt64(kind.rawValue)) }
            if defaultMinutes != 0 { vendor.number(3, UInt64(defaultMinutes)) }
        }
        self.init(
            payload: payload.bytes, version: version, locationVersion: version, name: name, address: address, start: start,
            end: end, publicKey: publicKey, seed: seed, kind: kind, defaultMinutes: defaultMinutes)
        try check()
    }
}

/// What was read so far. A message that comes twice adds to the first, as protobuf has it.
private struct Fields {
    var version: UInt32 = 0
    var locationVersion: UInt32 = 0
    var name = ""
    var address = ""
    var start: UInt64 = 0
    var end: UInt64 = 0
    var publicKey: [UInt8] = []
    var seed: [UInt8] = []
    var kind: UInt32 = 0
    var defaultMinutes: UInt32 = 0

    mutating func merge(payload: UnsafeRawBufferPointer) -> Bool {
        var vendor: UnsafeRawBufferPointer?
        let isWhole = ProtobufCursor.forEachField(of: payload) { field, value in
            switch field {
            case 1: return store(value.uint32, in: &version)
            case 2: return value.buffer.map { merge(location: $0) } ?? false
            case 3: return value.buffer.map { merge(crowdNotifier: $0) } ?? false
            case 4:
                vendor = value.buffer
                return vendor != nil
            default: return true
            }
        }
        // Bytes that hold a message are no message: the last ones count.
        return isWhole && (vendor.map { merge(vendor: $0) } ?? true)
    }

    private mutating func merge(location: UnsafeRawBufferPointer) -> Bool {
        ProtobufCursor.forEachField(of: location) { field, value in
            switch field {
            case 1: store(value.uint32, in: &locationVersion)
            case 2: store(value.text, in: &name)
            case 3: store(value.text, in: &address)
            case 5: store(value.number, in: &start)
            case 6: store(value.number, in: &end)
            default: true
            }
        }
    }

    private mutating func merge(crowdNotifier: UnsafeRawBufferPointer) -> Bool {
        ProtobufCursor.forEachField(of: crowdNotifier) { field, value in
            switch field {
            case 1: value.number != nil
            case 2: store(value.bytes, in: &publicKey)
            case 3: store(value.bytes, in: &seed)
            default: true
            }
        }
    }

    /// `CWALocationData`.
    private mutating func merge(vendor: UnsafeRawBufferPointer) -> Bool {
        ProtobufCursor.forEachField(of: vendor) { field, value in
            switch field {
            case 1: value.number != nil
            case 2: store(value.uint32, in: &kind)
            case 3: store(value.uint32, in: &defaultMinutes)
            default: true
            }
        }
    }
}
