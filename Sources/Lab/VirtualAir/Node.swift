// SPDX-License-Identifier: Apache-2.0

/// A device in the room: a controller with its host, a phone, or a plain advertiser.
final class Node {
    let id: NodeID
    var path: MotionPath
    /// dBm at the antenna.
    var transmitPower: Int8
    /// Probability that a packet from or to here is lost, 0 to 1.
    var loss = 0.0
    /// dB that the wearer's body takes, in both directions.
    var bodyLoss = 0.0
    var controller: VirtualController?
    var script: Script?
    /// Of phones and plain advertisers.
    var beacon: Advertiser?

    init(id: NodeID, path: MotionPath, transmitPower: Int8) {
        self.id = id
        self.path = path
        self.transmitPower = transmitPower
    }

    /// What a device without a controller does.
    enum Script {
        case phone(Phone)
        /// Changes its address only, or never.
        case advertiser(RotatingAddress)
        /// Nothing: a person without one.
        case bystander
    }
}

/// An address that may change by the clock.
struct RotatingAddress {
    private var generator: SplitMix64
    private let period: Microseconds?
    private(set) var address: AirAddress
    private(set) var rotatesAt: Microseconds

    init(_ addressing: Addressing, seed: UInt64, start: Microseconds) {
        generator = SplitMix64(seed: seed)
        switch addressing {
        case .fixed(let address):
            self.address = address
            period = nil
            rotatesAt = .max
        case .rotating(let period):
            address = .nonResolvable(using: &generator)
            let length = max(1_000_000, period.microseconds)
            self.period = length
            rotatesAt = start + length
        }
    }

    mutating func catchUp(to now: Microseconds) -> Bool {
        guard let period, rotatesAt <= now else { return false }
        while rotatesAt <= now {
            address = .nonResolvable(using: &generator)
            rotatesAt += period
        }
        return true
    }
}

/// The address of an advertiser without a controller: always the same, or a new one from time to time.
public enum Addressing: Hashable, Sendable {
    /// Always this address.
    case fixed(AirAddress)
    /// A new random non-resolvable address after each `every` of the air's time; less than a second counts as one second.
    case rotating(every: Duration)
}
