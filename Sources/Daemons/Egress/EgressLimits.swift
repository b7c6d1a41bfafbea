// SPDX-License-Identifier: Apache-2.0

/// How much there may be of everything, and how long it may take.
public struct EgressLimits: Sendable {
    /// Connections of one caller that lead somewhere, or are on the way. Further ones are refused, and told so.
    public var connectionsPerCaller = 64
    /// Connections of one caller that have not said where to, or are being refused. Further ones wait in the listener.
    public var unservedPerCaller = 32
    /// Connections of all callers together; the system's limit on descriptors lowers it.
    public var connections = 512
    /// From connecting to the end of the request.
    public var request = Duration.seconds(10)
    /// Until a name has addresses. The resolver may go on for longer; nobody waits for it.
    public var resolution = Duration.seconds(10)
    /// Until one of the addresses has answered, and the proxy after it.
    public var connection = Duration.seconds(20)
    /// Until the next address is tried beside the ones that do not answer (RFC 8305, section 8).
    public var nextAddress = Duration.milliseconds(250)
    /// Without a byte in either direction. Longer than the keep-alive of any plugin.
    public var idle = Duration.seconds(1800)
    /// The same, once one side has said all.
    public var halfClosed = Duration.seconds(60)
    /// How long a side may not take what waits for it.
    public var stall = Duration.seconds(120)
    /// For a refused client to read its refusal.
    public var farewell = Duration.seconds(2)
    /// For connections to end by themselves when everything stops.
    public var stop = Duration.seconds(2)

    public init() {}
}
