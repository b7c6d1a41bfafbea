// SPDX-License-Identifier: Apache-2.0

import Core
import HCI
import Radio
import TimeTrust
public import Vault
import VirtualAir

/// A board in the place of the phone that made a capture, in virtual time: what the phone's controller reported goes through
/// the firmware's own framing, events, radio, collection of a scan, and the sealed log of a day.
///
/// The board listens when the phone did. A virtual controller answers its commands; the capture's reports come between
/// these answers, in one stream. Times of the capture that go backwards count as the latest before them, as on a board,
/// whose clock since the start never does. Used on one thread.
public final class BoardReplay {
    /// Where the clock of the board begins: so long before the first scan, for setting up the controller; in microseconds.
    private static let lead: Int64 = 1_000_000
    /// A board listens for so long at most, in microseconds, as its profile may say (docs/profiles.md); what comes later in a longer
    /// scan of the capture is not heard. A scan of Exposure Notification lasts 4 s.
    public static let longestScan: Int64 = 20_000_000

    private let scans: [PhoneCapture.Scan]
    private let origin: Int64
    private let air = VirtualAir(seed: 1)
    private let controller: NodeID
    private let vault: Vault
    private var radio: Radio
    private var framer = H4Framer(sender: .controller)
    private var store = ScanStore()
    private var now: Int64 = 0
    private var nextScan = 0
    private var isListening = false

    private var heardCount = 0

    /// What a board has made of a capture.
    public struct Outcome: Sendable, Equatable {
        /// The scans that were stored, in the order in which the board stored them; those that heard nothing are absent.
        public let records: [ScanRecord]
        /// The number of receptions of Exposure Notification with a signal strength while the board listened.
        public let heardCount: Int
        /// The number of scans, heard or not.
        public let scanCount: Int
        /// The number of those that heard nothing at all, not even other advertisements.
        public let quietScanCount: Int
        /// The number of events that the radio could not read.
        public let refusedEvents: Int
    }

    /// Creates a board that will listen during `scans`, which must be in time order, for ``longestScan`` of each at most. Throws `HCIError` or
    /// `StorageFailure` only if the firmware's own constants are wrong.
    public init(listeningIn scans: [PhoneCapture.Scan]) throws {
        let scans = scans.map { PhoneCapture.Scan(start: $0.start, end: min($0.end, $0.start + Self.longestScan)) }
        self.scans = scans
        origin = (scans.first?.start ?? 0) - Self.lead
        var profile = BoardProfile.token
        // It is told when to listen, so no scan may end by itself.
        let longest = scans.reduce(0) { max($0, $1.end - $1.start) }
        profile.scan.duration = .microseconds(longest + Self.lead)
        profile.scan.period = profile.scan.duration + .seconds(300)
        // Its controller is never gone, and a capture whose clock jumps by years must not take as many checks.
        profile.controllerCheck = .seconds(3_000_000_000)
        vault = try Vault(
            MemoryStorage(), provider: FileKeyProvider(MemoryStorage()), generator: SplitMix64(seed: 1))
        radio = try Radio(profile: profile, generator: SplitMix64(seed: 2))
        controller = air.attach(ControllerModel())
        radio.opened(at: .zero)
        try obey()
    }

    /// Takes an event of the capture: a whole H4 packet. `time` is in microseconds since 1970, by the same clock as the scans.
    ///
    /// Only advertising reports belong to the board: the other events answer the phone's own commands. Throws
    /// `StorageFailure` if a scan cannot be stored, which in memory does not happen, and `HCIError` for bytes that are no
    /// packet of a controller.
    public func receive(_ packet: some RandomAccessCollection<UInt8>, at time: Int64) throws {
        try advance(to: time - origin)
        guard isListening else { return }
        try take(packet)
    }

    /// Ends the replay, and returns what was stored, in time order. Throws as ``receive(_:at:)``.
    public func finish() throws -> Outcome {
        while let edge { try advance(to: edge) }
        var records: [ScanRecord] = []
        for day in vault.days { try vault.forEachScan(day: day) { records.append($0) } }
        return Outcome(
            records: records, heardCount: heardCount, scanCount: Int(radio.counters.scans),
            quietScanCount: Int(radio.counters.quietScans), refusedEvents: Int(radio.counters.refusedEvents))
    }

    /// Whether a packet is an event with advertising reports, of either kind (Core Specification, Vol 4 Part E 7.7.65.2 and
    /// 7.7.65.13).
    static func isReport(_ packet: HCIPacket) -> Bool {
        packet.indicator == .event && packet.bytes.count > 3 && packet.bytes[1] == 0x3E
            && (packet.bytes[3] == 0x02 || packet.bytes[3] == 0x0D)
    }

    // MARK: Time

    /// Lets the board do what is due until `moment`, in microseconds of its own clock.
    private func advance(to moment: Int64) throws {
        while let edge, edge <= moment {
            try pass(until: edge)
            isListening.toggle()
            if !isListening { nextScan += 1 }
            radio.listen(isListening, at: .microseconds(now))
            try obey()
        }
        try pass(until: moment)
    }

    /// When the board is to begin or to end to listen; `nil` behind the last scan.
    private var edge: Int64? {
        guard nextScan < scans.count else { return nil }
        return (isListening ? scans[nextScan].end : scans[nextScan].start) - origin
    }

    private func pass(until moment: Int64) throws {
        while let due = radio.deadline, due <= .microseconds(moment) {
            now = max(now, due.roundedUp)
            air.advance(to: .microseconds(now))
            radio.advance(to: .microseconds(now))
            try obey()
        }
        now = max(now, moment)
        air.advance(to: .microseconds(now))
    }

    // MARK: The transport

    /// Carries out what the radio wants, until it wants nothing more.
    private func obey() throws {
        while case let actions = radio.takeActions(), !actions.isEmpty {
            for action in actions {
                switch action {
                case .send(let bytes): air.write(bytes, to: controller)
                // The virtual controller has no faults.
                case .reopenTransport, .askForPowerCycle: break
                case .event(let event): try take(event)
                }
            }
            try take(air.takeOutput(of: controller), isAnswer: true)
        }
    }

    private func take(_ bytes: some RandomAccessCollection<UInt8>, isAnswer: Bool = false) throws {
        guard !bytes.isEmpty else { return }
        var packets: [HCIPacket] = []
        try framer.push(bytes) { packets.append($0) }
        for packet in packets { radio.receive(packet, at: .microseconds(now)) }
        if !isAnswer { try obey() }
    }

    private func take(_ event: RadioEvent) throws {
        switch event {
        case .scanStarted: store.begin(at: .microseconds(now))
        case .heard(let payload, let rssi, let moment):
            heardCount += 1
            store.hear(payload, rssi, at: moment)
        case .scanFinished(let summary):
            let end = UnixTime(milliseconds: (origin + now) / 1_000)
            guard let (record, _) = store.finish(end: end, length: summary.end - summary.start, profileRevision: 0) else {
                return
            }
            try vault.append(record)
        case .controllerReady, .onAir, .offAir, .heardDoor, .doorScanFinished, .climbed, .timeSlicing, .silenceAccepted:
            break
        }
    }
}

extension Duration {
    /// In microseconds, not before this duration.
    fileprivate var roundedUp: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + (attoseconds + 999_999_999_999) / 1_000_000_000_000
    }
}
