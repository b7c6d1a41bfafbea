// SPDX-License-Identifier: Apache-2.0

public import GAEN

// MARK: - Controllers and their hosts

extension VirtualAir {
    /// Switches a controller on and connects its host; gives its number. It rests at the origin.
    public func attach(_ model: ControllerModel) -> NodeID {
        let node = add(path: MotionPath([]), transmitPower: model.transmitPower, isScripted: false)
        node.controller = VirtualController(model, id: node.id, air: self)
        return node.id
    }

    /// Takes bytes from the host to its controller: H4 packets, cut anywhere. Ignored when no host is connected, and for devices without a
    /// controller.
    public func write(_ bytes: [UInt8], to id: NodeID) { node(id)?.controller?.receive(bytes) }

    /// Gives the bytes from the controller to its host since the last call: H4 packets; empty without any, and for devices
    /// without a controller.
    public func takeOutput(of id: NodeID) -> [UInt8] { node(id)?.controller?.takeOutput() ?? [] }

    /// The number of bytes that ``takeOutput(of:)`` would return; 0 also for a device without a controller. Cannot fail.
    public func outputCount(of id: NodeID) -> Int { node(id)?.controller?.outputCount ?? 0 }

    /// Whether a host is connected to the controller; `false` for devices without one, too.
    public func isConnected(_ id: NodeID) -> Bool { node(id)?.controller?.isConnected ?? false }

    /// Lets the host go away; the controller forgets everything, as after a reset, and stays where it is. Ignored for
    /// devices without one.
    public func detach(_ id: NodeID) { node(id)?.controller?.disconnect() }

    /// Lets the host come back; `true` if it is connected now. `false` while the controller is away (``Fault/Kind/vanish``), when a host is
    /// connected already, or when there is no such controller.
    public func reattach(_ id: NodeID) -> Bool { node(id)?.controller?.connect() ?? false }

    /// Takes the controller's power away for a moment: it forgets everything, the connection drops, and ``Fault/Kind/deaf`` ends if it has a
    /// ``Fault/cure``. Other faults stay. The host has to ``reattach(_:)``. Ignored for devices without one.
    public func powerCycle(_ id: NodeID) { node(id)?.controller?.powerCycle() }

    /// Afflicts the controller with a fault from now on. Faults of different kinds add up; one takes the place of an
    /// earlier one of its kind. Ignored for devices without one.
    public func apply(_ fault: Fault, to id: NodeID) { node(id)?.controller?.apply(fault) }

    /// Ends faults of this kind at a device's controller, or all of them if `nil`. Does nothing where there is no such device or controller.
    public func clearFaults(_ kind: Fault.Kind? = nil, of id: NodeID) { node(id)?.controller?.clearFaults(kind) }

    /// Kinds of the faults at work at a device's controller, in no order; empty for devices without one.
    public func faults(of id: NodeID) -> Set<Fault.Kind> {
        Set(node(id)?.controller?.faults.map(\.fault.kind) ?? [])
    }
}

// MARK: - Devices without a controller

extension VirtualAir {
    /// Adds a phone that sends from now on, by default one that stands at the origin; gives its number. Its keys and identifiers are of the civil
    /// time that ``epoch`` says now.
    @discardableResult
    public func addPhone(_ model: PhoneModel = PhoneModel(), path: MotionPath = MotionPath([])) -> NodeID {
        let node = add(path: path, transmitPower: model.transmitPower, isScripted: true)
        var phone = Phone(model, seed: seed(of: node.id), epoch: epoch, start: time)
        let beacon = makeAdvertiser(
            for: node.id, handle: 0, interval: max(20_000, model.interval.microseconds), address: phone.address)
        beacon.data = phone.data()
        node.script = .phone(phone)
        begin(node, beacon)
        return node.id
    }

    /// Adds something else that sends from now on; gives its number.
    ///
    /// - Parameters:
    ///   - data: The advertising data, at most 31 bytes; further ones are dropped.
    ///   - addressing: One address, or a new one now and then.
    ///   - interval: Less than 20 ms counts as that.
    ///   - kind: The kind of advertising, which says who may answer; a beacon by default.
    ///   - transmitPower: Power at the antenna, in dBm; not checked.
    ///   - path: By default it stands at the origin.
    public func addAdvertiser(
        data: [UInt8], addressing: Addressing, interval: Duration = .milliseconds(100),
        kind: AdvertisingKind = .nonConnectable, transmitPower: Int8 = -12, path: MotionPath = MotionPath([])
    ) -> NodeID {
        let node = add(path: path, transmitPower: transmitPower, isScripted: true)
        let script = RotatingAddress(addressing, seed: seed(of: node.id), start: time)
        let beacon = makeAdvertiser(
            for: node.id, handle: 0, interval: max(20_000, interval.microseconds), address: script.address)
        beacon.data = Array(data.prefix(31))
        beacon.kind = kind
        node.script = .advertiser(script)
        begin(node, beacon)
        return node.id
    }

    /// The keys of a phone, each for a whole day: those of every UTC day from its first to the present one, oldest first. Empty for everything
    /// else, and for a number that no device has.
    public func keys(of id: NodeID) -> [TemporaryExposureKey] {
        guard case .phone(let phone)? = node(id)?.script, let first = phone.interval(at: phone.start)?.day,
            let last = phone.interval(at: time)?.day, first <= last
        else { return [] }
        return (first...last).compactMap(phone.temporaryExposureKey)
    }

    private func begin(_ node: Node, _ beacon: Advertiser) {
        node.beacon = beacon
        start(beacon)
        scheduleRotation(of: node)
    }

    private func seed(of id: NodeID) -> UInt64 {
        var generator = SplitMix64(seed: seed ^ UInt64(id.rawValue) &* 0x9E6C_63D0_876A_68E5)
        return generator.next()
    }
}

// MARK: - Any device

extension VirtualAir {
    /// Devices in order of their numbers; empty without any.
    public var nodeIDs: [NodeID] { nodes.map(\.id) }

    /// Whether a device has this number now; false for one that was removed.
    public func contains(_ id: NodeID) -> Bool { node(id) != nil }

    /// Takes a device away for good and closes its connection; does nothing when there is none. Its number is not used
    /// again.
    public func remove(_ id: NodeID) {
        guard let node = node(id) else { return }
        node.controller?.disconnect()
        if let beacon = node.beacon { discard(beacon) }
        node.controller?.discardSets()
        news.removeAll { $0 == id }
        medium.forget(id)
        nodes.removeAll { $0.id == id }
        updateScanners()
    }

    /// Puts a device somewhere, in metres from the origin; it rests there. Ignored if there is none.
    public func move(_ id: NodeID, x: Double, y: Double) { setPath(MotionPath(x: x, y: y), of: id) }

    /// Lets a device walk; ignored if there is none. Times of the path are of the air.
    public func setPath(_ path: MotionPath, of id: NodeID) {
        node(id)?.path = path
        wakeEverybody()
    }

    /// Metres from the origin now; `nil` if there is no such device.
    public func position(of id: NodeID) -> (x: Double, y: Double)? { node(id)?.path.position(at: time) }

    /// Sets the power at the antenna, in dBm; not checked. A host that asked for less gets less. Ignored if there is no such device.
    public func setTransmitPower(_ power: Int8, of id: NodeID) {
        node(id)?.transmitPower = power
        wakeEverybody()
    }

    /// Sets the probability that a packet from or to this device is lost; held in 0 to 1. Ignored if there is no such device.
    public func setLoss(_ probability: Double, of id: NodeID) { node(id)?.loss = min(max(probability, 0), 1) }

    /// Sets the loss through the wearer's body in both directions, in dB; not checked. Ignored if there is no such device.
    public func setBodyLoss(_ decibel: Double, of id: NodeID) {
        node(id)?.bodyLoss = decibel
        wakeEverybody()
    }

    /// Pins the level between two devices in both directions, `rssi` in dBm, whatever their distance, power and bodies; `nil` unpins. The
    /// probability of loss and the sensitivity still count. Forgotten when one of them is removed.
    public func fix(_ one: NodeID, _ other: NodeID, rssi: Int8?) {
        medium.fix(one, other, rssi: rssi)
        wakeEverybody()
    }

    private func add(path: MotionPath, transmitPower: Int8, isScripted: Bool) -> Node {
        var number: Int
        repeat {
            if isScripted { lastScripted += 1 } else { lastController += 1 }
            number = isScripted ? lastScripted : lastController
        } while contains(NodeID(rawValue: number))
        let node = Node(id: NodeID(rawValue: number), path: path, transmitPower: transmitPower)
        nodes.insert(node, at: nodes.firstIndex { $0.id > node.id } ?? nodes.endIndex)
        return node
    }
}
