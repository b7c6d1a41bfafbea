// SPDX-License-Identifier: Apache-2.0

import AppConfig
import KeyExport
public import Trust

/// An hour at a venue whose visitors are warned (`ProblematicEvent`, spec checkin-and-nhs A.5).
public struct TraceKey: Sendable, Hashable {
    /// Version of the key's format as the list says; 0 when absent. Not checked.
    public let version: Int32
    /// The venue's identity in that hour, 32 bytes (``VenueKeys/identity(start:length:)``).
    public let identity: [UInt8]
    /// The secret key of the identity, 48 bytes on SwissCovid's servers; not checked. Only the privacy mode needs it.
    public let secretKey: [UInt8]
    /// First second of the UTC day of the hour, Unix seconds. Not checked.
    public let day: Int64
    /// ``AssociatedData``, sealed for those who were there; at most ``TraceKeyList/Limits/maximumDataBytes`` bytes in a
    /// list that was read.
    public let encryptedData: [UInt8]
    /// Nonce of the seal, 24 bytes; more in some lists, of which the first 24 count. Not checked in a key that was made
    /// by hand.
    public let nonce: [UInt8]

    /// A key of these parts, unchecked; `day` is in Unix seconds, lengths are those of the properties.
    public init(
        version: Int32 = 4, identity: [UInt8], secretKey: [UInt8], day: Int64, encryptedData: [UInt8], nonce: [UInt8]
    ) {
        self.version = version
        self.identity = identity
        self.secretKey = secretKey
        self.day = day
        self.encryptedData = encryptedData
        self.nonce = nonce
    }
}

/// A server's answer to `GET v3/traceKeys` (`ProblematicEventWrapper`).
public struct TraceKeyList: Sendable, Hashable {
    /// Limits on the cost of a list. A list with more bytes or keys is refused; a key with more data is passed over.
    public struct Limits: Sendable, Hashable {
        /// Bytes of the largest list, inclusive; 16 MiB. 50,000 keys of some 200 bytes fit. Our own bound.
        public var maximumBytes = 16 << 20
        /// Most keys of a list, inclusive, those that nobody asked for included. Our own bound. Not checked.
        public var maximumKeys = 50_000
        /// Bytes of one sealed text, inclusive; 16 KiB. Messages have some hundred bytes. Our own bound.
        public var maximumDataBytes = 16 << 10

        /// Limits with the default of each property, as the properties state them.
        public static let standard = Limits()

        /// Limits with the defaults stated, to be changed.
        public init() {}
    }

    /// Version of the list's format as it says, 3 on SwissCovid's servers; 0 when absent. Not checked.
    public let version: Int32
    /// The plausible keys that were asked for, in the order of the list; perhaps none.
    public let keys: [TraceKey]
    /// Number of keys in the list, asked for or not, ``implausible`` ones too; 0 to ``Limits/maximumKeys``.
    public let count: Int
    /// Number of keys that can be about nothing: an identity without 32 bytes, a nonce of fewer than 24, or a text that
    /// is too long. They are passed over. 0 to ``count``.
    public let implausible: Int

    /// Verifies and reads a list. `token` is the header ``ContentToken/header``; the key must have the role `config` and be valid at `time` (Unix
    /// seconds, `nil` when the clock is not trusted: then nothing expires). `wanted` are identities to look for, `nil` for all. Throws `tooLarge`,
    /// `malformedSignature`, `wrongSignature`, `signatureExpired`, `tooManyEntries` or `malformedMessage`.
    public init(
        body: [UInt8], token: [UInt8], trust: TrustStore, time: Int64?, wanted: Set<[UInt8]>?, limits: Limits = .standard
    ) throws(CrowdNotifierError) {
        guard body.count <= limits.maximumBytes else { throw CrowdNotifierError(.tooLarge, "\(body.count) bytes") }
        guard let token = ContentToken(token) else { throw CrowdNotifierError(.malformedSignature) }
        guard token.signer(of: body, trust: trust, time: time) != nil else { throw CrowdNotifierError(.wrongSignature) }
        if let time, time >= token.expires { throw CrowdNotifierError(.signatureExpired) }
        try self.init(decoding: body, wanted: wanted, limits: limits)
    }

    /// Reads a list whose signature was verified, or need not be. `wanted` are identities to look for, `nil` for all.
    /// Throws `tooLarge`, `tooManyEntries` or `malformedMessage`.
    public init(
        decoding bytes: [UInt8], wanted: Set<[UInt8]>?, limits: Limits = .standard
    ) throws(CrowdNotifierError) {
        guard bytes.count <= limits.maximumBytes else { throw CrowdNotifierError(.tooLarge, "\(bytes.count) bytes") }
        var version: UInt32 = 0
        var keys: [TraceKey] = []
        var count = 0
        var implausible = 0
        let isWhole = bytes.withUnsafeBytes { message in
            ProtobufCursor.forEachField(of: message) { field, value in
                switch field {
                case 1: return store(value.uint32, in: &version)
                case 2:
                    count += 1
                    guard count <= limits.maximumKeys, let entry = value.buffer, let key = TraceKey(decoding: entry) else {
                        return false
                    }
                    if !key.isPlausible(limits) {
                        implausible += 1
                    } else if wanted?.contains(key.identity) ?? true {
                        keys.append(key)
                    }
                    return true
                default: return true
                }
            }
        }
        guard count <= limits.maximumKeys else {
            throw CrowdNotifierError(.tooManyEntries, "more than \(limits.maximumKeys)")
        }
        guard isWhole else { throw CrowdNotifierError(.malformedMessage) }
        self.version = Int32(bitPattern: version)
        self.keys = keys
        self.count = count
        self.implausible = implausible
    }

    /// Writes a list as protobuf (`ProblematicEventWrapper`), for servers and stand-ins. `version` is that of the
    /// format, 3 as SwissCovid's. Nothing is checked; cannot fail.
    public static func encoded(_ keys: [TraceKey], version: Int32 = 3) -> [UInt8] {
        var writer = ProtobufWriter()
        if version != 0 { writer.int32(1, version) }
        for key in keys {
            writer.message(2) { message in
                if key.version != 0 { message.int32(1, key.version) }
                message.data(2, key.identity)
                message.data(3, key.secretKey)
                if key.day != 0 { message.number(4, UInt64(bitPattern: key.day)) }
                message.data(5, key.encryptedData)
                message.data(6, key.nonce)
            }
        }
        return writer.bytes
    }
}

extension TraceKey {
    /// `nil` when the message is malformed.
    fileprivate init?(decoding message: UnsafeRawBufferPointer) {
        var (version, day): (UInt32, UInt64) = (0, 0)
        var parts = [[UInt8]](repeating: [], count: 4)
        let isWhole = ProtobufCursor.forEachField(of: message) { field, value in
            switch field {
            case 1: store(value.uint32, in: &version)
            case 2, 3: store(value.bytes, in: &parts[Int(field) - 2])
            case 4: store(value.number, in: &day)
            case 5, 6: store(value.bytes, in: &parts[Int(field) - 3])
            default: true
            }
        }
        guard isWhole else { return nil }
        self.init(
            version: Int32(bitPattern: version), identity: parts[0], secretKey: parts[1], day: Int64(bitPattern: day),
            encryptedData: parts[2], nonce: parts[3])
    }

    fileprivate func isPlausible(_ limits: TraceKeyList.Limits) -> Bool {
        identity.count == VenueKeys.keyByteCount && encryptedData.count <= limits.maximumDataBytes && nonce.count >= 24
    }
}
