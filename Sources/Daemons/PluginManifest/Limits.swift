// SPDX-License-Identifier: Apache-2.0

/// The limits on sizes and counts, so that reading and judging stay small on the smallest board.
public enum Limits {
    /// The most bytes of a `plugin.json`, a choice of ours: ten times the largest of this tree.
    public static let manifestByteCount = 65_536
    /// The most bytes of a `grants.json`, a choice of ours: 8 KiB for each of the 32 plugins.
    public static let grantsByteCount = 262_144
    /// The most bytes of an interface text: it has to fit a message of 64 KiB, escaped as JSON.
    public static let interfaceByteCount = 49_152
    /// The most plugins on a board, granted or not; a choice of ours, for boards with 512 MB.
    public static let plugins = 32
    /// The most ``EffectiveGrants/Edge``s of all callers of a board together, one for each interface that a caller may call. Those to one provider
    /// share a socket, which is one in the supervisor and one in the provider. A choice of ours, four for each plugin.
    public static let edges = 128
    /// The most interfaces that one plugin provides; a choice of ours, and no plugin of this tree has more than one.
    public static let provided = 8
    /// The most interfaces that one plugin calls; a choice of ours, and the page, which calls most, has 10.
    public static let wanted = 16
    /// The most methods of one interface that one plugin calls; a choice of ours, and no plugin of this tree calls more than 16.
    public static let methods = 64
    /// The most names of endpoints of one plugin; a choice of ours.
    public static let endpoints = 8
    /// The most addresses behind one such name; a choice of ours.
    public static let addresses = 16
    /// The most destinations, pairs of host and port, that one plugin may be granted in all: as many as egress takes (`AllowList.maximumCount`).
    public static let destinations = 64
    /// The most bytes of what one message to a process lists, with commas between: a plugin's destinations as egress is told, or the methods that it
    /// may call of one provider. Such a message has 4,096 bytes at most (`ControlMessage.maximumByteCount`); the rest is for its other values.
    public static let listByteCount = 3_072
    /// The most sockets of one plugin that listen on the network; a choice of ours.
    public static let listens = 4
    /// The most devices of one plugin; a choice of ours.
    public static let devices = 4
    /// The most groups of lines of one plugin: there are two, lights and buzzer.
    public static let lines = 2
    /// The most settings of one plugin, and of one element of a list; a choice of ours, and the largest schema of this tree has 20.
    public static let settings = 64
    /// The most elements of a list of settings; a choice of ours.
    public static let settingElements = 256
    /// The most characters of one text among the settings; a choice of ours, so that a certificate in PEM fits.
    public static let settingLength = 4_096
    /// The most bytes of all settings of one plugin, as JSON: half of a message of 64 KiB, in which they travel.
    public static let settingsByteCount = 32_768
    /// The most words that one setting can be chosen from; a choice of ours.
    public static let choices = 64

    /// Seconds between two starts of a plugin that has a schedule, both ends included: a minute to 31 days, a choice of
    /// ours.
    public static let schedule: ClosedRange<Int64> = 60...2_678_400
    /// Seconds between two signs of life, both ends included: sooner would keep a board awake, later would find a hang too late. A choice of
    /// ours.
    public static let heartbeat: ClosedRange<Int64> = 5...3_600
    /// Bytes of memory, both ends included: from 1 MiB, which an empty process needs, to 4 GiB, more than any board has.
    public static let memory: ClosedRange<Int64> = 1_048_576...4_294_967_296
    /// Bytes on disk, or on the tmpfs of the spool: none to 16 GiB, more than any board has in memory.
    public static let storage: ClosedRange<Int64> = 0...17_179_869_184
    /// Processes and threads together, as the kernel counts them; both ends included. A choice of ours.
    public static let processes: ClosedRange<Int64> = 1...256
}
