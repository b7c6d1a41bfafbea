// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import HCI
import Radio

/// Tests a radio with a random script: right and wrong answers, reports, garbage, passing time, losses and changes of
/// identity. It judges the radio by what it sends:
///
/// - Whenever advertising is switched on, the address and the data sent last belong to one identity.
/// - No address is changed while advertising or scanning is on.
/// - It never asks forever to be called at once, and never does more than a bounded amount of work in one call.
public struct RadioOrdeal {
    private var radio: Radio
    private var now = Duration.zero
    private var identities: [BeaconIdentity] = []
    private var lastCommand: [UInt8]?
    private var isOpen = false

    // What a controller that does everything it is told would hold.
    private var address: [UInt8]?
    private var data: [UInt8]?
    private var mayAdvertise = false
    private var mayScan = false
    /// Whether the last command was answered, and what the controller did before it was sent. A refused command has no effect, and
    /// a second answer none either.
    private var isAnswered = true
    private var before = (advertise: false, scan: false)

    /// The most actions that one call may cause: a set-up is twelve commands, one at a time; a report has 25 advertisements.
    private static let actionLimit = 64

    private init(_ profile: BoardProfile) throws(HCIError) {
        radio = try Radio(profile: profile, generator: Counting())
    }

    /// Runs the script that `bytes` encode, in virtual time; any bytes are a script. Returns the first rule that was
    /// broken, in English; `nil` if none was.
    public static func run(_ bytes: some Collection<UInt8>) -> String? {
        var script = bytes.makeIterator()
        var profile = (script.next() ?? 0) & 1 == 0 ? BoardProfile.token : .kiosk
        profile.commands = (script.next() ?? 0) & 1 == 0 ? .legacy : .extended
        guard var ordeal = try? RadioOrdeal(profile) else { return "no radio" }
        while let operation = script.next() {
            if let problem = ordeal.perform(operation, &script) { return problem }
        }
        return nil
    }

    private mutating func perform(_ operation: UInt8, _ script: inout some IteratorProtocol<UInt8>) -> String? {
        let argument = script.next() ?? 0
        switch operation % 10 {
        case 0: now += .milliseconds(Int64(argument) * Int64(argument) * 10)
        case 1, 2, 3, 4: answer(argument, &script)
        case 5:
            let count = Int(argument % 64)
            event(argument & 0x40 == 0 ? 0x3E : script.next() ?? 0, (0..<count).map { _ in script.next() ?? 0 })
        case 6: report(argument, &script)
        case 7: if isOpen { lose() } else { open() }
        case 8: change()
        default: radio.listen(argument & 1 == 0, at: now)
        }
        if let problem = judge() { return problem }
        radio.advance(to: now)
        if let problem = judge() { return problem }
        if let deadline = radio.deadline, deadline <= now { return "wants to be called at once, again" }
        return nil
    }

    private mutating func open() {
        isOpen = true
        forget()
        radio.opened(at: now)
    }

    private mutating func lose() {
        isOpen = false
        radio.lost(at: now)
    }

    private mutating func change() {
        let number = UInt64(identities.count + 1)
        guard
            let identity = BeaconIdentity(
                address: BluetoothAddress(value: number, type: .random),
                payload: AdvertisingPayload(
                    identifier: RollingProximityIdentifier(Block(low: number, high: 0)),
                    metadata: AssociatedEncryptedMetadata(word: 1)))
        else { return }
        identities.append(identity)
        radio.broadcast(identity, at: now)
    }

    /// Answers the last command: three times in four with success, otherwise with any status.
    private mutating func answer(_ argument: UInt8, _ script: inout some IteratorProtocol<UInt8>) {
        guard let command = lastCommand, command.count >= 4 else { return }
        let status = argument & 3 == 0 ? script.next() ?? 0 : 0
        // Features with extended advertising, every command supported, any other content.
        let content =
            command[1] == 0x03 && command[2] == 0x20 ? [0, 0x10, 0, 0, 0, 0, 0, 0] : [UInt8](repeating: 0xFF, count: 64)
        event(0x0E, [1, command[1], command[2], status] + content)
        guard !isAnswered else { return }
        isAnswered = true
        if status == 0 { note(command) } else { (mayAdvertise, mayScan) = before }
    }

    private mutating func report(_ argument: UInt8, _ script: inout some IteratorProtocol<UInt8>) {
        let payload = AdvertisingPayload(
            identifier: RollingProximityIdentifier(Block(low: UInt64(argument), high: 9)),
            metadata: AssociatedEncryptedMetadata(word: 1))
        let data = argument & 1 == 0 ? payload.advertisingData() : (0..<Int(argument % 32)).map { _ in script.next() ?? 0 }
        event(0x3E, [0x02, 1, 3, 1, argument, 0, 0, 0, 0, 0, UInt8(data.count)] + data + [argument])
    }

    private mutating func event(_ code: UInt8, _ parameters: [UInt8]) {
        guard isOpen, let packet = try? HCIPacket(datagram: [4, code, UInt8(parameters.count)] + parameters) else { return }
        radio.receive(packet, at: now)
    }

    private mutating func forget() {
        (address, data, mayAdvertise, mayScan, lastCommand) = (nil, nil, false, false, nil)
    }

    /// A command was done.
    private mutating func note(_ command: [UInt8]) {
        let parameters = Array(command.dropFirst(4))
        switch UInt16(command[1]) | UInt16(command[2]) << 8 {
        case 0x0C03: (address, data, mayAdvertise, mayScan) = (nil, nil, false, false)
        case 0x2005, 0x2035: address = Array(parameters.suffix(6))
        case 0x2008: data = Array(parameters.dropFirst().prefix(Int(parameters.first ?? 0)))
        case 0x2037: data = Array(parameters.dropFirst(4))
        case 0x200A where parameters.first == 0, 0x2039 where parameters.first == 0: mayAdvertise = false
        case 0x200C where parameters.first == 0, 0x2042 where parameters.first == 0: mayScan = false
        default: break
        }
    }

    private mutating func judge() -> String? {
        let actions = radio.takeActions()
        guard actions.count <= Self.actionLimit else { return "\(actions.count) actions at once" }
        for action in actions {
            switch action {
            case .send(let bytes):
                guard isOpen else { return "sends without a transport" }
                isAnswered = false
                before = (mayAdvertise, mayScan)
                if let problem = judge(bytes) { return problem }
                lastCommand = bytes
            case .reopenTransport(let delay):
                guard delay >= .zero, delay <= .seconds(30) else { return "opens after \(delay)" }
                isOpen = false
            case .askForPowerCycle, .event: break
            }
        }
        return nil
    }

    private mutating func judge(_ command: [UInt8]) -> String? {
        let parameters = Array(command.dropFirst(4))
        switch UInt16(command[1]) | UInt16(command[2]) << 8 {
        case 0x2005, 0x2035:
            if mayAdvertise || mayScan { return "changes the address on air" }
        case 0x200A where parameters.first == 1, 0x2039 where parameters.first == 1:
            let isOne = identities.contains {
                $0.address.littleEndianBytes == address && $0.payload.advertisingData() == data
            }
            guard isOne else { return "address and data on air are not of one identity" }
            mayAdvertise = true
        case 0x200C where parameters.first == 1, 0x2042 where parameters.first == 1: mayScan = true
        default: break
        }
        return nil
    }
}

/// Counts: scans are planned at random, and an ordeal has to be repeatable.
private struct Counting: RandomNumberGenerator {
    var state: UInt64 = 0

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return state
    }
}
