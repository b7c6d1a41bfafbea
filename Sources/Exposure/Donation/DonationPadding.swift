// SPDX-License-Identifier: Apache-2.0

import KeyExport

/// Donations of one size: the field `requestPadding` of the message fills what the content leaves free. Corona-Warn-App has the
/// field and does not use it, so its donations tell by their length how many encounters are in them.
public enum DonationPadding {
    /// The length of each donation in bytes.
    public static let byteCount = 16_384
    /// The number of the field (`PPADataDevice.requestPadding`, as in Corona-Warn-App's messages).
    static let field = 1
    /// A field takes two bytes at least.
    public static let maximumContentByteCount = byteCount - 2

    /// The message with padding, exactly ``byteCount`` bytes; `nil` if the content has more than ``maximumContentByteCount``. The
    /// content has no padding of its own. The padding consists of zeros: what is sent is encrypted, and not compressed.
    public static func padded(_ content: [UInt8]) -> [UInt8]? {
        guard content.count <= maximumContentByteCount else { return nil }
        var writer = ProtobufWriter()
        var free = byteCount - content.count
        // The length of a padding of 128 bytes takes two bytes, so no single field is 130 long.
        if free == 130 {
            writer.data(field, [])
            free -= 2
        }
        writer.data(field, [UInt8](repeating: 0, count: free < 130 ? free - 2 : free - 3))
        return writer.bytes + content
    }
}
