// SPDX-License-Identifier: Apache-2.0

/// The space between the devices: loss, shadowing and sensitivity.
public struct Environment: Sendable {
    /// Level by distance for a sender with 0 dBm; other powers are added.
    public var pathLoss: PathLoss
    /// Deviation in dB of what stands between two devices, beside fading: bodies, walls, pockets. The same in both
    /// directions and for all packets, until it is drawn anew; three deviations at most. 0 unless set; 0 and less are none.
    /// Not checked.
    public var shadowing = 0.0
    /// Seconds after which a pair's shadowing is drawn anew, at moments of the pair's own. 300 unless set, our own choice;
    /// less than a microsecond counts as one. Not checked.
    public var shadowingPeriod = 300.0
    /// Weakest level in dBm that a receiver hears; -96 unless set, our own choice. Not checked.
    public var sensitivity: Double = -96

    /// 41 dB of loss at one metre, free space (exponent 2), no fading: numbers that tests can predict. A sender of -12 dBm is
    /// seen at -53, -59 and -71 dBm from 1, 2 and 8 m.
    public init() {
        pathLoss = PathLoss()
        pathLoss.rssiAtOneMetre = -41
        pathLoss.exponent = 2
        pathLoss.fading = 0
    }

    /// The room that NIST measured with Raspberry Pi 3 boards (see ``PathLoss``), taking theirs for 0 dBm.
    public static let measured: Environment = {
        var environment = Environment()
        environment.pathLoss = PathLoss()
        return environment
    }()
}
