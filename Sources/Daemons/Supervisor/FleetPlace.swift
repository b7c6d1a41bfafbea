// SPDX-License-Identifier: Apache-2.0

import JSON

/// Which board of which fleet this is: `fleet` of `vigil.json`, as a card made by `vigil-fleet plan` has it (docs/fleet.md).
public struct FleetPlace: Sendable, Equatable {
    /// The serial number, such as `vg-7k3m-q0r1x`: 1 to 64 small letters, digits and dashes.
    public let board: String
    /// The group of boards that it belongs to, 1 to 32 such characters; `nil` for none.
    public let group: String?
    /// Whether the board takes only cards with a device file that it can verify.
    public let takesSignedOnly: Bool

    /// What is wrong with the field.
    struct Fault: Error { let description: String }

    /// Creates a place of these values, which are not checked.
    init(board: String, group: String? = nil, takesSignedOnly: Bool = false) {
        (self.board, self.group, self.takesSignedOnly) = (board, group, takesSignedOnly)
    }

    init(_ object: JSON.Object) throws(Fault) {
        var (board, group, takesSignedOnly): (String?, String?, Bool) = (nil, nil, false)
        for member in object.members {
            switch (member.name, member.value) {
            case ("board", .string(let text)):
                guard Self.isName(text, most: 64) else {
                    throw Fault(description: "board: 1 to 64 small letters, digits and dashes")
                }
                board = text
            case ("group", .string(let text)):
                guard Self.isName(text, most: 32) else {
                    throw Fault(description: "group: 1 to 32 small letters, digits and dashes")
                }
                group = text
            case ("signedCards", .bool(let flag)): takesSignedOnly = flag
            default: throw Fault(description: "\(member.name): there is board, group, signedCards")
            }
        }
        guard let board else { throw Fault(description: "board is needed: the serial number") }
        self.init(board: board, group: group, takesSignedOnly: takesSignedOnly)
    }

    private static func isName(_ text: String, most: Int) -> Bool {
        (1...most).contains(text.utf8.count)
            && text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
    }
}
