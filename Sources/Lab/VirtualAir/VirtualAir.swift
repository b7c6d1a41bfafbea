// SPDX-License-Identifier: Apache-2.0

/// Bluetooth LE controllers, phones and the room between them, in virtual time. Never part of a board.
///
/// Time passes only in ``advance(to:)``. The same seed and the same calls give the same bytes. Use it on one thread at a
/// time, and not from within an observer.
///
/// Nothing is computed for packets that no device could hear: while no controller scans, a day costs a few events per
/// device.
public final class VirtualAir {
    /// The virtual time since the air began, in whole microseconds.
    public var now: Duration { .microseconds(time) }
    /// The virtual time since the air began in microseconds, as a plain number for loops in which the 128 bits of
    /// ``Swift/Duration`` are too slow.
    package var nowMicroseconds: Int64 { time }
    /// The civil time at virtual time zero in Unix seconds, from which phones that are added later derive their keys and
    /// identifiers. 2021-01-01 00:00 UTC unless set; not checked.
    public var epoch: Int64 = 1_609_459_200

    /// The distances, losses and sensitivity; a change takes effect at once.
    public var environment: Environment {
        get { medium.environment }
        set {
            medium.environment = newValue
            wakeEverybody()
        }
    }

    var time: Microseconds = 0
    var queue = EventQueue()
    var medium: Medium
    var crowd = Crowd()
    /// For everything on the medium.
    var generator: SplitMix64
    let seed: UInt64
    /// In order of their numbers.
    var nodes: [Node] = []
    /// Controllers whose hosts have something to look at, each once.
    var news: [NodeID] = []
    var lastController = 0
    var lastScripted = NodeID.firstScripted - 1
    var slots: [Advertiser?] = []
    var freeSlots: [Int] = []
    /// Controllers that scan, in order of their numbers.
    var scanners: [VirtualController] = []
    var observers: [(number: Int, handler: (Broadcast) -> Void)] = []
    var lastObserver = 0
    var actions: [Int: (VirtualAir) -> Void] = [:]
    var lastAction = 0
    var counters = (transmitted: 0, delivered: 0)
    private var lastGeneration: UInt64 = 0

    /// Creates an empty room at time zero. Everything random follows from `seed`.
    public init(seed: UInt64) {
        self.seed = seed
        medium = Medium(seed: seed)
        generator = SplitMix64(seed: seed)
    }

    /// The time of the next event in time of the air; `nil` if nothing happens before a host writes.
    public var nextEvent: Duration? { queue.nextTime.map { .microseconds(max($0, time)) } }

    /// Lets time pass until `target`, and computes everything that happens until then. A time in the past counts as now.
    public func advance(to target: Duration) {
        let target = max(target.microseconds, time)
        while let next = queue.nextTime, next <= target, let (moment, event) = queue.pop() {
            time = max(time, moment)
            handle(event)
        }
        time = target
    }

    /// Lets time pass until `target` (microseconds), but stops at the end of the first moment at which a host has news:
    /// output, or a connection that was made or lost. Call ``takeNews()`` afterwards.
    package func advanceToNews(until target: Int64) {
        let target = max(target, time)
        while let next = queue.nextTime, next <= target {
            if !news.isEmpty, next > time { return }
            guard let (moment, event) = queue.pop() else { return }
            time = max(time, moment)
            handle(event)
        }
        if news.isEmpty { time = target }
    }

    /// Returns the controllers whose hosts have had news since the last call, in the order of their numbers.
    package func takeNews() -> [NodeID] {
        guard !news.isEmpty else { return [] }
        for id in news { node(id)?.controller?.newsTaken() }
        defer { news.removeAll(keepingCapacity: true) }
        return news.sorted()
    }

    /// Runs `action` at a time of the air, during ``advance(to:)``; during the next call if that time is past.
    public func schedule(at moment: Duration, _ action: @escaping (VirtualAir) -> Void) {
        lastAction += 1
        actions[lastAction] = action
        queue.push(.action(lastAction), at: max(moment.microseconds, time))
    }

    func node(_ id: NodeID) -> Node? {
        var (low, high) = (0, nodes.count)
        while low < high {
            let middle = (low + high) / 2
            if nodes[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < nodes.count && nodes[low].id == id ? nodes[low] : nil
    }

    func newGeneration() -> UInt64 {
        lastGeneration += 1
        return lastGeneration
    }

    private func handle(_ event: AirEvent) {
        switch event {
        case .transmit(let slot, let generation):
            if let advertiser = slots[slot], advertiser.generation == generation { transmit(advertiser) }
        case .stir(let slot, let sleep):
            if let advertiser = slots[slot], advertiser.sleep?.number == sleep { wake(advertiser) }
        case .setEnds(let slot, let generation, let isLimit):
            if let advertiser = slots[slot], advertiser.generation == generation {
                node(advertiser.node)?.controller?.endSet(advertiser, isLimit: isLimit)
            }
        case .rotate(let id):
            if !observers.isEmpty, let node = node(id) { catchUp(node) }
        case .answers(let id):
            node(id)?.controller?.sendDueAnswers()
        case .scanTurns(let id, let generation):
            node(id)?.controller?.turnScan(generation)
        case .faultEnds(let id, let generation):
            node(id)?.controller?.endFault(generation)
        case .flood(let id, let generation):
            node(id)?.controller?.flood(generation)
        case .action(let number):
            actions.removeValue(forKey: number)?(self)
        }
    }
}
