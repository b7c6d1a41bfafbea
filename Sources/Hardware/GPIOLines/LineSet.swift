// SPDX-License-Identifier: Apache-2.0

import CGPIO
import Glibc
import SystemCalls

/// Lines that were asked for together: lights and a buzzer to set, or a button to hear. Reaches these lines and no others, whoever has it.
///
/// Not for use from two threads at a time. Closes the descriptor in the end, and the kernel lets go of the lines when nobody has one any more.
public final class LineSet {
    /// The kernel's descriptor of the lines, owned by this object; of a button's it becomes readable when something happened. Closed when this is
    /// released.
    public let descriptor: Int32
    /// What was set last; `nil` at first, when the kernel has all of them off.
    private var last: (bits: UInt64, mask: UInt64)?

    /// Takes over a descriptor of lines that were asked for, perhaps by another process, and closes it in the end. What it
    /// is is not checked: calls on anything else throw.
    public init(adopting descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Lets the lines of `mask` be on where `bits` has a one, by their place in the request from bit 0, and the other lines of `mask` off. Asks the
    /// kernel only when that differs from the last call. Throws `system` when the kernel refuses.
    public func set(_ bits: UInt64, of mask: UInt64) throws(LineFailure) {
        let wanted = bits & mask
        if let last, last == (wanted, mask) { return }
        let result = vigil_lines_set(descriptor, wanted, mask)
        guard result == 0 else { throw LineFailure(.system, number: -result, "The lines cannot be set") }
        last = (wanted, mask)
    }

    /// Whether the first line is on, with active-low taken into account; `nil` where that cannot be read: then the first edge tells.
    public var isActive: Bool? {
        var bits: UInt64 = 0
        return vigil_lines_get(descriptor, 1, &bits) == 0 ? bits & 1 != 0 : nil
    }

    /// A change of a button's line, and its age.
    public struct Edge: Sendable, Hashable {
        /// Whether the line is on since then: the button was pressed.
        public let isActive: Bool
        /// Time since it happened, by the kernel's clock; not negative.
        public let age: Duration
    }

    /// All changes since the last call, oldest first, 256 at most; empty when nothing has. Never waits. Throws `system`
    /// when nothing will come any more; what was read before in the same call is lost then.
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

/// The reason why lines cannot be had or used. Equal by code and number.
public struct LineFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Kinds of failure. Raw values are stable.
    public enum Code: String, Sendable, CaseIterable {
        /// No chip has that name or label.
        case noChip
        /// The chip has no such line.
        case noLine
        /// Another program, or a driver of the kernel's, has a line already.
        case busy
        /// The system refuses the request; ``LineFailure/number`` has its `errno`.
        case system
    }

    /// The reason why the lines cannot be had or used.
    public let code: Code
    /// The system's `errno`, above 0; 0 where it does not matter.
    public let number: Int32
    private let words: String

    init(_ code: Code, number: Int32 = 0, _ words: String) {
        self.code = code
        self.number = number
        self.words = words
    }

    /// Compares code and number; the words do not count.
    public static func == (one: Self, other: Self) -> Bool { one.code == other.code && one.number == other.number }
    /// Hashes code and number, as equality has it.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(number)
    }

    /// A sentence for logs and technicians, with the labels of chips and the system's own words.
    public var description: String { number == 0 ? "\(words)." : "\(words): \(SystemCall.text(number))." }
}
