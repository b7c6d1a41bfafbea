// SPDX-License-Identifier: Apache-2.0

// Senders and scanners, and how they wake each other.

extension VirtualAir {
    /// A shorter sleep saves nothing.
    private static let shortestSleep: Microseconds = 1_000_000
    private static let longestSleep: Microseconds = 3_600_000_000

    func makeAdvertiser(for node: NodeID, handle: UInt8, interval: Microseconds, address: AirAddress) -> Advertiser {
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = free
        } else {
            slot = slots.count
            slots.append(nil)
        }
        let advertiser = Advertiser(node: node, handle: handle, slot: slot, interval: interval, address: address)
        slots[slot] = advertiser
        return advertiser
    }

    func discard(_ advertiser: Advertiser) {
        stop(advertiser)
        slots[advertiser.slot] = nil
        freeSlots.append(advertiser.slot)
    }

    func start(_ advertiser: Advertiser) {
        advertiser.isOn = true
        advertiser.generation = newGeneration()
        advertiser.isQueued = false
        advertiser.sleep = nil
        advertiser.schedule = AdvertiserSchedule(start: time, interval: advertiser.interval, using: &generator)
        if !scanners.isEmpty { enqueue(advertiser) }
        noteChange(of: advertiser)
    }

    func stop(_ advertiser: Advertiser) {
        guard advertiser.isOn else { return }
        advertiser.isOn = false
        advertiser.generation = newGeneration()
        advertiser.isQueued = false
        advertiser.sleep = nil
        noteChange(of: advertiser)
        tidyQueue()
    }

    /// To be called when scanning of any controller may have been switched.
    func updateScanners() {
        let before = scanners
        scanners = nodes.compactMap { $0.controller }.filter { $0.scan.isOn }
        let new = scanners.filter { scanner in !before.contains { $0 === scanner } }
        guard !new.isEmpty else { return }
        for advertiser in slots {
            guard let advertiser, advertiser.isOn, !advertiser.isQueued else { continue }
            // Who sleeps because the others are too far off goes on sleeping if the new one is, too.
            if let sleep = advertiser.sleep, silence(of: advertiser, for: new) >= sleep.end - time { continue }
            wake(advertiser)
        }
    }

    /// To be called when places, powers or the room have changed: whom anybody reaches is not what it was.
    func wakeEverybody() {
        for advertiser in slots { if let advertiser, advertiser.sleep != nil { wake(advertiser) } }
    }

    func wake(_ advertiser: Advertiser) {
        advertiser.sleep = nil
        guard !scanners.isEmpty, advertiser.isOn, !advertiser.isQueued else { return }
        advertiser.schedule?.wake(at: time, using: &generator)
        enqueue(advertiser)
    }

    /// How long it is certain that none of `scanners` hears it.
    private func silence(of advertiser: Advertiser, for scanners: [VirtualController]) -> Microseconds {
        guard let sender = node(advertiser.node) else { return 0 }
        let power = power(of: advertiser, sender)
        var least = Self.longestSleep
        for scanner in scanners where scanner.id != advertiser.node {
            guard least > 0, let receiver = node(scanner.id) else { return 0 }
            least = min(least, medium.silence(from: sender, power: power, to: receiver, at: time))
        }
        return least
    }

    private func power(of advertiser: Advertiser, _ sender: Node) -> Int8 {
        advertiser.requestedPower.map { min($0, sender.transmitPower) } ?? sender.transmitPower
    }

    func transmit(_ advertiser: Advertiser) {
        advertiser.isQueued = false
        guard advertiser.isOn, let sender = node(advertiser.node) else { return }
        // Nobody listens: sleep until somebody does.
        guard !scanners.isEmpty else { return }
        catchUp(sender)
        counters.transmitted += 1
        let power = power(of: advertiser, sender)
        var isHeard = false
        for scanner in scanners where scanner.id != advertiser.node && scanner.isListening(at: time) {
            guard let receiver = node(scanner.id),
                let level = medium.level(
                    from: sender, power: power, to: receiver, at: time,
                    bodies: crowd.loss(between: sender, and: receiver, of: nodes, in: medium.environment, at: time),
                    using: &generator)
            else { continue }
            counters.delivered += 1
            isHeard = true
            scanner.hear(advertiser, level: level)
        }
        advertiser.schedule?.step(using: &generator)
        if !isHeard, case let silence = silence(of: advertiser, for: scanners), silence >= Self.shortestSleep {
            let number = newGeneration()
            advertiser.sleep = (number, time + silence)
            queue.push(.stir(slot: advertiser.slot, sleep: number), at: time + silence)
            return
        }
        enqueue(advertiser)
    }

    private func enqueue(_ advertiser: Advertiser) {
        guard let next = advertiser.schedule?.next else { return }
        advertiser.isQueued = true
        queue.push(.transmit(slot: advertiser.slot, generation: advertiser.generation), at: max(next, time))
    }

    /// A host that toggles all the time must not fill the queue with what no longer counts.
    private func tidyQueue() {
        guard queue.count > 4_096, queue.count > 16 * (slots.count + nodes.count + actions.count) else { return }
        queue.keep { event in
            switch event {
            case .stir(let slot, let sleep): return slots[slot]?.sleep?.number == sleep
            case .transmit(let slot, let generation), .setEnds(let slot, let generation, _):
                return slots[slot]?.generation == generation
            case .scanTurns(let id, let generation): return node(id)?.controller?.scan.generation == generation
            case .flood(let id, let generation): return node(id)?.controller?.floodGeneration == generation
            case .faultEnds(let id, let generation):
                return node(id)?.controller?.faults.contains { $0.generation == generation } ?? false
            case .rotate, .answers, .action: return true
            }
        }
    }
}
