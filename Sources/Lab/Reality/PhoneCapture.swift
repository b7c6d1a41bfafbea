// SPDX-License-Identifier: Apache-2.0

public import GAEN
public import HCI

/// What a phone's capture says: what it heard of Exposure Notification, what it sent, and when it listened.
public struct PhoneCapture: Sendable {
    /// An Exposure Notification advertisement that was received.
    public struct Reception: Sendable, Equatable {
        /// When the controller reported it, in microseconds since 1970.
        public let time: Int64
        /// Identifier and encrypted metadata.
        public let payload: AdvertisingPayload
        /// The signal strength in dBm as the controller reported it; `nil` if it did not measure.
        public let rssi: Int8?
        /// The flags of the advertising data; `nil` if it has none, as Android's.
        public let flags: UInt8?
        /// The address of the sender. With type ``AddressType/publicIdentity`` the controller has put the identity of a
        /// bonded phone in place of what was on air.
        public let address: BluetoothAddress
    }

    /// An own identifier, from the command by which the phone began to send it.
    public struct Sent: Sendable, Equatable {
        /// When it was set, in microseconds since 1970.
        public let time: Int64
        /// Identifier and encrypted metadata.
        public let payload: AdvertisingPayload
    }

    /// A scan of Exposure Notification.
    public struct Scan: Sendable, Equatable {
        /// When the controller was told to listen, in microseconds since 1970.
        public let start: Int64
        /// When it had stopped, by its own word, in microseconds since 1970.
        public internal(set) var end: Int64
    }

    /// What was received, in order.
    public private(set) var receptions: [Reception] = []
    /// What was sent, in order.
    public private(set) var sent: [Sent] = []
    /// The scans of Exposure Notification, in order, longer than a second; interrupted ones are one.
    public private(set) var scans: [Scan] = []
    /// The number of records in the file.
    public private(set) var recordCount = 0
    /// The number of times that the recorder's clock was set back.
    public private(set) var clockStepsBack = 0
    /// The longest of ``clockStepsBack`` in microseconds; 0 if there was none.
    public private(set) var longestStepBack: Int64 = 0
    /// Whether the file ended in the middle of a record, which was left out as was wished.
    public internal(set) var isTorn = false
    /// The number of events that could not be read.
    public private(set) var refusedEvents = 0

    /// Whether a scan with this interval and window, in units of 0.625 ms, is for Exposure Notification: it listens without
    /// pause, as the framework's scans do (0x0854: 1332.5 ms; spec reality, section 2) and as those of boards, whose scan of
    /// 0.5 to 20 s covers three channels. Android's scan of most effort does so too, with 4096 ms.
    private static func isForExposureNotification(_ interval: UInt16?, _ window: UInt16?) -> Bool {
        guard let interval, interval == window else { return false }
        return (266...10_667).contains(interval) && !(6_553...6_554).contains(interval)
    }

    /// Breaks of a scan for another one are up to this long, in microseconds. Pauses between scans are above 200 s.
    private static let longestBreak: Int64 = 5_000_000
    private static let shortestScan: Int64 = 1_000_000
    /// Samsung's own command for advertising; its sub-code 2 has the data.
    private static let samsungAdvertising = Opcode(rawValue: 0xFD54)

    private static let scanSwitches: [Opcode] = [.leSetExtendedScanEnable, .leSetScanEnable]

    private var assembler = ExtendedReportAssembler()
    /// A recording that begins later than the parameters were set is a board's, which has only these scans.
    private var isForExposureNotification = true
    private var scanStart: Int64?
    /// Whether the controller was told to stop and has not answered.
    private var isEndUnconfirmed = false
    /// What is subtracted from every time, in microseconds.
    let offset: Int64
    private let keepsReports: Bool
    /// The events with advertising reports as they came, if they are to be kept.
    private(set) var reports = ReportEvents()

    /// Creates the capture of nothing yet. `offset` is subtracted from every time, in microseconds.
    init(offset: Int64, keepsReports: Bool) {
        self.offset = offset
        self.keepsReports = keepsReports
    }

    /// Reads packets that were not recorded but made, with their times in microseconds since 1970, in order.
    init(packets: [(time: Int64, packet: HCIPacket)]) {
        self.init(offset: 0, keepsReports: false)
        for (time, packet) in packets { take(packet, at: time) }
        recordCount = packets.count
        endScan(at: .max)
        merge()
    }

    /// Takes what `reader` has counted, and ends what the capture does not see end.
    mutating func finish(_ reader: CaptureReader) {
        (recordCount, clockStepsBack) = (reader.recordCount, reader.clockStepsBack)
        longestStepBack = reader.longestStepBack
        endScan(at: .max)
        merge()
    }

    mutating func take(_ record: CaptureRecord) { take(record.packet, at: record.time - offset) }

    private mutating func take(_ packet: HCIPacket, at time: Int64) {
        switch packet.indicator {
        case .event:
            if keepsReports, BoardReplay.isReport(packet) { reports.append(packet.bytes, at: time) }
            take(event: packet, at: time)
        case .command: take(command: packet, at: time)
        case .acl, .sco, .iso: break
        }
    }

    private mutating func take(event packet: HCIPacket, at time: Int64) {
        guard let event = try? HCIEvent(packet) else {
            refusedEvents += 1
            return
        }
        if case .commandComplete(let answer) = event, Self.scanSwitches.contains(answer.opcode), isEndUnconfirmed {
            // Reports come until then.
            scans[scans.count - 1].end = max(scans[scans.count - 1].end, time)
            isEndUnconfirmed = false
        }
        guard case .advertisingReports(let reports) = event else { return }
        for report in reports {
            guard let whole = report.extended == nil ? report : assembler.push(report),
                let payload = try? AdvertisingPayload(advertisingData: whole.data)
            else { continue }
            receptions.append(
                Reception(
                    time: time, payload: payload, rssi: whole.rssi, flags: Self.flags(whole.data), address: whole.address))
        }
    }

    /// The commands of the published phones (spec reality, section 2): those of Bluetooth 4 and 5, and Samsung's own for
    /// advertising.
    private mutating func take(command packet: HCIPacket, at time: Int64) {
        let opcode = Opcode(rawValue: UInt16(packet.bytes[1]) | UInt16(packet.bytes[2]) << 8)
        let values = Array(packet.payload)
        func number(_ at: Int) -> UInt16? { at + 1 < values.count ? UInt16(values[at]) | UInt16(values[at + 1]) << 8 : nil }
        switch opcode {
        case .leSetExtendedAdvertisingData where values.count > 4 && values[1] == 3:
            takeSent(values[4...].prefix(Int(values[3])), at: time)
        case Self.samsungAdvertising where values.count > 2 && values[0] == 2:
            takeSent(values[2...].prefix(Int(values[1])), at: time)
        case .leSetExtendedScanParameters:
            isForExposureNotification = Self.isForExposureNotification(number(4), number(6))
        case .leSetScanParameters: isForExposureNotification = Self.isForExposureNotification(number(1), number(3))
        case .leSetExtendedScanEnable, .leSetScanEnable:
            isEndUnconfirmed = false
            endScan(at: time)
            if values.first == 1, isForExposureNotification { scanStart = time }
        default: break
        }
    }

    private mutating func takeSent(_ data: ArraySlice<UInt8>, at time: Int64) {
        guard let payload = try? AdvertisingPayload(advertisingData: data), sent.last?.payload != payload else { return }
        sent.append(Sent(time: time, payload: payload))
    }

    private mutating func endScan(at time: Int64) {
        guard let start = scanStart else { return }
        scanStart = nil
        // One that the capture does not see end has no length that is known.
        guard time != .max else { return }
        scans.append(Scan(start: start, end: time))
        isEndUnconfirmed = true
    }

    private mutating func merge() {
        var merged: [Scan] = []
        for scan in scans {
            if let last = merged.last, scan.start - last.end <= Self.longestBreak {
                merged[merged.count - 1].end = scan.end
            } else {
                merged.append(scan)
            }
        }
        scans = merged.filter { $0.end - $0.start > Self.shortestScan }
    }

    private static func flags(_ data: [UInt8]) -> UInt8? {
        var offset = 0
        while offset + 1 < data.count, data[offset] != 0 {
            if data[offset] == 2, data[offset + 1] == 1, offset + 2 < data.count { return data[offset + 2] }
            offset += 1 + Int(data[offset])
        }
        return nil
    }
}
