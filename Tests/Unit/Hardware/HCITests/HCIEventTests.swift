// SPDX-License-Identifier: Apache-2.0

import CBluetooth
import HCI
import RandomValues
import Testing

@Suite struct HCIEventTests {
    @Test func everySampleIsRead() throws {
        for bytes in Samples.events { _ = try parse(bytes) }
    }

    @Test func answersCarryCreditsOpcodeAndStatus() throws {
        guard case .commandComplete(let answer) = try parse(hex("04 0e 04 05 0320 00")) else {
            Issue.record("not an answer")
            return
        }
        #expect(answer.creditCount == 5)
        #expect(answer.opcode == .leReadLocalSupportedFeatures)
        #expect(throws: HCIError(.truncated)) { try answer.result() }

        guard case .commandStatus(let status) = try parse(hex("04 0f 04 0c 02 0520")) else {
            Issue.record("not a status")
            return
        }
        #expect(status.status == .commandDisallowed)
        #expect(status.creditCount == 2)
        #expect(status.opcode == .leSetRandomAddress)
    }

    @Test func smallEvents() throws {
        #expect(try parse(hex("04 10 01 42")) == .hardwareError(code: 0x42))
        #expect(try parse(hex("04 3e 01 11")) == .scanTimeout)
        guard case .advertisingSetTerminated(let end) = try parse(hex("04 3e 06 12 3c 02 0102 07")) else {
            Issue.record("not an end")
            return
        }
        #expect(end.status == .advertisingTimeout)
        #expect(end.handle == 2)
        #expect(end.connectionHandle == 0x0201)
        #expect(end.completedEvents == 7)
    }

    @Test func strangersAreKept() throws {
        #expect(try parse(hex("04 13 05 01 4000 0100")) == .other(code: 0x13))
        #expect(try parse(hex("04 ff 00")) == .other(code: 0xFF))
        #expect(try parse(hex("04 3e 02 0a 00")) == .otherLowEnergy(subevent: 0x0A))
    }

    @Test func onlyEventsAreEvents() {
        #expect(throws: HCIError(.notAnEvent)) { try parse(HCICommand.reset.bytes) }
        #expect(throws: HCIError(.notAnEvent)) { try parse(hex("02 4020 0000")) }
    }

    @Test func codesAreThoseOfLibbluetooth() throws {
        #expect(try parse([4, UInt8(EVT_HARDWARE_ERROR), 1, 7]) == .hardwareError(code: 7))
        var complete = evt_cmd_complete(ncmd: 3, opcode: 0x0C03)
        let header = withUnsafeBytes(of: &complete) { Array($0) }
        guard case .commandComplete(let answer) = try parse(Wire.event(UInt8(EVT_CMD_COMPLETE), header + [0])) else {
            Issue.record("not an answer")
            return
        }
        #expect(answer.creditCount == 3)
        #expect(answer.opcode == .reset)
        var structure = evt_cmd_status(status: 0x0C, ncmd: 2, opcode: 0x2005)
        let bytes = withUnsafeBytes(of: &structure) { Array($0) }
        guard case .commandStatus(let status) = try parse(Wire.event(UInt8(EVT_CMD_STATUS), bytes)) else {
            Issue.record("not a status")
            return
        }
        #expect(status.creditCount == 2)
        #expect(status.status == .commandDisallowed)
    }

    @Test func eventsAreReadFromSlices() throws {
        let framed = hex("ff ff") + Wire.legacyReports([Wire.legacyReport()]).dropFirst(3) + [9]
        guard case .advertisingReports(let reports) = try HCIEvent(code: 0x3E, parameters: framed[2..<(framed.count - 1)])
        else {
            Issue.record("not reports")
            return
        }
        #expect(reports.first?.data == Samples.iPhone)
    }

    // MARK: - Hostile input

    /// Every event cut at every length: refused, or read as what is still whole in it.
    @Test func everyCutIsRefusedOrShorter() throws {
        for bytes in Samples.events {
            let parameters = bytes.dropFirst(3)
            for count in 0..<parameters.count {
                let cut = parameters.prefix(count)
                guard let event = try? HCIEvent(code: bytes[1], parameters: cut) else { continue }
                switch event {
                case .commandComplete(let answer):
                    // What is behind the opcode is read with the answer, not with the event.
                    #expect(count >= 3)
                    let isComplete = (try? answer.result()) != nil
                    #expect(!isComplete || answer.opcode == .none)
                case .other, .otherLowEnergy: break
                default: Issue.record("cut at \(count): \(event)")
                }
            }
        }
    }

    @Test func refusalsOfCutsSayWhere() {
        let parameters = Wire.legacyReports([Wire.legacyReport()]).dropFirst(3)
        let refusal = #expect(throws: HCIError(.truncated)) { try HCIEvent(code: 0x3E, parameters: parameters.dropLast()) }
        #expect(refusal?.offset == UInt64(parameters.count - 1))
    }

    /// The length of the whole event lies: more than there is.
    @Test func everySampleWithAWrongLengthIsNoPacket() {
        for bytes in Samples.events {
            for length in 0...255 where length != Int(bytes[2]) {
                var lie = bytes
                lie[2] = UInt8(length)
                #expect(throws: HCIError(.packetLengthMismatch)) { try HCIPacket(datagram: lie) }
            }
        }
    }

    @Test func everyByteOfEverySampleMayBeAnything() {
        for bytes in Samples.events {
            for index in 3..<max(bytes.count, 3) {
                for value in UInt8.min...UInt8.max {
                    var changed = bytes
                    changed[index] = value
                    guard let event = try? parse(changed) else { continue }
                    if case .commandComplete(let answer) = event { _ = try? answer.result() }
                }
            }
        }
    }

    @Test func randomEventsAreHarmless() {
        var generator = SeededGenerator(seed: 5)
        var read = 0
        for _ in 0..<10_000 {
            var bytes = generator.bytes(Int.random(in: 0...255, using: &generator))
            let code = [0x0E, 0x0F, 0x10, 0x3E, 0x3E, 0x3E, 0xFF].randomElement(using: &generator) ?? 0x3E
            if code == 0x3E, bytes.count > 1 {
                bytes[0] = [0x02, 0x0D, 0x11, 0x12].randomElement(using: &generator) ?? 0x02
                bytes[1] %= 5
            }
            guard let event = try? HCIEvent(code: UInt8(code), parameters: bytes[...]) else { continue }
            read += 1
            _ = "\(event)"
            if case .commandComplete(let answer) = event { _ = try? answer.result() }
            if case .advertisingReports(let reports) = event {
                #expect(reports.count <= 25)
                for report in reports { #expect(report.data.count <= 229) }
            }
        }
        #expect(read > 300)
    }
}
