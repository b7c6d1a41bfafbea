// SPDX-License-Identifier: Apache-2.0

// Advertising sets of Bluetooth 5: Core Specification, Vol 4 Part E 7.8.52 to 7.8.60. A controller in which one of these, or an
// extended scan command, was used refuses the legacy advertising and scan commands until it is reset, and the reverse (3.1.1).

extension HCICommand {
    /// The most bytes that one set carries, in several commands (Vol 6 Part B 2.3.4.9); controllers may have less room (Read Maximum Advertising Data
    /// Length).
    public static let maximumExtendedDataByteCount = 1650
    /// The most bytes that one command carries (7.8.54).
    public static let maximumExtendedFragmentByteCount = 251

    /// LE Set Advertising Set Random Address (Core Specification, Vol 4 Part E 7.8.52): sets the random address of one set.
    /// The controller refuses it with ``HCIStatus/commandDisallowed`` while a connectable set is on; a rotation disables
    /// the set first in any case.
    ///
    /// Throws ``HCIError/Code/addressNotUsable`` unless ``BluetoothAddress/isUsableAsRandomAddress``.
    public static func leSetAdvertisingSetRandomAddress(
        _ address: BluetoothAddress, handle: AdvertisingHandle = .zero
    ) throws(HCIError) -> HCICommand {
        guard address.isUsableAsRandomAddress else { throw HCIError(.addressNotUsable) }
        return HCICommand(.leSetAdvertisingSetRandomAddress, [handle.rawValue] + address.littleEndianBytes)
    }

    /// LE Set Extended Advertising Parameters (Core Specification, Vol 4 Part E 7.8.53, version 1): sets the parameters of
    /// a set, and makes it if there is none with this handle. Cannot fail: `parameters` are in range.
    public static func leSetExtendedAdvertisingParameters(_ parameters: ExtendedAdvertisingParameters) -> HCICommand {
        HCICommand(.leSetExtendedAdvertisingParameters, parameters.encoded)
    }

    /// LE Set Extended Advertising Data (Core Specification, Vol 4 Part E 7.8.54): sets the data of a set, as one command
    /// for 0 to 251 bytes and as several above that, to be sent in order. Only a single command may change a set that is on
    /// air.
    ///
    /// Asks the controller not to fragment on air where it can. Throws ``HCIError/Code/dataTooLong`` above 1650 bytes.
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

    /// One set to switch on, with its duration and number of events.
    public struct AdvertisingSetEnable: Hashable, Sendable {
        /// The set to switch on; it must have been made on the controller before.
        public let handle: AdvertisingHandle
        fileprivate let durationUnits: UInt16
        fileprivate let maximumEvents: UInt8

        /// Makes an entry for a set, with its duration and number of events.
        ///
        /// - Parameters:
        ///   - duration: 10 ms ... 655.35 s, rounded down to units of 10 ms; `nil` until switched off.
        ///   - maximumEvents: 1 ... 255 advertising events; 0 for no limit.
        /// - Throws: `parameterOutOfRange`.
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

    /// LE Set Extended Advertising Enable (Core Specification, Vol 4 Part E 7.8.56): switches sets on. Takes 1 ... 63
    /// different sets; throws `parameterOutOfRange` for another number and `contradictoryParameters` for a set that is
    /// named twice.
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

    /// LE Set Extended Advertising Enable (Core Specification, Vol 4 Part E 7.8.56): switches sets off; all of them without
    /// `handles`. Throws `parameterOutOfRange` for more than 63 and `contradictoryParameters` for a set that is named
    /// twice.
    public static func leDisableExtendedAdvertising(_ handles: [AdvertisingHandle] = []) throws(HCIError) -> HCICommand {
        guard handles.count <= 0x3F else { throw HCIError(.parameterOutOfRange, "\(handles.count) sets") }
        guard Set(handles).count == handles.count else {
            throw HCIError(.contradictoryParameters, "a set is named twice")
        }
        // Duration and number of events are sent and ignored.
        return HCICommand(
            .leSetExtendedAdvertisingEnable, [0, UInt8(handles.count)] + handles.flatMap { [$0.rawValue, 0, 0, 0] })
    }

    /// LE Read Maximum Advertising Data Length (Core Specification, Vol 4 Part E 7.8.57): asks for the most bytes of data
    /// that a set may have, answered as ``ReturnParameters/maximumAdvertisingDataLength(_:)``.
    public static let leReadMaximumAdvertisingDataLength = HCICommand(.leReadMaximumAdvertisingDataLength)
    /// LE Read Number of Supported Advertising Sets (Core Specification, Vol 4 Part E 7.8.58): asks for the number of sets
    /// that there can be now, answered as ``ReturnParameters/supportedAdvertisingSets(_:)``.
    public static let leReadNumberOfSupportedAdvertisingSets = HCICommand(.leReadNumberOfSupportedAdvertisingSets)

    /// LE Remove Advertising Set (Core Specification, Vol 4 Part E 7.8.59): removes one set. Cannot fail; the controller
    /// refuses it with ``HCIStatus/commandDisallowed`` while the set is on, with ``HCIStatus/unknownAdvertisingIdentifier``
    /// if there is none.
    public static func leRemoveAdvertisingSet(_ handle: AdvertisingHandle) -> HCICommand {
        HCICommand(.leRemoveAdvertisingSet, [handle.rawValue])
    }

    /// LE Clear Advertising Sets (Core Specification, Vol 4 Part E 7.8.60): removes all sets. The controller refuses it
    /// with ``HCIStatus/commandDisallowed`` while any set is on.
    public static let leClearAdvertisingSets = HCICommand(.leClearAdvertisingSets)
}
