// SPDX-License-Identifier: Apache-2.0

/// The plugin's settings, which plugin.json describes. The servers' addresses are not among them: each step of the core has its own, out of the signed
/// document.
public struct DonationSettings: Decodable, Sendable {
    /// PEM of the certificate authorities to believe; the system's if absent.
    var authorities: String?
    /// SHA-256 of servers' public keys in Base64.
    var pins: [String]?
    /// Whether `http` is permitted: for tests.
    var plainHTTP: Bool?
}
