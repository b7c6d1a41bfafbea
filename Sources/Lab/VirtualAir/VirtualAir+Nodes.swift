// SPDX-License-Identifier: Apache-2.0

public import GAEN

// MARK: - Controllers and their hosts

extension VirtualAir {
    /// Switches a controller on, connects its host, and returns the controller's number. The controller rests at the
    /// origin.
    public func attach(_ model: ControllerModel) -> NodeID {
        let node = add(path: MotionPath([]), transmitPower: model.transmitPower, isScripted: false)
        node.controller = VirtualController(model, id: node.id, air: self)
        return node.id
    }

    /// Passes bytes from the host to its controller: H4 packets of commands (0x01) and data (0x02, which are
    /// dropped), split anywhere; any other type closes the connection. Ignored when no host is connected, and for a
    /// device without a controller.
    public func write(_ bytes: [UInt8], to id: NodeID) { node(id)?.controller?.receive(bytes) }

    /// Returns the bytes that the controller has sent to its host since the last call: H4 packets. Empty if there are none,
    /// and for a device without a controller.
    public func takeOutput(of id: NodeID) -> [UInt8] { node(id)?.controller?.takeOutput() ?? [] }

    /// Returns the number of bytes that ``takeOutput(of:)`` would return; 0 for a device without a controller. Cannot fail.
    public func outputCount(of id: NodeID) -> Int { node(id)?.controller?.outputCount ?? 0 }

    /// Returns whether a host is connected to the controller; `false` for a device without a controller.
    public func isConnected(_ id: NodeID) -> Bool { node(id)?.controller?.isConnected ?? false }

    /// Disconnects the host. The controller loses its state as after a reset, and stays in the air. Ignored for a device
    /// without a controller.
    public func detach(_ id: NodeID) { node(id)?.controller?.disconnect() }

    /// Connects the host again, and returns whether that succeeded. It fails during ``Fault/Kind/vanish``, when a host is
    /// connected already, and when there is no such controller.
    public func reattach(_ id: NodeID) -> Bool { node(id)?.controller?.connect() ?? false }

    /// Interrupts the power of the controller for a moment: its state is lost, the connection drops, and
    /// ``Fault/Kind/deaf`` ends if it has a ``Fault/cure``. Other faults stay. The host must be connected again with
    /// ``reattach(_:)``. Ignored for a device without a controller.
    public func powerCycle(_ id: NodeID) { node(id)?.controller?.powerCycle() }

    /// Gives the controller a fault that begins now. Faults of different kinds add up; a new fault replaces an
    /// earlier one of its kind. ``Fault/Kind/lostScan`` and ``Fault/Kind/noise`` happen at once and leave no fault.
    /// Ignored for a device without a controller.
    public func apply(_ fault: Fault, to id: NodeID) { node(id)?.controller?.apply(fault) }

    /// Ends the faults of this kind at a device's controller, or all its faults if `kind` is `nil`. Ignored for a device
    /// without a controller.
    public func clearFaults(_ kind: Fault.Kind? = nil, of id: NodeID) { node(id)?.controller?.clearFaults(kind) }

    /// Returns the kinds of the faults that a device's controller has now; empty for a device without a controller.
    public func faults(of id: NodeID) -> Set<Fault.Kind> {
        Set(node(id)?.controller?.faults.map(\.fault.kind) ?? [])
    }
}

// MARK: - Devices without a controller

extension VirtualAir {
    /// Adds a phone that sends from now on, and returns its number. By default it rests at the origin. Its keys and
    /// identifiers follow from the present value of ``epoch``.
    @discardableResult
    public func addPhone(_ model: PhoneModel = PhoneModel(), path: MotionPath = MotionPath([])) -> NodeID {
        let node = add(path: path, transmitPower: model.transmitPower, isScripted: true)
        var phone = Phone(model, seed: seed(of: node.id), epoch: epoch, start: time)
        let beacon = makeAdvertiser(
            for: node.id, handle: 0, interval: max(20_000, model.interval.microseconds), address: phone.address)
        beacon.data = phone.data()
        beacon.kind = model.kind
        node.script = .phone(phone)
        begin(node, beacon)
        return node.id
    }

    /// Adds an advertiser without a controller, which sends from now on, and returns its number.
    ///
    /// - Parameters:
    ///   - data: The advertising data; bytes beyond 31 are dropped.
    ///   - addressing: The address: always the same, or a new one from time to time.
    ///   - interval: The time between two advertisements; less than 20 ms counts as 20 ms.
    ///   - kind: The kind of advertising, which says who may answer; a beacon by default.
    ///   - transmitPower: The power at the antenna in dBm; not checked.
    ///   - path: The movement; by default the advertiser rests at the origin.
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

    /// Adds somebody without a device, who sends and hears nothing but stands between others (``Environment/bodyWidth``), and returns the
    /// number. By default they rest at the origin.
    @discardableResult
    public func addBystander(path: MotionPath = MotionPath([])) -> NodeID {
        let node = add(path: path, transmitPower: 0, isScripted: true)
        node.script = .bystander
        return node.id
    }

    /// Returns the keys of a phone, each for a whole UTC day, from its first day to the present one, oldest first. Empty
    /// for any other device, and if no device has this number.
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
    /// The numbers of all devices, in ascending order.
    public var nodeIDs: [NodeID] { nodes.map(\.id) }

    /// Returns whether a device has this number now; `false` for one that was removed.
    public func contains(_ id: NodeID) -> Bool { node(id) != nil }

    /// Removes a device for good and closes its connection; its number is not used again. Does nothing if there is no such
    /// device.
    public func remove(_ id: NodeID) {
        guard let node = node(id) else { return }
        node.controller?.disconnect()
        if let beacon = node.beacon { discard(beacon) }
        node.controller?.discardSets()
        news.removeAll { $0 == id }
        medium.forget(id)
        nodes.removeAll { $0.id == id }
        crowd.forget()
        updateScanners()
    }

    /// Moves a device to a place, in metres from the origin, where it rests. Ignored if there is no such device.
    public func move(_ id: NodeID, x: Double, y: Double) { setPath(MotionPath(x: x, y: y), of: id) }

    /// Sets the movement of a device, in times of the air. Ignored if there is no such device.
    public func setPath(_ path: MotionPath, of id: NodeID) {
        node(id)?.path = path
        crowd.forget()
        wakeEverybody()
    }

    /// Returns the present place of a device in metres from the origin; `nil` if there is no such device.
    public func position(of id: NodeID) -> (x: Double, y: Double)? { node(id)?.path.position(at: time) }

    /// Sets the greatest power at the device's antenna in dBm; not checked. A host can ask for less. Ignored if there is no
    /// such device.
    public func setTransmitPower(_ power: Int8, of id: NodeID) {
        node(id)?.transmitPower = power
        wakeEverybody()
    }

    /// Sets the probability that a packet from or to a device is lost, limited to 0 to 1. Ignored if there is no such
    /// device.
    public func setLoss(_ probability: Double, of id: NodeID) { node(id)?.loss = min(max(probability, 0), 1) }

    /// Sets the loss through the wearer's body in dB, in both directions; not checked. Ignored if there is no such device.
    public func setBodyLoss(_ decibel: Double, of id: NodeID) {
        node(id)?.bodyLoss = decibel
        wakeEverybody()
    }

    /// Fixes the level between two devices, in both directions, at `rssi` dBm, whatever their distance, powers and bodies;
    /// `nil` ends that. The probability of loss and the sensitivity still apply. It also ends when one of the devices is
    /// removed.
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
        crowd.forget()
        nodes.insert(node, at: nodes.firstIndex { $0.id > node.id } ?? nodes.endIndex)
        return node
    }
}
