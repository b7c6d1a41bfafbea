// SPDX-License-Identifier: Apache-2.0

/// The kind of packet in a report, in the bits of LE Extended Advertising Report (Core Specification, Vol 4 Part E
/// 7.7.65.13). Legacy reports are converted to the same bits.
public struct AdvertisingEventType: OptionSet, Hashable, Sendable {
    /// The 16 bits from the controller, including reserved ones.
    public let rawValue: UInt16

    /// Creates a type from its 16 bits, including reserved ones. Cannot fail.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The advertiser accepts connections; bit 0.
    public static let connectable = Self(rawValue: 1 << 0)
    /// The advertiser answers scan requests; bit 1.
    public static let scannable = Self(rawValue: 1 << 1)
    /// The advertisement is directed to one receiver; bit 2.
    public static let directed = Self(rawValue: 1 << 2)
    /// The packet answers a scan request; bit 3.
    public static let scanResponse = Self(rawValue: 1 << 3)
    /// The packet has the format of Bluetooth 4, in a report of either kind; bit 4.
    public static let legacy = Self(rawValue: 1 << 4)

    /// Whether the data of a report is complete; raw values are bits 5 and 6 of the type (7.7.65.13).
    public enum DataStatus: UInt8, Hashable, Sendable, CaseIterable {
        /// The data is complete, or completes that of earlier reports.
        case complete = 0b00
        /// Another report contains more data of the same advertisement.
        case moreToCome = 0b01
        /// The controller lost the rest of the data.
        case truncated = 0b10
        /// Reserved by the specification; treat it like ``truncated``.
        case reserved = 0b11
    }

    /// Whether the data of the report is complete, from bits 5 and 6. Always `complete` in legacy reports.
    public var dataStatus: DataStatus { DataStatus(rawValue: UInt8(rawValue >> 5 & 0b11)) ?? .reserved }

    func with(_ status: DataStatus) -> Self {
        Self(rawValue: rawValue & ~(0b11 << 5) | UInt16(status.rawValue) << 5)
    }

    /// Legacy reports number their kinds (7.7.65.2); the bits are those of the table in 7.7.65.13. A legacy scan response does
    /// not say to which kind of advertisement. `nil` for reserved numbers.
    init?(legacyKind: UInt8) {
        switch legacyKind {
        case 0x00: self = [.legacy, .connectable, .scannable]  // ADV_IND
        case 0x01: self = [.legacy, .connectable, .directed]  // ADV_DIRECT_IND
        case 0x02: self = [.legacy, .scannable]  // ADV_SCAN_IND
        case 0x03: self = [.legacy]  // ADV_NONCONN_IND
        case 0x04: self = [.legacy, .scannable, .scanResponse]  // SCAN_RSP
        default: return nil
        }
    }
}

/// An advertisement that the controller received, from a legacy or an extended report.
///
/// Its text form does not show the content, because the content may identify a person.
public struct AdvertisingReport: Hashable, Sendable {
    /// The kind of packet, and whether its data is complete.
    public var eventType: AdvertisingEventType
    /// The address of the advertiser; meaningless if its type is ``AddressType/anonymous``.
    public var address: BluetoothAddress
    /// The signal strength in dBm, -127 to 20; `nil` if the controller did not measure it. Never replace `nil` with a
    /// number, which would be taken for a distance.
    public var rssi: Int8?
    /// The advertising data as received: at most 31 bytes in legacy packets, 229 in a single extended report, and 1650
    /// after ``ExtendedReportAssembler``.
    public var data: [UInt8]
    /// The additional fields of an extended report; `nil` in legacy reports.
    public var extended: Extended?

    /// The fields that only extended reports have (7.7.65.13).
    public struct Extended: Hashable, Sendable {
        /// The radio mode of the first packet: a raw value of ``PHY``, unchecked.
        public var primaryPHY: UInt8
        /// The radio mode of the packet with the data: a raw value of ``PHY``, unchecked; 0 if there was no such packet.
        public var secondaryPHY: UInt8
        /// The advertiser's number for the advertising set (SID), 0 to 15; `nil` if the packet has none.
        public var setIdentifier: UInt8?
        /// The transmit power in dBm that the packet states, -127 to 20; `nil` if it states none.
        public var transmitPower: Int8?
        /// The interval of periodic advertising, in units of 1.25 ms; 0 if there is none.
        public var periodicIntervalUnits: UInt16
        /// The receiver of a directed advertisement; `nil` if it is not directed.
        public var target: BluetoothAddress?

        /// Creates the fields of an extended report, unchecked. The defaults are those of a packet of Bluetooth 4.
        /// `transmitPower` is in dBm, `periodicIntervalUnits` in units of 1.25 ms; `nil` means that the report does not
        /// contain the value.
        public init(
            primaryPHY: UInt8 = PHY.le1M.rawValue, secondaryPHY: UInt8 = 0, setIdentifier: UInt8? = nil,
            transmitPower: Int8? = nil, periodicIntervalUnits: UInt16 = 0, target: BluetoothAddress? = nil
        ) {
            self.primaryPHY = primaryPHY
            self.secondaryPHY = secondaryPHY
            self.setIdentifier = setIdentifier
            self.transmitPower = transmitPower
            self.periodicIntervalUnits = periodicIntervalUnits
            self.target = target
        }
    }

    /// Creates a report from these parts, unchecked; for tests and virtual controllers. `rssi` is in dBm, or `nil` if it
    /// was not measured.
    public init(
        eventType: AdvertisingEventType, address: BluetoothAddress, rssi: Int8?, data: [UInt8], extended: Extended? = nil
    ) {
        self.eventType = eventType
        self.address = address
        self.rssi = rssi
        self.data = data
        self.extended = extended
    }
}

extension AdvertisingReport: CustomStringConvertible, CustomReflectable {
    /// A text for logs with format, type and length, but neither address nor data.
    public var description: String {
        "\(extended == nil ? "legacy" : "extended") report, type 0x\(String(eventType.rawValue, radix: 16)), \(data.count) bytes"
    }

    /// A mirror with the length only, so that `dump` shows nothing that may identify a person.
    public var customMirror: Mirror { Mirror(self, children: ["byteCount": data.count]) }
}

extension AdvertisingReport.Extended: CustomReflectable {
    /// A mirror with the radio modes only, so that `dump` does not show the target, which may identify a person.
    public var customMirror: Mirror { Mirror(self, children: ["primaryPHY": primaryPHY, "secondaryPHY": secondaryPHY]) }
}

// MARK: - Reading

extension AdvertisingReport {
    /// LE Advertising Report (7.7.65.2): 1 ... 25 reports of 0 ... 31 bytes.
    ///
    /// One report that breaks a rule refuses the whole event: nothing says where the next one would begin.
    static func legacyReports(_ reader: inout ByteReader) throws(HCIError) -> [AdvertisingReport] {
        let count = try reportCount(&reader, 1...0x19)
        var reports: [AdvertisingReport] = []
        reports.reserveCapacity(count)
        for _ in 0..<count {
            let start = reader.offset
            guard let eventType = AdvertisingEventType(legacyKind: try reader.uint8()) else {
                throw HCIError(.reservedValue, at: start, "kind of report")
            }
            let address = try reader.address(AddressType(rawValue: try reader.uint8()))
            let data = try data(&reader, atMost: HCICommand.maximumLegacyDataByteCount)
            let rssi = decibel(try reader.int8())
            reports.append(AdvertisingReport(eventType: eventType, address: address, rssi: rssi, data: data))
        }
        return reports
    }

    /// LE Extended Advertising Report (7.7.65.13): 1 ... 10 reports of 0 ... 229 bytes.
    static func extendedReports(_ reader: inout ByteReader) throws(HCIError) -> [AdvertisingReport] {
        let count = try reportCount(&reader, 1...0x0A)
        var reports: [AdvertisingReport] = []
        reports.reserveCapacity(count)
        for _ in 0..<count {
            let eventType = AdvertisingEventType(rawValue: try reader.uint16())
            let address = try reader.address(AddressType(rawValue: try reader.uint8()))
            let primary = try reader.uint8()
            let secondary = try reader.uint8()
            let setIdentifier = try reader.uint8()
            let transmitPower = decibel(try reader.int8())
            let rssi = decibel(try reader.int8())
            let periodic = try reader.uint16()
            let target = try reader.address(AddressType(rawValue: try reader.uint8()))
            let data = try data(&reader, atMost: 229)
            reports.append(
                AdvertisingReport(
                    eventType: eventType, address: address, rssi: rssi, data: data,
                    extended: Extended(
                        primaryPHY: primary, secondaryPHY: secondary,
                        setIdentifier: setIdentifier <= 0x0F ? setIdentifier : nil, transmitPower: transmitPower,
                        periodicIntervalUnits: periodic, target: eventType.contains(.directed) ? target : nil)))
        }
        return reports
    }

    private static func reportCount(
        _ reader: inout ByteReader, _ range: ClosedRange<Int>
    ) throws(HCIError) -> Int {
        let offset = reader.offset
        let count = Int(try reader.uint8())
        guard range.contains(count) else { throw HCIError(.reportCountOutOfRange, at: offset, "\(count) reports") }
        return count
    }

    private static func data(_ reader: inout ByteReader, atMost limit: Int) throws(HCIError) -> [UInt8] {
        let offset = reader.offset
        let count = Int(try reader.uint8())
        guard count <= limit else { throw HCIError(.dataLengthOutOfRange, at: offset, "\(count) of \(limit) bytes") }
        return Array(try reader.bytes(count))
    }

    /// 127 means "not available"; 21 ... 126 and -128 are outside the range of the specification and mean no more than that.
    private static func decibel(_ value: Int8) -> Int8? { (-127...20).contains(value) ? value : nil }
}
