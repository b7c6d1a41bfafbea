// SPDX-License-Identifier: Apache-2.0

/// The content of a beacon: identifier and encrypted metadata, and how they lie in the advertising data.
public struct AdvertisingPayload: Hashable, Sendable {
    /// The Exposure Notification service, a 16-bit UUID assigned by the Bluetooth SIG (Bluetooth Specification 1.2,
    /// "Service UUID").
    public static let serviceUUID: UInt16 = 0xFD6F
    /// Length of the service data in bytes: RPI (16) and AEM (4) together (Bluetooth Specification 1.2).
    public static let serviceDataByteCount = 20

    /// The RPI, under which the sender is heard for about ten minutes.
    public let identifier: RollingProximityIdentifier
    /// The AEM: protocol version and transmit power, which can be read only with the sender's key.
    public let metadata: AssociatedEncryptedMetadata

    /// Creates a payload of 20 bytes from an identifier and encrypted metadata; any values are allowed. Cannot fail.
    public init(identifier: RollingProximityIdentifier, metadata: AssociatedEncryptedMetadata) {
        self.identifier = identifier
        self.metadata = metadata
    }

    /// The two forms of advertising data that can be built.
    public enum Form: Sendable {
        /// 31 bytes with the flags 0x1A in front, as iOS sends them and the specification draws them.
        case withFlags
        /// 28 bytes without flags, as Android sends them: a non-connectable advertiser needs none.
        case withoutFlags
    }

    /// Returns the advertising data, 31 or 28 bytes by `form`: the flags if any, the list of services, which must
    /// come before the data, and the service data. Cannot fail.
    public func advertisingData(_ form: Form = .withFlags) -> [UInt8] {
        var data: [UInt8] = form == .withFlags ? [0x02, 0x01, 0x1A] : []
        data += [0x03, 0x03, 0x6F, 0xFD]
        data += [0x17, 0x16, 0x6F, 0xFD]
        data += identifier.bytes
        data += metadata.bytes
        return data
    }

    /// The reason why advertising data is not an Exposure Notification beacon.
    public enum Refusal: Error, Hashable, Sendable {
        /// A structure claims more bytes than are left; its first byte, the length, is at `offset`, from 0.
        case truncated(offset: Int)
        /// The data has no service data for 0xFD6F before its end: it is another kind of advertisement, by far the
        /// most common case.
        case notExposureNotification
        /// Service data for 0xFD6F, but `length` bytes of it in place of 20; the structure's first byte is at `offset`,
        /// from 0.
        case wrongLength(offset: Int, length: Int)
    }

    /// Reads a payload from advertising data of any origin.
    ///
    /// Only the service data (type 0x16, 0xFD6F) decides: Android sends no flags, and the order of the structures
    /// binds senders only (`BleScannerImpl` filters the same way). A structure of length 0 ends the data early (Core
    /// Specification, Supplement part A, 1: early termination). Bytes after the first service data for 0xFD6F are not
    /// looked at.
    ///
    /// - Throws: ``Refusal``: `truncated` when a structure before the service data, or the service data itself,
    ///   claims more bytes than are left; `wrongLength` when the service data does not have 20 bytes;
    ///   `notExposureNotification` when there is none.
    public init(advertisingData bytes: some RandomAccessCollection<UInt8>) throws(Refusal) {
        let data = Array(bytes)
        var offset = 0
        while offset < data.count {
            let length = Int(data[offset])
            if length == 0 { break }
            guard offset + 1 + length <= data.count else { throw .truncated(offset: offset) }
            let structure = data[(offset + 1)..<(offset + 1 + length)]
            if length >= 3, structure.starts(with: [0x16, 0x6F, 0xFD]) {
                let service = structure.dropFirst(3)
                guard let identifier = RollingProximityIdentifier(service.prefix(16)),
                    let metadata = AssociatedEncryptedMetadata(service.dropFirst(16))
                else { throw .wrongLength(offset: offset, length: service.count) }
                self.init(identifier: identifier, metadata: metadata)
                return
            }
            offset += 1 + length
        }
        throw .notExposureNotification
    }
}
