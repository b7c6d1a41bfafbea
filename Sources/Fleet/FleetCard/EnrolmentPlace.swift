// SPDX-License-Identifier: Apache-2.0

import Enrolment

/// Where boards enrol, as their device files say it.
public struct EnrolmentPlace: Hashable, Sendable {
    /// The longest file of certificates, in bytes.
    public static let maximumByteCount = 32_768

    /// The address of the EST server, without a slash at its end.
    public let address: String
    /// The certificates by which boards know that server, in PEM.
    public let anchor: String

    /// Takes an address of `https` and the certificates, as bytes of a file in PEM, that its server is checked by. `nil` for what a board
    /// would refuse.
    public init?(address: String, anchor: [UInt8]) {
        guard let text = String(validating: anchor, as: UTF8.self),
            EnrolmentOrder.fault(address: address, anchor: text) == nil
        else { return nil }
        (self.address, self.anchor) = (address, text)
    }
}
