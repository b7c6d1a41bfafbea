// SPDX-License-Identifier: Apache-2.0

/// The stage of the warning for the rest of the day on which the core handed out the keys. At that moment the day's key
/// ends early, and a new one is used until midnight (UTC). Where the server permits it, the new key is sent after its day
/// is over, under the same consent. Each stage is on disk before the step that it names is carried out.
public enum RemainderStage: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The day is not over, or the core was not yet asked for the keys.
    case waiting(Claim)
    /// The core has handed out the keys, at `since` in Unix seconds; they are stored as the submission that will be sent.
    case prepared(WarningStage.Submission, credential: String, since: Int64)
    /// The submission is being sent, or was when the power failed. `attempts` is the number of requests that may have
    /// arrived, from 1.
    case sending(WarningStage.Submission, credential: String, since: Int64, attempts: Int)
    /// The submission service has accepted the submission, at this time in Unix seconds.
    case sent(Int64)
    /// It ended without a submission, for this reason.
    case ended(Reason)

    /// The right to the keys of the rest of a day, and the values that they are to be sent with.
    public struct Claim: Sendable, Hashable, Codable, CustomStringConvertible {
        /// The core's ticket that the first keys were handed out for; it is valid for the rest of that day, too. A secret.
        public let ticket: String
        /// A random UUID that this plugin makes and the request for the TAN tells to the verification server: it permits
        /// one submission of the keys of one day. The server stores only a code of it beside other TANs, not the person
        /// that it belongs to. A secret; not checked.
        public let credential: String
        /// The statement about symptoms that the wearer made when agreeing to the warning.
        public let symptoms: SymptomStatement
        /// Whether health authorities of other countries may publish the keys.
        public let isFederated: Bool
        /// The time from which the core hands out the keys, in Unix seconds of the machine.
        public let after: Int64
        /// The time until which the core hands out the keys, exclusive, in Unix seconds of the machine.
        public let until: Int64

        /// Creates a claim of these values, unchecked. Cannot fail.
        ///
        /// - Parameters:
        ///   - after: The beginning, in Unix seconds of the machine.
        ///   - until: The end, exclusive, in Unix seconds of the machine.
        public init(
            ticket: String, credential: String, symptoms: SymptomStatement, isFederated: Bool, after: Int64, until: Int64
        ) {
            self.ticket = ticket
            self.credential = credential
            self.symptoms = symptoms
            self.isFederated = isFederated
            self.after = after
            self.until = until
        }

        /// The words `a claim`, without the content.
        public var description: String { "a claim" }
    }

    /// The reason why the rest of a day ended without a submission. Raw values are stored on disk.
    public enum Reason: String, Sendable, Hashable, Codable, CaseIterable {
        /// The server accepts keys only once: people who were met later that day are not warned.
        case notOffered
        /// The wearer withdrew the warning before it was sent.
        case withdrawn
        /// The device was off, or without a network, for too long.
        case tooLate
        /// The power failed while the keys were handed out, or the core refuses to hand them out.
        case keysLost
        /// The device sent no identifiers for the rest of that day, so there is no key.
        case noKeys
        /// The submission service refuses the submission finally.
        case refused
    }

    /// The number of seconds within which the keys must be sent after the core has handed them out: a day, our choice. The
    /// core hands them out within 24 hours of the first ones.
    public static let sendingSeconds: Int64 = 24 * 3_600

    /// Whether the wearer can still withdraw the warning for the rest of the day: none of its keys has left the device.
    public var isRevocable: Bool {
        switch self {
        case .waiting, .prepared: true
        case .sending, .sent, .ended: false
        }
    }

    /// Whether something is still to be done: to ask the core for the keys, or to send them.
    public var isOpen: Bool {
        switch self {
        case .waiting, .prepared, .sending: true
        case .sent, .ended: false
        }
    }

    /// What a TAN's request names, as long as it is of use.
    var credential: String? {
        switch self {
        case .waiting(let claim): claim.credential
        case .prepared(_, let credential, _), .sending(_, let credential, _, _): credential
        case .sent, .ended: nil
        }
    }

    /// The name of the stage, without its values.
    public var description: String {
        switch self {
        case .waiting: "waiting"
        case .prepared: "prepared"
        case .sending: "being sent"
        case .sent: "sent"
        case .ended(let reason): "ended: \(reason.rawValue)"
        }
    }
}

extension RemainderStage.Reason {
    /// An English sentence for the wearer that says what happened and what to do.
    public var sentence: String {
        switch self {
        case .notOffered:
            "The server takes keys once: whoever you met later on the day of the warning is not warned. If you met somebody then, tell them yourself."
        case .withdrawn: "You have withdrawn the rest of that day's warning. It was not sent."
        case .tooLate:
            "The device was off or without a network for too long to send the rest of that day's warning, and has dropped it. If you met somebody later that day, tell them yourself."
        case .keysLost:
            "The device was interrupted while it prepared the rest of that day's warning, and has dropped it. If you met somebody later that day, tell them yourself."
        case .noKeys: "The device sent no identifiers for the rest of that day: there was nothing more to warn with."
        case .refused:
            "The server did not take the rest of that day's warning. If you met somebody later that day, tell them yourself."
        }
    }

    /// Whether somebody should hear of it: people who were met are not warned, and the wearer did not want it so.
    var isLoss: Bool {
        switch self {
        case .tooLate, .keysLost, .refused: true
        case .notOffered, .withdrawn, .noKeys: false
        }
    }
}
