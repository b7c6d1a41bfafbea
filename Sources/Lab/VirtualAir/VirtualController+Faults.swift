// SPDX-License-Identifier: Apache-2.0

// What goes wrong, and what puts it right.

extension VirtualController {
    func has(_ kind: Fault.Kind) -> Bool {
        // Checked for every packet, and almost always empty.
        !faults.isEmpty && faults.contains { $0.fault.kind == kind }
    }

    /// A fault takes the place of an earlier one of its kind.
    func apply(_ fault: Fault) {
        switch fault.kind {
        case .lostScan:
            scan.isOn = false
            return air.updateScanners()
        case .noise: return send(noise: fault.rate)
        default: break
        }
        clearFaults(fault.kind)
        let end = fault.duration.map { air.time + max(0, $0.microseconds) }
        let active = ActiveFault(fault: fault, generation: air.newGeneration(), end: end)
        faults.append(active)
        if let end { air.queue.push(.faultEnds(node: id, generation: active.generation), at: end) }
        switch fault.kind {
        case .vanish: disconnect()
        case .flood: beginFlood()
        case .deaf: sawScanDisable = false
        default: break
        }
    }

    func clearFaults(_ kind: Fault.Kind?) { faults.removeAll { kind == nil || $0.fault.kind == kind } }

    func endFault(_ generation: UInt64) { faults.removeAll { $0.generation == generation } }

    /// Something was done that ends deafness of this kind and of those that take less.
    func cure(_ measure: Fault.Cure) {
        faults.removeAll { active in active.fault.kind == .deaf && active.fault.cure.map { $0 <= measure } ?? false }
    }

    /// Starts made-up reports if there is such a fault; one chain of events at a time.
    func beginFlood() {
        guard scan.isOn, has(.flood) else { return }
        floodGeneration = air.newGeneration()
        air.queue.push(.flood(node: id, generation: floodGeneration), at: air.time)
    }

    func flood(_ generation: UInt64) {
        guard scan.isOn, floodGeneration == generation,
            let active = faults.first(where: { $0.fault.kind == .flood })
        else { return }
        if isListening(at: air.time) { reportMadeUpBeacon() }
        air.queue.push(
            .flood(node: id, generation: generation),
            at: air.time + max(10, 1_000_000 / Microseconds(active.fault.rate)))
    }
}
