// SPDX-License-Identifier: Apache-2.0

/// A controller: takes H4 bytes of its host apart by hand, obeys or refuses, and writes events.
///
/// Shares no code with the firmware's own HCI on purpose: a mistake made on both sides would not show.
final class VirtualController {
    /// A host that never reads gets no more answers than this; then its connection is closed.
    private static let answerLimit = 8 << 20

    let model: ControllerModel
    let id: NodeID
    unowned let air: VirtualAir
    private(set) var isConnected = true
    private(set) var statistics = ControllerStatistics()
    private var input: [UInt8] = []
    private var output: [UInt8] = []
    /// Whether the air was told that a host has something to look at, since it last asked.
    private var hasNews = false
    private var delayed: [(due: Microseconds, bytes: [UInt8])] = []

    // What Reset restores.
    var eventMask = EventMasks.defaultEvents
    var lowEnergyMask = EventMasks.defaultLowEnergy
    var randomAddress: AirAddress?
    var acceptList: Set<AirAddress> = []
    var scan = ScanState()
    var legacySet: Advertiser?
    var extendedSets: [UInt8: Advertiser] = [:]
    /// Once a command of one family was used, the other is refused (Core Specification, Vol 4 Part E 3.1.1).
    var family: CommandFamily?

    // Faults.
    var faults: [ActiveFault] = []
    var floodGeneration: UInt64 = 0
    /// Scanning was switched off by the host: half of the weakest cure.
    var sawScanDisable = false

    init(_ model: ControllerModel, id: NodeID, air: VirtualAir) {
        self.model = model
        self.id = id
        self.air = air
    }

    var publicAddress: AirAddress {
        model.publicAddress ?? AirAddress(value: 0x0002_AA00_0000 | UInt64(id.rawValue & 0xFFFF), isRandom: false)
    }

    /// In order of their handles.
    var advertisers: [Advertiser] {
        (legacySet.map { [$0] } ?? []) + extendedSets.sorted { $0.key < $1.key }.map(\.value)
    }
    var isAdvertising: Bool { legacySet?.isOn ?? false || extendedSets.contains { $0.value.isOn } }

    // MARK: Connection

    func disconnect() {
        guard isConnected else { return }
        isConnected = false
        tellNews()
        input = []
        delayed = []
        reset()
    }

    func connect() -> Bool {
        guard !isConnected, !has(.vanish) else { return false }
        isConnected = true
        output = []
        tellNews()
        cure(.reattach)
        return true
    }

    func powerCycle() {
        disconnect()
        cure(.powerCycle)
    }

    /// The state after power-on.
    func reset() {
        discardSets()
        scan = ScanState()
        air.updateScanners()
        eventMask = EventMasks.defaultEvents
        lowEnergyMask = EventMasks.defaultLowEnergy
        randomAddress = nil
        acceptList = []
        family = nil
    }

    func discardSets() {
        for advertiser in advertisers { air.discard(advertiser) }
        legacySet = nil
        extendedSets = [:]
    }

    // MARK: From the host

    func receive(_ bytes: [UInt8]) {
        guard isConnected else { return }
        input += bytes
        var offset = 0
        while isConnected, let length = packetLength(at: offset), offset + length <= input.count {
            if input[offset] == 0x01 {
                let opcode = UInt16(input[offset + 1]) | UInt16(input[offset + 2]) << 8
                command(opcode, CommandParameters(bytes: input[(offset + 4)..<(offset + length)]))
            }
            // There are no connections, so data can be for nobody: controllers drop it.
            offset += length
        }
        input.removeFirst(min(offset, input.count))
    }

    /// `nil` until the header is there; lost synchronisation closes the connection.
    private func packetLength(at offset: Int) -> Int? {
        guard offset < input.count else { return nil }
        switch input[offset] {
        case 0x01: return offset + 4 <= input.count ? 4 + Int(input[offset + 3]) : nil
        case 0x02:
            return offset + 5 <= input.count ? 5 + Int(input[offset + 3]) + Int(input[offset + 4]) << 8 : nil
        default:
            disconnect()
            return nil
        }
    }

    private func command(_ opcode: UInt16, _ parameters: CommandParameters) {
        statistics.commands += 1
        if has(.silent) { return }
        let answer: [UInt8]
        do {
            try require(!has(.errors), .unspecified)
            answer = [Status.success.rawValue] + (try perform(opcode, parameters))
        } catch {
            statistics.refusals += 1
            answer = [error.rawValue]
        }
        // LE Create Connection is among the commands that are answered with Command Status in any case.
        let isStatus =
            answer == [Status.unknownCommand.rawValue]
            && (model.answersUnknownCommandsWithStatus || opcode == 0x200D || opcode == 0x2043)
        let low = UInt8(opcode & 0xFF)
        let high = UInt8(opcode >> 8)
        if isStatus {
            send(answer: [0x04, 0x0F, 0x04, answer[0], 0x01, low, high])
        } else {
            send(answer: [0x04, 0x0E, UInt8(3 + answer.count), 0x01, low, high] + answer)
        }
    }

    // MARK: To the host

    var outputCount: Int { output.count }

    func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    private func send(answer: [UInt8]) {
        let delay = max(0, model.answerDelay.microseconds)
        guard delay > 0 || !delayed.isEmpty else { return deliver(answer) }
        let due = max(air.time, delayed.last?.due ?? 0) + delay
        delayed.append((due, answer))
        air.queue.push(.answers(node: id), at: due)
    }

    func sendDueAnswers() {
        while let first = delayed.first, first.due <= air.time {
            delayed.removeFirst()
            if !has(.silent) { deliver(first.bytes) }
        }
    }

    /// The host is to look: there is output, or the connection has come or gone.
    private func tellNews() {
        guard !hasNews else { return }
        hasNews = true
        air.news.append(id)
    }

    func newsTaken() { hasNews = false }

    private func deliver(_ bytes: [UInt8]) {
        guard isConnected else { return }
        tellNews()
        output += bytes
        if output.count > Self.answerLimit { disconnect() }
    }

    /// An LE Meta event, if the host wants it.
    func send(lowEnergy subevent: UInt8, _ parameters: [UInt8]) {
        guard isConnected, !has(.silent), eventMask & EventMasks.lowEnergyMeta != 0,
            lowEnergyMask & (1 << UInt64(subevent - 1)) != 0
        else { return }
        let isReport = subevent == 0x02 || subevent == 0x0D
        if isReport, output.count >= model.reportLimit {
            statistics.droppedReports += 1
            return
        }
        if isReport { statistics.reports += 1 }
        output += [0x04, 0x3E, UInt8(1 + parameters.count), subevent]
        deliver(parameters)
    }

    func send(noise count: Int) {
        deliver((0..<count).map { _ in .random(in: 0...255, using: &air.generator) })
    }

    func noteScanStart() { statistics.scans += 1 }
}

enum CommandFamily { case legacy, extended }

/// Event masks after a reset (Vol 4 Part E 7.3.1, 7.8.1): LE Meta is off.
enum EventMasks {
    static let defaultEvents: UInt64 = 0x0000_1FFF_FFFF_FFFF
    static let defaultLowEnergy: UInt64 = 0x1F
    static let lowEnergyMeta: UInt64 = 1 << 61
}
