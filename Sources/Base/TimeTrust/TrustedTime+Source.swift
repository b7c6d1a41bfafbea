// SPDX-License-Identifier: Apache-2.0

extension TrustedTime {
    /// The degrees of trust in the time, lowest first. Each permits everything that the one before it does.
    public enum State: UInt8, Sendable, Comparable, CaseIterable {
        /// The time is not known: no TEK is made, nothing is broadcast and nothing is deleted.
        case untrusted
        /// The time is good enough to broadcast, but not to delete by it alone.
        case plausible
        /// The time was signed by the authority and is still right to within ten minutes.
        case authenticated

        /// Returns whether `left` is the lower degree.
        public static func < (left: State, right: State) -> Bool { left.rawValue < right.rawValue }
    }

    /// The sources of the running time, weakest first. Raw values are stable, because they are stored.
    public enum Source: UInt8, Sendable, Comparable, CaseIterable {
        /// A snapshot from before a power cut, plus the time since.
        case holdOver = 1
        /// A battery-backed clock chip, which is read at the start.
        case clockChip
        /// The kernel's clock while the kernel reports that NTP synchronises it.
        case network
        /// A person who sets the time.
        case `operator`
        /// The authority's signed answer to a nonce of the core.
        case signed

        /// Returns whether `left` is the weaker source.
        public static func < (left: Source, right: Source) -> Bool { left.rawValue < right.rawValue }

        /// The best a source is believed to be, whatever it claims.
        var leastUncertainty: Duration {
            switch self {
            // Also keeps the overlap of two signed answers from claiming more than whole seconds, in which they are given.
            case .holdOver, .signed, .network: .seconds(1)
            // A person reads a watch and presses a button.
            case .operator: .seconds(60)
            // A month on a shelf at 100 ppm.
            case .clockChip: .seconds(300)
            }
        }
    }

    /// The reason why the time has its state. Raw values are stable and meant for machines.
    public enum Reason: String, Sendable, CaseIterable {
        /// Untrusted: no clock has been heard since the first start, or since a start with a damaged snapshot.
        case noSource = "no-source"
        /// Untrusted: the power was cut and the earlier time could not be carried over, or it was proven wrong at the
        /// start.
        case powerLost = "power-lost"
        /// Untrusted: the time was carried over a power cut, and no clock was heard for too long.
        case holdOverExpired = "hold-over-expired"
        /// Untrusted: no clock was heard for so long that the drift may have used up the tolerance.
        case drifted = "drifted"
        /// Plausible: the time was carried over a power cut.
        case holdOver = "hold-over"
        /// Plausible: the time comes from a clock chip.
        case clockChip = "clock-chip"
        /// Plausible: the time comes from the network.
        case network = "network"
        /// Plausible: the time was set by hand.
        case `operator` = "operator"
        /// Plausible: the time was signed, but so long ago that it no longer counts as authenticated.
        case signedLongAgo = "signed-long-ago"
        /// Authenticated: the time was signed recently and verified.
        case signed = "signed"
    }

    /// A source that is believed only if no better one contradicts it.
    public enum PlausibleSource: Sendable, CaseIterable {
        /// `clockChip`: the board's real-time clock. `network`: the kernel's clock while NTP synchronises it.
        /// `operator`: a person at the page or the console.
        case clockChip, network, `operator`

        var source: Source {
            switch self {
            case .clockChip: .clockChip
            case .network: .network
            case .operator: .operator
            }
        }
    }
}
