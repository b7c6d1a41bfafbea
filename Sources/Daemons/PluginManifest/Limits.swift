// SPDX-License-Identifier: Apache-2.0

/// How much there may be of everything, so that reading and judging stay small on the smallest board.
public enum Limits {
    /// Bytes of a `plugin.json`.
    public static let manifestByteCount = 65_536
    /// Bytes of a `grants.json`.
    public static let grantsByteCount = 262_144
    /// Bytes of an interface text; it has to fit a message.
    public static let interfaceByteCount = 49_152
    /// Plugins on a board, granted or not.
    public static let plugins = 32
    /// Pairs of caller and provider on a board: each is a socket in the supervisor and in the provider.
    public static let edges = 128
    /// Interfaces that one plugin provides.
    public static let provided = 8
    /// Interfaces that one plugin calls.
    public static let wanted = 16
    /// Methods of one interface that one plugin calls.
    public static let methods = 64
    /// Names of endpoints of one plugin.
    public static let endpoints = 8
    /// Addresses behind one such name.
    public static let addresses = 16
    /// Sockets of one plugin that listen on the network.
    public static let listens = 4
    /// Devices of one plugin.
    public static let devices = 4
    /// Groups of lines of one plugin: lights, buzzer.
    public static let lines = 2
    /// Settings of one plugin, and of one element of a list.
    public static let settings = 64
    /// Elements of a list of settings.
    public static let settingElements = 256
    /// Characters of one text among the settings.
    public static let settingLength = 4_096
    /// Bytes of all settings of one plugin.
    public static let settingsByteCount = 32_768
    /// Words that one setting can be chosen from.
    public static let choices = 64

    /// Seconds between two starts of a plugin that has a schedule: a minute to 31 days.
    public static let schedule: ClosedRange<Int64> = 60...2_678_400
    /// Seconds between two signs of life.
    public static let heartbeat: ClosedRange<Int64> = 5...3_600
    /// Bytes of memory: what an empty process needs, to more than any board has.
    public static let memory: ClosedRange<Int64> = 1_048_576...4_294_967_296
    /// Bytes on disk, or on the tmpfs of the spool.
    public static let storage: ClosedRange<Int64> = 0...17_179_869_184
    /// Processes and threads together, as the kernel counts them.
    public static let processes: ClosedRange<Int64> = 1...256
}
