// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import GAEN

/// What one scan heard, as it is kept: raw, so that a better calibration can be applied later.
public struct ScanRecord: Sendable, Equatable {
    /// One advertisement.
    public struct Heard: Sendable, Equatable {
        public var payload: AdvertisingPayload
        /// As the controller said it, dBm, before any correction.
        public var rawRSSI: Int8
        /// Seconds after the scan's start, 0 to 255.
        public var offset: UInt8

        public init(payload: AdvertisingPayload, rawRSSI: Int8, offset: UInt8) {
            self.payload = payload
            self.rawRSSI = rawRSSI
            self.offset = offset
        }
    }

    /// Unix seconds.
    public var start: UInt32
    /// When the scan before stopped, Unix seconds; 0 when unknown.
    public var previousScan: UInt32
    /// Revision of the board profile whose correction belongs to the raw values.
    public var profileRevision: UInt16
    /// At most ``maximumHeard``; a scan that heard more is kept as several records.
    public var heard: [Heard]

    public static let maximumHeard = 1_024

    public init(start: UInt32, previousScan: UInt32, profileRevision: UInt16, heard: [Heard]) {
        self.start = start
        self.previousScan = previousScan
        self.profileRevision = profileRevision
        self.heard = heard
    }

    private static let version: UInt8 = 1
    private static let headerByteCount = 13
    private static let heardByteCount = 22

    /// Version (1), start (4), previous scan (4), profile (2), count (2), then per advertisement RPI (16), AEM (4), RSSI (1), offset (1).
    func encode() -> SecretBytes {
        let entries = heard.prefix(Self.maximumHeard)
        var bytes = [Self.version] + Little.bytes(start) + Little.bytes(previousScan) + Little.bytes(profileRevision)
        bytes += Little.bytes(UInt16(entries.count))
        for entry in entries {
            bytes += entry.payload.identifier.bytes + entry.payload.metadata.bytes
            bytes += [UInt8(bitPattern: entry.rawRSSI), entry.offset]
        }
        return SecretBytes(copying: bytes)
    }

    init?(_ message: SecretBytes) {
        let bytes = message.withBytes { Array($0) }
        guard bytes.count >= Self.headerByteCount, bytes[0] == Self.version else { return nil }
        let count = Int(Little.read(UInt16.self, bytes[11..<13]))
        guard count <= Self.maximumHeard, bytes.count == Self.headerByteCount + count * Self.heardByteCount else {
            return nil
        }
        start = Little.read(UInt32.self, bytes[1..<5])
        previousScan = Little.read(UInt32.self, bytes[5..<9])
        profileRevision = Little.read(UInt16.self, bytes[9..<11])
        heard = []
        for index in 0..<count {
            let entry = bytes[(Self.headerByteCount + index * Self.heardByteCount)...].prefix(Self.heardByteCount)
            guard let identifier = RollingProximityIdentifier(entry.prefix(16)),
                let metadata = AssociatedEncryptedMetadata(entry.dropFirst(16).prefix(4))
            else { return nil }
            let tail = Array(entry.suffix(2))
            heard.append(
                Heard(
                    payload: AdvertisingPayload(identifier: identifier, metadata: metadata),
                    rawRSSI: Int8(bitPattern: tail[0]), offset: tail[1]))
        }
    }
}
