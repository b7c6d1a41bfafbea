// SPDX-License-Identifier: Apache-2.0

public import CivilTime

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

    /// As ``content(of:)``, of a donation that comes on `today`; `nil` also for what no board can have written: other levels and minutes, encounters of days that are long over or to come, tests,
    /// submissions, people's data, dates of the risk. Numbers that nobody looks at would be room for whatever a sender wants to leave.
    public static func content(of body: [UInt8], on today: UTCDay) -> [UInt8]? {
        guard let content = content(of: body), let donation = PPADataDevice(decoding: content),
            DonationLimits.canBeOfBoard(donation, on: today)
        else { return nil }
        return content
    }
}
