// SPDX-License-Identifier: Apache-2.0

/// The reason why the desk's list is not changed.
public enum PoolFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was said does not follow on what is known of this token; with an English clause that says why, and what to do.
    case refused(BoardSerial, String)
    /// The inventory does not know this token.
    case unknown(BoardSerial)
    /// Words that are no serial number; they are not repeated, because they may name somebody.
    case noSerial(position: Int)
    /// The proof of a wipe cannot be used; with an English sentence that says why.
    case noProof(String)

    public var description: String {
        switch self {
        case .refused(let serial, let clause): "\(serial) \(clause). Nothing was noted."
        case .unknown(let serial):
            "\(serial) is not in this inventory. Take its serial number from its label; `vigil-fleet pool add` takes a token into the pool. Nothing was noted."
        case .noSerial(let position):
            "Word \(position) is no serial number such as vg-7k3m-q0r1x. The list takes no names and no notes: it must not say who has a token. Nothing was noted."
        case .noProof(let sentence): "\(sentence) Nothing was noted."
        }
    }
}
