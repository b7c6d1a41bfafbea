// SPDX-License-Identifier: Apache-2.0

import KeyExport

/// A place as described by its code (`QRCodePayload` of CrowdNotifier, versions 3 and 4; spec checkin-and-nhs A.2).
public struct CrowdNotifierVenue: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The message exactly as received. Keys are derived from these bytes, never from the decoded values.
    public let payload: [UInt8]
    /// The version of the content, one of ``versions``.
    public let version: UInt32
    /// The name of the place (`description` in the message), at most ``maximumTextLength`` scalars, may be empty. It
    /// is foreign text by the maker of the code: show it with `ForeignText`.
    public let name: String
    /// The address of the place, at most ``maximumTextLength`` scalars, may be empty. It is foreign text by the maker
    /// of the code: show it with `ForeignText`.
    public let address: String
    /// The first second in which the code is valid, in Unix seconds; 0 when the code states none. Not after ``end``.
    public let start: UInt64
    /// The last second in which the code is valid, in Unix seconds, at most the end of the year 9999; 0 when the code
    /// states none, and then it is never valid.
    public let end: UInt64
    /// The health authority's key: 96 bytes, which should be a point of G2 on BLS12-381. Whether they are is not
    /// checked; server-based matching does not use the key.
    public let publicKey: [UInt8]
    /// The random part of 32 bytes, which makes two codes of one place different.
    public let seed: [UInt8]
    /// A number that iOS devices write as 1; 0 when absent. Any number is accepted and has no effect.
    public let type: UInt32
    /// The country's own part, as bytes of a protobuf message, not checked, may be empty; for Switzerland
    /// ``SwissCovidVenueData``.
    public let countryData: [UInt8]

    /// The maximum number of Unicode scalars of a name or an address, inclusive (table of the QR code format, spec
    /// checkin-and-nhs A.2).
    public static let maximumTextLength = 100
    /// Length of the health authority's public key in bytes: a compressed point of G2 on BLS12-381 (table of the QR
    /// code format, spec checkin-and-nhs A.2).
    public static let publicKeyByteCount = 96
    /// Length of the random part of a code in bytes (table of the QR code format, spec checkin-and-nhs A.2).
    public static let seedByteCount = 32
    /// The versions of the content that are read (spec checkin-and-nhs A.2); links state their own version. Version
    /// 4 differs from 3 only in the number, and codes in links of version 4 state 3.
    public static let versions: ClosedRange<UInt32> = 3...4
    /// The end of the year 9999. Later times are none, and would overflow what is computed with them.
    static let latestTime: UInt64 = 253_402_300_799

    /// Reads the message. Throws `malformedContent` when it is not such a message, or the error of the first rule
    /// that the content breaks: `unsupportedVersion`, `invalidText`, `invalidKey`, `invalidSeed` or `invalidTimes`.
    /// ``check(at:)`` checks whether the code is valid now.
    public init(payload: [UInt8]) throws(CrowdNotifierError) {
        var fields = Fields()
        guard payload.withUnsafeBytes({ fields.merge(payload: $0) }) else { throw CrowdNotifierError(.malformedContent) }
        try self.init(payload: payload, fields)
    }

    private init(payload: [UInt8], _ fields: Fields) throws(CrowdNotifierError) {
        guard Self.versions.contains(fields.version) else {
            throw CrowdNotifierError(.unsupportedVersion, "\(fields.version)")
        }
        guard [fields.name, fields.address].allSatisfy({ $0.unicodeScalars.count <= Self.maximumTextLength }) else {
            throw CrowdNotifierError(.invalidText)
        }
        guard fields.publicKey.count == Self.publicKeyByteCount else { throw CrowdNotifierError(.invalidKey) }
        guard fields.seed.count == Self.seedByteCount else { throw CrowdNotifierError(.invalidSeed) }
        guard fields.start <= fields.end, fields.end <= Self.latestTime else { throw CrowdNotifierError(.invalidTimes) }
        self.payload = payload
        version = fields.version
        name = fields.name
        address = fields.address
        start = fields.start
        end = fields.end
        publicKey = fields.publicKey
        seed = fields.seed
        type = fields.type
        countryData = fields.countryData
    }

    /// Creates a place for a new code of version 4. `publicKey` is the health authority's, and `seed` must be 32
    /// random bytes; `start` and `end` are in Unix seconds. Throws the errors of ``init(payload:)``.
    public init(
        name: String, address: String, start: UInt64, end: UInt64, publicKey: [UInt8], seed: [UInt8], countryData: [UInt8]
    ) throws(CrowdNotifierError) {
        let version = UInt64(Self.versions.upperBound)
        // Fields in rising order and without defaults, as the SDKs write them.
        var payload = ProtobufWriter()
        payload.number(1, version)
        payload.message(2) { location in
            location.number(1, version)
            if !name.isEmpty { location.text(2, name) }
            if !address.isEmpty { location.text(3, address) }
            if start != 0 { location.number(4, start) }
            if end != 0 { location.number(5, end) }
        }
        payload.message(3) { crowdNotifier in
            crowdNotifier.number(1, version)
            crowdNotifier.data(2, publicKey)
            crowdNotifier.data(3, seed)
        }
        if !countryData.isEmpty { payload.data(4, countryData) }
        try self.init(payload: payload.bytes)
    }

    /// Checks that the code is valid at `now` (Unix seconds). Throws `notYetValid` before ``start`` and `expired`
    /// after ``end``.
    public func check(at now: Int64) throws(CrowdNotifierError) {
        guard Int64(start) <= now else { throw CrowdNotifierError(.notYetValid) }
        guard now <= Int64(end) else { throw CrowdNotifierError(.expired) }
    }

    /// The venue's keys, derived from ``payload`` at each access. Cannot fail.
    public var keys: VenueKeys { VenueKeys(payload: payload) }

    /// The name of the type, and nothing of the place.
    public var description: String { "CrowdNotifierVenue" }
    /// A mirror without children, so that `dump` shows nothing of the place.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What was read so far. A message that comes twice adds to the first, as protobuf has it.
private struct Fields {
    var version: UInt32 = 0
    var name = ""
    var address = ""
    var start: UInt64 = 0
    var end: UInt64 = 0
    var publicKey: [UInt8] = []
    var seed: [UInt8] = []
    var type: UInt32 = 0
    var countryData: [UInt8] = []

    mutating func merge(payload: UnsafeRawBufferPointer) -> Bool {
        ProtobufCursor.forEachField(of: payload) { field, value in
            switch field {
            case 1: store(value.uint32, in: &version)
            case 2: value.buffer.map { merge(location: $0) } ?? false
            case 3: value.buffer.map { merge(crowdNotifier: $0) } ?? false
            case 4: store(value.bytes, in: &countryData)
            default: true
            }
        }
    }

    /// One text of the protocol numbers the times 5 and 6; all code has 4 and 5.
    private mutating func merge(location: UnsafeRawBufferPointer) -> Bool {
        ProtobufCursor.forEachField(of: location) { field, value in
            switch field {
            case 1: value.number != nil
            case 2: store(value.text, in: &name)
            case 3: store(value.text, in: &address)
            case 4: store(value.number, in: &start)
            case 5: store(value.number, in: &end)
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
            case 4: store(value.uint32, in: &type)
            default: true
            }
        }
    }
}
