// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The stage of a warning. Each stage is on disk before the step that it names is carried out, so that a power cut at any
/// moment leaves one of the stages.
public enum WarningStage: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The wearer has agreed; the core has not handed out the keys yet.
    case agreed(Agreement)
    /// The core has handed out the keys, which are stored as the submission that will be sent. No server knows of it yet.
    case prepared(Submission)
    /// The verification server is being asked for a TAN, or was when the power failed; it gives one only once. `attempts`
    /// is the number of requests that may have arrived, from 1.
    case askingTAN(Submission, attempts: Int)
    /// The submission is ready to be sent, with its permission (`tan`), a secret: a TAN, or by Google's way the
    /// certificate, by the NHS's the token.
    case ready(Submission, tan: String)
    /// The submission is being sent with its permission (`tan`), or was when the power failed. `attempts` is the number of
    /// requests that may have arrived, from 1.
    case sending(Submission, tan: String, attempts: Int)
    /// The submission service has accepted the submission, at this time in Unix seconds.
    case sent(Int64)
    /// The warning ended, for this reason: nothing was sent, it was refused, or its outcome is unknown.
    /// ``Reason/sentence(_:)`` says what the wearer can do.
    case ended(Reason)

    /// The wearer's consent to one warning, and the statements made with it.
    public struct Agreement: Sendable, Hashable, Codable, CustomStringConvertible {
        /// The core's ticket: it is valid once for the keys, and once more for those of the rest of that day
        /// (``RemainderStage/Claim/ticket``). A secret until it is used.
        public let ticket: String
        /// The statement about symptoms that the wearer made when agreeing.
        public let symptoms: SymptomStatement
        /// Whether health authorities of other countries may publish the keys.
        public let isFederated: Bool

        /// Creates an agreement of these values; nothing is checked.
        ///
        /// - Parameters:
        ///   - ticket: The core's ticket for the release of keys.
        ///   - symptoms: The wearer's statement about symptoms.
        ///   - isFederated: Whether health authorities of other countries may publish the keys.
        public init(ticket: String, symptoms: SymptomStatement, isFederated: Bool) {
            self.ticket = ticket
            self.symptoms = symptoms
            self.isFederated = isFederated
        }

        /// The words `an agreement`, without the content.
        public var description: String { "an agreement" }
    }

    /// The bytes that are sent, which are the same in every attempt, and the name by which this project's servers recognise
    /// a repetition.
    public struct Submission: Sendable, Hashable, Codable, CustomStringConvertible {
        /// The bytes to send, in Base64, with the keys in them; empty until the certificate is there that they must
        /// contain.
        public let body: String
        /// The name of the request, a random UUID by which this project's servers recognise a repetition (`vigil-request`);
        /// other servers are not told it.
        public let request: String
        /// The keys that the certificate is made for; `nil` for ways other than Google's.
        public var frozen: FrozenKeys?
        /// The time until which the submission may be sent, exclusive, in Unix seconds; `nil` if there is no limit, and
        /// before there is a certificate.
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

        /// The words `a submission`, without the content.
        public var description: String { "a submission" }
    }

    /// The reason why a warning ended. Raw values are stored on disk.
    public enum Reason: String, Sendable, Hashable, Codable, CaseIterable {
        /// The wearer withdrew consent before any key was sent.
        case withdrawn
        /// The ticket was no longer valid, or the power failed while the keys were handed out: the keys are not here, and
        /// nothing was sent.
        case keysLost
        /// There are no keys, because the beacon did not run on any of the days that count.
        case noKeys
        /// The server says that the test is not positive, and gives no TAN.
        case notPositive
        /// The server gave a TAN, but its answer was lost; it gives no second one.
        case tanLost
        /// A server refused the permission (TAN, token or certificate), or gave a certificate for other keys; nobody was
        /// warned.
        case tanRefused
        /// The submission service refuses the submission finally; nobody was warned.
        case refused
        /// The submission service got the submission, and did not answer or failed: the warning may have been published or
        /// not.
        case uncertain
        /// 14 days have passed since the consent, longer than devices look for such keys; nobody was warned.
        case tooLate
        /// The permission expired before it was used; nobody was warned.
        case permissionExpired
        /// The server failed at every attempt until the permission expired.
        case serverFailed
        /// The server has keys of this device for these days already, and accepts no others with this code.
        case alreadyThere
        /// The server reported success, but accepted no key.
        case nothingTaken
        /// The server refuses this device, because the device's settings are wrong.
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

    /// The name of the stage, without its values.
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

    /// Whether the wearer may agree to another warning for the same test: this one was withdrawn before keys were sent, its
    /// keys were lost, or there were none. A TAN that was asked for before a withdrawal may be used up.
    public var allowsAnother: Bool {
        switch self {
        case .ended(.withdrawn), .ended(.keysLost), .ended(.noKeys): true
        default: false
        }
    }

    /// Whether the warning is finished: it was sent, or has ended.
    public var isOver: Bool {
        switch self {
        case .sent, .ended: true
        case .agreed, .prepared, .askingTAN, .ready, .sending: false
        }
    }

    /// Whether the wearer can still withdraw the warning: no key has left the device. A TAN may have been asked for.
    public var isRevocable: Bool {
        switch self {
        case .agreed, .prepared, .askingTAN, .ready: true
        case .sending, .sent, .ended: false
        }
    }
}

extension WarningStage.Reason {
    /// Returns an English sentence for the wearer that says what happened and what to do, with the words that fit the
    /// authority's way: a hotline for the Corona-Warn-App, a new code for other ways. Cannot fail.
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

    /// An English sentence for the wearer that says what happened and what to do at the Corona-Warn-App's servers, where
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
