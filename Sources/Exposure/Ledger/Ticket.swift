// SPDX-License-Identifier: Apache-2.0

/// The wearer's consent to one action, which can be used once.
public struct Ticket: Sendable, Hashable {
    /// The id of the ticket: 128 random bits as 32 hexadecimal digits in lower case. Every holder of the id may
    /// redeem the ticket, so it must never be logged.
    public let id: String
    /// The name of the action that the ticket allows; 1 to 128 bytes.
    public let purpose: String
    /// The way in which the wearer's presence was shown, such as `button`; 1 to 128 bytes.
    public let presence: String
    /// The time at which the ticket was made, in Unix seconds.
    public let made: Int64
    /// The time from which the ticket is no longer valid, in Unix seconds; after ``made``.
    public let expires: Int64
}
