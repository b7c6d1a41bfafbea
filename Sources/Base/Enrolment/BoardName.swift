// SPDX-License-Identifier: Apache-2.0

/// The name by which a board is enrolled: its serial number. It is the common name and the serial number of its certificate's
/// subject.
public struct BoardName: Hashable, Sendable, CustomStringConvertible, Comparable {
    /// The name, 1 to 64 bytes.
    public let text: String

    /// Takes a name of 1 to 64 (X.520's bound) small letters, digits and dashes; `nil` for any other text.
    public init?(_ text: some StringProtocol) {
        guard (1...64).contains(text.utf8.count),
            text.utf8.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || $0 == 45 })
        else { return nil }
        self.text = String(text)
    }

    /// The name.
    public var description: String { text }
    /// Orders by bytes.
    public static func < (left: BoardName, right: BoardName) -> Bool { left.text < right.text }
}
