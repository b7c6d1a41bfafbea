// SPDX-License-Identifier: Apache-2.0

// Senders and scanners, and how they wake each other.

extension VirtualAir {
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
        advertiser.schedule = AdvertiserSchedule(start: time, interval: advertiser.interval, using: &generator)
        if !scanners.isEmpty { enqueue(advertiser) }
        noteChange(of: advertiser)
    }

    func stop(_ advertiser: Advertiser) {
        guard advertiser.isOn else { return }
        advertiser.isOn = false
        advertiser.generation = newGeneration()
        advertiser.isQueued = false
        noteChange(of: advertiser)
        tidyQueue()
    }

    /// To be called when scanning of any controller may have been switched.
    func updateScanners() {
        let wasSilent = scanners.isEmpty
        scanners = nodes.compactMap { $0.controller }.filter { $0.scan.isOn }
        guard wasSilent, !scanners.isEmpty else { return }
        for advertiser in slots {
            guard let advertiser, advertiser.isOn, !advertiser.isQueued else { continue }
            advertiser.schedule?.wake(at: time, using: &generator)
            enqueue(advertiser)
        }
    }

    func transmit(_ advertiser: Advertiser) {
        advertiser.isQueued = false
        guard advertiser.isOn, let sender = node(advertiser.node) else { return }
        // Nobody listens: sleep until somebody does.
        guard !scanners.isEmpty else { return }
        catchUp(sender)
        counters.transmitted += 1
        let power = advertiser.requestedPower.map { min($0, sender.transmitPower) } ?? sender.transmitPower
        for scanner in scanners where scanner.id != advertiser.node && scanner.isListening(at: time) {
            guard let receiver = node(scanner.id),
                let level = medium.level(from: sender, power: power, to: receiver, at: time, using: &generator)
            else { continue }
            counters.delivered += 1
            scanner.hear(advertiser, level: level)
        }
        advertiser.schedule?.step(using: &generator)
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
