// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// The keys derived from a code's bytes (spec checkin-and-nhs A.3). Every holder of the code can derive all of
/// them.
public struct VenueKeys: Sendable, CustomStringConvertible {
    private let noncePreID: SecretBytes
    private let nonceTimeKey: SecretBytes
    /// The key of 32 bytes that opens messages to the venue's visitors.
    public let notificationKey: SecretBytes
    /// The venue's identifier, 32 bytes; the same for all hours.
    public let preID: [UInt8]

    /// Version 4 kept the text.
    private static let info = Array("CrowdNotifier_v3".utf8)
    static let keyByteCount = 32

    /// Derives the keys with HKDF-SHA256. `payload` is the message exactly as received, of any length. Stops the
    /// program when there is no memory.
    public init(payload: [UInt8]) {
        // Fails only without memory.
        guard
            let output = try? HKDFSHA256.derive(
                from: SecretBytes(copying: payload), info: Self.info, count: 3 * Self.keyByteCount)
        else { preconditionFailure("HKDF failed") }
        func part(_ index: Int) -> SecretBytes {
            output.withBytes { SecretBytes(copying: $0[index * Self.keyByteCount..<(index + 1) * Self.keyByteCount]) }
        }
        noncePreID = part(0)
        nonceTimeKey = part(1)
        notificationKey = part(2)
        preID = SHA256.digest(of: Array("CN-PREID".utf8) + payload + Self.bytes(noncePreID))
    }

    /// Restores keys that ``stored`` has given. `nil` unless there are ``storedByteCount`` bytes.
    init?(stored: UnsafeRawBufferPointer) {
        guard stored.count == Self.storedByteCount else { return nil }
        func part(_ index: Int) -> Slice<UnsafeRawBufferPointer> {
            stored[index * Self.keyByteCount..<(index + 1) * Self.keyByteCount]
        }
        noncePreID = SecretBytes(copying: part(0))
        nonceTimeKey = SecretBytes(copying: part(1))
        notificationKey = SecretBytes(copying: part(2))
        preID = Array(part(3))
    }

    /// The length of ``stored`` in bytes.
    static let storedByteCount = 4 * keyByteCount

    /// All of the keys, from which those of every hour can be derived without the code.
    var stored: SecretBytes {
        SecretBytes(count: Self.storedByteCount) { buffer in
            for (index, key) in [noncePreID, nonceTimeKey, notificationKey].enumerated() {
                key.withBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[(index * 32)...]).copyBytes(from: $0) }
            }
            UnsafeMutableRawBufferPointer(rebasing: buffer[96...]).copyBytes(from: preID)
        }
    }

    /// The two nonces, for comparison with published values.
    package var nonces: (preID: SecretBytes, timeKey: SecretBytes) { (noncePreID, nonceTimeKey) }

    /// Returns the venue's key of an interval, 32 bytes, which a visitor who was there publishes. `start` is in Unix
    /// seconds, `length` in seconds; nothing is checked.
    public func timeKey(start: Int64, length: Int32 = VisitHours.seconds) -> [UInt8] {
        SHA256.digest(of: Array("CN-TIMEKEY".utf8) + Self.interval(start, length) + Self.bytes(nonceTimeKey))
    }

    /// Returns the venue's identity in an interval, 32 bytes, by which warnings are found. `start` is in Unix
    /// seconds, `length` in seconds; nothing is checked.
    public func identity(start: Int64, length: Int32 = VisitHours.seconds) -> [UInt8] {
        Self.identity(preID: preID, timeKey: timeKey(start: start, length: length), start: start, length: length)
    }

    /// Returns the identity of an hour, 32 bytes, from published keys, as the health authority's server does. `start`
    /// is in Unix seconds, `length` in seconds, and the keys have 32 bytes; nothing is checked.
    public static func identity(
        preID: [UInt8], timeKey: [UInt8], start: Int64, length: Int32 = VisitHours.seconds
    ) -> [UInt8] {
        SHA256.digest(of: Array("CN-ID".utf8) + preID + interval(start, length) + timeKey)
    }

    /// Returns the identity of an hour in version 2, 32 bytes (libcrowdnotifier `v2/helpers`), whose codes have
    /// `info` (any bytes) and both nonces. `hour` is the number of whole hours since 1970; lengths are not checked.
    public static func legacyIdentity(info: [UInt8], nonce1: [UInt8], nonce2: [UInt8], hour: Int64) -> [UInt8] {
        SHA256.digest(of: SHA256.digest(of: info + nonce1) + nonce2 + Array("\(hour)".utf8))
    }

    private static func interval(_ start: Int64, _ length: Int32) -> [UInt8] {
        withUnsafeBytes(of: length.bigEndian) { Array($0) } + withUnsafeBytes(of: start.bigEndian) { Array($0) }
    }

    private static func bytes(_ secret: SecretBytes) -> [UInt8] { secret.withBytes { Array($0) } }

    /// The name of the type, and nothing of the keys.
    public var description: String { "VenueKeys" }
}

/// The hours that a visit touches.
public struct VisitHours: Sequence, IteratorProtocol {
    /// The length of each interval in seconds: an hour. The protocol allows 900 to 86,400, but only hours are in use.
    public static let seconds: Int32 = 3_600

    private var coming: Int64
    private let last: Int64

    /// The end of the year 9999.
    private static let latest: Int64 = 253_402_300_799

    /// Creates the hours of a visit. Both times are in Unix seconds and limited to the years 1970 to 9999; they are
    /// swapped when in the wrong order (spec checkin-and-nhs A.8). A visit that ends on the full hour touches that
    /// hour too.
    public init(from arrival: Int64, to departure: Int64) {
        func bounded(_ moment: Int64) -> Int64 { Swift.min(Swift.max(0, moment), Self.latest) }
        coming = Self.start(bounded(Swift.min(arrival, departure)))
        last = Self.start(bounded(Swift.max(arrival, departure)))
    }

    /// Returns the first second of the hour that contains `moment`; both are in Unix seconds and may be negative,
    /// down to an hour above the least `Int64`.
    public static func start(_ moment: Int64) -> Int64 {
        let rest = moment % Int64(seconds)
        return moment - (rest < 0 ? rest + Int64(seconds) : rest)
    }

    /// Returns the first second of the next hour, in Unix seconds; `nil` after the last.
    public mutating func next() -> Int64? {
        guard coming <= last else { return nil }
        defer { coming += Int64(Self.seconds) }
        return coming
    }
}
