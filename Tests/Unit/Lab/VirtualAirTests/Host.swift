// SPDX-License-Identifier: Apache-2.0

import Testing
import VirtualAir

/// A host as small as it gets: sends commands, keeps reports.
final class Host {
    struct Report: Equatable {
        let kind: Int
        let address: AirAddress
        let data: [UInt8]
        let rssi: Int8
        let isExtended: Bool
    }

    let air: VirtualAir
    let id: NodeID
    private(set) var reports: [Report] = []
    /// Subevent and parameters of all other LE events.
    private(set) var otherEvents: [[UInt8]] = []
    private(set) var answers: [(opcode: Int, bytes: [UInt8])] = []
    /// Answers that came as Command Status.
    private(set) var statusAnswers = 0

    init(_ air: VirtualAir, _ model: ControllerModel = ControllerModel()) {
        self.air = air
        id = air.attach(model)
    }

    /// Status and return parameters; empty without an answer.
    @discardableResult
    func command(_ opcode: Int, _ parameters: [UInt8] = []) -> [UInt8] {
        collect()
        answers = []
        air.write([1, UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(parameters.count)] + parameters, to: id)
        collect()
        return answers.last.map { $0.opcode == opcode ? $0.bytes : [] } ?? []
    }

    func status(_ opcode: Int, _ parameters: [UInt8] = []) -> UInt8? { command(opcode, parameters).first }

    func wait(_ duration: Duration, step: Duration = .milliseconds(200)) {
        let end = air.now + duration
        while air.now < end {
            air.advance(to: min(end, air.now + step))
            collect()
        }
    }

    func takeReports() -> [Report] {
        collect()
        defer { reports = [] }
        return reports
    }

    func collect() {
        let bytes = air.takeOutput(of: id)
        var offset = 0
        while offset + 3 <= bytes.count, bytes[offset] == 4, offset + 3 + Int(bytes[offset + 2]) <= bytes.count {
            let event = Array(bytes[(offset + 3)..<(offset + 3 + Int(bytes[offset + 2]))])
            switch (bytes[offset + 1], event.first) {
            case (0x0E, _): answers.append((Int(event[1]) | Int(event[2]) << 8, Array(event[3...])))
            case (0x0F, _):
                statusAnswers += 1
                answers.append((Int(event[2]) | Int(event[3]) << 8, [event[0]]))
            case (0x3E, 0x02):
                let length = Int(event[10])
                reports.append(
                    Report(
                        kind: Int(event[2]), address: AirAddress(littleEndian: event[4..<10], isRandom: event[3] == 1),
                        data: Array(event[11..<(11 + length)]), rssi: Int8(bitPattern: event[11 + length]),
                        isExtended: false))
            case (0x3E, 0x0D):
                let length = Int(event[25])
                reports.append(
                    Report(
                        kind: Int(event[2]) | Int(event[3]) << 8,
                        address: AirAddress(littleEndian: event[5..<11], isRandom: event[4] == 1),
                        data: Array(event[26..<(26 + length)]), rssi: Int8(bitPattern: event[15]), isExtended: true))
            default: otherEvents.append(event)
            }
            offset += 3 + Int(bytes[offset + 2])
        }
        #expect(offset == bytes.count, "the controller wrote something that is no whole event")
    }
}

extension Host {
    static let address: [UInt8] = [0x66, 0x55, 0x44, 0x33, 0x22, 0x11]

    func prepare() {
        #expect(status(0x0C03) == 0)
        #expect(status(0x0C01, [UInt8](repeating: 0xFF, count: 8)) == 0)
        #expect(status(0x2001, [UInt8](repeating: 0xFF, count: 8)) == 0)
    }

    func advertisingParameters(interval: Int = 0x190, kind: UInt8 = 3, own: UInt8 = 1) -> [UInt8] {
        let bytes = [UInt8(interval & 0xFF), UInt8(interval >> 8)]
        return bytes + bytes + [kind, own, 0, 0, 0, 0, 0, 0, 0, 7, 0]
    }

    func data(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(bytes.count)] + bytes + [UInt8](repeating: 0, count: 31 - bytes.count)
    }

    func advertise(_ bytes: [UInt8] = [1, 2, 3], interval: Int = 0x190, kind: UInt8 = 3) {
        #expect(status(0x2005, Self.address) == 0)
        #expect(status(0x2006, advertisingParameters(interval: interval, kind: kind)) == 0)
        #expect(status(0x2008, data(bytes)) == 0)
        #expect(status(0x200A, [1]) == 0)
    }

    func scan(interval: Int = 0x60, window: Int = 0x60, filter: UInt8 = 0, active: Bool = false) {
        let numbers = [UInt8(interval & 0xFF), UInt8(interval >> 8), UInt8(window & 0xFF), UInt8(window >> 8)]
        #expect(status(0x200B, [active ? 1 : 0] + numbers + [0, 0]) == 0)
        #expect(status(0x200C, [1, filter]) == 0)
    }

    func setParameters(handle: UInt8 = 0, properties: UInt8 = 0x10, power: UInt8 = 127) -> [UInt8] {
        [handle, properties, 0, 0x90, 1, 0, 0x90, 1, 0, 7, 1, 0, 0, 0, 0, 0, 0, 0, 0, power, 1, 0, 1, 0, 0]
    }
}

extension ControllerModel {
    static func make(_ change: (inout ControllerModel) -> Void) -> ControllerModel {
        var model = ControllerModel()
        change(&model)
        return model
    }

    static let extended = make { $0.hasExtendedAdvertising = true }
}
