// SPDX-License-Identifier: Apache-2.0

/// A fault of a controller, with its duration.
public struct Fault: Hashable, Sendable {
    /// The kind of a fault. Raw values are the words in scenarios and on the control socket.
    public enum Kind: String, Sendable, CaseIterable {
        /// The connection drops, and attaching again is refused until the fault ends.
        case vanish
        /// Every command is answered with 0x1F, unspecified error (Core Specification, Vol 1 Part F 1.3), and has
        /// no effect.
        case errors
        /// The controller sends no answers and no reports, and commands have no effect; the connection stays.
        case silent
        /// The controller answers commands but sends no reports.
        case deaf
        /// The controller stops scanning although its host did not switch scanning off. Happens once.
        case lostScan
        /// While its scan window is open, the controller reports ``Fault/rate`` made-up beacons a second, each with
        /// another address.
        case flood
        /// Reports have no data.
        case emptyReports
        /// The stream to the host has ``Fault/rate`` random bytes in it. Happens once; has no effect without a
        /// host.
        case noise
    }

    /// A measure that ends ``Kind/deaf`` early. Each measure includes the weaker ones before it.
    public enum Cure: String, Sendable, Comparable, CaseIterable {
        /// Scanning is switched off and on.
        case scanRestart
        /// The host sends the command Reset.
        case reset
        /// The connection is closed and opened.
        case reattach
        /// The controller's power is cut (``VirtualAir/powerCycle(_:)``).
        case powerCycle

        /// Returns whether `left` is the weaker measure.
        public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The kind of the fault. When it is set, ``rate`` is limited to the range of the new kind.
    public var kind: Kind { didSet { rate = Self.held(rate, kind) } }
    /// The duration of the fault in time of the air; less than zero counts as zero. With `nil` the fault lasts
    /// until it is cleared or cured. Ignored for ``Kind/lostScan`` and ``Kind/noise``, which happen once.
    public var duration: Duration?
    /// The weakest measure that ends ``Kind/deaf`` early; `nil` if no measure does. Ignored for other kinds.
    public var cure: Cure?
    /// The strength of the fault: for ``Kind/flood`` the reports a second, 1 to 100,000; for ``Kind/noise`` the
    /// number of bytes, 1 to 65,536; ignored for other kinds. Other values are limited to these ranges.
    public var rate: Int { didSet { rate = Self.held(rate, kind) } }

    /// Creates a fault that has no effect yet. It lasts for `duration` of the air's time; with `nil` until it is cleared or
    /// cured. `rate` is limited to the range of its kind; see ``rate``.
    public init(_ kind: Kind, for duration: Duration? = nil, cure: Cure? = nil, rate: Int = 100) {
        self.kind = kind
        self.duration = duration
        self.cure = cure
        self.rate = Self.held(rate, kind)
    }

    private static func held(_ rate: Int, _ kind: Kind) -> Int { min(max(rate, 1), kind == .noise ? 65_536 : 100_000) }
}

/// A fault and when it goes.
struct ActiveFault {
    let fault: Fault
    let generation: UInt64
    let end: Microseconds?
}
