// SPDX-License-Identifier: Apache-2.0

/// Why there is no code or no poster. Says nothing of the text that was to be drawn.
public enum PosterError: String, Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The text is empty, has a NUL, or is longer than a QR code can hold.
    case unfit
    /// The code that was drawn does not say the text, so it is not offered.
    case unreadable
    /// The words have characters that the fonts of every PDF reader lack; the SVG has them.
    case noFont
    /// There was no memory for it.
    case noMemory

    /// An English sentence: what is wrong, and what to do.
    public var description: String {
        switch self {
        case .unfit: "This text does not fit into a QR code; a shorter name and address make a shorter one."
        case .unreadable:
            "The code that was drawn could not be read back, so it is not offered. Try again, and report it if it stays so."
        case .noFont: "The words have letters that a PDF cannot show here; print the SVG instead, which a browser opens."
        case .noMemory: "There is no memory for it now; try again in a minute."
        }
    }
}
