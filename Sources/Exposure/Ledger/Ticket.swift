// SPDX-License-Identifier: Apache-2.0

/// The wearer's consent to one thing, once.
public struct Ticket: Sendable, Hashable {
    /// 128 random bits as 32 hexadecimal digits, lower case. Whoever holds it may redeem it: never log it.
    public let id: String
    /// Name of the one thing it is good for; 1 to 128 bytes.
    public let purpose: String
    /// The way in which presence was shown, such as `button`; 1 to 128 bytes.
    public let presence: String
    /// The time when it was made, Unix seconds.
    public let made: Int64
    /// The time when it ends, Unix seconds, after ``made``; from then on it is no longer valid.
    public let expires: Int64
}
