// SPDX-License-Identifier: Apache-2.0

public import Poster

/// The reason why no label was made; the card itself is not affected.
public enum LabelFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code could not be drawn, or what was drawn does not say what it should say when it is read back.
    case noCode(PosterError)
    /// The text, given here in printable form, is not a size of labels.
    case noSize(String)

    /// An English sentence for the operator: what is wrong, and what to do.
    public var description: String {
        switch self {
        case .noCode(let error):
            "There is no code for the label, and nothing was written. \(error) Or leave out --label, and write label.txt on the label."
        case .noSize(let text): "\(text) is no size of label. There is \(LabelSize.names)."
        }
    }
}
