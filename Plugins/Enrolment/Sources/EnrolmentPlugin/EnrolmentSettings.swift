// SPDX-License-Identifier: Apache-2.0

import Enrolment

/// The plugin's settings, which plugin.json describes: what the card's device file says of enrolment. `vigil-fleet` writes both.
public struct EnrolmentSettings: Decodable, Sendable {
    /// The board's name.
    var board: String
    /// The address of the EST server.
    var address: String
    /// The certificates by which that server is known, in PEM, one each.
    var anchor: [String]
    /// The digest of the claim.
    var claimHash: String

    /// Throws `otherBoard` for a name that no board has, and `noServer`.
    func order() throws(EnrolmentError) -> EnrolmentOrder {
        guard let name = BoardName(board) else { throw EnrolmentError(.otherBoard, "the setting “board” is no name") }
        return try EnrolmentOrder(
            name: name, address: address, anchor: anchor.joined(separator: "\n"), claimDigest: claimHash)
    }
}
