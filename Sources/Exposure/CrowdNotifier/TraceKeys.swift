// SPDX-License-Identifier: Apache-2.0

import AppConfig
import KeyExport
public import Trust

/// A warning of one hour at a venue, for its visitors (`ProblematicEvent`, spec checkin-and-nhs A.5).
public struct TraceKey: Sendable, Hashable {
    /// The version of the key's format as the list states; 0 when absent. Not checked.
    public let version: Int32
    /// The venue's identity in that hour, 32 bytes (``VenueKeys/identity(start:length:)``).
    public let identity: [UInt8]
    /// The secret key of the identity, 48 bytes on SwissCovid's servers; not checked. Only the privacy mode needs it.
    public let secretKey: [UInt8]
    /// The first second of the UTC day that contains the hour, in Unix seconds. Not checked.
    public let day: Int64
    /// The ``AssociatedData``, sealed for the visitors; at most ``TraceKeyList/Limits/maximumDataBytes`` bytes in a
    /// list that was read.
    public let encryptedData: [UInt8]
    /// The nonce of the sealed data: 24 bytes, or more in some lists, of which the first 24 count. Not checked in a
    /// key that was not read.
    public let nonce: [UInt8]

    /// Creates a key from these parts, which are not checked; `day` is in Unix seconds, and the properties state the
    /// lengths.
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
    /// The limits on the size of a list. A list with more bytes or keys is refused; a key with more data is left out.
    public struct Limits: Sendable, Hashable {
        /// The maximum size of a list in bytes, inclusive; 16 MiB, enough for 50,000 keys of about 200 bytes. The
        /// number is this project's own.
        public var maximumBytes = 16 << 20
        /// The maximum number of keys in a list, inclusive, including those that are not wanted. The number is this
        /// project's own and not checked.
        public var maximumKeys = 50_000
        /// The maximum size of a sealed message in bytes, inclusive; 16 KiB, where real ones have some hundred bytes.
        /// The number is this project's own.
        public var maximumDataBytes = 16 << 10

        /// The limits with the default of each property.
        public static let standard = Limits()

        /// Creates limits with the defaults stated.
        public init() {}
    }

    /// The version of the list's format as it states, 3 on SwissCovid's servers; 0 when absent. Not checked.
    public let version: Int32
    /// The plausible keys that were wanted, in the order of the list; may be empty.
    public let keys: [TraceKey]
    /// The number of keys in the list, wanted or not, including ``implausible`` ones; 0 to ``Limits/maximumKeys``.
    public let count: Int
    /// When the list was signed, in Unix seconds, as its token says; `nil` if it was read without one, or the token does not
    /// say.
    public let signed: Int64?
    /// The tag from which on the list has every key that was published before ``nextTag``, in milliseconds since 1970, 0 or more, as its token says; `nil` if it was read without one, or the
    /// token does not say, as those of SwissCovid's servers: then nothing signed tells which question the list answers.
    public let since: Int64?
    /// The tag for the next question, in milliseconds since 1970, 0 or more, as its token says; `nil` likewise.
    public let nextTag: Int64?
    /// The claim of a token with ``nextTag``, in decimal digits: the header `x-key-bundle-tag` (spec checkin-and-nhs A.6).
    public static let nextTagClaim = "key-bundle-tag"
    /// The claim of a token with ``since``, in decimal digits. This project's own.
    public static let sinceClaim = "key-bundle-since"
    /// The number of keys that were left out because their identity does not have 32 bytes, their nonce has fewer
    /// than 24, or their data are too long; 0 to ``count``.
    public let implausible: Int

    /// Verifies and reads a list. `token` is the header ``ContentToken/header``; its key must have the role `config`
    /// and be valid at `time` (Unix seconds, `nil` when the clock is not trusted: then nothing expires). `wanted` are
    /// the identities to look for, `nil` for all.
    ///
    /// - Throws: `tooLarge` or `tooManyEntries` beyond `limits`; `malformedSignature` when the token cannot be read;
    ///   `wrongSignature` when no trusted key made it for this list; `signatureExpired` when it has expired;
    ///   `malformedMessage` when the list is not the protobuf message.
    public init(
        body: [UInt8], token: [UInt8], trust: TrustStore, time: Int64?, wanted: Set<[UInt8]>?, limits: Limits = .standard
    ) throws(CrowdNotifierError) {
        try self.init(
            body: body, token: token, trust: trust, time: time, limits: limits,
            select: { wanted?.contains($0.identity) ?? true })
    }

    /// Verifies and reads a list likewise, and keeps the plausible keys for which `select` says so. It is called once for each of them in the order of
    /// the list, also if the list turns out to be refused later, so that a long list need not be in memory as keys.
    ///
    /// - Throws: The same.
    public init(
        body: [UInt8], token: [UInt8], trust: TrustStore, time: Int64?, limits: Limits = .standard,
        select: (TraceKey) -> Bool
    ) throws(CrowdNotifierError) {
        guard body.count <= limits.maximumBytes else { throw CrowdNotifierError(.tooLarge, "\(body.count) bytes") }
        guard let token = ContentToken(token) else { throw CrowdNotifierError(.malformedSignature) }
        guard token.signer(of: body, trust: trust, time: time) != nil else { throw CrowdNotifierError(.wrongSignature) }
        if let time, time >= token.expires { throw CrowdNotifierError(.signatureExpired) }
        try self.init(decoding: body, limits: limits, token: token, select: select)
    }

    /// Reads a list without verifying a signature. `wanted` are the identities to look for, `nil` for all. Throws
    /// `tooLarge` or `tooManyEntries` beyond `limits`, and `malformedMessage` when it is not the protobuf message.
    public init(
        decoding bytes: [UInt8], wanted: Set<[UInt8]>?, limits: Limits = .standard
    ) throws(CrowdNotifierError) {
        try self.init(decoding: bytes, limits: limits, token: nil, select: { wanted?.contains($0.identity) ?? true })
    }

    /// Reads a list without verifying a signature, and keeps the plausible keys for which `select` says so (``init(body:token:trust:time:limits:select:)``). Throws
    /// likewise.
    public init(
        decoding bytes: [UInt8], limits: Limits = .standard, select: (TraceKey) -> Bool
    ) throws(CrowdNotifierError) {
        try self.init(decoding: bytes, limits: limits, token: nil, select: select)
    }

    private init(
        decoding bytes: [UInt8], limits: Limits, token: ContentToken?, select: (TraceKey) -> Bool
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
                    } else if select(key) {
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
        signed = token?.issued
        since = token.flatMap { Self.tag($0, Self.sinceClaim) }
        nextTag = token.flatMap { Self.tag($0, Self.nextTagClaim) }
    }

    /// Decimal digits and nothing else: `Int64` would take a sign, too.
    private static func tag(_ token: ContentToken, _ claim: String) -> Int64? {
        guard let text = token.protectedHeaders[claim], text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }

    /// Returns a list as protobuf (`ProblematicEventWrapper`), for servers and test servers. `version` is that of the
    /// format, 3 for SwissCovid. Nothing is checked. Cannot fail.
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
