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

    /// All lights, one bit for each in the order of the lines, the lowest bit for the first; 0 only if the board
    /// has no light. Lights after the 64th have no bit.
    public var all: UInt64 { colours.indices.reduce(0) { $0 | 1 << UInt64($1) } }

    /// Returns the lights for a colour, one bit for each in the order of the lines, the lowest bit for the first:
    /// all lights whose colour contains it or is a part of it; all lights of the board if there is none of these.
    /// So a board with one light of any colour shows everything with it, and one with red and green shows blue with
    /// both. 0 only if the board has no light. Cannot fail.
    public func mask(for colour: Colour) -> UInt64 {
        let part = Array(colours.enumerated())
        let fitting = part.filter { colour.isSuperset(of: $0.element) || $0.element.isSuperset(of: colour) }
        let chosen = fitting.isEmpty ? part : fitting
        return chosen.reduce(0) { $0 | 1 << UInt64($1.offset) }
    }
}
