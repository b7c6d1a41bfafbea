// SPDX-License-Identifier: Apache-2.0

// Advertising sets of Bluetooth 5: Core Specification, Vol 4 Part E 7.8.52 to 7.8.60. A controller in which one of these, or an
// extended scan command, was used refuses the legacy advertising and scan commands until it is reset, and the reverse (3.1.1).

extension HCICommand {
    /// The largest number of data bytes in a set, sent in several commands (Vol 6 Part B 2.3.4.9). A controller may have
    /// less room; see ``leReadMaximumAdvertisingDataLength``.
    public static let maximumExtendedDataByteCount = 1650
    /// The largest number of data bytes in one command (7.8.54).
    public static let maximumExtendedFragmentByteCount = 251

    /// LE Set Advertising Set Random Address (Core Specification, Vol 4 Part E 7.8.52): sets the random address of a set.
    /// The controller refuses it with ``HCIStatus/commandDisallowed`` while a connectable set is enabled; a rotation
    /// disables the set first in any case.
    ///
    /// Throws ``HCIError/Code/addressNotUsable`` unless ``BluetoothAddress/isUsableAsRandomAddress``.
    public static func leSetAdvertisingSetRandomAddress(
        _ address: BluetoothAddress, handle: AdvertisingHandle = .zero
    ) throws(HCIError) -> HCICommand {
        guard address.isUsableAsRandomAddress else { throw HCIError(.addressNotUsable) }
        return HCICommand(.leSetAdvertisingSetRandomAddress, [handle.rawValue] + address.littleEndianBytes)
    }

    /// LE Set Extended Advertising Parameters (Core Specification, Vol 4 Part E 7.8.53, version 1): sets the
    /// parameters of a set, and creates the set if there is none with this handle. Cannot fail, because
    /// `parameters` have been checked; the controller refuses it with ``HCIStatus/commandDisallowed`` while the set
    /// is enabled.
    public static func leSetExtendedAdvertisingParameters(_ parameters: ExtendedAdvertisingParameters) -> HCICommand {
        HCICommand(.leSetExtendedAdvertisingParameters, parameters.encoded)
    }

    /// LE Set Extended Advertising Data (Core Specification, Vol 4 Part E 7.8.54): sets the data of a set. Returns one
    /// command for 0 to 251 bytes and several for more, which must be sent in order. The data of a set that is enabled can
    /// only be changed by a single command.
    ///
    /// Asks the controller to avoid fragments over the air if possible. Throws ``HCIError/Code/dataTooLong`` for more than
    /// 1650 bytes.
    public static func leSetExtendedAdvertisingData(
        _ data: some Collection<UInt8>, handle: AdvertisingHandle = .zero
    ) throws(HCIError) -> [HCICommand] {
        let data = Array(data)
        guard data.count <= maximumExtendedDataByteCount else {
            throw HCIError(.dataTooLong, "\(data.count) of \(maximumExtendedDataByteCount) bytes")
        }
        let starts = Array(stride(from: 0, to: max(data.count, 1), by: maximumExtendedFragmentByteCount))
        return starts.map { start in
            let end = min(start + maximumExtendedFragmentByteCount, data.count)
            let operation: DataOperation
            switch (start == 0, end == data.count) {
            case (true, true): operation = .complete
            case (true, false): operation = .first
            case (false, true): operation = .last
            case (false, false): operation = .intermediate
            }
            return HCICommand(
                .leSetExtendedAdvertisingData,
                [handle.rawValue, operation.rawValue, 0x01, UInt8(end - start)] + data[start..<end])
        }
    }

    private enum DataOperation: UInt8 {
        case intermediate = 0x00
        case first = 0x01
        case last = 0x02
        case complete = 0x03
    }

    /// A set to enable, with its duration and its number of events.
    public struct AdvertisingSetEnable: Hashable, Sendable {
        /// The handle of the set, which must exist in the controller.
        public let handle: AdvertisingHandle
        fileprivate let durationUnits: UInt16
        fileprivate let maximumEvents: UInt8

        /// Creates an entry for a set.
        ///
        /// - Parameters:
        ///   - handle: The set; by default that of the beacon.
        ///   - duration: The duration of advertising, 10 ms to 655.35 s, rounded down to units of 10 ms; `nil`
        ///     advertises until it is switched off.
        ///   - maximumEvents: The number of advertising events after which the set stops, 1 to 255; 0 for no limit.
        /// - Throws: `parameterOutOfRange` if `duration` is outside its range.
        public init(
            handle: AdvertisingHandle = .zero, duration: Duration? = nil, maximumEvents: UInt8 = 0
        ) throws(HCIError) {
            self.handle = handle
            self.maximumEvents = maximumEvents
            guard let duration else {
                durationUnits = 0
                return
            }
            let count = try Units.count(duration, of: Units.centisecond, in: 1...0xFFFF, "advertising duration")
            durationUnits = UInt16(count)
        }
    }

    /// LE Set Extended Advertising Enable (Core Specification, Vol 4 Part E 7.8.56): enables 1 to 63 sets. Throws
    /// `parameterOutOfRange` for any other number of sets, and `contradictoryParameters` if a set appears twice.
    public static func leEnableExtendedAdvertising(_ sets: [AdvertisingSetEnable]) throws(HCIError) -> HCICommand {
        guard (1...0x3F).contains(sets.count) else { throw HCIError(.parameterOutOfRange, "\(sets.count) sets") }
        guard Set(sets.map(\.handle)).count == sets.count else {
            throw HCIError(.contradictoryParameters, "a set is named twice")
        }
        var bytes: [UInt8] = [1, UInt8(sets.count)]
        for set in sets {
            bytes.append(set.handle.rawValue)
            bytes.append(littleEndian: set.durationUnits)
            bytes.append(set.maximumEvents)
        }
        return HCICommand(.leSetExtendedAdvertisingEnable, bytes)
    }

    /// LE Set Extended Advertising Enable (Core Specification, Vol 4 Part E 7.8.56): disables these sets, or all sets if
    /// `handles` is empty. Throws `parameterOutOfRange` for more than 63 sets, and `contradictoryParameters` if a set
    /// appears twice.
    public static func leDisableExtendedAdvertising(_ handles: [AdvertisingHandle] = []) throws(HCIError) -> HCICommand {
        guard handles.count <= 0x3F else { throw HCIError(.parameterOutOfRange, "\(handles.count) sets") }
        guard Set(handles).count == handles.count else {
            throw HCIError(.contradictoryParameters, "a set is named twice")
        }
        // Duration and number of events are sent and ignored.
        return HCICommand(
            .leSetExtendedAdvertisingEnable, [0, UInt8(handles.count)] + handles.flatMap { [$0.rawValue, 0, 0, 0] })
    }

    /// LE Read Maximum Advertising Data Length (Core Specification, Vol 4 Part E 7.8.57): asks for the largest number of
    /// data bytes in a set. The answer is ``ReturnParameters/maximumAdvertisingDataLength(_:)``.
    public static let leReadMaximumAdvertisingDataLength = HCICommand(.leReadMaximumAdvertisingDataLength)
    /// LE Read Number of Supported Advertising Sets (Core Specification, Vol 4 Part E 7.8.58): asks for the number of sets
    /// that the controller can have now. The answer is ``ReturnParameters/supportedAdvertisingSets(_:)``.
    public static let leReadNumberOfSupportedAdvertisingSets = HCICommand(.leReadNumberOfSupportedAdvertisingSets)

    /// LE Remove Advertising Set (Core Specification, Vol 4 Part E 7.8.59): removes a set. Cannot fail; the controller
    /// refuses it with ``HCIStatus/commandDisallowed`` while the set is enabled, and with
    /// ``HCIStatus/unknownAdvertisingIdentifier`` if there is no such set.
    public static func leRemoveAdvertisingSet(_ handle: AdvertisingHandle) -> HCICommand {
        HCICommand(.leRemoveAdvertisingSet, [handle.rawValue])
    }

    /// LE Clear Advertising Sets (Core Specification, Vol 4 Part E 7.8.60): removes all sets. The controller refuses it
    /// with ``HCIStatus/commandDisallowed`` while any set is enabled.
    public static let leClearAdvertisingSets = HCICommand(.leClearAdvertisingSets)
}
