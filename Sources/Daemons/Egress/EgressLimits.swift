// SPDX-License-Identifier: Apache-2.0

/// The limits of egress on numbers, bytes and times.
public struct EgressLimits: Sendable {
    /// The most connections of one caller that are open or being made: 64, our choice. Further ones are refused with a
    /// reply. Not checked.
    public var connectionsPerCaller = 64
    /// The most connections of one caller that have not sent their request, or are being refused: 32, our choice. Further
    /// ones wait in the listener. Not checked.
    public var unservedPerCaller = 32
    /// The most connections of all callers together: 512, a choice of ours for small boards; the system's limit on
    /// descriptors lowers it. Further ones wait in the listener. Not checked.
    public var connections = 512
    /// The longest time from a client's connecting to the end of its request: 10 seconds, a choice of ours. Not checked.
    public var request = Duration.seconds(10)
    /// The longest time for resolving a name: 10 seconds, our choice. The resolver may take longer, but the caller is
    /// refused then. Not checked.
    public var resolution = Duration.seconds(10)
    /// The longest time until one of the addresses, and the proxy behind it, has answered: 20 seconds, our choice. Not
    /// checked.
    public var connection = Duration.seconds(20)
    /// The time after which the next address is tried in parallel: a quarter of a second, as RFC 8305, section 8,
    /// recommends. Not checked.
    public var nextAddress = Duration.milliseconds(250)
    /// The longest time that a connection may be without a byte in either direction: half an hour, a choice of ours, longer
    /// than the keep-alive of any plugin. Not checked.
    public var idle = Duration.seconds(1800)
    /// The longest time without a byte after one side has closed its direction: a minute, our choice. Not checked.
    public var halfClosed = Duration.seconds(60)
    /// The longest time without a byte in either direction while a side leaves bytes unread; then the connection is
    /// closed. Two minutes, our choice. Not checked.
    public var stall = Duration.seconds(120)
    /// The time that a refused client has to read the reply: 2 seconds, our choice. Not checked.
    public var farewell = Duration.seconds(2)
    /// The time that connections have to end by themselves when the service stops: 2 seconds, our choice. Not checked.
    public var stop = Duration.seconds(2)

    /// Creates the default limits; each may be changed before use, and none is checked.
    public init() {}
}
