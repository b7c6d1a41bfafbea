// SPDX-License-Identifier: Apache-2.0

/// The lights of a board, with the colour of each: one light, two, or the three of one lamp.
public struct Lights: Sendable, Hashable {
    /// The colour of each light, in the order of the lines; lights after the 64th are never lit. White for a light whose
    /// colour does not matter.
    public let colours: [Colour]

    /// Creates the lights of a board; no colours for a board without lights.
    ///
    /// - Parameter colours: The colour of each line, in the order of the lines; at most 64, the bits of a mask, which is
    ///   not checked.
    public init(_ colours: [Colour]) { self.colours = colours }

    /// All lights, as a bit for each in the order of the lines, the lowest for the first; 0 only where there is no light at all.
    public var all: UInt64 { colours.indices.reduce(0) { $0 | 1 << UInt64($1) } }

    /// The lights for that colour, as a bit for each in the order of the lines, the lowest for the first. Never none where there is a light: a
    /// board with one light of any colour shows everything with it, and one with red and green shows blue with both. 0 only where there is no light
    /// at all.
    public func mask(for colour: Colour) -> UInt64 {
        let part = Array(colours.enumerated())
        let fitting = part.filter { colour.isSuperset(of: $0.element) || $0.element.isSuperset(of: colour) }
        let chosen = fitting.isEmpty ? part : fitting
        return chosen.reduce(0) { $0 | 1 << UInt64($1.offset) }
    }
}
