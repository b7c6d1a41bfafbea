// SPDX-License-Identifier: Apache-2.0

/// What has to be known of one board, in the order of asking.
public enum Question: String, Sendable, CaseIterable {
    /// Whether a person wears it, or it stands in a place.
    case use
    /// The language that its page starts in.
    case language
    /// How it gets its address.
    case network
    /// Which health authority it follows.
    case authority
    /// Who may log in to it.
    case technician

    /// The question as a person at a terminal reads it: one English line with its number of five and the form of the answer.
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
