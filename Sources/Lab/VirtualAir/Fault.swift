// SPDX-License-Identifier: Apache-2.0

/// A fault of a controller, and its length.
public struct Fault: Hashable, Sendable {
    /// Kinds of faults. Raw values are the words of scenarios and the control socket.
    public enum Kind: String, Sendable, CaseIterable {
        /// The connection drops, and attaching again is refused until it is over.
        case vanish
        /// Every command is answered with 0x1F (unspecified error) and has no effect.
        case errors
        /// No answers, no reports; the connection stays. Commands have no effect.
        case silent
        /// Answers, but no reports.
        case deaf
        /// Scanning is off inside the controller, although its host never switched it off. Happens once.
        case lostScan
        /// While scanning: reports of made-up beacons, every one from another address, ``Fault/rate`` a second.
        case flood
        /// Reports come without their data.
        case emptyReports
        /// ``Fault/rate`` random bytes in the stream to the host. Happens once.
        case noise
    }

    /// Measures that end ``Kind/deaf`` before its time. Each includes the weaker ones before it.
    public enum Cure: String, Sendable, Comparable, CaseIterable {
        /// Scanning switched off and on.
        case scanRestart
        /// The command Reset of the host.
        case reset
        /// The connection closed and opened.
        case reattach
        /// A cut of the controller's power (``VirtualAir/powerCycle(_:)``).
        case powerCycle

        /// Orders measures: whether `left` is the weaker one.
        public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The kind of fault, which says what goes wrong. Another kind holds ``rate`` in its range.
    public var kind: Kind { didSet { rate = Self.held(rate, kind) } }
    /// How long it lasts, in time of the air; less than zero counts as zero. `nil` until it is cleared or cured. Ignored for ``Kind/lostScan`` and
    /// ``Kind/noise``, which happen once.
    public var duration: Duration?
    /// The measure that ends ``Kind/deaf`` before its time; `nil` for nothing but time. Ignored for other kinds.
    public var cure: Cure?
    /// How strong the fault is. Of ``Kind/flood``: reports a second, 1 to 100,000. Of ``Kind/noise``: bytes, 1 to 65,536. Ignored for other kinds.
    /// What is given is held in these ranges.
    public var rate: Int { didSet { rate = Self.held(rate, kind) } }

    /// A fault, not at work yet. It lasts for `duration` of the air's time; `nil` until it is cleared or cured. `rate` is held in the range of its
    /// kind; see ``rate``.
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
