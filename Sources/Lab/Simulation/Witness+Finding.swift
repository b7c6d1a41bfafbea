// SPDX-License-Identifier: Apache-2.0

public import VirtualAir

extension Witness {
    /// A breach of a rule: something was on air that must not be, or was missing.
    public struct Finding: Hashable, Sendable, CustomStringConvertible {
        /// The rule that was broken. Raw values appear in reports.
        public enum Kind: String, Sendable, CaseIterable {
            /// The data are not the 31 bytes of the specification.
            case malformed
            /// The address is not a random non-resolvable one.
            case addressKind
            /// An identifier appeared with another address than before.
            case oldIdentifierNewAddress
            /// An address appeared with another identifier than before.
            case newIdentifierOldAddress
            /// Two devices sent the same identifier.
            case twoDevices
            /// An identifier of an earlier process appeared again after its time, which tells a listener that it is the
            /// same device.
            case secondLife
            /// A device that stands for a place was on air.
            case place
            /// An identifier was on air, from its first packet to its last, for longer than 20 minutes and a
            /// second; or for longer than an hour and a second, if the clock was set meanwhile.
            case tooLong
            /// An identifier was on air for more than a second less than ten minutes (less two pauses for scans, if
            /// the board cannot send and listen at once), and neither midnight nor a set clock nor a restart is the
            /// reason.
            case tooShort
            /// An identifier began after keys had been released from which it can be computed.
            case released
            /// An identifier was on air for more than a second after UTC midnight by its board's clock, and is not
            /// of a key of the day that began.
            case overMidnight
            /// A device was off air without a reason, or for longer than the reason allows.
            case gap
            /// An identifier does not follow from any of the device's keys.
            case unknownKey
            /// An identifier follows from two pairs of key and interval.
            case ambiguous
            /// The interval of an identifier differs from the time by more than two.
            case wrongInterval
            /// The time between two packets was less than 200 ms or more than 280 ms.
            case spacing
            /// The strength that a receiver measured does not fit the distance.
            case level
        }

        /// The rule that was broken.
        public let kind: Kind
        /// The time at which the breach was noticed, in time of the air.
        public let at: Duration
        /// The device that broke the rule.
        public let node: NodeID
        /// The numbers of the case, in English; may be empty.
        public let detail: String

        /// A line for reports, in English: device, time, kind and numbers; never an identifier or an address.
        public var description: String {
            "device \(node.rawValue) at \(at.components.seconds) s: \(kind.rawValue)\(detail.isEmpty ? "" : " (\(detail))")"
        }
    }
}
