// SPDX-License-Identifier: Apache-2.0

public import Poster

/// The reason why no label was made; the card itself is not affected.
public enum LabelFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code could not be drawn, or what was drawn does not say what it should say when it is read back.
    case noCode(PosterError)
    /// The text, given here in printable form, is not a size of labels.
    case noSize(String)
    /// The text, given here in printable form, is no paper for labels.
    case noPaper(String)
    /// What was given is no code of a board. It is not repeated.
    case noSecret
    /// What was given as the place of the page is no address of 1 to 60 bytes of ASCII.
    case noPage

    /// An English sentence for the operator: what is wrong, and what to do.
    public var description: String {
        switch self {
        case .noCode(let error):
            "There is no code for the label, and nothing was written. \(error) Or leave out --label, and write label.txt on the label."
        case .noSecret:
            "Standard input has no code of a board: 16 letters and digits, such as `vigil ctl access make wearer --json` prints. A secret that somebody chose goes on no label."
        case .noPage: "Give the address of the page as it is typed, such as 192.168.7.1:8443."
        case .noPaper(let text): "\(text) is no paper for labels. There is \(LabelSize.names) for rolls, and a4 for sheets."
        case .noSize(let text): "\(text) is no size of label. There is \(LabelSize.names)."
        }
    }
}
