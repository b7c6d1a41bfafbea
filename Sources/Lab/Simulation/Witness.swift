// SPDX-License-Identifier: Apache-2.0

public import GAEN
public import TimeTrust
public import VirtualAir

/// Judges boards by what they send and by nothing that they report: payload, address, rotation, pauses, and afterwards
/// whether every identifier follows from one of their keys and was sent in its time. Use it on one thread at a time.
///
/// It is told of everything that is sent (``observe(_:)``); the owner of the boards tells it when a process begins or ends
/// and when a clock is set. It decodes advertisements by itself.
public final class Witness {
    /// The rules by which one board is judged.
    public struct Subject {
        /// The time of the board's clocks at a moment of the air; `nil` while only the board can know it.
        public var clock: (Duration) -> UnixTime?
        /// The longest time for which the board may be off air during a scan; `nil` if it can send and listen at once.
        public var longestSlice: Duration?
        /// Whether the board stands for a place and must send nothing.
        public var mustBeSilent: Bool

        /// Creates the rules for a board; by default it must send, and can listen at the same time. For `clock` see the
        /// property.
        public init(
            longestSlice: Duration? = nil, mustBeSilent: Bool = false, clock: @escaping (Duration) -> UnixTime?
        ) {
            self.clock = clock
            self.longestSlice = longestSlice
            self.mustBeSilent = mustBeSilent
        }
    }

    /// What was seen of one identifier.
    struct Appearance {
        let node: NodeID
        let address: AirAddress
        let life: Int
        let start: Duration
        /// What the clocks showed then.
        let civil: UnixTime?
        var end: Duration?
    }

    /// What is known of one board.
    struct Course {
        var subject: Subject
        var life = 0
        var isAlive = false
        var processStart: Duration?
        /// The identifier that this process sent first.
        var first: [UInt8]?
        /// Trouble that the test itself made excuses pauses until this time.
        var excusedUntil: Duration?
        var clockStep: Duration?
        /// The identifiers that keys give which were given away for publication, and when that was last.
        var released: (identifiers: Set<[UInt8]>, at: Duration)?
        var last: (identifier: [UInt8], end: Duration?)?

        func isExcused(at moment: Duration) -> Bool { excusedUntil.map { moment <= $0 } ?? false }
    }

    /// Counts, pauses and lifetimes, for reports.
    public struct Figures: Sendable {
        /// The number of different identifiers that were on air, 0 or more.
        public var identifiers = 0
        /// The number of processes that were started, 0 or more.
        public var lives = 0
        /// The number of identifiers that appeared again, with their address, after a restart within their time; 0 or more.
        public var repetitions = 0
        /// The times on air, in seconds, of identifiers that were followed by another one, without those that a set clock,
        /// a restart or midnight may have cut short; may be empty.
        public var rotations: [Double] = []
        /// The times from the start of each process to its first advertisement, in seconds; may be empty.
        public var startups: [Double] = []
        /// The pauses for scans in seconds, of boards that cannot send and listen at once; may be empty.
        public var slices: [Double] = []
        /// The pauses between two identifiers of one process in seconds; may be empty.
        public var changes: [Double] = []
        /// The pauses in seconds that trouble with the controller excuses; may be empty.
        public var troubles: [Double] = []
        /// The number of packets of watched devices that a receiver heard, 0 or more.
        public var packets = 0
    }

    private static let prefix: [UInt8] = [0x02, 0x01, 0x1A, 0x03, 0x03, 0x6F, 0xFD, 0x17, 0x16, 0x6F, 0xFD]
    /// The longest pause between two identifiers, or two moments of one, that nobody has to explain.
    static let shortPause: Duration = .milliseconds(100)
    static let longestStartup: Duration = .seconds(1)
    /// How long an identifier is in use at most, from its first packet to its last, restarts between them included: 20 minutes, and a second.
    static let longestUse: Duration = .seconds(1_201)
    /// The same, where the clock was set meanwhile: it may be on air when it is set back by up to 20 minutes, and again after a restart.
    static let longestUseOverStep: Duration = .seconds(3_601)

    /// Identifiers that were on air over a midnight of their board's clock: until when, and how long after it.
    var crossings: [(node: NodeID, identifier: [UInt8], day: Int64, end: Duration, late: Duration)] = []
    /// The breaches of rules, in the order in which they were noticed; empty if there are none.
    public internal(set) var findings: [Finding] = []
    /// The counts and times of all watched boards, for reports.
    public internal(set) var figures = Figures()
    var courses: [NodeID: Course] = [:]
    var appearances: [[UInt8]: Appearance] = [:]
    var identifiers: [AirAddress: [UInt8]] = [:]
    /// What is on air now, for packets.
    var onAir: [AirAddress: (node: NodeID, start: Duration, lastPacket: Duration?)] = [:]
    var levels: [NodeID: (sum: Int, count: Int)] = [:]

    /// Creates a witness that watches no device yet.
    public init() {}

    /// Observes everything that is sent on `air` from now on.
    public func attach(to air: VirtualAir) { air.addObserver { [weak self] in self?.observe($0) } }

    /// Judges this device from now on; what other devices send is ignored.
    public func watch(_ node: NodeID, as subject: Subject) { courses[node] = Course(subject: subject) }

    // MARK: What whoever runs the boards says

    /// Notes that a process of the board began at `moment` of the air's time; it must be on air within a second.
    public func processStarted(_ node: NodeID, at moment: Duration) {
        courses[node]?.life += 1
        courses[node]?.isAlive = true
        courses[node]?.processStart = moment
        figures.lives += 1
    }

    /// Notes that a process of the board ended at `moment` of the air's time. If it had the time to send and did not, that
    /// is a breach.
    public func processEnded(_ node: NodeID, at moment: Duration) {
        guard let course = courses[node] else { return }
        courses[node]?.isAlive = false
        // It never came on air, and had the time to.
        if let start = course.processStart, !course.subject.mustBeSilent, moment - start >= Self.longestStartup,
            !course.isExcused(at: moment)
        {
            note(.gap, node, at: moment, "not on air \((moment - start).seconds) s after a start")
        }
        courses[node]?.processStart = nil
    }

    /// Notes that the board's clock was set at `moment` of the air's time, which excuses an identifier that was short or
    /// appeared again.
    public func clockStepped(_ node: NodeID, at moment: Duration) { courses[node]?.clockStep = moment }

    /// Notes that own `keys` are released at `moment` of the air's time. The identifier on air may follow from one of them, and stays for its time:
    /// whoever listens must not learn of the release. No identifier that begins afterwards may follow from them.
    public func keysReleased(_ node: NodeID, _ keys: [TemporaryExposureKey], at moment: Duration) {
        var identifiers = courses[node]?.released?.identifiers ?? []
        for key in keys {
            guard let derived = try? IdentifierKeys(key.secret) else { continue }
            for place in 0..<key.rollingPeriod {
                identifiers.insert(derived.identifier(for: ENIN(key.rollingStart.number + place)).bytes)
            }
        }
        courses[node]?.released = (identifiers, moment)
    }

    /// Notes that the controller is in trouble until `moment` of the air's time, so that pauses are not the board's fault.
    /// Replaces an earlier excuse. Ignored for a device that is not watched.
    public func excuse(_ node: NodeID, until moment: Duration) { courses[node]?.excusedUntil = moment }

    func note(_ kind: Finding.Kind, _ node: NodeID, at moment: Duration, _ detail: String = "") {
        findings.append(Finding(kind: kind, at: moment, node: node, detail: detail))
    }

    // MARK: What is on air

    /// Takes the beginning or (with an end) the ending of a broadcast. A device that is not watched is ignored.
    public func observe(_ broadcast: Broadcast) {
        guard courses[broadcast.node] != nil else { return }
        guard let identifier = identifier(broadcast) else { return }
        if let end = broadcast.end {
            ended(broadcast, identifier, at: end)
        } else {
            began(broadcast, identifier)
        }
    }

    private func identifier(_ broadcast: Broadcast) -> [UInt8]? {
        guard broadcast.data.count == 31, broadcast.data.starts(with: Self.prefix) else {
            if broadcast.end == nil { note(.malformed, broadcast.node, at: broadcast.start) }
            return nil
        }
        return Array(broadcast.data[11..<27])
    }

    private func began(_ broadcast: Broadcast, _ identifier: [UInt8]) {
        let (node, start) = (broadcast.node, broadcast.start)
        if courses[node]?.subject.mustBeSilent == true { note(.place, node, at: start) }
        let random = broadcast.address.value
        // Two top bits 0 and the others not all alike (Core Specification, Vol 6 Part B 1.3.2.2).
        if !broadcast.address.isRandom || random >> 46 != 0 || random == 0 || random == 1 << 46 - 1 {
            note(.addressKind, node, at: start)
        }
        if let other = identifiers[broadcast.address], other != identifier {
            note(.newIdentifierOldAddress, node, at: start)
        }
        identifiers[broadcast.address] = identifier
        judgePause(node, identifier, at: start)
        if let released = courses[node]?.released, released.at < start, appearances[identifier] == nil,
            released.identifiers.contains(identifier)
        {
            note(.released, node, at: start, "\((start - released.at).seconds) s after it")
        }
        if let known = appearances[identifier] {
            if known.node != node { note(.twoDevices, node, at: start) }
            if known.address != broadcast.address { note(.oldIdentifierNewAddress, node, at: start) }
            if known.life != courses[node]?.life {
                figures.repetitions += 1
                if let course = courses[node], start - known.start > longestUse(course, since: known.start) {
                    note(.secondLife, node, at: start, "after \((start - known.start).seconds) s")
                }
            }
        } else {
            appearances[identifier] = Appearance(
                node: node, address: broadcast.address, life: courses[node]?.life ?? 0, start: start,
                civil: courses[node]?.subject.clock(start))
            figures.identifiers += 1
        }
        courses[node]?.last = (identifier, nil)
        onAir[broadcast.address] = (node, start, nil)
    }

    private func ended(_ broadcast: Broadcast, _ identifier: [UInt8], at end: Duration) {
        onAir[broadcast.address] = nil
        courses[broadcast.node]?.last = (identifier, end)
        guard var appearance = appearances[identifier], let course = courses[broadcast.node] else { return }
        appearance.end = end
        appearances[identifier] = appearance
        if end - appearance.start > longestUse(course, since: appearance.start) {
            note(.tooLong, broadcast.node, at: end, "\((end - appearance.start).seconds) s")
        }
        judgeMidnight(broadcast.node, course, identifier, from: broadcast.start, to: end)
    }

    private func longestUse(_ course: Course, since start: Duration) -> Duration {
        course.clockStep.map { $0 >= start } ?? false ? Self.longestUseOverStep : Self.longestUse
    }

    private func judgeMidnight(
        _ node: NodeID, _ course: Course, _ identifier: [UInt8], from start: Duration, to end: Duration
    ) {
        var start = start
        if let step = course.clockStep, step >= start {
            // Taken off because of the step, or in the same moment by chance.
            if end - step <= .seconds(1) { return }
            start = step
        }
        guard let from = course.subject.clock(start), let to = course.subject.clock(end), to.day > from.day else { return }
        let late = to.since(UnixTime(seconds: to.day * 86_400))
        guard late > .seconds(1) || to.day > from.day + 1 else { return }
        // Perhaps of the key of the day that begins, used early: after a clock was set back, or a restart in the last second. Who has the keys
        // knows (``judge(_:by:at:)``).
        crossings.append((node, identifier, to.day, end, late))
    }

    /// Judges the time off air before `start`, and the lifetime of the identifier that was on air before.
    private func judgePause(_ node: NodeID, _ identifier: [UInt8], at start: Duration) {
        guard var course = courses[node] else { return }
        defer { courses[node] = course }
        let isExcused = course.isExcused(at: start)
        if let processStart = course.processStart {
            course.processStart = nil
            course.first = identifier
            let pause = start - processStart
            figures.startups.append(pause.seconds)
            if pause >= Self.longestStartup, !isExcused { note(.gap, node, at: start, "\(pause.seconds) s after a start") }
            return
        }
        guard let last = course.last, let end = last.end else { return }
        if !course.isAlive { note(.gap, node, at: start, "on air without a process") }
        let pause = start - end
        let isChange = last.identifier != identifier
        if isExcused {
            if pause > Self.shortPause { figures.troubles.append(pause.seconds) }
        } else if pause <= Self.shortPause {
            if isChange { figures.changes.append(pause.seconds) }
        } else if let slice = course.subject.longestSlice, pause <= slice {
            figures.slices.append(pause.seconds)
        } else {
            note(.gap, node, at: start, "\(pause.seconds) s")
        }
        if isChange { judgeLifetime(node, course, of: last.identifier, to: end) }
    }

    private func judgeLifetime(_ node: NodeID, _ course: Course, of identifier: [UInt8], to end: Duration) {
        guard let appearance = appearances[identifier], appearance.life == course.life else { return }
        if let step = course.clockStep, step >= appearance.start { return }
        guard let civil = course.subject.clock(end) else { return }
        if civil.since(UnixTime(seconds: civil.day * 86_400)) < .seconds(2) { return }
        let lifetime = end - appearance.start
        // A slice at the beginning or the end shortens what is seen of it.
        if lifetime < .seconds(599) - (course.subject.longestSlice ?? .zero) * 2 {
            // The process before may have stored it and not come to use it; its time began then.
            if identifier == course.first { return }
            note(.tooShort, node, at: end, "\(lifetime.seconds) s")
        }
        figures.rotations.append(lifetime.seconds)
    }
}

extension Duration {
    /// The duration in seconds, with fractions; for figures, not for exact comparison.
    public var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
