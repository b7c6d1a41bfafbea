// SPDX-License-Identifier: Apache-2.0

/// The limits on sizes and counts, which keep the work of reading and judging small on the smallest board.
public enum Limits {
    /// The most bytes of a `plugin.json`: 64 KiB, our choice, ten times the largest one of this project.
    public static let manifestByteCount = 65_536
    /// The most bytes of a `grants.json`: 256 KiB, our choice, 8 KiB for each of the 32 plugins.
    public static let grantsByteCount = 262_144
    /// The most bytes of an interface text: 48 KiB, because the text has to fit into a message of 64 KiB, escaped as JSON.
    public static let interfaceByteCount = 49_152
    /// The most plugins on a board, granted or not: 32, our choice, for boards with 512 MB of memory.
    public static let plugins = 32
    /// The most ``EffectiveGrants/Edge``s of all callers of a board together, one for each interface that a caller may
    /// call: 128, our choice, four for each plugin. A caller's edges to one provider share a socket, which needs a
    /// descriptor in the supervisor and one in the provider.
    public static let edges = 128
    /// The most interfaces that one plugin provides: 8, our choice; no plugin of this project has more than one.
    public static let provided = 8
    /// The most interfaces that one plugin calls: 16, our choice; the web page, which calls the most, calls 10.
    public static let wanted = 16
    /// The most methods of one interface that one plugin calls: 64, our choice; no plugin of this project calls more than
    /// 16.
    public static let methods = 64
    /// The most named endpoints of one plugin: 8, our choice.
    public static let endpoints = 8
    /// The most addresses of one named endpoint: 16, our choice.
    public static let addresses = 16
    /// The most destinations, pairs of host and port, that may be granted to one plugin: 64, the limit of egress
    /// (`AllowList.maximumCount`).
    public static let destinations = 64
    /// The most bytes of a list in one message to a process, with commas between its elements: a plugin's destinations as
    /// egress is told them, or the methods of one provider that it may call. Such a message has at most 4,096 bytes
    /// (`ControlMessage.maximumByteCount`), of which the rest is for its other values.
    public static let listByteCount = 3_072
    /// The most sockets on which one plugin listens: 4, our choice.
    public static let listens = 4
    /// The most devices of one plugin: 4, our choice.
    public static let devices = 4
    /// The most groups of lines of one plugin: there are two, lights and buzzer.
    public static let lines = 2
    /// The most settings of one plugin, and the most fields of one element of a list: 64, our choice; the largest schema of
    /// this project has 20.
    public static let settings = 64
    /// The most elements of a list of settings: 256, our choice.
    public static let settingElements = 256
    /// The most characters of one text among the settings: 4,096, our choice, enough for a certificate in PEM.
    public static let settingLength = 4_096
    /// The most bytes of all settings of one plugin, as JSON: 32 KiB, half of the message of 64 KiB in which they are sent.
    public static let settingsByteCount = 32_768
    /// The most values that one setting can be chosen from: 64, our choice.
    public static let choices = 64

    /// The permitted numbers of seconds between two starts of a plugin with a schedule: a minute to 31 days, our choice.
    public static let schedule: ClosedRange<Int64> = 60...2_678_400
    /// The permitted numbers of seconds between two signs of life: 5 to 3,600, our choice. Less would keep a board awake,
    /// more would find a hang too late.
    public static let heartbeat: ClosedRange<Int64> = 5...3_600
    /// The permitted quotas of memory in bytes: 1 MiB, which an empty process needs, to 4 GiB, more than any board has.
    public static let memory: ClosedRange<Int64> = 1_048_576...4_294_967_296
    /// The permitted quotas of bytes on disk, or on the tmpfs of the spool: 0 to 16 GiB, more memory than any board has.
    public static let storage: ClosedRange<Int64> = 0...17_179_869_184
    /// The permitted quotas of processes and threads together, as the kernel counts them: 1 to 256, our choice.
    public static let processes: ClosedRange<Int64> = 1...256
}
