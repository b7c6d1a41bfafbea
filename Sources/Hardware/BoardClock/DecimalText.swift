// SPDX-License-Identifier: Apache-2.0

/// Numbers as files of the kernel and of the run folder hold them.
enum DecimalText {
    /// Decimal digits only, within the range of the type.
    static func number(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }
}
