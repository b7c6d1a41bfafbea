// SPDX-License-Identifier: Apache-2.0

/// The rest of the day on which the keys were handed out. Today's key is cut off then, and a fresh one runs until midnight (UTC); where the
/// server permits it, that one is sent once its day is over, by the same consent. Every stage is on disk before what it names is done.
public enum RemainderStage: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The day is not over, or the core was not asked yet.
    case waiting(Claim)
    /// The keys are here, as the submission that will be sent, since then (Unix seconds).
    case prepared(WarningStage.Submission, credential: String, since: Int64)
    /// It is being sent, or was when the power went. `attempts` are requests that may have arrived, from 1 on.
    case sending(WarningStage.Submission, credential: String, since: Int64, attempts: Int)
    /// The submission service has taken it, at this moment in Unix seconds.
    case sent(Int64)
    /// It ended without being sent, or there never was a way.
    case ended(Reason)

    /// The right to the rest of a day's keys, and what they may be sent with.
    public struct Claim: Sendable, Hashable, Codable, CustomStringConvertible {
        /// The core's ticket, which the first keys were taken with; it is good for the rest of that day, too. A secret.
        public let ticket: String
        /// A random UUID, made here and told to the verification server with the request for the TAN: good for one submission of the keys of one
        /// day. The server keeps a code of it beside other TANs, and not whose it is. A secret; not checked.
        public let credential: String
        /// The statement about symptoms that the wearer made with the consent.
        public let symptoms: SymptomStatement
        /// Whether health authorities of other countries may publish the keys.
        public let isFederated: Bool
        /// The moment from which the core hands the keys out, Unix seconds of the machine.
        public let after: Int64
        /// The moment until which the core hands the keys out, exclusive, Unix seconds of the machine.
        public let until: Int64

        /// A claim with these values, as they are. Cannot fail.
        ///
        /// - Parameters:
        ///   - after: Unix seconds of the machine.
        ///   - until: Exclusive, Unix seconds of the machine.
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

        /// The words `a claim`, never what is in it.
        public var description: String { "a claim" }
    }

    /// The reason why the rest of a day ended without being sent. Raw values are kept on disk.
    public enum Reason: String, Sendable, Hashable, Codable, CaseIterable {
        /// The server takes keys once: who was met later that day is not warned.
        case notOffered
        /// The wearer withdrew it before it left: nothing was sent.
        case withdrawn
        /// The device was off, or without a network, for too long.
        case tooLate
        /// The power went while the keys were handed over, or the core does not give them.
        case keysLost
        /// The device sent nothing for the rest of that day: nobody can have met it.
        case noKeys
        /// The submission service does not take it, and will not.
        case refused
    }

    /// The number of seconds after the keys are here within which they must be sent: a day, a choice of ours. The core
    /// hands them out within 24 hours of the first ones.
    public static let sendingSeconds: Int64 = 24 * 3_600

    /// Whether the wearer may still call it back: none of its keys has left.
    public var isRevocable: Bool {
        switch self {
        case .waiting, .prepared: true
        case .sending, .sent, .ended: false
        }
    }

    /// Whether something is still to be done for it: asking the core for keys, or sending.
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

    /// The stage's name, without what belongs to it.
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
    /// An English sentence for the wearer that tells what happened and what to do.
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
