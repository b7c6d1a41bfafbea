// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import PrivacyPass

/// What a device sends in the place of requests and donations when it has no consent: as long, as often, and answered by as many bytes, so that who sees the network
/// does not tell who donates. Servers know it by the type of token 0x0000, which RFC 9577 reserves, keep nothing of it and count it.
public enum DonationCover {
    private static let type: [UInt8] = [0, 0]

    /// A request in the place of one for a token of this key, as long as ``PrivacyPass/TokenRequest``. Cannot fail.
    public static func request(_ key: TokenKey, using random: inout some RandomNumberGenerator) -> [UInt8] {
        type + [key.truncatedID] + bytes(TokenRequest.responseByteCount, &random)
    }

    /// The request that evidence beside cover binds, in the place of the one that is sent: a device does not keep what it sends as cover.
    public static let provenRequest: [UInt8] = []

    /// The last byte of the key's name in such a request, from anywhere; `nil` if it is none.
    public static func truncatedKeyID(ofRequest bytes: [UInt8]) -> UInt8? {
        bytes.count == TokenRequest.byteCount && bytes.starts(with: type) ? bytes[2] : nil
    }

    /// An issuer's answer to such a request. Cannot fail.
    public static func answer(using random: inout some RandomNumberGenerator) -> [UInt8] {
        bytes(TokenRequest.responseByteCount, &random)
    }

    /// The value of `Authorization` in the place of a token, as long as ``PrivacyPass/PrivateTokenScheme/authorization(_:)``. Cannot fail.
    public static func authorization(using random: inout some RandomNumberGenerator) -> String {
        PrivateTokenScheme.authorization(of: type + bytes(Token.byteCount - type.count, &random))
    }

    /// Whether the value of `Authorization`, from anywhere, is such a one.
    public static func isAuthorization(_ value: some StringProtocol) -> Bool {
        guard let bytes = PrivateTokenScheme.tokenBytes(inAuthorization: value) else { return false }
        return bytes.count == Token.byteCount && bytes.starts(with: type)
    }

    /// What is sent in the place of a donation: ``DonationPadding/byteCount`` bytes.
    public static let body = [UInt8](repeating: 0, count: DonationPadding.byteCount)

    private static func bytes(_ count: Int, _ random: inout some RandomNumberGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
}
