// SPDX-License-Identifier: Apache-2.0

// Who wants to know what is on air, without anything being computed packet by packet.

extension VirtualAir {
    /// Calls `handler` whenever a device begins to send (``Broadcast/end`` is `nil`) and, with the same start, when it
    /// ends. First it is called for what is being sent now. The handler must not call this air.
    ///
    /// - Returns: The number for ``removeObserver(_:)``.
    @discardableResult
    public func addObserver(_ handler: @escaping (Broadcast) -> Void) -> Int {
        if observers.isEmpty {
            for node in nodes { catchUp(node) }
            for advertiser in slots { if let advertiser { noteChange(of: advertiser, isFirstObserver: true) } }
        }
        for advertiser in slots { if let broadcast = advertiser?.broadcast { handler(broadcast) } }
        let isFirst = observers.isEmpty
        lastObserver += 1
        observers.append((lastObserver, handler))
        if isFirst { for node in nodes { scheduleRotation(of: node) } }
        return lastObserver
    }

    /// Ends the calls to the observer of this number; ignored for an unknown number.
    public func removeObserver(_ number: Int) {
        observers.removeAll { $0.number == number }
        if observers.isEmpty { for advertiser in slots { advertiser?.broadcast = nil } }
    }

    /// To be called after every change of address, data or state.
    func noteChange(of advertiser: Advertiser, isFirstObserver: Bool = false) {
        guard isFirstObserver || !observers.isEmpty else { return }
        if let old = advertiser.broadcast {
            if advertiser.isOn, old.address == advertiser.address, old.data == advertiser.data { return }
            var ended = old
            ended.end = now
            advertiser.broadcast = nil
            for observer in observers { observer.handler(ended) }
        }
        guard advertiser.isOn else { return }
        let begun = Broadcast(
            node: advertiser.node, set: advertiser.handle, address: advertiser.address, data: advertiser.data, start: now,
            end: nil)
        advertiser.broadcast = begun
        for observer in observers { observer.handler(begun) }
    }

    /// Lets a device without a controller do what it should have done by now.
    func catchUp(_ node: Node) {
        guard let beacon = node.beacon else { return }
        switch node.script {
        case .phone(var phone):
            guard phone.rotatesAt <= time, phone.catchUp(to: time) else { return }
            beacon.address = phone.address
            beacon.data = phone.data()
            node.script = .phone(phone)
        case .advertiser(var script):
            guard script.rotatesAt <= time, script.catchUp(to: time) else { return }
            beacon.address = script.address
            node.script = .advertiser(script)
        case .bystander, nil: return
        }
        noteChange(of: beacon)
        // Here and not where the event is handled: whoever looks first in this moment moves the chain on, once.
        scheduleRotation(of: node)
    }

    func scheduleRotation(of node: Node) {
        guard !observers.isEmpty else { return }
        switch node.script {
        case .phone(let phone): queue.push(.rotate(node: node.id), at: phone.rotatesAt)
        case .advertiser(let script) where script.rotatesAt < .max: queue.push(.rotate(node: node.id), at: script.rotatesAt)
        case .advertiser, .bystander, nil: return
        }
    }
}
