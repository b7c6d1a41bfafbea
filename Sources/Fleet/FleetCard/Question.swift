// SPDX-License-Identifier: Apache-2.0

/// A question about one board; the cases are in the order of asking.
public enum Question: String, Sendable, CaseIterable {
    /// The question whether a person wears the board or it stands in a place.
    case use
    /// The question in which language the board's page starts.
    case language
    /// The question how the board gets its network address.
    case network
    /// The question which health authority the board follows.
    case authority
    /// The question whose SSH keys may log in to the board.
    case technician

    /// The number of the question in the order of asking, counted from 1.
    public var number: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }

    /// The option of `vigil-fleet` that answers the question, with the form of the answer in short.
    public var option: String {
        switch self {
        case .use: "--use person or place"
        case .language: "--language en, de, fr or de-simple"
        case .network: "--network automatic or \"ADDRESS/LENGTH GATEWAY NAMESERVER\""
        case .authority: "--authority FILE or none"
        case .technician: "--technician FILE or none"
        }
    }

    /// The question as a person at a terminal reads it, with the form of the answer.
    public var text: String {
        switch self {
        case .use: "1/5  Does a person wear it, or does it stand in a place? (person, place)"
        case .language: "2/5  Which language shall its page start in? (en, de, fr, de-simple)"
        case .network:
            "3/5  How does it get its address? (automatic, or ADDRESS/LENGTH GATEWAY NAMESERVER, such as 192.168.1.20/24 192.168.1.1 192.168.1.1)"
        case .authority: "4/5  Which health authority does it follow? (the file of the authority's profile, or none)"
        case .technician:
            "5/5  Whose SSH key may log in? (the file of a public key, such as ~/.ssh/id_ed25519.pub, or none)"
        }
    }
}
