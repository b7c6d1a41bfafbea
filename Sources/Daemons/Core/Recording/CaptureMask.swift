// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import GAEN
public import HCI

/// Makes packets between the core and its controller harmless: what could tell who was near is replaced or blanked, and
/// everything else stays, so that the packets can be replayed.
///
/// Identifiers with their metadata, and addresses, become pseudonyms under a key that is drawn here and lost with this value:
/// the same one becomes the same pseudonym, and nobody can compute it afterwards. All other content of advertisements is
/// blanked, with its length. Only fields that are named here stay; a packet that is not known is blanked as a whole.
///
/// What stays: opcodes, event codes, counts, status, times, signal strengths, kinds of packets and of addresses, the lengths
/// and kinds of the parts of an advertisement, its flags, and that it is of Exposure Notification.
public struct CaptureMask {
    private let key: SecretBytes

    /// Creates a mask under a new key. `generator` must be cryptographically secure outside tests.
    public init(generator: inout some RandomNumberGenerator) { key = SecretBytes(count: 32, from: &generator) }

    /// Returns the harmless form of a packet, of the same length; `nil` for one that is of no use: data of connections,
    /// which a board does not have. Throws `CryptographyError` if no pseudonym can be made.
    public func masked(_ packet: HCIPacket) throws(CryptographyError) -> HCIPacket? {
        var bytes = packet.bytes
        switch packet.indicator {
        case .command: try mask(command: &bytes)
        case .event: try mask(event: &bytes, of: packet)
        case .acl, .sco, .iso: return nil
        }
        return try? HCIPacket(datagram: bytes)
    }

    // MARK: Commands

    /// Parameters of these commands say nothing about anybody.
    private static let openCommands: Set<Opcode> = [
        .setEventMask, .reset, .readLocalVersionInformation, .readLocalSupportedCommands, .leSetEventMask,
        .leReadBufferSize, .leReadLocalSupportedFeatures, .leReadAdvertisingTransmitPower, .leSetAdvertisingEnable,
        .leSetScanParameters, .leSetScanEnable, .leSetExtendedScanParameters, .leSetExtendedScanEnable,
        .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength,
        .leReadNumberOfSupportedAdvertisingSets, .leRemoveAdvertisingSet, .leClearAdvertisingSets,
    ]
    /// Offset of the parameters in a command's packet.
    private static let commandStart = 4

    private func mask(command bytes: inout [UInt8]) throws(CryptographyError) {
        let opcode = Opcode(rawValue: UInt16(bytes[1]) | UInt16(bytes[2]) << 8)
        let start = Self.commandStart
        if Self.openCommands.contains(opcode) { return }
        switch opcode {
        case .leSetRandomAddress where bytes.count == start + 6:
            try mask(address: &bytes, at: start, isRandom: true)
        case .leSetAdvertisingSetRandomAddress where bytes.count == start + 7:
            try mask(address: &bytes, at: start + 1, isRandom: true)
        // Length, then 31 bytes.
        case .leSetAdvertisingData where bytes.count > start:
            let count = Int(bytes[start])
            try mask(advertisement: &bytes, start + 1, count: count)
            Self.blank(&bytes, min(bytes.count, start + 1 + count)..<bytes.count)
        // Handle, operation 3 (all of it), preference, length, then so many bytes.
        case .leSetExtendedAdvertisingData where bytes.count > start + 4 && bytes[start + 1] == 3:
            let count = Int(bytes[start + 3])
            try mask(advertisement: &bytes, start + 4, count: count)
            Self.blank(&bytes, min(bytes.count, start + 4 + count)..<bytes.count)
        default: Self.blank(&bytes, start..<bytes.count)
        }
    }

    // MARK: Events

    /// What these commands return after the status is about the controller's kind: so many bytes (Vol 4 Part E 7.3, 7.4, 7.8).
    private static let openAnswers: [Opcode: Int] = [
        .readLocalVersionInformation: 8, .readLocalSupportedCommands: 64, .leReadBufferSize: 3,
        .leReadLocalSupportedFeatures: 8, .leReadAdvertisingTransmitPower: 1, .leReadMaximumAdvertisingDataLength: 2,
        .leReadNumberOfSupportedAdvertisingSets: 1,
    ]
    private static let eventStart = 3

    private func mask(event bytes: inout [UInt8], of packet: HCIPacket) throws(CryptographyError) {
        let start = Self.eventStart
        guard let event = try? HCIEvent(packet) else {
            Self.blank(&bytes, start..<bytes.count)
            return
        }
        switch event {
        // So many bytes each (Vol 4 Part E 7.7.15, 7.7.16, 7.7.65.17, 7.7.65.18). What is behind them belongs to nothing: bytes that slipped
        // on the wire are of another packet.
        case .commandStatus: Self.blank(&bytes, from: start + 4)
        case .hardwareError: Self.blank(&bytes, from: start + 1)
        case .scanTimeout: Self.blank(&bytes, from: start + 1)
        case .advertisingSetTerminated: Self.blank(&bytes, from: start + 6)
        case .commandComplete(let answer):
            // Credits, opcode, status; then what is returned.
            Self.blank(&bytes, from: start + 4 + (Self.openAnswers[answer.opcode] ?? 0))
        case .advertisingReports:
            if bytes[start] == 0x02 {
                try mask(legacyReports: &bytes)
            } else {
                try mask(extendedReports: &bytes)
            }
        case .otherLowEnergy: Self.blank(&bytes, (start + 1)..<bytes.count)
        case .other: Self.blank(&bytes, start..<bytes.count)
        }
    }

    /// Kind, type of address, address, length, data, strength (Core Specification, Vol 4 Part E 7.7.65.2). The event was read
    /// before, so the lengths are right.
    private func mask(legacyReports bytes: inout [UInt8]) throws(CryptographyError) {
        var offset = Self.eventStart + 2
        while offset + 9 < bytes.count {
            try mask(address: &bytes, at: offset + 2, isRandom: bytes[offset + 1] & 1 == 1)
            let count = Int(bytes[offset + 8])
            try mask(advertisement: &bytes, offset + 9, count: count)
            offset += 9 + count + 1
        }
    }

    /// Kind (2), type of address, address, radio modes (2), set, power, strength, interval (2), type and address of the
    /// target, length, data (7.7.65.13).
    private func mask(extendedReports bytes: inout [UInt8]) throws(CryptographyError) {
        var offset = Self.eventStart + 2
        while offset + 23 < bytes.count {
            let kind = AdvertisingEventType(rawValue: UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8)
            try mask(address: &bytes, at: offset + 3, isRandom: bytes[offset + 2] & 1 == 1)
            if kind.contains(.directed) {
                try mask(address: &bytes, at: offset + 17, isRandom: bytes[offset + 16] & 1 == 1)
            } else {
                Self.blank(&bytes, (offset + 17)..<(offset + 23))
            }
            let count = Int(bytes[offset + 23])
            // Only packets of Bluetooth 4 are whole for certain: a piece of a longer one has no parts that could be told apart.
            if kind.contains(.legacy) {
                try mask(advertisement: &bytes, offset + 24, count: count)
            } else {
                Self.blank(&bytes, (offset + 24)..<min(bytes.count, offset + 24 + count))
            }
            offset += 24 + count
        }
    }

    // MARK: Fields

    /// The kinds of parts that may be named: flags, lists of services, names, power, service data, appearance, a maker's own.
    private static let namedParts: Set<UInt8> = [
        0x01, 0x02, 0x03, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x16, 0x19, 0x20, 0x21, 0xFF,
    ]
    private static let service: [UInt8] = [0x6F, 0xFD]

    /// The parts of an advertisement: a length, a kind, a value each. What is behind the last whole part is blanked.
    private func mask(advertisement bytes: inout [UInt8], _ start: Int, count: Int) throws(CryptographyError) {
        let end = min(bytes.count, start + count)
        var offset = start
        var hasFlags = false
        while offset < end, bytes[offset] > 0, offset + 1 + Int(bytes[offset]) <= end {
            let value = (offset + 2)..<(offset + 1 + Int(bytes[offset]))
            switch bytes[offset + 1] {
            // Once, and the five that are named: more of them could carry anything.
            case 0x01 where value.count == 1 && !hasFlags:
                hasFlags = true
                bytes[value.lowerBound] &= 0x1F
            case 0x03 where bytes[value].elementsEqual(Self.service): break
            case 0x16 where bytes[value].starts(with: Self.service):
                try mask(payload: &bytes, value.dropFirst(2))
            case let kind:
                if !Self.namedParts.contains(kind) { bytes[offset + 1] = 0 }
                Self.blank(&bytes, value)
            }
            offset = value.upperBound
        }
        // A length that no part has tells that the rest is cut off, which a reader refuses.
        if offset < end, bytes[offset] > 0 {
            bytes[offset] = 0xFF
            offset += 1
        }
        if offset < end { Self.blank(&bytes, offset..<end) }
    }

    /// Identifier and metadata together, which belong together on air.
    private func mask(payload bytes: inout [UInt8], _ place: Range<Int>) throws(CryptographyError) {
        guard place.count == AdvertisingPayload.serviceDataByteCount else { return Self.blank(&bytes, place) }
        let identifier = Array(bytes[place.prefix(16)])
        let metadata = Array(bytes[place])
        bytes.replaceSubrange(place.prefix(16), with: try pseudonym(1, identifier).prefix(16))
        bytes.replaceSubrange(place.dropFirst(16), with: try pseudonym(2, metadata).prefix(4))
    }

    /// Six bytes, the lowest first. The two bits at the top tell the kind of a random one (Vol 6 Part B 1.3.2).
    private func mask(address bytes: inout [UInt8], at start: Int, isRandom: Bool) throws(CryptographyError) {
        guard start + 6 <= bytes.count else { return Self.blank(&bytes, start..<bytes.count) }
        let kind = bytes[start + 5] & 0xC0
        let code = try pseudonym(isRandom ? 3 : 4, Array(bytes[start..<(start + 6)]))
        bytes.replaceSubrange(start..<(start + 6), with: code.prefix(6))
        if isRandom { bytes[start + 5] = bytes[start + 5] & 0x3F | kind }
    }

    private func pseudonym(_ kind: UInt8, _ bytes: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try HMACSHA256.code(for: [kind] + bytes, key: key)
    }

    private static func blank(_ bytes: inout [UInt8], from start: Int) {
        blank(&bytes, min(bytes.count, start)..<bytes.count)
    }

    private static func blank(_ bytes: inout [UInt8], _ place: Range<Int>) {
        for offset in place { bytes[offset] = 0 }
    }
}
