// SPDX-License-Identifier: Apache-2.0

/// The wearer's consent to one thing, once.
public struct Ticket: Sendable, Hashable {
    /// 128 random bits as 32 hexadecimal digits. Whoever holds it may redeem it: never log it.
    public let id: String
    /// What it is good for.
    public let purpose: String
    /// How presence was shown, such as `button`.
    public let presence: String
    /// Unix seconds.
    public let made: Int64
    /// Unix seconds; from then on it is no longer valid.
    public let expires: Int64
}
