// SPDX-License-Identifier: Apache-2.0

import KeyExport

/// A place, as its code describes it (`QRCodePayload` of CrowdNotifier, versions 3 and 4; spec checkin-and-nhs A.2).
public struct CrowdNotifierVenue: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The message as received: keys are made of these bytes, never of what was read out of them.
    public let payload: [UInt8]
    /// Version of the content, one of ``versions``.
    public let version: UInt32
    /// Name of the place (`description` in the message), at most ``maximumTextLength`` scalars, perhaps empty. Foreign text
    /// of the code's maker: show it by `ForeignText`.
    public let name: String
    /// Address of the place, at most ``maximumTextLength`` scalars, perhaps empty. Foreign text of the code's maker: show
    /// it by `ForeignText`.
    public let address: String
    /// First second in which the code is valid, Unix seconds; 0 when the code has none. Not after ``end``.
    public let start: UInt64
    /// Last second in which the code is valid, Unix seconds, at most the end of the year 9999; 0 when the code has
    /// none, and then it is not valid.
    public let end: UInt64
    /// The health authority's key: 96 bytes, which should be a point of G2 on BLS12-381. Whether they are one is not looked
    /// at; server-based matching does not use it.
    public let publicKey: [UInt8]
    /// 32 bytes that make two codes of one place different.
    public let seed: [UInt8]
    /// A number that devices with iOS write as 1; 0 when absent. Any is taken, and nothing depends on it.
    public let type: UInt32
    /// The country's own part, as bytes of a protobuf message, unchecked and perhaps empty; Switzerland
    /// ``SwissCovidVenueData``.
    public let countryData: [UInt8]

    /// Most Unicode scalars of a name or an address, inclusive (table of the QR code format, spec checkin-and-nhs A.2).
    public static let maximumTextLength = 100
    /// Length of the health authority's public key in bytes: a compressed point of G2 on BLS12-381 (table of the QR
    /// code format, spec checkin-and-nhs A.2).
    public static let publicKeyByteCount = 96
    /// Length of the random part of a code in bytes (table of the QR code format, spec checkin-and-nhs A.2).
    public static let seedByteCount = 32
    /// Versions of the content that are read; links say theirs besides. Version 4 differs from 3 in nothing but the number,
    /// and codes of links with 4 say 3 within.
    public static let versions: ClosedRange<UInt32> = 3...4
    /// The end of the year 9999. Later times are none, and would overflow what is computed with them.
    static let latestTime: UInt64 = 253_402_300_799

    /// Reads the message. Throws `malformedContent`, or the first rule of the content that is broken. Whether it is valid now is for
    /// ``check(at:)`` to say.
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

    /// Describes a place for a new code of version 4. `publicKey` is the health authority's, `seed` must be 32 random
    /// bytes. Throws as ``init(payload:)`` does. `start` and `end` are in Unix seconds.
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

    /// Checks that the code is valid at `now` (Unix seconds). Throws `notYetValid` or `expired`.
    public func check(at now: Int64) throws(CrowdNotifierError) {
        guard Int64(start) <= now else { throw CrowdNotifierError(.notYetValid) }
        guard now <= Int64(end) else { throw CrowdNotifierError(.expired) }
    }

    /// The venue's keys, derived from ``payload``. Each reading derives them anew; cannot fail.
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
