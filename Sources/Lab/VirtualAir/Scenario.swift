// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GAEN

/// A plan of phones, places and faults in virtual time: a JSON file (`docs/virtual-air.md`).
public struct Scenario: Decodable, Sendable {
    /// Changes to an air's environment; members that are `nil` leave it as it is.
    public struct EnvironmentChange: Decodable, Sendable {
        /// Loss in dB at one metre of a sender of 0 dBm, 0 to 127; `nil` leaves it.
        public var pl0: Double?
        /// Exponent of the path loss, 0 to 10; `nil` leaves it.
        public var n: Double?
        /// Standard deviation of fading in dB, 0 to 40; `nil` leaves it.
        public var sigma: Double?
        /// Standard deviation of shadowing in dB, 0 to 40; `nil` leaves it.
        public var shadow: Double?
        /// Weakest level in dBm that a receiver hears, -127 to 20; `nil` leaves it.
        public var floor: Double?
    }

    /// A phone of the scenario, or several alike.
    public struct PhoneEntry: Decodable, Sendable {
        /// The form of a phone's advertisements: with flags as iOS, or without as Android.
        public enum Form: String, Decodable, Sendable { case ios, android }
        /// The form of its advertisements; `nil` means `android`.
        public var form: Form?
        /// Power at the antenna, in dBm, any that fits; `nil` means -12.
        public var tx: Int8?
        /// Loss through the owner's body in both directions, in dB, -100 to 100; `nil` means 0.
        public var body: Double?
        /// Probability that a packet from or to it is lost, 0 to 1; `nil` means 0.
        public var loss: Double?
        /// Time between two advertisements, in seconds, 0.02 to 10.24; `nil` means 0.25.
        public var interval: Double?
        /// Waypoints of three numbers: seconds of the air (0 to 1,000,000,000), metres, metres (either way up to 1,000,000). `nil` and none rest at
        /// the origin.
        public var path: [[Double]]?
        /// The time when it comes, in seconds of the air, 0 to 1,000,000,000; `nil` for the beginning.
        public var from: Double?
        /// The time when it goes, in seconds of the air, 0 to 1,000,000,000; one that is not after ``from`` lets it go at once. `nil` for never.
        public var until: Double?
        /// The number of such phones, 1 to 10,000; each of them rests or walks in the same place. `nil` means 1.
        public var count: Int?
    }

    /// Place and properties of the controller of one number, set when its host connects.
    public struct HostEntry: Decodable, Sendable {
        /// Number of the controller, by the order in which hosts connect, from 1 on; not checked. Of two entries with one number the first counts.
        public var id: Int
        /// Power at the antenna, in dBm, any that fits; `nil` means the model's.
        public var tx: Int8?
        /// Loss through the wearer's body in both directions, in dB, -100 to 100; `nil` means 0.
        public var body: Double?
        /// Probability that a packet from or to it is lost, 0 to 1; `nil` means 0.
        public var loss: Double?
        /// Waypoints of three numbers: seconds of the air (0 to 1,000,000,000), metres, metres (either way up to 1,000,000). `nil` and none rest at
        /// the origin.
        public var path: [[Double]]?
    }

    /// A fault of one controller at one time.
    public struct FaultEntry: Decodable, Sendable {
        /// The time when it begins, in seconds of the air, 0 to 1,000,000,000.
        public var at: Double
        /// Number of the controller; one that is not there then is passed over.
        public var id: Int
        /// The kind of fault: raw value of a ``Fault/Kind``, anything else is refused.
        public var kind: String
        /// The length in seconds, 0 to 1,000,000,000; `nil` until it is cleared or cured. Ignored for `lostScan` and
        /// `noise`, which happen once.
        public var seconds: Double?
        /// The strength of the fault, as ``Fault/rate``, and held in the range of its kind; `nil` means 100.
        public var rate: Int?
        /// Raw value of a ``Fault/Cure``, anything else is refused; `nil` for none. Ignored for other kinds than `deaf`.
        public var cure: String?
    }

    /// Civil time at the beginning, Unix seconds, 0 to 4,102,444,800; `nil` leaves the air's own.
    public var epoch: Int64?
    /// Changes to the air's environment; `nil` for none.
    public var environment: EnvironmentChange?
    /// Phones that are there or come later; `nil` for none.
    public var phones: [PhoneEntry]?
    /// Controllers whose place or power is not the usual one; `nil` for none.
    public var hosts: [HostEntry]?
    /// Faults of controllers, and their times; `nil` for none.
    public var faults: [FaultEntry]?

    /// Reads a JSON file from its bytes and checks it; members that do not exist are passed over. Throws ``VirtualAirError/Code/invalidScenario``
    /// with the first thing that is wrong: it is no JSON, a member is missing or has another type, a number is out of range, a word is unknown.
    public init(json: [UInt8]) throws(VirtualAirError) {
        do {
            self = try JSONDecoder().decode(Scenario.self, from: Data(json))
        } catch {
            throw VirtualAirError(.invalidScenario, JSONProblem.text(error))
        }
        try check()
    }

    private func check() throws(VirtualAirError) {
        func refuse(_ text: String) -> VirtualAirError { VirtualAirError(.invalidScenario, text) }
        do {
            if let epoch { try Limits.epoch.check(Double(epoch), "epoch") }
            try environment?.check()
            for phone in phones ?? [] {
                _ = try Limits.path(phone.path)
                try Limits.time.check(phone.from, "from")
                try Limits.time.check(phone.until, "until")
                try Limits.decibel.check(phone.body, "body")
                try Limits.share.check(phone.loss, "loss")
                try Limits.interval.check(phone.interval, "interval")
                try Limits.count.check(phone.count.map { Double($0) }, "count")
            }
            for host in hosts ?? [] {
                _ = try Limits.path(host.path)
                try Limits.decibel.check(host.body, "body")
                try Limits.share.check(host.loss, "loss")
            }
            for fault in faults ?? [] {
                try Limits.time.check(fault.at, "at")
                _ = try Fault(kind: fault.kind, seconds: fault.seconds, rate: fault.rate, cure: fault.cure)
            }
        } catch {
            throw refuse("\(error)")
        }
    }

    /// Puts everything of the scenario into `air`. To be called once, before time moves.
    public func begin(in air: VirtualAir) {
        if let epoch { air.epoch = epoch }
        environment?.apply(to: air)
        for phone in phones ?? [] {
            for _ in 0..<(phone.count ?? 1) {
                guard let from = phone.from else {
                    Self.add(phone, to: air)
                    continue
                }
                air.schedule(at: .seconds(from)) { Self.add(phone, to: $0) }
            }
        }
        for entry in faults ?? [] {
            guard let fault = try? Fault(kind: entry.kind, seconds: entry.seconds, rate: entry.rate, cure: entry.cure)
            else { continue }
            air.schedule(at: .seconds(entry.at)) { $0.apply(fault, to: NodeID(rawValue: entry.id)) }
        }
    }

    /// Puts a controller that has just been attached in its place; does nothing for one that is not in ``hosts``.
    public func place(_ id: NodeID, in air: VirtualAir) {
        guard let host = (hosts ?? []).first(where: { $0.id == id.rawValue }) else { return }
        if let tx = host.tx { air.setTransmitPower(tx, of: id) }
        if let body = host.body { air.setBodyLoss(body, of: id) }
        if let loss = host.loss { air.setLoss(loss, of: id) }
        if let path = try? Limits.path(host.path) { air.setPath(path, of: id) }
    }

    @discardableResult
    static func add(_ entry: PhoneEntry, to air: VirtualAir) -> NodeID {
        var model = PhoneModel()
        model.form = entry.form == .ios ? .withFlags : .withoutFlags
        model.transmitPower = entry.tx ?? model.transmitPower
        if let interval = entry.interval { model.interval = .seconds(interval) }
        let id = air.addPhone(model, path: (try? Limits.path(entry.path)) ?? MotionPath([]))
        if let body = entry.body { air.setBodyLoss(body, of: id) }
        if let loss = entry.loss { air.setLoss(loss, of: id) }
        if let until = entry.until { air.schedule(at: .seconds(until)) { $0.remove(id) } }
        return id
    }
}

extension Scenario.EnvironmentChange {
    /// Throws `invalidRequest` with the first number that is out of range.
    package func check() throws(VirtualAirError) {
        try Limits.loss.check(pl0, "pl0")
        try Limits.exponent.check(n, "n")
        try Limits.fading.check(sigma, "sigma")
        try Limits.fading.check(shadow, "shadow")
        try Limits.level.check(floor, "floor")
    }

    /// Sets the members that are given; leaves the others as they are.
    package func apply(to air: VirtualAir) {
        if let pl0 { air.environment.pathLoss.rssiAtOneMetre = -pl0 }
        if let n { air.environment.pathLoss.exponent = n }
        if let sigma { air.environment.pathLoss.fading = sigma }
        if let shadow { air.environment.shadowing = shadow }
        if let floor { air.environment.sensitivity = floor }
    }
}
