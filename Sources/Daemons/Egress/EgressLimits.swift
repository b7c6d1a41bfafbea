// SPDX-License-Identifier: Apache-2.0

/// The limits of egress on numbers, bytes and times.
public struct EgressLimits: Sendable {
    /// The most connections of one caller that lead somewhere, or are on the way: 64, a choice of ours. Further ones are
    /// refused, and told so. Not checked.
    public var connectionsPerCaller = 64
    /// The most connections of one caller that have not said where to, or are being refused: 32, a choice of ours. Further
    /// ones wait in the listener. Not checked.
    public var unservedPerCaller = 32
    /// The most connections of all callers together: 512, a choice of ours for small boards; the system's limit on
    /// descriptors lowers it. Not checked.
    public var connections = 512
    /// The longest time from a client's connecting to the end of its request: 10 seconds, a choice of ours. Not checked.
    public var request = Duration.seconds(10)
    /// The longest time that a name may take to get addresses: 10 seconds, a choice of ours. The resolver may go on for
    /// longer; the caller is told already. Not checked.
    public var resolution = Duration.seconds(10)
    /// The longest time until one of the addresses has answered, and the proxy after it: 20 seconds, a choice of ours. Not
    /// checked.
    public var connection = Duration.seconds(20)
    /// The time that an address may take before the next one is tried beside it: a quarter of a second, as RFC 8305,
    /// section 8, recommends. Not checked.
    public var nextAddress = Duration.milliseconds(250)
    /// The longest time that a connection may be without a byte in either direction: half an hour, a choice of ours, longer
    /// than the keep-alive of any plugin. Not checked.
    public var idle = Duration.seconds(1800)
    /// The longest time that a connection may be without a byte once one side has said all: a minute, a choice of ours. Not
    /// checked.
    public var halfClosed = Duration.seconds(60)
    /// The longest time that a side may leave untaken what waits for it, before the connection is ended: two minutes, a
    /// choice of ours. Not checked.
    public var stall = Duration.seconds(120)
    /// The time that a refused client has to read its refusal: 2 seconds, a choice of ours. Not checked.
    public var farewell = Duration.seconds(2)
    /// The time that connections have to end by themselves when everything stops: 2 seconds, a choice of ours. Not checked.
    public var stop = Duration.seconds(2)

    /// The default numbers; each may be changed before use, and none is checked.
    public init() {}
}
