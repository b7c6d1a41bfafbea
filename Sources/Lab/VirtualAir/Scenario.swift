// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GAEN

/// A plan of phones, places and faults in virtual time: a JSON file (`docs/virtual-air.md`).
public struct Scenario: Decodable, Sendable {
    /// Changes to an air's environment; a member that is `nil` changes nothing.
    public struct EnvironmentChange: Decodable, Sendable {
        /// An environment to begin with, before the other members apply.
        public enum Air: String, Decodable, Sendable, CaseIterable {
            /// That of a new ``Environment``.
            case plain
            /// ``Environment/measured``.
            case measured
            /// ``Environment/fitted``.
            case fitted
            /// ``Environment/bodies``.
            case bodies

            /// The environment of this name.
            public var environment: Environment {
                switch self {
                case .plain: Environment()
                case .measured: .measured
                case .fitted: .fitted
                case .bodies: .bodies
                }
            }
        }

        /// The environment that replaces the present one; `nil` to begin with the present one.
        public var air: Air?
        /// The loss in dB at one metre from a sender of 0 dBm, 0 to 127; `nil` for no change.
        public var pl0: Double?
        /// The exponent of the path loss, 0 to 10; `nil` for no change.
        public var n: Double?
        /// The standard deviation of fading in dB, 0 to 40; `nil` for no change.
        public var sigma: Double?
        /// The standard deviation of shadowing in dB, 0 to 40; `nil` for no change.
        public var shadow: Double?
        /// The weakest level in dBm that a receiver hears, -127 to 20; `nil` for no change.
        public var floor: Double?
        /// The seconds after which shadowing is drawn anew, 0.001 to 1,000,000,000; `nil` for no change.
        public var shadowPeriod: Double?
        /// The standard deviation of brief shadowing in dB, 0 to 40; `nil` for no change.
        public var brief: Double?
        /// The seconds after which brief shadowing and bursts are drawn anew, 0.001 to 1,000,000,000; `nil` for no change.
        public var briefPeriod: Double?
        /// The metres walked after which they are, too, 0 for the seconds only, to 1,000,000; `nil` for no change.
        public var briefMetres: Double?
        /// The width in metres of everybody between two devices, 0 for nobody, to 2; `nil` for no change.
        public var bodyWidth: Double?
        /// dB that all of them take at most, 0 to 127; `nil` for no change.
        public var bodyMost: Double?
        /// The probability of hearing nothing for such a time, 0 to 1; `nil` for no change.
        public var burst: Double?
        /// The probability that a packet is lost, 0 to 1; `nil` for no change.
        public var lost: Double?
        /// The standard deviation in dB of what a packet needs above `floor`, 0 to 40; `nil` for no change.
        public var noise: Double?

        /// Creates a change of nothing.
        public init() {}
    }

    /// A phone of the scenario, or several phones with the same properties.
    public struct PhoneEntry: Decodable, Sendable {
        /// The form of a phone's advertisements: with flags as iOS sends them, or without as Android does.
        public enum Form: String, Decodable, Sendable { case ios, android }
        /// The form of the advertisements; `nil` means `android`.
        public var form: Form?
        /// The power at the antenna in dBm, -128 to 127; `nil` means -12.
        public var tx: Int8?
        /// The loss through the owner's body in dB, in both directions, -100 to 100; `nil` means 0.
        public var body: Double?
        /// The probability that a packet from or to the phone is lost, 0 to 1; `nil` means 0.
        public var loss: Double?
        /// The seconds between two advertisements, 0.02 to 10.24; `nil` means 0.25.
        public var interval: Double?
        /// The kinds of packets that phones send.
        public enum PacketKind: String, Decodable, Sendable { case nonConnectable, scannable }
        /// The kind of the packets; `nil` means `nonConnectable`.
        public var pdu: PacketKind?
        /// The form of the addresses; `nil` means `nonResolvable`.
        public var address: PhoneModel.AddressForm?
        /// The waypoints, each of three numbers: seconds of the air (0 to 1,000,000,000), and two coordinates in metres
        /// (-1,000,000 to 1,000,000). With `nil` or none the phone rests at the origin.
        public var path: [[Double]]?
        /// The time in seconds of the air at which the phone appears, 0 to 1,000,000,000; `nil` for the beginning.
        public var from: Double?
        /// The time in seconds of the air at which the phone disappears, 0 to 1,000,000,000; at once if it is not after
        /// ``from``. `nil` for never.
        public var until: Double?
        /// The number of such phones, 1 to 10,000, all in the same place; `nil` means 1.
        public var count: Int?
    }

    /// The place and properties of one controller, applied when its host connects.
    public struct HostEntry: Decodable, Sendable {
        /// The number of the controller, from 1 in the order in which hosts connect; not checked. Of two entries with the
        /// same number the first counts.
        public var id: Int
        /// The power at the antenna in dBm, -128 to 127; `nil` means that of the model.
        public var tx: Int8?
        /// The loss through the wearer's body in dB, in both directions, -100 to 100; `nil` means 0.
        public var body: Double?
        /// The probability that a packet from or to the controller is lost, 0 to 1; `nil` means 0.
        public var loss: Double?
        /// The waypoints, each of three numbers: seconds of the air (0 to 1,000,000,000), and two coordinates in metres
        /// (-1,000,000 to 1,000,000). With `nil` or none the controller rests at the origin.
        public var path: [[Double]]?
    }

    /// A fault of one controller, with the time at which it begins.
    public struct FaultEntry: Decodable, Sendable {
        /// The time in seconds of the air at which the fault begins, 0 to 1,000,000,000.
        public var at: Double
        /// The number of the controller; the entry is ignored if there is no such controller at that time.
        public var id: Int
        /// The kind of the fault: the raw value of a ``Fault/Kind``; anything else is refused.
        public var kind: String
        /// The duration in seconds, 0 to 1,000,000,000; with `nil` the fault lasts until it is cleared or cured. Ignored
        /// for `lostScan` and `noise`, which happen once.
        public var seconds: Double?
        /// The strength of the fault as in ``Fault/rate``, limited to the range of its kind; `nil` means 100.
        public var rate: Int?
        /// The measure that ends the fault early: the raw value of a ``Fault/Cure``, anything else is refused; `nil` for
        /// none. Ignored for other kinds than `deaf`.
        public var cure: String?
    }

    /// The civil time at the beginning in Unix seconds, 0 to 4,102,444,800; `nil` for that of the air.
    public var epoch: Int64?
    /// The changes to the air's environment; `nil` for none.
    public var environment: EnvironmentChange?
    /// The phones that are present or appear later; `nil` for none.
    public var phones: [PhoneEntry]?
    /// The controllers with another place or other properties than usual; `nil` for none.
    public var hosts: [HostEntry]?
    /// The faults of controllers; `nil` for none.
    public var faults: [FaultEntry]?

    /// Reads a scenario from the bytes of a JSON file and checks it; unknown members are ignored. Throws
    /// ``VirtualAirError/Code/invalidScenario`` with the first fault: the bytes are not JSON, a member is missing or has
    /// another type, a number is out of range, or a word is unknown.
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

    /// Puts the epoch, environment, phones and faults of the scenario into `air`; ``hosts`` are applied by
    /// ``place(_:in:)``. To be called only once, before time passes.
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

    /// Applies the entry in ``hosts`` to a controller that has just been attached; does nothing if there is no entry for
    /// it.
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
        if entry.pdu == .scannable { model.kind = .scannable }
        model.address = entry.address ?? model.address
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
        try Limits.period.check(shadowPeriod, "shadowPeriod")
        try Limits.fading.check(brief, "brief")
        try Limits.period.check(briefPeriod, "briefPeriod")
        try Limits.metres.check(briefMetres, "briefMetres")
        try Limits.width.check(bodyWidth, "bodyWidth")
        try Limits.loss.check(bodyMost, "bodyMost")
        try Limits.share.check(burst, "burst")
        try Limits.share.check(lost, "lost")
        try Limits.fading.check(noise, "noise")
    }

    /// Applies the members that are not `nil` to the environment of `air`.
    package func apply(to air: VirtualAir) {
        var environment = self.air?.environment ?? air.environment
        if let pl0 { environment.pathLoss.rssiAtOneMetre = -pl0 }
        if let n { environment.pathLoss.exponent = n }
        if let sigma { environment.pathLoss.fading = sigma }
        if let shadow { environment.shadowing = shadow }
        if let floor { environment.sensitivity = floor }
        if let shadowPeriod { environment.shadowingPeriod = shadowPeriod }
        if let brief { environment.briefShadowing = brief }
        if let briefPeriod { environment.briefShadowingPeriod = briefPeriod }
        if let briefMetres { environment.briefShadowingMetres = briefMetres }
        if let bodyWidth { environment.bodyWidth = bodyWidth }
        if let bodyMost { environment.mostBodyLoss = bodyMost }
        if let burst { environment.burstLoss = burst }
        if let lost { environment.packetLoss = lost }
        if let noise { environment.noise = noise }
        air.environment = environment
    }
}
