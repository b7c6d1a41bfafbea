// SPDX-License-Identifier: Apache-2.0

/// The opcode of a command: group (OGF, 6 bits) and number in the group (OCF, 10 bits); Core Specification, Vol 4 Part E
/// 5.4.1. Any value is allowed, because events may contain opcodes that this program never sent.
public struct Opcode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The 16 bits of the opcode, with the group in the upper six.
    public let rawValue: UInt16

    /// Creates an opcode from any number; one without a name here is shown as digits. Cannot fail.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The group of the command (OGF), 0 to 63; 8 is LE.
    public var group: UInt8 { UInt8(rawValue >> 10) }
    /// The number of the command in its group (OCF), 0 to 1023.
    public var command: UInt16 { rawValue & 0x03FF }

    /// Opcode 0, which stands for no command: the controller only reports how many commands it accepts (Vol 4 Part E
    /// 7.7.14).
    public static let none = Self(rawValue: 0x0000)

    /// Set Event Mask (Core Specification, Vol 4 Part E 7.3.1).
    public static let setEventMask = Self(rawValue: 0x0C01)
    /// Reset (Core Specification, Vol 4 Part E 7.3.2).
    public static let reset = Self(rawValue: 0x0C03)
    /// Read Local Version Information (Core Specification, Vol 4 Part E 7.4.1).
    public static let readLocalVersionInformation = Self(rawValue: 0x1001)
    /// Read Local Supported Commands (Core Specification, Vol 4 Part E 7.4.2).
    public static let readLocalSupportedCommands = Self(rawValue: 0x1002)
    /// Read BD_ADDR (Core Specification, Vol 4 Part E 7.4.6).
    public static let readAddress = Self(rawValue: 0x1009)

    /// LE Set Event Mask (Core Specification, Vol 4 Part E 7.8.1).
    public static let leSetEventMask = Self(rawValue: 0x2001)
    /// LE Read Buffer Size, version 1 (Core Specification, Vol 4 Part E 7.8.2).
    public static let leReadBufferSize = Self(rawValue: 0x2002)
    /// LE Read Local Supported Features (Core Specification, Vol 4 Part E 7.8.3).
    public static let leReadLocalSupportedFeatures = Self(rawValue: 0x2003)
    /// LE Set Random Address (Core Specification, Vol 4 Part E 7.8.4).
    public static let leSetRandomAddress = Self(rawValue: 0x2005)
    /// LE Set Advertising Parameters (Core Specification, Vol 4 Part E 7.8.5).
    public static let leSetAdvertisingParameters = Self(rawValue: 0x2006)
    /// LE Read Advertising Physical Channel Tx Power (Core Specification, Vol 4 Part E 7.8.6).
    public static let leReadAdvertisingTransmitPower = Self(rawValue: 0x2007)
    /// LE Set Advertising Data (Core Specification, Vol 4 Part E 7.8.7).
    public static let leSetAdvertisingData = Self(rawValue: 0x2008)
    /// LE Set Advertising Enable (Core Specification, Vol 4 Part E 7.8.9).
    public static let leSetAdvertisingEnable = Self(rawValue: 0x200A)
    /// LE Set Scan Parameters (Core Specification, Vol 4 Part E 7.8.10).
    public static let leSetScanParameters = Self(rawValue: 0x200B)
    /// LE Set Scan Enable (Core Specification, Vol 4 Part E 7.8.11).
    public static let leSetScanEnable = Self(rawValue: 0x200C)
    /// LE Rand (Core Specification, Vol 4 Part E 7.8.23).
    public static let leRandom = Self(rawValue: 0x2018)

    /// LE Set Advertising Set Random Address (Core Specification, Vol 4 Part E 7.8.52).
    public static let leSetAdvertisingSetRandomAddress = Self(rawValue: 0x2035)
    /// LE Set Extended Advertising Parameters, version 1 (Core Specification, Vol 4 Part E 7.8.53).
    public static let leSetExtendedAdvertisingParameters = Self(rawValue: 0x2036)
    /// LE Set Extended Advertising Data (Core Specification, Vol 4 Part E 7.8.54).
    public static let leSetExtendedAdvertisingData = Self(rawValue: 0x2037)
    /// LE Set Extended Advertising Enable (Core Specification, Vol 4 Part E 7.8.56).
    public static let leSetExtendedAdvertisingEnable = Self(rawValue: 0x2039)
    /// LE Read Maximum Advertising Data Length (Core Specification, Vol 4 Part E 7.8.57).
    public static let leReadMaximumAdvertisingDataLength = Self(rawValue: 0x203A)
    /// LE Read Number of Supported Advertising Sets (Core Specification, Vol 4 Part E 7.8.58).
    public static let leReadNumberOfSupportedAdvertisingSets = Self(rawValue: 0x203B)
    /// LE Remove Advertising Set (Core Specification, Vol 4 Part E 7.8.59).
    public static let leRemoveAdvertisingSet = Self(rawValue: 0x203C)
    /// LE Clear Advertising Sets (Core Specification, Vol 4 Part E 7.8.60).
    public static let leClearAdvertisingSets = Self(rawValue: 0x203D)
    /// LE Set Extended Scan Parameters (Core Specification, Vol 4 Part E 7.8.64).
    public static let leSetExtendedScanParameters = Self(rawValue: 0x2041)
    /// LE Set Extended Scan Enable (Core Specification, Vol 4 Part E 7.8.65).
    public static let leSetExtendedScanEnable = Self(rawValue: 0x2042)

    /// The name in the specification without its prefix `HCI_`; for a command without a name here, the same as
    /// ``description``.
    public var name: String { Self.table[self]?.name ?? description }

    /// The opcode in four hexadecimal digits, such as `0x2005`, for logs.
    public var description: String {
        let digits = String(rawValue, radix: 16)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// Whether the list above has it.
    var isKnown: Bool { Self.table[self] != nil }

    /// Octet and bit in the answer to Read Local Supported Commands (Vol 4 Part E 6.27).
    var supportBit: (octet: Int, bit: Int)? { Self.table[self].map { ($0.octet, $0.bit) } }

    private struct Entry {
        let name: String
        let octet: Int
        let bit: Int

        init(_ name: String, _ octet: Int, _ bit: Int) {
            self.name = name
            self.octet = octet
            self.bit = bit
        }
    }

    private static let table: [Opcode: Entry] = [
        .setEventMask: Entry("Set Event Mask", 5, 6),
        .reset: Entry("Reset", 5, 7),
        .readLocalVersionInformation: Entry("Read Local Version Information", 14, 3),
        .readLocalSupportedCommands: Entry("Read Local Supported Commands", 14, 4),
        .readAddress: Entry("Read BD_ADDR", 15, 1),
        .leSetEventMask: Entry("LE Set Event Mask", 25, 0),
        .leReadBufferSize: Entry("LE Read Buffer Size", 25, 1),
        .leReadLocalSupportedFeatures: Entry("LE Read Local Supported Features", 25, 2),
        .leSetRandomAddress: Entry("LE Set Random Address", 25, 4),
        .leSetAdvertisingParameters: Entry("LE Set Advertising Parameters", 25, 5),
        .leReadAdvertisingTransmitPower: Entry("LE Read Advertising Physical Channel Tx Power", 25, 6),
        .leSetAdvertisingData: Entry("LE Set Advertising Data", 25, 7),
        .leSetAdvertisingEnable: Entry("LE Set Advertising Enable", 26, 1),
        .leSetScanParameters: Entry("LE Set Scan Parameters", 26, 2),
        .leSetScanEnable: Entry("LE Set Scan Enable", 26, 3),
        .leRandom: Entry("LE Rand", 27, 7),
        .leSetAdvertisingSetRandomAddress: Entry("LE Set Advertising Set Random Address", 36, 1),
        .leSetExtendedAdvertisingParameters: Entry("LE Set Extended Advertising Parameters", 36, 2),
        .leSetExtendedAdvertisingData: Entry("LE Set Extended Advertising Data", 36, 3),
        .leSetExtendedAdvertisingEnable: Entry("LE Set Extended Advertising Enable", 36, 5),
        .leReadMaximumAdvertisingDataLength: Entry("LE Read Maximum Advertising Data Length", 36, 6),
        .leReadNumberOfSupportedAdvertisingSets: Entry("LE Read Number of Supported Advertising Sets", 36, 7),
        .leRemoveAdvertisingSet: Entry("LE Remove Advertising Set", 37, 0),
        .leClearAdvertisingSets: Entry("LE Clear Advertising Sets", 37, 1),
        .leSetExtendedScanParameters: Entry("LE Set Extended Scan Parameters", 37, 5),
        .leSetExtendedScanEnable: Entry("LE Set Extended Scan Enable", 37, 6),
    ]
}
