// SPDX-License-Identifier: Apache-2.0

public import VirtualAir

extension Witness {
    /// Something on air that must not be there, or is missing.
    public struct Finding: Hashable, Sendable, CustomStringConvertible {
        /// Rules for what is on air, by how they are broken. Raw values stand in reports.
        public enum Kind: String, Sendable, CaseIterable {
            /// Not the 31 bytes of the specification.
            case malformed
            /// Not random and non-resolvable.
            case addressKind
            /// An identifier that was on air with another address.
            case oldIdentifierNewAddress
            /// An address that was on air with another identifier.
            case newIdentifierOldAddress
            /// The same identifier from two devices.
            case twoDevices
            /// An identifier of an earlier process that came again after its time: whoever hears both can tell that it is the same device.
            case secondLife
            /// On air though it stands for a place.
            case place
            /// Longer than 20 minutes and a second.
            case tooLong
            /// Less than ten minutes, and neither midnight nor a set clock nor a restart nor a release of keys is the reason.
            case tooShort
            /// Still on air a second after the keys were given away that make it known.
            case released
            /// Over UTC midnight by more than a second.
            case overMidnight
            /// Off air without a reason, or longer than the reason allows.
            case gap
            /// An identifier that none of the device's keys gives.
            case unknownKey
            /// An identifier that two pairs of key and interval give.
            case ambiguous
            /// The interval is more than two away from the time.
            case wrongInterval
            /// Two packets with less than 200 ms or more than 280 ms between them.
            case spacing
            /// The signal strength that a receiver measures does not fit the distance.
            case level
        }

        /// The rule that was broken.
        public let kind: Kind
        /// The time when the breach was noticed, in time of the air.
        public let at: Duration
        /// The device that broke the rule.
        public let node: NodeID
        /// Numbers of the case, in English; may be empty.
        public let detail: String

        /// For reports, in English: device, time, kind and numbers; never an identifier or an address.
        public var description: String {
            "device \(node.rawValue) at \(at.components.seconds) s: \(kind.rawValue)\(detail.isEmpty ? "" : " (\(detail))")"
        }
    }
}
