// SPDX-License-Identifier: Apache-2.0

/// The conditions between devices: path loss, shadowing and sensitivity.
public struct Environment: Sendable {
    /// The level by distance for a sender of 0 dBm; the sender's power is added to it.
    public var pathLoss: PathLoss
    /// The standard deviation in dB of losses through bodies, walls and pockets between two devices, in addition to fading;
    /// 0, for none, unless set. A loss is limited to three deviations; it is the same in both directions and for all
    /// packets until it is drawn anew. Not checked; a negative value counts as 0.
    public var shadowing = 0.0
    /// The seconds after which the shadowing of a pair is drawn anew, at times that differ by pair; 300 unless set. Less
    /// than a microsecond counts as one. Not checked. Our own choice.
    public var shadowingPeriod = 300.0
    /// The weakest level in dBm that a receiver hears; -96 unless set. Not checked. Our own choice.
    public var sensitivity: Double = -96

    /// Creates an environment with 41 dB of loss at one metre, free space (exponent 2) and no fading, so that tests can
    /// predict levels: a sender of -12 dBm is received at -53, -59 and -71 dBm at 1, 2 and 8 m.
    public init() {
        pathLoss = PathLoss()
        pathLoss.rssiAtOneMetre = -41
        pathLoss.exponent = 2
        pathLoss.fading = 0
    }

    /// The room that NIST measured with Raspberry Pi 3 boards (see ``PathLoss``), whose power is taken for 0 dBm.
    public static let measured: Environment = {
        var environment = Environment()
        environment.pathLoss = PathLoss()
        return environment
    }()
}
