// SPDX-License-Identifier: Apache-2.0

/// The reason why there is no code or no poster. Contains nothing of the text to draw.
public enum PosterError: String, Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The text is empty, contains a NUL, or does not fit into a QR code of level ``QRCode/Level/low``.
    case unfit
    /// The code that was made does not read back as the text, so it is not returned.
    case unreadable
    /// The words contain a character outside Windows-1252, which the fonts of every PDF reader have; the SVG shows
    /// it.
    case noFont
    /// No memory was left to make the code.
    case noMemory

    /// A sentence or two in English: what is wrong, and what to do.
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
