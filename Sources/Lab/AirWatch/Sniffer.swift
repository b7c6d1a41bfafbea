// SPDX-License-Identifier: Apache-2.0

public import GAEN
import Glibc
import HCI
public import HCITransport

/// Receives what boards send and shows it, as any listener could: it knows nothing else about them. Use it on one thread at
/// a time.
///
/// For demonstrations and laboratories: it reveals which devices are heard, which firmware never does.
public final class Sniffer {
    /// One address with one identifier, as received so far; a sender that keeps one of the two over a change gives two
    /// values.
    public struct Heard: Sendable {
        /// The sender's Bluetooth address, written `AA:BB:CC:DD:EE:FF`.
        public let address: String
        /// The identifier that was received from that address.
        public let identifier: RollingProximityIdentifier
        /// The time of the first packet in seconds, on the clock of the caller of ``Sniffer/take(at:)``.
        public let first: Double
        /// The time of the last packet in seconds, on the clock of the caller of ``Sniffer/take(at:)``; not before
        /// ``first``.
        public internal(set) var last: Double
        /// The number of packets with this identifier and address, 1 or more.
        public internal(set) var packets = 1
        /// The strength in dBm of the last packet for which it was measured; `nil` if it never was.
        public internal(set) var rssi: Int8?

        /// The packets per second; `nil` for three packets or fewer, or if all came at the same time.
        public var rate: Double? { packets > 3 && last > first ? Double(packets - 1) / (last - first) : nil }
    }

    private let transport: Transport
    /// The pairs of address and identifier received so far, in the order in which they were first received. None is ever
    /// removed.
    public private(set) var heard: [Heard] = []
    /// The number of times that an address came with a second identifier, or an identifier with a second address; 0 or
    /// more.
    public private(set) var leaks = 0

    /// Takes over a controller that is used for nothing else, and starts to scan. Blocks for up to two seconds for each of
    /// five commands. Throws ``SnifferFailure`` when the controller does not answer or refuses a command, and what the
    /// transport throws.
    public init(_ transport: Transport) throws {
        self.transport = transport
        let timing = try LegacyScanParameters(
            interval: .milliseconds(60), window: .milliseconds(60), ownAddress: .public)
        let commands: [HCICommand] = [
            .reset, .setEventMask([.lowEnergy]), .leSetEventMask([.advertisingReport]), .leSetScanParameters(timing),
            try .leSetScan(enabled: true),
        ]
        for command in commands { try perform(command) }
    }

    /// The transport's file descriptor, to be polled for reading before ``take(at:)``.
    public var descriptor: Int32 { transport.descriptor }

    /// Reads the packets that have arrived, without waiting; packets that cannot be decoded are ignored. `seconds` is the
    /// present time on the caller's clock. Throws when the controller is gone.
    public func take(at seconds: Double) throws {
        for packet in try transport.receive() {
            guard case .advertisingReports(let reports)? = try? HCIEvent(packet) else { continue }
            for report in reports {
                guard let payload = try? AdvertisingPayload(advertisingData: report.data) else { continue }
                take(report.address, payload.identifier, report.rssi, seconds)
            }
        }
    }

    private func take(
        _ address: BluetoothAddress, _ identifier: RollingProximityIdentifier, _ rssi: Int8?, _ seconds: Double
    ) {
        let address = "\(address)"
        if let index = heard.lastIndex(where: { $0.address == address && $0.identifier == identifier }) {
            heard[index].last = seconds
            heard[index].packets += 1
            heard[index].rssi = rssi ?? heard[index].rssi
            return
        }
        if heard.contains(where: { $0.address == address || $0.identifier == identifier }) { leaks += 1 }
        heard.append(Heard(address: address, identifier: identifier, first: seconds, last: seconds, rssi: rssi))
    }

    /// Sends one command and waits up to two seconds for its answer; there is nothing else to do meanwhile.
    private func perform(_ command: HCICommand) throws {
        try transport.send(command.bytes)
        for _ in 0..<20 {
            var entry = pollfd(fd: transport.descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&entry, 1, 100)
            for packet in try transport.receive() {
                guard case .commandComplete(let answer)? = try? HCIEvent(packet), answer.opcode == command.opcode else {
                    continue
                }
                let (status, _) = try answer.result()
                guard status.isSuccess else { throw SnifferFailure("the controller refuses \(command.name): \(status)") }
                return
            }
        }
        throw SnifferFailure("the controller does not answer \(command.name)")
    }
}

/// The reason why nothing can be received: the controller refuses a command or does not answer it.
public struct SnifferFailure: Error, CustomStringConvertible {
    /// An English sentence that names the command.
    public let description: String

    init(_ description: String) { self.description = description }
}
