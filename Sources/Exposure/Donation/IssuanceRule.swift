// SPDX-License-Identifier: Apache-2.0

/// How an issuer answers a request whose evidence holds: one token for each device and key, and the same answer to the same
/// request. The caller keeps the requests that it has answered, and writes a new one down before it signs.
public struct IssuanceRule: Sendable, Hashable {
    /// The answer to a request.
    public enum Answer: Sendable, Hashable {
        /// Write the request down, then sign it.
        case issue
        /// Sign it again: the signature will be the same, so a lost answer costs no token.
        case issueAgain
        /// The device may not have tokens any more.
        case refuseRevoked
        /// The device has had its tokens of this key. A device that is cut off repeats itself, so two devices share a key, or
        /// somebody wants more than their share: tell the operator.
        case refuseQuota
    }

    /// The most different requests of one device for one key, 1 or more.
    public let quota: Int

    /// Creates a rule; a quota below 1 counts as 1.
    public init(quota: Int = 1) { self.quota = max(1, quota) }

    /// The answer to a request.
    ///
    /// - Parameters:
    ///   - blindedMessage: What shall be signed.
    ///   - earlier: The blinded messages that this device has had signed by this key.
    ///   - isRevoked: Whether the device may not have tokens any more.
    public func answer(to blindedMessage: [UInt8], earlier: [[UInt8]], isRevoked: Bool) -> Answer {
        if isRevoked { return .refuseRevoked }
        if earlier.contains(blindedMessage) { return .issueAgain }
        return earlier.count < quota ? .issue : .refuseQuota
    }
}
