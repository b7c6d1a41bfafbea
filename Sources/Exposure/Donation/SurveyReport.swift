// SPDX-License-Identifier: Apache-2.0

/// What a device sends for a survey: the digest of its ``SurveySecret``, and nothing else. One size for all.
public enum SurveyReport {
    /// The length of a digest in bytes.
    public static let digestByteCount = 32

    /// The content, without padding. Cannot fail.
    public static func content(_ digest: [UInt8]) -> [UInt8] {
        var message = SurveyDevice()
        message.passwordDigest = digest
        return message.encoded
    }

    /// The digest of a body, from anywhere; `nil` unless it has exactly ``DonationPadding/byteCount`` bytes and a digest of ``digestByteCount``.
    public static func digest(ofBody body: [UInt8]) -> [UInt8]? {
        guard body.count == DonationPadding.byteCount else { return nil }
        return digest(of: body)
    }

    /// The digest of a content, with padding or without. `nil` as for a body.
    public static func digest(of content: [UInt8]) -> [UInt8]? {
        guard let message = SurveyDevice(decoding: content), message.passwordDigest.count == digestByteCount else {
            return nil
        }
        return message.passwordDigest
    }
}

/// What is sent for a survey (our own message): `requestPadding` as in donations, and the digest.
struct SurveyDevice: DonationMessage {
    var requestPadding: [UInt8] = []
    var passwordDigest: [UInt8] = []

    init() {}

    static var fields: [MessageField<Self>] { [.bytes(1, \.requestPadding), .bytes(2, \.passwordDigest)] }
}
