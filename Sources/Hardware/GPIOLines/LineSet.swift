// SPDX-License-Identifier: Apache-2.0

import CGPIO
import Glibc
import SystemCalls

/// Lines that were requested together: lights and a buzzer to switch, or a button to read. A process with this object can
/// reach these lines only.
///
/// Not thread-safe. Closes its descriptor when it is released; the kernel releases the lines when no process has a
/// descriptor for them.
public final class LineSet {
    /// The kernel's descriptor for the lines, owned by this object and closed when it is released. For a button it becomes
    /// readable when the line changes.
    public let descriptor: Int32
    /// What was set last; `nil` at first, when the kernel has all of them off.
    private var last: (bits: UInt64, mask: UInt64)?

    /// Takes over the descriptor of lines that were requested, perhaps by another process, and closes it when the object is
    /// released. The descriptor is not checked: if it is anything else, later calls throw.
    public init(adopting descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Switches the lines of `mask` on where `bits` has a one and off elsewhere; other lines stay as they are. Bit 0 is the
    /// first line of the request. Does not call the kernel if both arguments equal those of the last call. Throws `system`
    /// if the kernel refuses.
    public func set(_ bits: UInt64, of mask: UInt64) throws(LineFailure) {
        let wanted = bits & mask
        if let last, last == (wanted, mask) { return }
        let result = vigil_lines_set(descriptor, wanted, mask)
        guard result == 0 else { throw LineFailure(.system, number: -result, "The lines cannot be set") }
        last = (wanted, mask)
    }

    /// Whether the first line is on, with its polarity taken into account; `nil` if it cannot be read, so that only the
    /// next change tells.
    public var isActive: Bool? {
        var bits: UInt64 = 0
        return vigil_lines_get(descriptor, 1, &bits) == 0 ? bits & 1 != 0 : nil
    }

    /// A change of a button's line, with its age.
    public struct Edge: Sendable, Hashable {
        /// Whether the line is on after the change, which means that the button was pressed.
        public let isActive: Bool
        /// The time since the change by the kernel's clock, 0 or more.
        public let age: Duration
    }

    /// Returns the changes since the last call, oldest first, at most 256; empty if there were none. Does not wait. Throws
    /// `system` if the kernel reports an error, after which no changes can be expected; changes read earlier in the same
    /// call are lost.
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

/// The reason why lines cannot be requested or used. Two failures are equal if their code and number are.
public struct LineFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure. Raw values are stable.
    public enum Code: String, Sendable, CaseIterable {
        /// No chip has this name or label.
        case noChip
        /// The chip does not have this line.
        case noLine
        /// Another program or a kernel driver uses a line.
        case busy
        /// The system refuses the request; ``LineFailure/number`` contains its `errno`.
        case system
    }

    /// The kind of failure.
    public let code: Code
    /// The `errno` of the system, above 0; 0 if there is none.
    public let number: Int32
    private let words: String

    init(_ code: Code, number: Int32 = 0, _ words: String) {
        self.code = code
        self.number = number
        self.words = words
    }

    /// Returns whether code and number are equal; the text does not count.
    public static func == (one: Self, other: Self) -> Bool { one.code == other.code && one.number == other.number }
    /// Hashes code and number, in agreement with equality.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(number)
    }

    /// A sentence for logs and technicians, with the labels of chips and the system's text for the error.
    public var description: String { number == 0 ? "\(words)." : "\(words): \(SystemCall.text(number))." }
}
