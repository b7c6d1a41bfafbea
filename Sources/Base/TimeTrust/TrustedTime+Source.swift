// SPDX-License-Identifier: Apache-2.0

extension TrustedTime {
    /// Degrees of trust in the time, least first; each permits all that the one before it does.
    public enum State: UInt8, Sendable, Comparable, CaseIterable {
        /// Not known: no TEK is made, nothing is sent, nothing is deleted.
        case untrusted
        /// Good enough to send; not good enough to delete by it alone.
        case plausible
        /// Signed by the authority, and still right to within ten minutes.
        case authenticated

        /// Whether `left` is the lesser trust.
        public static func < (left: State, right: State) -> Bool { left.rawValue < right.rawValue }
    }

    /// Sources of the running time, weakest first. Raw values are stable: they are stored.
    public enum Source: UInt8, Sendable, Comparable, CaseIterable {
        /// Our own snapshot from before a power cut, and the time since.
        case holdOver = 1
        /// A battery-backed clock chip, read at start.
        case clockChip
        /// The kernel's clock while it says that NTP synchronises it.
        case network
        /// A person who has just set it.
        case `operator`
        /// The authority's answer to a nonce of the core.
        case signed

        /// Whether `left` is the weaker source.
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

    /// The reason why the time is in its state. The raw value is stable and meant for machines.
    public enum Reason: String, Sendable, CaseIterable {
        /// Untrusted: no clock has been heard since the first start.
        case noSource = "no-source"
        /// Untrusted: the power was cut and the time before could not be carried over, or it was proven wrong at the start.
        case powerLost = "power-lost"
        /// Untrusted: time was carried over a cut, and no clock was heard for too long.
        case holdOverExpired = "hold-over-expired"
        /// Untrusted: no clock was heard for so long that drift may have eaten the tolerance.
        case drifted = "drifted"
        /// Plausible: carried over a power cut.
        case holdOver = "hold-over"
        /// Plausible: from a clock chip.
        case clockChip = "clock-chip"
        /// Plausible: from the network.
        case network = "network"
        /// Plausible: set by hand.
        case `operator` = "operator"
        /// Plausible: signed, but so long ago that it no longer counts as authenticated.
        case signedLongAgo = "signed-long-ago"
        /// Authenticated: signed, verified and recent.
        case signed = "signed"
    }

    /// A source that is believed only as far as nothing better speaks against it.
    public enum PlausibleSource: Sendable, CaseIterable {
        /// The real-time clock of the board, a time server without signature, or a person at the page or the console.
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
