// SPDX-License-Identifier: Apache-2.0

/// The conditions between devices: path loss, shadowing, sensitivity and losses.
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
    /// The standard deviation in dB of what comes and goes between two devices while people turn and reach for something,
    /// in addition to ``shadowing`` and with its rules; 0, for none, unless set. Not checked; a negative value counts as 0.
    public var briefShadowing = 0.0
    /// The seconds after which ``briefShadowing`` and ``burstLoss`` are drawn anew for a pair, at times that differ by pair;
    /// 60 unless set, less than the time between two scans. Less than a microsecond counts as one. Not checked.
    public var briefShadowingPeriod = 60.0
    /// The metres that two devices walk, added up, after which ``briefShadowing`` and ``burstLoss`` are drawn anew for the pair, besides
    /// the period; 0, for the period only, unless set. Not checked; a negative value counts as 0.
    public var briefShadowingMetres = 0.0
    /// The width in metres of everybody who stands between two devices and shades them; 0, for nobody, unless set. Everybody is who wears a
    /// controller or a phone, and bystanders. Who is within 0.3 m of one of the two devices is not between them, and of several at exactly
    /// the same place one counts. Not checked; a negative value counts as 0.
    public var bodyWidth = 0.0
    /// dB that all who stand between two devices take at most, because signals come over heads and from walls, too; 20 unless
    /// set. Not checked; a negative value counts as 0.
    public var mostBodyLoss = 20.0
    /// The probability, 0 to 1, that two devices hear nothing of each other for a whole ``briefShadowingPeriod``, however near;
    /// 0 unless set. Not checked.
    public var burstLoss = 0.0
    /// The probability, 0 to 1, that a packet is lost, whatever its level, in addition to the losses of sender and receiver; 0
    /// unless set. Not checked.
    public var packetLoss = 0.0
    /// The weakest level in dBm that a receiver hears; -96 unless set. Not checked. Our own choice.
    public var sensitivity: Double = -96
    /// By how much a packet must be above ``sensitivity``, as among other senders: the size of a number that is drawn for
    /// each packet from a near-Gaussian distribution with this standard deviation in dB. 0, for nothing, unless set. Not checked; a negative
    /// value counts as 0.
    public var noise = 0.0

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

    /// Whether people between two devices shade them.
    var hasBodies: Bool { bodyWidth > 0 && mostBodyLoss > 0 }

    /// Whether a near packet may be lost: then no encounter is so near that it cannot be missed.
    package var isLuckNeeded: Bool { packetLoss > 0 || burstLoss > 0 || noise > 0 }

    /// dB by which a level may be above the mean of its distance, whatever is drawn; people in between only take from it.
    package var greatestGain: Double {
        6 * pathLoss.fading + Medium.mostShadow * (max(0, shadowing) + max(0, briefShadowing))
    }
}
