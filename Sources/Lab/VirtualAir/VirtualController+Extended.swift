// SPDX-License-Identifier: Apache-2.0

// Advertising sets and extended scanning (Core Specification, Vol 4 Part E 7.8.52 to 7.8.65), for legacy packets on the 1M PHY.

extension VirtualController {
    func performExtended(_ opcode: UInt16, _ parameters: CommandParameters) throws(Status) -> [UInt8] {
        switch opcode {
        case 0x2035:
            let set = try existingSet(parameters.byte(0))
            try require(!(set.isOn && set.kind == .connectable), .commandDisallowed)
            set.randomAddress = AirAddress(littleEndian: parameters.slice(1, 6), isRandom: true)
            if set.isOn, set.usesRandomAddress { try chooseAddress(of: set) }
        case 0x2036: return [UInt8(bitPattern: try setParameters(parameters))]
        case 0x2037, 0x2038: try setData(parameters, isScanResponse: opcode == 0x2038)
        case 0x2039: try enableSets(parameters)
        case 0x203A: return [31, 0]
        case 0x203B: return [UInt8(setLimit)]
        case 0x203C:
            let set = try existingSet(parameters.byte(0))
            try require(!set.isOn, .commandDisallowed)
            air.discard(set)
            extendedSets[set.handle] = nil
        case 0x203D:
            try require(!isAdvertising, .commandDisallowed)
            discardSets()
        case 0x2041: try setExtendedScanParameters(parameters)
        case 0x2042: try enableExtendedScan(parameters)
        default: throw .unknownCommand
        }
        return []
    }

    private var setLimit: Int { min(max(model.advertisingSetCount, 1), 0xF0) }

    private func existingSet(_ handle: UInt8) throws(Status) -> Advertiser {
        try require(handle <= 0xEF, .invalidParameters)
        guard let set = extendedSets[handle] else { throw .unknownAdvertisingIdentifier }
        return set
    }

    private func chooseAddress(of set: Advertiser) throws(Status) {
        if set.usesRandomAddress {
            guard let address = set.randomAddress else { throw .invalidParameters }
            set.address = address
        } else {
            set.address = publicAddress
        }
        air.noteChange(of: set)
    }

    /// Power in dBm that the set will have.
    private func setParameters(_ parameters: CommandParameters) throws(Status) -> Int8 {
        let handle = parameters.byte(0)
        try require(handle <= 0xEF, .invalidParameters)
        try require(!(extendedSets[handle]?.isOn ?? false), .commandDisallowed)
        let kind: AdvertisingKind
        switch parameters.word(1) {
        case 0x13: kind = .connectable
        case 0x12: kind = .scannable
        case 0x10: kind = .nonConnectable
        // Directed packets and those longer than 31 bytes are not modelled.
        default: throw .unsupportedParameter
        }
        let (least, most) = (parameters.triple(3), parameters.triple(6))
        try require(0x20 <= least && least <= most, .invalidParameters)
        try require((1...7).contains(parameters.byte(9)) && parameters.byte(10) <= 3, .invalidParameters)
        try require(parameters.byte(11) <= 1 && parameters.byte(18) <= 3, .invalidParameters)
        let power = parameters.signed(19)
        try require((-127...20).contains(power) || power == 127, .invalidParameters)
        try require(parameters.byte(23) <= 0x0F && parameters.byte(24) <= 1, .invalidParameters)
        // Legacy packets go out on the 1M PHY only; the secondary one has no meaning for them.
        try require(parameters.byte(20) == 1, .unsupportedParameter)
        try require(extendedSets[handle] != nil || extendedSets.count < setLimit, .memoryCapacityExceeded)
        let set =
            extendedSets[handle]
            ?? air.makeAdvertiser(for: id, handle: handle, interval: 0, address: publicAddress)
        extendedSets[handle] = set
        set.kind = kind
        set.interval = Microseconds(least) * 625
        set.usesRandomAddress = parameters.byte(10) & 1 == 1
        set.requestedPower = power == 127 ? nil : power
        let own = air.node(id)?.transmitPower ?? model.transmitPower
        return power == 127 ? own : min(power, own)
    }

    /// Sets with legacy packets take their data in one piece (7.8.54).
    private func setData(_ parameters: CommandParameters, isScanResponse: Bool) throws(Status) {
        let set = try existingSet(parameters.byte(0))
        let length = Int(parameters.byte(3))
        try require(parameters.byte(1) == 0x03 && parameters.byte(2) <= 1, .invalidParameters)
        try require(length <= 31 && parameters.count == 4 + length, .invalidParameters)
        let data = parameters.slice(4, length)
        if isScanResponse {
            try require(data.isEmpty || set.kind.isScannable, .invalidParameters)
            set.scanResponse = data
        } else {
            set.data = data
            air.noteChange(of: set)
        }
    }

    private func enableSets(_ parameters: CommandParameters) throws(Status) {
        let isOn = parameters.byte(0) == 1
        let count = Int(parameters.byte(1))
        try require(parameters.byte(0) <= 1 && count <= 0x3F, .invalidParameters)
        try require(parameters.count == 2 + 4 * count && !(isOn && count == 0), .invalidParameters)
        let handles = (0..<count).map { parameters.byte(2 + 4 * $0) }
        try require(Set(handles).count == count, .invalidParameters)
        var sets: [Advertiser] = []
        for handle in handles { sets.append(try existingSet(handle)) }
        guard isOn else {
            for set in count == 0 ? advertisers : sets { air.stop(set) }
            return
        }
        try require(model.canAdvertiseAndScanAtOnce || !scan.isOn, .commandDisallowed)
        // Nothing is switched on when one of them cannot be.
        for set in sets { try require(!set.usesRandomAddress || set.randomAddress != nil, .invalidParameters) }
        for (index, set) in sets.enumerated() {
            try chooseAddress(of: set)
            // Switching on what is on starts its duration anew (7.8.56).
            air.stop(set)
            air.start(set)
            let duration = Microseconds(parameters.word(3 + 4 * index)) * 10_000
            let events = Int(parameters.byte(5 + 4 * index))
            if duration > 0 { end(set, after: duration, isLimit: false) }
            if events > 0 {
                let length = AdvertiserSchedule.length(of: events, interval: set.interval, using: &air.generator)
                end(set, after: length, isLimit: true)
            }
        }
    }

    private func end(_ set: Advertiser, after length: Microseconds, isLimit: Bool) {
        air.queue.push(
            .setEnds(slot: set.slot, generation: set.generation, isLimit: isLimit), at: air.time + length)
    }

    /// Advertising Set Terminated (7.7.65.18); the number of events is told only when it was the reason.
    func endSet(_ set: Advertiser, isLimit: Bool) {
        air.stop(set)
        let status = isLimit ? Status.limitReached : .advertisingTimeout
        send(lowEnergy: 0x12, [status.rawValue, set.handle, 0, 0, 0])
    }

    private func setExtendedScanParameters(_ parameters: CommandParameters) throws(Status) {
        try require(!scan.isOn, .commandDisallowed)
        try require(parameters.byte(0) <= 3 && parameters.byte(1) <= 3, .invalidParameters)
        try require(parameters.byte(2) != 0, .invalidParameters)
        try require(parameters.byte(2) == 1, .unsupportedParameter)
        let (interval, window) = (parameters.word(4), parameters.word(6))
        try require(parameters.count == 8 && parameters.byte(3) <= 1, .invalidParameters)
        try require(4 <= window && window <= interval, .invalidParameters)
        scan.isActive = parameters.byte(3) == 1
        scan.interval = Microseconds(interval) * 625
        scan.window = Microseconds(window) * 625
        scan.usesRandomAddress = parameters.byte(0) & 1 == 1
        scan.filterPolicy = parameters.byte(1)
    }

    private func enableExtendedScan(_ parameters: CommandParameters) throws(Status) {
        let filter = parameters.byte(1)
        let duration = Microseconds(parameters.word(2)) * 10_000
        let period = Microseconds(parameters.word(4)) * 1_280_000
        try require(parameters.byte(0) <= 1 && filter <= 2, .invalidParameters)
        if parameters.byte(0) == 1 {
            try require(period == 0 || duration == 0 || duration < period, .invalidParameters)
            try require(filter != 2 || (period > 0 && duration > 0), .invalidParameters)
        }
        try switchScan(parameters.byte(0) == 1, duplicateFilter: filter)
        scan.isExtended = true
        scan.duration = duration
        scan.period = period
        if scan.isOn, duration > 0 {
            air.queue.push(.scanTurns(node: id, generation: scan.generation), at: air.time + duration)
        }
    }

    /// A duration is over: the end of a single scan, or the beginning or end of the pause of a periodic one.
    func turnScan(_ generation: UInt64) {
        guard scan.isOn, scan.generation == generation else { return }
        guard scan.period > 0 else {
            scan.isOn = false
            air.updateScanners()
            return send(lowEnergy: 0x11, [])
        }
        scan.isPausing.toggle()
        if !scan.isPausing {
            scan.start = air.time
            if scan.duplicateFilter == 2 { scan.forgetSeen() }
        }
        let length = scan.isPausing ? scan.period - scan.duration : scan.duration
        air.queue.push(.scanTurns(node: id, generation: generation), at: air.time + length)
    }
}
