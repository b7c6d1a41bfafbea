// SPDX-License-Identifier: Apache-2.0

/// Text that costs no more to compare than its length.
///
/// Swift compares and hashes texts as Unicode means them: combining marks after a letter are put into an order first, and that takes a time that
/// grows with the square of their number. Whoever may send 64 KiB of marks would keep a process busy for minutes, with one comparison. So bytes from
/// elsewhere become text here, and text with more marks in a row than any language has is refused: Unicode's Stream-Safe Text Format (UAX #15,
/// section 13).
public enum StreamSafe {
    /// The most combining marks in a row, inclusive: 30, of UAX #15.
    public static let maximumMarks = 30

    /// The text that UTF-8 bytes are; `nil` if they are not UTF-8, or not ``isSafe(_:)``. Takes a time in proportion to their number.
    public static func decode(_ bytes: some Collection<UInt8>) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self), isSafe(text) else { return nil }
        return text
    }

    /// Whether the text has at most ``maximumMarks`` combining marks in a row. Takes a time in proportion to its length.
    public static func isSafe(_ text: some StringProtocol) -> Bool {
        // The first mark is U+0300, which begins with this byte: nearly all text ends here.
        guard text.utf8.contains(where: { $0 >= 0xCC }) else { return true }
        var row = 0
        for scalar in text.unicodeScalars {
            row = isMark(scalar) ? row + 1 : 0
            if row > maximumMarks { return false }
        }
        return true
    }

    /// Whether the character is put into an order with its neighbours: a canonical combining class other than 0, or made of such characters only.
    static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300 else { return false }
        // The three of class 0 whose decomposition begins with a mark (Unicode's Non_Starter_Decomposition; U+0344 has a class of its own).
        return scalar.properties.canonicalCombiningClass != .notReordered || [0xF73, 0xF75, 0xF81].contains(scalar.value)
    }
}
