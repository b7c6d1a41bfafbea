// SPDX-License-Identifier: Apache-2.0

import GAEN
import HCI
import Testing
import VirtualAir

/// The firmware's own HCI against this controller, which shares no code with it: both read the specification alike.
@Suite struct AgreementTests {
    let air = VirtualAir(seed: 31)

    /// Sends one command; the answer as the firmware reads it.
    private func send(_ command: HCICommand, to id: NodeID) throws -> (status: HCIStatus, parameters: ReturnParameters) {
        _ = air.takeOutput(of: id)
        air.write(command.bytes, to: id)
        let packet = try HCIPacket(datagram: air.takeOutput(of: id))
        guard case .commandComplete(let answer) = try HCIEvent(packet), answer.opcode == command.opcode else {
            Issue.record("no answer to \(command)")
            return (HCIStatus(rawValue: 0xFF), .none)
        }
        return try answer.result()
    }

    private func done(_ commands: [HCICommand], by id: NodeID) throws {
        for command in commands { #expect(try send(command, to: id).status.isSuccess, "\(command)") }
    }

    private func events(of id: NodeID) throws -> [HCIEvent] {
        var framer = H4Framer(sender: .controller)
        var packets: [HCIPacket] = []
        try framer.push(air.takeOutput(of: id)) { packets.append($0) }
        return try packets.map { try HCIEvent($0) }
    }

    private let start = [
        HCICommand.reset, .setEventMask(.lowEnergy),
        .leSetEventMask([.advertisingReport, .extendedAdvertisingReport, .scanTimeout, .advertisingSetTerminated]),
    ]

    @Test func facts() throws {
        let id = air.attach(.extended)
        #expect(
            try send(.readAddress, to: id).parameters
                == .address(BluetoothAddress(value: 0x0002_AA00_0001, type: .public)))
        guard case .localVersion(let version) = try send(.readLocalVersionInformation, to: id).parameters,
            case .supportedCommands(let supported) = try send(.readLocalSupportedCommands, to: id).parameters,
            case .lowEnergyFeatures(let features) = try send(.leReadLocalSupportedFeatures, to: id).parameters,
            case .lowEnergyBuffers(let buffers) = try send(.leReadBufferSize, to: id).parameters,
            case .random(let one) = try send(.leRandom, to: id).parameters,
            case .random(let other) = try send(.leRandom, to: id).parameters
        else {
            Issue.record("an answer is not what was asked for")
            return
        }
        #expect(version.linkLayer == .v50 && features.contains(.extendedAdvertising) && buffers.packetCount == 8)
        #expect(supported.contains(.leSetExtendedScanEnable) && supported.contains(.leSetAdvertisingEnable))
        #expect(one != other)
        #expect(try send(.leReadMaximumAdvertisingDataLength, to: id).parameters == .maximumAdvertisingDataLength(31))
        #expect(try send(.leReadNumberOfSupportedAdvertisingSets, to: id).parameters == .supportedAdvertisingSets(4))
    }

    @Test func legacy() throws {
        let (sender, scanner) = (air.attach(ControllerModel()), air.attach(ControllerModel()))
        let address = BluetoothAddress(value: 0x1122_3344_5566, type: .random)
        let data = (0..<31).map { UInt8($0) }
        try done(
            start + [
                .leSetRandomAddress(address),
                .leSetAdvertisingParameters(
                    LegacyAdvertisingParameters(minimumInterval: .milliseconds(250), maximumInterval: .milliseconds(270))),
                .leSetAdvertisingData(data), .leSetAdvertising(enabled: true),
            ], by: sender)
        try done(
            start + [
                .leSetScanParameters(
                    LegacyScanParameters(
                        interval: .milliseconds(60), window: .milliseconds(60), ownAddress: .public)),
                .leSetScan(enabled: true),
            ], by: scanner)
        _ = air.takeOutput(of: scanner)
        air.advance(to: .seconds(10))
        let events = try events(of: scanner)
        #expect((38...40).contains(events.count))
        let report = AdvertisingReport(eventType: [.legacy], address: address, rssi: -41, data: data)
        #expect(events.allSatisfy { $0 == .advertisingReports([report]) })
        #expect(try send(.leSetRandomAddress(address), to: sender).status == .commandDisallowed)
    }

    @Test func extended() throws {
        let (sender, scanner) = (air.attach(.extended), air.attach(.extended))
        let address = BluetoothAddress(value: 0x0000_3344_5566, type: .random)
        try done(
            start + [
                .leSetExtendedAdvertisingParameters(
                    ExtendedAdvertisingParameters(minimumInterval: .milliseconds(250), maximumInterval: .milliseconds(270))),
                .leSetAdvertisingSetRandomAddress(address),
            ] + HCICommand.leSetExtendedAdvertisingData([1, 2, 3])
                + [.leEnableExtendedAdvertising([.init(duration: .seconds(5))])], by: sender)
        try done(
            start + [
                .leSetRandomAddress(BluetoothAddress(value: 0x0000_0000_5566, type: .random)),
                .leSetExtendedScanParameters(
                    ExtendedScanParameters(le1M: .init(interval: .milliseconds(60), window: .milliseconds(60)))),
                .leEnableExtendedScan(duration: .seconds(10)),
            ], by: scanner)
        _ = (air.takeOutput(of: scanner), air.takeOutput(of: sender))
        air.advance(to: .seconds(20))
        let heard = try events(of: scanner)
        let report = AdvertisingReport(
            eventType: [.legacy], address: address, rssi: -41, data: [1, 2, 3], extended: .init())
        #expect((18...20).contains(heard.dropLast().count))
        #expect(heard.dropLast().allSatisfy { $0 == .advertisingReports([report]) })
        #expect(heard.last == .scanTimeout)
        guard case .advertisingSetTerminated(let end) = try events(of: sender).first else {
            Issue.record("the set did not end")
            return
        }
        #expect(end.handle == 0 && !end.status.isSuccess)
    }
}
