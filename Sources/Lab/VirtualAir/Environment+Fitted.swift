// SPDX-License-Identifier: Apache-2.0

extension Environment {
    /// The air among real phones in the pockets of people who sit together, as `vigil-lab reality fit-air` (seed 1, 300 airs) found it for two
    /// scenes, lunch and train, of DP-3T/bt-measurements (18 phones, 30 July 2020; docs/reality.md says how well it holds for
    /// others). Levels are for a sender whose announced power is its own, as attenuations are: the captured phones count as -29 dBm.
    public static let fitted: Environment = {
        var environment = Environment()
        environment.pathLoss.rssiAtOneMetre = -54.66
        environment.pathLoss.exponent = 2.77
        environment.pathLoss.fading = 3.35
        environment.shadowing = 5.04
        // Who sits with whom, and how, lasts longer than half an hour.
        environment.shadowingPeriod = 3_600
        environment.briefShadowing = 5.08
        environment.packetLoss = 0.39
        environment.burstLoss = 0.02
        environment.sensitivity = -99.92
        environment.noise = 8.46
        return environment
    }()

    /// The same phones in an air that knows who stands in between (`vigil-lab reality fit-air --bodies`, seed 1, 400 airs, of the same two
    /// scenes). Nearer to them than ``fitted`` by its sum of squares, and to people who walk about; further off for people in an
    /// office. docs/reality.md has the figures.
    public static let bodies: Environment = {
        var environment = Environment.fitted
        environment.pathLoss.rssiAtOneMetre = -52.05
        environment.pathLoss.exponent = 1.88
        environment.pathLoss.fading = 3.22
        environment.shadowing = 5.5
        environment.briefShadowing = 4.31
        environment.packetLoss = 0.43
        environment.burstLoss = 0.05
        environment.sensitivity = -101.21
        environment.noise = 8.05
        environment.briefShadowingMetres = 1
        environment.bodyWidth = 0.27
        environment.mostBodyLoss = 16.32
        return environment
    }()
}
