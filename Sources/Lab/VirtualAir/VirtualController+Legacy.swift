// SPDX-License-Identifier: Apache-2.0

// Advertising and scanning as before Bluetooth 5 (Core Specification, Vol 4 Part E 7.8.4 to 7.8.11).

extension VirtualController {
    func performLegacy(_ opcode: UInt16, _ parameters: CommandParameters) throws(Status) -> [UInt8] {
        switch opcode {
        case 0x2005:
            try require(!scan.isOn && !(legacySet?.isOn ?? false), .commandDisallowed)
            randomAddress = AirAddress(littleEndian: parameters.slice(0, 6), isRandom: true)
        case 0x2006: try setAdvertisingParameters(parameters)
        case 0x2007: return [UInt8(bitPattern: air.node(id)?.transmitPower ?? model.transmitPower)]
        case 0x2008, 0x2009:
            try require(parameters.byte(0) <= 31, .invalidParameters)
            let data = parameters.slice(1, Int(parameters.byte(0)))
            let set = legacyAdvertiser()
            if opcode == 0x2008 { set.data = data } else { set.scanResponse = data }
            air.noteChange(of: set)
        case 0x200A: try enableAdvertising(parameters.byte(0))
        case 0x200B: try setScanParameters(parameters)
        case 0x200C: try enableScan(parameters)
        default: throw .unknownCommand
        }
        return []
    }

    private func legacyAdvertiser() -> Advertiser {
        if let legacySet { return legacySet }
        // 1.28 s and connectable: the defaults of 7.8.5.
        let set = air.makeAdvertiser(for: id, handle: 0, interval: 1_280_000, address: publicAddress)
        set.kind = .connectable
        legacySet = set
        return set
    }

    private func setAdvertisingParameters(_ parameters: CommandParameters) throws(Status) {
        try require(!(legacySet?.isOn ?? false), .commandDisallowed)
        let (least, most) = (parameters.word(0), parameters.word(2))
        try require(parameters.byte(4) <= 4, .invalidParameters)
        guard let kind = AdvertisingKind(rawValue: parameters.byte(4)) else { throw .unsupportedParameter }
        // 100 ms for packets that nobody may connect to, until Bluetooth 5 dropped this rule.
        let isSlow = kind != .connectable && model.version == .v42
        try require((isSlow ? 0xA0 : 0x20) <= least && least <= most && most <= 0x4000, .invalidParameters)
        try require(parameters.byte(5) <= 3 && parameters.byte(6) <= 1, .invalidParameters)
        try require((1...7).contains(parameters.byte(13)) && parameters.byte(14) <= 3, .invalidParameters)
        let set = legacyAdvertiser()
        set.kind = kind
        set.interval = Microseconds(least) * 625
        set.usesRandomAddress = parameters.byte(5) & 1 == 1
    }

    private func enableAdvertising(_ value: UInt8) throws(Status) {
        try require(value <= 1, .invalidParameters)
        let set = legacyAdvertiser()
        guard value == 1 else { return air.stop(set) }
        try require(model.canAdvertiseAndScanAtOnce || !scan.isOn, .commandDisallowed)
        if set.usesRandomAddress {
            guard let randomAddress else { throw .invalidParameters }
            set.address = randomAddress
        } else {
            set.address = publicAddress
        }
        if !set.isOn { air.start(set) }
    }

    private func setScanParameters(_ parameters: CommandParameters) throws(Status) {
        try require(!scan.isOn, .commandDisallowed)
        let (interval, window) = (parameters.word(1), parameters.word(3))
        try require(parameters.byte(0) <= 1 && parameters.byte(5) <= 3 && parameters.byte(6) <= 3, .invalidParameters)
        try require(4 <= window && window <= interval && interval <= 0x4000, .invalidParameters)
        scan.isActive = parameters.byte(0) == 1
        scan.interval = Microseconds(interval) * 625
        scan.window = Microseconds(window) * 625
        scan.usesRandomAddress = parameters.byte(5) & 1 == 1
        scan.filterPolicy = parameters.byte(6)
    }

    private func enableScan(_ parameters: CommandParameters) throws(Status) {
        try require(parameters.byte(0) <= 1 && parameters.byte(1) <= 1, .invalidParameters)
        scan.isExtended = false
        scan.duration = 0
        scan.period = 0
        try switchScan(parameters.byte(0) == 1, duplicateFilter: parameters.byte(1))
    }

    /// For both families.
    func switchScan(_ on: Bool, duplicateFilter: UInt8) throws(Status) {
        if on {
            try require(model.canAdvertiseAndScanAtOnce || !isAdvertising, .commandDisallowed)
            try require(!scan.usesRandomAddress || randomAddress != nil, .invalidParameters)
            // Switching on what is on changes the filter and begins a new memory of it (7.8.11).
            if !scan.isOn {
                scan.start = air.time
                noteScanStart()
            }
            scan.duplicateFilter = duplicateFilter
            scan.forgetSeen()
            if sawScanDisable { cure(.scanRestart) }
            sawScanDisable = false
        } else {
            sawScanDisable = true
        }
        scan.isOn = on
        scan.isPausing = false
        scan.generation = air.newGeneration()
        air.updateScanners()
        if on { beginFlood() }
    }
}
