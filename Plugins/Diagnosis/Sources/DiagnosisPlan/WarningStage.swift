// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The stage of a warning. Every stage is on disk before what it names is done, so that a power cut at any moment leaves
/// one of them.
public enum WarningStage: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The wearer has agreed; the core has not handed the keys out yet.
    case agreed(Agreement)
    /// The keys are here, as the submission that will be sent. Nobody outside knows of it.
    case prepared(Submission)
    /// The verification server is being asked for a TAN, or was when the power went: it gives one only once. `attempts` are requests that
    /// may have arrived, from 1 on.
    case askingTAN(Submission, attempts: Int)
    /// The submission and the permission, a secret, that it will be sent with: a TAN; by Google's way the certificate, by the NHS's the token.
    case ready(Submission, tan: String)
    /// The submission is being sent with its permission (`tan`), or was when the power went. `attempts` are requests that may have arrived, from 1
    /// on.
    case sending(Submission, tan: String, attempts: Int)
    /// The submission service has taken it, at this moment in Unix seconds.
    case sent(Int64)
    /// It ended without a warning, or nobody knows; what a person can do is in the reason.
    case ended(Reason)

    /// The wearer's consent to one warning, and what the wearer said with it.
    public struct Agreement: Sendable, Hashable, Codable, CustomStringConvertible {
        /// The core's ticket: good for the keys once, and then for those of the rest of that day (``RemainderStage/Claim/ticket``). A secret until
        /// it is spent.
        public let ticket: String
        /// The statement about symptoms that the wearer made with the consent.
        public let symptoms: SymptomStatement
        /// Whether health authorities of other countries may publish the keys.
        public let isFederated: Bool

        /// An agreement with these values.
        ///
        /// - Parameters:
        ///   - ticket: The core's ticket for the release of keys, good once.
        ///   - symptoms: The wearer's statement about symptoms.
        ///   - isFederated: Whether other countries' authorities may publish the keys.
        public init(ticket: String, symptoms: SymptomStatement, isFederated: Bool) {
            self.ticket = ticket
            self.symptoms = symptoms
            self.isFederated = isFederated
        }

        /// The words `an agreement`, never what is in it.
        public var description: String { "an agreement" }
    }

    /// The bytes that are sent, always the same ones, and the mark by which a server of ours knows a repetition.
    public struct Submission: Sendable, Hashable, Codable, CustomStringConvertible {
        /// Base64 of what is sent; empty while it waits for a certificate that belongs into it. Keys are in it.
        public let body: String
        /// A random UUID by which a server of ours knows a repetition (`vigil-request`); other servers are not told it.
        public let request: String
        /// The keys that the certificate is for; `nil` by other ways.
        public var frozen: FrozenKeys?
        /// The moment until which it may be sent, exclusive, Unix seconds; `nil` without a limit, and before there is a certificate.
        public var until: Int64?

        init(body: String, request: String, frozen: FrozenKeys? = nil, until: Int64? = nil) {
            self.body = body
            self.request = request
            self.frozen = frozen
            self.until = until
        }

        var bytes: [UInt8]? { Base64.bytes(body) }

        func with(body: [UInt8]) -> Submission {
            Submission(body: Base64.string(body), request: request, frozen: frozen, until: until)
        }

        func with(until: Int64) -> Submission {
            Submission(body: body, request: request, frozen: frozen, until: until)
        }

        /// The words `a submission`, never what is in it.
        public var description: String { "a submission" }
    }

    /// The reason why a warning ended. Raw values are kept on disk.
    public enum Reason: String, Sendable, Hashable, Codable, CaseIterable {
        /// The wearer withdrew consent before any key was sent.
        case withdrawn
        /// The ticket was not good any more, or the power went while the keys were handed over: they are not here, and nothing was sent.
        case keysLost
        /// There are no keys: the beacon has not run on any of the days that count.
        case noKeys
        /// The server says that the test is not positive, so it gives no TAN.
        case notPositive
        /// A TAN was given, and its answer got lost or its warning was withdrawn; there is no second one.
        case tanLost
        /// A server does not take the permission (TAN, token or certificate), or gave a certificate for other keys; nobody was warned.
        case tanRefused
        /// The service does not take the submission, and will not; nobody was warned.
        case refused
        /// The service had the submission and said nothing, or failed: the warning may be out or not.
        case uncertain
        /// 14 days passed after the consent, longer than anybody looks for such keys; nobody was warned.
        case tooLate
        /// The permission's time was over before it was used; nobody was warned.
        case permissionExpired
        /// The server failed at every attempt until the permission's time was over.
        case serverFailed
        /// The server has keys of these days of this device, and takes no others with this code.
        case alreadyThere
        /// The server answered that all is well, and took no key.
        case nothingTaken
        /// The server does not let this device in, or not so: its settings are wrong.
        case misconfigured
    }

    /// A warning that a permission is asked for, and the requests that may have arrived.
    var asking: (Submission, attempts: Int)? {
        switch self {
        case .prepared(let submission): (submission, 0)
        case .askingTAN(let submission, let attempts): (submission, attempts)
        default: nil
        }
    }

    /// A warning that may be sent, with what, and the requests that may have arrived.
    var submitting: (Submission, tan: String, attempts: Int)? {
        switch self {
        case .ready(let submission, let tan): (submission, tan, 0)
        case .sending(let submission, let tan, let attempts): (submission, tan, attempts)
        default: nil
        }
    }

    /// The stage's name, without what belongs to it.
    public var description: String {
        switch self {
        case .agreed: "agreed"
        case .prepared: "prepared"
        case .askingTAN: "asking for a TAN"
        case .ready: "ready"
        case .sending: "being sent"
        case .sent: "sent"
        case .ended(let reason): "ended: \(reason.rawValue)"
        }
    }

    /// Whether consent given now may begin another warning for the same test: this one was withdrawn before keys were sent, or there were no keys.
    /// A TAN that was asked for before a withdrawal may be spent: then the next warning ends as ``Reason/tanLost``.
    public var allowsAnother: Bool {
        switch self {
        case .ended(.withdrawn), .ended(.keysLost), .ended(.noKeys): true
        default: false
        }
    }

    /// Whether nothing more comes of the warning: it was sent, or has ended.
    public var isOver: Bool {
        switch self {
        case .sent, .ended: true
        case .agreed, .prepared, .askingTAN, .ready, .sending: false
        }
    }

    /// Whether the wearer may still call the warning back: no key has left. A TAN may have been asked for.
    public var isRevocable: Bool {
        switch self {
        case .agreed, .prepared, .askingTAN, .ready: true
        case .sending, .sent, .ended: false
        }
    }
}

extension WarningStage.Reason {
    /// An English sentence for the wearer that tells what happened and what to do, by the way of the authority: where there
    /// is no hotline for numbers, there are codes. Cannot fail.
    public func sentence(_ way: WarningWay.Kind) -> String {
        guard way != .cwa else { return sentence }
        switch self {
        case .tanLost:
            return
                "The server has given the permission to warn already, and it is not here any more; there is no second one. Nothing was sent. Ask the health authority for another code, and enter it here."
        case .tanRefused:
            return
                "The server did not take the permission to warn. Nobody was warned. Ask the health authority for another code, and enter it here."
        case .refused:
            return
                "The server did not take the warning. Nobody was warned. Ask the health authority, which can help you further."
        case .uncertain:
            return
                "The connection broke off while the warning was sent: it may have arrived or not. To be sure, ask the health authority for another code, and enter it here; a warning that arrives twice does no harm."
        default: return sentence
        }
    }

    /// An English sentence for the wearer that tells what happened and what to do, at the Corona-Warn-App's servers, where
    /// there is a hotline.
    public var sentence: String {
        switch self {
        case .withdrawn: "You have withdrawn your consent. Nothing was sent."
        case .keysLost:
            "The device was interrupted before it had your keys. Nothing was sent; agree once more if you still want to warn others."
        case .noKeys: "There is nothing to warn with: this device has not sent identifiers on the days that count."
        case .notPositive: "The server says that this test is not positive. Nothing was sent."
        case .tanLost:
            "The server has given the permission to warn already, and it is not here any more; there is no second one. Nothing was sent. Call the hotline for a teleTAN, and enter it here."
        case .tanRefused:
            "The server did not take the permission to warn. Nobody was warned. Call the hotline for a teleTAN, and enter it here."
        case .refused:
            "The server did not take the warning. Nobody was warned. Call the hotline, which can help you further."
        case .uncertain:
            "The connection broke off while the warning was sent: it may have arrived or not. To be sure, call the hotline for a teleTAN, and enter it here; a warning that arrives twice does no harm."
        case .permissionExpired:
            "The time of the permission to warn was over before it could be used. Nobody was warned. Ask the health authority for another code, and enter it here."
        case .serverFailed:
            "The health authority's server did not work whenever the warning was sent, until the time of the permission was over. The warning has most likely not arrived: ask for another code, and enter it here."
        case .alreadyThere:
            "The server has identifiers of these days of this device already, and did not take the others with this code. Ask the health authority for help."
        case .nothingTaken:
            "The server answered, and took none of the identifiers: they are too far from the day on which symptoms began. Nobody was warned. Ask the health authority whether that day is right."
        case .misconfigured:
            "The health authority's server does not let this device in: its settings have to be mended by whoever looks after it. Nobody was warned. Then ask for another code, and enter it here."
        case .tooLate: "It took more than 14 days: there is nobody left to warn. What was prepared has been erased."
        }
    }
}
