// SPDX-License-Identifier: Apache-2.0

import CGPIO
import Glibc
import SystemCalls

/// Lines that were asked for together: lights and a buzzer to set, or a button to hear. Reaches these lines and no others, whoever has it.
///
/// Not for use from two threads at a time. Closes the descriptor in the end, and the kernel lets go of the lines when nobody has one any more.
public final class LineSet {
    public let descriptor: Int32
    /// What was set last; `nil` at first, when the kernel has all of them off.
    private var bits: UInt64?

    /// Takes the descriptor over.
    public init(adopting descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Lets the lines of `mask` be on where `bits` has a one, by their place in the request; asks the kernel only when that changes something.
    public func set(_ bits: UInt64, of mask: UInt64) throws(LineFailure) {
        let wanted = bits & mask
        guard wanted != self.bits else { return }
        let result = vigil_lines_set(descriptor, wanted, mask)
        guard result == 0 else { throw LineFailure(.system, number: -result, "The lines cannot be set") }
        self.bits = wanted
    }

    /// Whether the first line is on; `nil` where that cannot be read: then the first edge tells.
    public var isActive: Bool? {
        var bits: UInt64 = 0
        return vigil_lines_get(descriptor, 1, &bits) == 0 ? bits & 1 != 0 : nil
    }

    /// What a button's line did.
    public struct Edge: Sendable, Hashable {
        public let isActive: Bool
        /// Since it happened.
        public let age: Duration
    }

    /// Everything that has happened since the last call, oldest first, a few hundred at most. Throws when nothing will come any more.
    public func takeEdges() throws(LineFailure) -> [Edge] {
        var edges: [Edge] = []
        while edges.count < 256 {
            var edge = vigil_line_edge()
            switch vigil_lines_next_edge(descriptor, &edge) {
            case 1: edges.append(Edge(isActive: edge.is_active != 0, age: .nanoseconds(Int64(clamping: edge.age))))
            case -EAGAIN: return edges
            case let result: throw LineFailure(.system, number: -result, "The button cannot be heard")
            }
        }
        return edges
    }
}

/// Why lines cannot be had or used. Equal by code and number.
public struct LineFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        /// No chip has that name or label.
        case noChip
        /// The chip has no such line.
        case noLine
        /// Somebody has a line already: another program, or a driver of the kernel's.
        case busy
        /// The system refuses.
        case system
    }

    public let code: Code
    /// `errno`; 0 where it does not matter.
    public let number: Int32
    private let words: String

    init(_ code: Code, number: Int32 = 0, _ words: String) {
        self.code = code
        self.number = number
        self.words = words
    }

    public static func == (one: Self, other: Self) -> Bool { one.code == other.code && one.number == other.number }
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(number)
    }

    public var description: String { number == 0 ? "\(words)." : "\(words): \(SystemCall.text(number))." }
}
