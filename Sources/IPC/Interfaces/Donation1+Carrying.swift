// SPDX-License-Identifier: Apache-2.0

extension Donation1 {
    // MARK: Preview

    /// One scan of an encounter, rounded.
    public struct Scan: Codable, Sendable, Equatable {
        /// The typical attenuation in decibels: a multiple of ten, 30 to 90.
        public var typical: Int
        /// The least attenuation, in the same steps.
        public var least: Int
        /// The minutes since the scan before, 0 to 5.
        public var minutes: Int

        /// Creates a part of a reply. No value is checked.
        public init(typical: Int, least: Int, minutes: Int) {
            self.typical = typical
            self.least = least
            self.minutes = minutes
        }
    }

    /// How infectious a person was on a day.
    public enum Infectiousness: String, Codable, Sendable, CaseIterable { case standard, high }

    /// An encounter, as it is donated.
    public struct Window: Codable, Sendable, Equatable {
        /// The UTC day, in days since 1970.
        public var day: Int64
        /// How the infection is known.
        public var reportType: Exposure1.ReportType
        /// How infectious the person was that day.
        public var infectiousness: Infectiousness
        /// How well the signal strengths are known, 0 to 3.
        public var confidence: Int
        /// The scans, at most 15.
        public var scans: [Scan]

        /// Creates a part of a reply. No value is checked.
        public init(
            day: Int64, reportType: Exposure1.ReportType, infectiousness: Infectiousness, confidence: Int, scans: [Scan]
        ) {
            self.day = day
            self.reportType = reportType
            self.infectiousness = infectiousness
            self.confidence = confidence
            self.scans = scans
        }
    }

    /// Reply of `GetPreview`: what a donation of now would have in it.
    public struct PreviewReply: Codable, Sendable, Equatable {
        /// Whether the wearer is told of an increased risk now.
        public var isIncreased: Bool
        /// The probability with which a donation says so truly, 0.5 to 1.
        public var truth: Double
        /// Encounters, at most 100.
        public var windows: [Window]
        /// The number of encounters in all.
        public var count: Int

        /// Creates a reply. No value is checked.
        public init(isIncreased: Bool, truth: Double, windows: [Window], count: Int) {
            self.isIncreased = isIncreased
            self.truth = truth
            self.windows = windows
            self.count = count
        }
    }

    /// Reply of `GetEnrolmentRequest`.
    public struct EnrolmentRequestReply: Codable, Sendable, Equatable {
        /// The request in Base64; `nil` if this device has none to make.
        public var request: String?

        /// Creates a reply. No value is checked.
        public init(request: String?) { self.request = request }
    }

    // MARK: Carrying

    /// One thing to be done for the plugin that carries.
    public struct Step: Codable, Sendable, Equatable {
        /// What it is.
        public enum Kind: String, Codable, Sendable, CaseIterable {
            /// `request`: ask the issuer for a token; `donate`: send a donation.
            case request, donate
        }

        /// What it is.
        public var kind: Kind
        /// The UTC day that it is for, in days since 1970.
        public var day: Int64
        /// The address to send to.
        public var target: String
        /// The body, in Base64: 259 bytes or 16 KiB.
        public var body: String
        /// The value of `Authorization`; `nil` for a request.
        public var authorization: String?

        /// Creates a part of a reply. No value is checked.
        public init(kind: Kind, day: Int64, target: String, body: String, authorization: String? = nil) {
            self.kind = kind
            self.day = day
            self.target = target
            self.body = body
            self.authorization = authorization
        }
    }

    /// Reply of `GetStep`.
    public struct StepReply: Codable, Sendable, Equatable {
        /// What is to be done now; `nil` for nothing.
        public var step: Step?
        /// In how many seconds to ask again if there is nothing to be done, 1 to 86,400.
        public var seconds: Int64

        /// Creates a reply. No value is checked.
        public init(step: Step? = nil, seconds: Int64) {
            self.step = step
            self.seconds = seconds
        }
    }

    /// Parameters of `SignEvidence`.
    public struct SignEvidenceCall: Codable, Sendable, Equatable {
        /// The day of the request, in days since 1970.
        public var day: Int64
        /// The issuer's nonce: 32 bytes in Base64.
        public var challenge: String

        /// Creates the parameters of a call. The core checks them.
        public init(day: Int64, challenge: String) {
            self.day = day
            self.challenge = challenge
        }
    }

    /// Reply of `SignEvidence`.
    public struct EvidenceReply: Codable, Sendable, Equatable {
        /// The value of `Authorization`.
        public var authorization: String

        /// Creates a reply. No value is checked.
        public init(authorization: String) { self.authorization = authorization }
    }

    /// Why an issuer gave no token.
    public enum IssuerRefusal: String, Codable, Sendable, CaseIterable {
        /// `notThisDay`: this day's token is not to be had; `notYet`: no device gets one now; `deviceRefused`: this device
        /// gets none; `unreachable`: anything else.
        case notThisDay, notYet, deviceRefused, unreachable
    }

    /// Parameters of `TakeToken`.
    public struct TakeTokenCall: Codable, Sendable, Equatable {
        /// The day of the request, in days since 1970.
        public var day: Int64
        /// The issuer's answer, 256 bytes in Base64; `nil` if there is none.
        public var answer: String?
        /// Why there is none; counts only without ``answer``, where `nil` is ``IssuerRefusal/unreachable``.
        public var refusal: IssuerRefusal?

        /// Creates the parameters of a call. The core checks them.
        public init(day: Int64, answer: String? = nil, refusal: IssuerRefusal? = nil) {
            self.day = day
            self.answer = answer
            self.refusal = refusal
        }
    }

    /// Reply of `TakeToken`.
    public struct TakeTokenReply: Codable, Sendable, Equatable {
        /// Whether the answer gave a token.
        public var isToken: Bool

        /// Creates a reply. No value is checked.
        public init(isToken: Bool) { self.isToken = isToken }
    }

    /// Parameters of `EndDonation`.
    public struct EndDonationCall: Codable, Sendable, Equatable {
        /// What a server has said of a donation.
        public enum Outcome: String, Codable, Sendable, CaseIterable { case taken, refused }

        /// The day of the donation, in days since 1970.
        public var day: Int64
        /// What became of it; `nil` if the server was not reached, or had a fault.
        public var outcome: Outcome?

        /// Creates the parameters of a call. The core checks them.
        public init(day: Int64, outcome: Outcome? = nil) {
            self.day = day
            self.outcome = outcome
        }
    }
}
