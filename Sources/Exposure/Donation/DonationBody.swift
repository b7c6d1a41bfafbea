// SPDX-License-Identifier: Apache-2.0

/// What a donation server reads and keeps.
public enum DonationBody {
    /// The content of a board's donation, from anywhere, without its padding and without fields that are not known; `nil` unless the body
    /// has exactly ``DonationPadding/byteCount`` bytes, is a `PPADataDevice`, and keeps the limits of its lists.
    ///
    /// A donation has one content: that of the content, padded again, is the same.
    public static func content(of body: [UInt8]) -> [UInt8]? {
        guard body.count == DonationPadding.byteCount, var donation = PPADataDevice(decoding: body),
            DonationLimits.areKept(by: donation)
        else { return nil }
        donation.requestPadding = []
        return donation.encoded
    }
}
