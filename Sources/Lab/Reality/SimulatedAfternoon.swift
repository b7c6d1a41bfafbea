// SPDX-License-Identifier: Apache-2.0

public import CommandFiles
import GAEN
import HCI
public import VirtualAir

/// The scenes of an afternoon once more, on a virtual air: each phone is a controller where its owner was, which scans when
/// the real one did and sends what the real ones sent. Its packets are read as captures are.
public struct SimulatedAfternoon: Sendable {
    /// A scene as it is played: who was where, and when they scanned.
    private struct Stage: Sendable {
        let name: ScenePositions.Name
        let positions: ScenePositions
        let start: Int64
        let paths: [(phone: Int, path: MotionPath)]
        /// Of those who had no phone with a capture: they stand between others, too.
        let bystanders: [MotionPath]
        /// Times after ``start`` in microseconds.
        let scans: [(start: Int64, end: Int64, phone: Int)]
    }

    private let stages: [Stage]

    /// Prepares `scenes` of `afternoon`. Throws `InputError` if positions cannot be read.
    public init(_ afternoon: RecordedAfternoon, _ scenes: [ScenePositions.Name]) throws(InputError) {
        var read: [(ScenePositions.Name, ScenePositions)] = []
        for name in scenes { read.append((name, try afternoon.positions(name))) }
        self.init(afternoon, read)
    }

    /// The same with positions that were read.
    init(_ afternoon: RecordedAfternoon, _ scenes: [(ScenePositions.Name, ScenePositions)]) {
        var stages: [Stage] = []
        for (name, positions) in scenes {
            let phones = RecordedAfternoon.phones.filter(positions.people.contains)
            guard let first = positions.times.first, let last = positions.times.last else { continue }
            let scans = phones.flatMap { phone in
                (afternoon.captures[phone]?.scans ?? []).filter { HeardScan.lengths.contains($0.end - $0.start) }
                    .filter { $0.start >= first && $0.end <= last }
                    .map { (start: $0.start - first, end: $0.end - first, phone: phone) }
            }.sorted { ($0.start, $0.phone) < ($1.start, $1.phone) }
            stages.append(
                Stage(
                    name: name, positions: positions, start: first,
                    paths: phones.map { ($0, positions.path(of: $0)) },
                    bystanders: positions.people.subtracting(phones).sorted().map(positions.path), scans: scans))
        }
        self.stages = stages
    }

    /// What the scans bring in `environment`, with all chance from `seed`.
    public func heardScans(in environment: Environment, seed: UInt64) -> [HeardScan] {
        stages.enumerated().flatMap { index, stage -> [HeardScan] in
            let air = VirtualAir(seed: seed &* 0x9E37_79B9 &+ UInt64(index))
            air.environment = environment
            var phones = stage.paths.map { SimulatedPhone(number: $0.phone, path: $0.path, in: air) }
            for path in stage.bystanders { air.addBystander(path: path) }
            var identifiers: [RollingProximityIdentifier: Int] = [:]
            for phone in phones {
                if let own = SimulatedPhone.identifier(of: phone.number) { identifiers[own] = phone.number }
            }
            var moments = stage.scans.flatMap { scan in
                [(time: scan.start, phone: scan.phone, isOn: true), (time: scan.end, phone: scan.phone, isOn: false)]
            }
            moments.sort { ($0.time, $0.phone) < ($1.time, $1.phone) }
            for moment in moments {
                // As reports come: the time of each is the air's when it is taken.
                while air.now < .microseconds(moment.time) {
                    air.advance(to: min(air.now + .milliseconds(250), .microseconds(moment.time)))
                    if air.statistics.scanners == 0 { air.advance(to: .microseconds(moment.time)) }
                    for phone in phones.indices { phones[phone].collect(from: air, since: stage.start) }
                }
                guard let phone = phones.firstIndex(where: { $0.number == moment.phone }) else { continue }
                phones[phone].scan(moment.isOn, in: air, since: stage.start)
                phones[phone].collect(from: air, since: stage.start)
            }
            return phones.flatMap { phone in
                PhoneCapture(packets: phone.packets).heardScans(
                    of: phone.number, identifiers: identifiers, stage.name, stage.positions)
            }
        }
    }
}

/// A phone of the afternoon on a virtual air: the host of a controller, and what both said to each other.
private struct SimulatedPhone {
    let number: Int
    private let node: NodeID
    private(set) var packets: [(time: Int64, packet: HCIPacket)] = []
    private var framer = H4Framer(sender: .controller)

    /// Interval and window of the framework's scans, in units of 0.625 ms, and of its advertising: 281.25 ms.
    private static let scanUnits: [UInt8] = [0x54, 0x08]
    private static let advertisingUnits: [UInt8] = [0xC2, 0x01]

    /// Switches the phone on: it sends from now on.
    init(number: Int, path: MotionPath, in air: VirtualAir) {
        self.number = number
        var model = ControllerModel()
        model.transmitPower = PhoneModel.captured.transmitPower
        node = air.attach(model)
        air.setPath(path, of: node)
        command(0x0C01, [UInt8](repeating: 0xFF, count: 8), in: air)
        command(0x2005, [UInt8(number), 1, 2, 3, 4, 0x45], in: air)
        // Scannable, from a random address, on all channels, answers whoever asks.
        command(0x2006, Self.advertisingUnits + Self.advertisingUnits + [2, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0], in: air)
        if let identifier = Self.identifier(of: number) {
            let data = AdvertisingPayload(identifier: identifier, metadata: AssociatedEncryptedMetadata(word: 0))
                .advertisingData(.withoutFlags)
            command(0x2008, [UInt8(data.count)] + data + [UInt8](repeating: 0, count: 31 - data.count), in: air)
        }
        command(0x200A, [1], in: air)
    }

    /// The same all the time: changes of identifiers are not what is looked at.
    static func identifier(of number: Int) -> RollingProximityIdentifier? {
        RollingProximityIdentifier([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 16))
    }

    /// Begins or ends a scan; `start` is the time of the air's beginning in microseconds since 1970.
    mutating func scan(_ isOn: Bool, in air: VirtualAir, since start: Int64) {
        if isOn { command(0x200B, [0] + Self.scanUnits + Self.scanUnits + [1, 0], in: air, since: start) }
        command(0x200C, [isOn ? 1 : 0, 0], in: air, since: start)
    }

    /// Takes what the controller has said.
    mutating func collect(from air: VirtualAir, since start: Int64) {
        guard air.outputCount(of: node) > 0 else { return }
        let time = start + air.nowMicroseconds
        try? framer.push(air.takeOutput(of: node)) { packets.append((time, $0)) }
    }

    private mutating func command(_ opcode: UInt16, _ parameters: [UInt8], in air: VirtualAir, since start: Int64? = nil) {
        let bytes = [1, UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(parameters.count)] + parameters
        if let start, let packet = try? HCIPacket(datagram: bytes) { packets.append((start + air.nowMicroseconds, packet)) }
        air.write(bytes, to: node)
    }
}

extension ScenePositions {
    /// Seconds for which somebody may be unseen without having left.
    private static let longestGap = Duration.seconds(30)

    /// The movement of a person, by second since the first frame; from one place to the next where the person was not seen for a while.
    /// Who was not seen for longer is far away from everybody, and stands between nobody.
    func path(of person: Int) -> MotionPath {
        func away(_ time: Duration) -> Waypoint { Waypoint(time: time, x: 10_000, y: 10_000 * Double(person)) }
        guard let first = times.first, let places = places[person] else { return MotionPath([away(.zero)]) }
        var waypoints: [Waypoint] = []
        var next: Int64 = 0
        var last = Duration.zero
        for (time, place) in zip(times, places) where time - first >= next && !place.x.isNaN {
            let moment = Duration.microseconds(time - first)
            if moment - last > Self.longestGap {
                waypoints += [away(last + .microseconds(1)), away(moment - .microseconds(1))]
            }
            waypoints.append(Waypoint(time: moment, x: place.x, y: place.y))
            last = moment
            next = time - first + 1_000_000
        }
        let end = last + Self.longestGap
        if let place = waypoints.last { waypoints.append(Waypoint(time: end, x: place.x, y: place.y)) }
        waypoints.append(away(end + .microseconds(1)))
        return MotionPath(waypoints)
    }
}
