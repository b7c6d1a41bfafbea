// SPDX-License-Identifier: Apache-2.0

import ForeignText
import Ledger
import Vault

/// The reason why a call is refused: one of the errors that its interface names, with the fields that the interface
/// promises.
public struct Refusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// The error's name within the interface of the method, such as `LimitReached`.
    public let name: String
    /// The fields that the interface lists for this error, with their values.
    public let parameters: Parameters

    /// The fields of errors; each error has those that its interface lists.
    public struct Parameters: Codable, Sendable, Equatable {
        /// The time from which the call may be tried again, in Unix seconds; `nil` if time makes no difference.
        public var nextPermitted: Int64?
        /// The file that the error is about, as the caller named it, on one line of at most 64 characters; empty if none
        /// was named, `nil` for other errors.
        public var file: String?
        /// The broken rule, one stable word; `nil` if the error names none.
        public var rule: String?
        /// The position of the fault in the file, in bytes from its beginning; `nil` if there is no single one.
        public var offset: Int64?
        /// The reason why a consent or an answer is not valid, one stable word; `nil` for other errors.
        public var cause: String?
        /// The reason in one or two English sentences, with what to do; it never contains a secret.
        public var reason: String
    }

    /// The reason alone: an English sentence, with what to do.
    public var description: String { parameters.reason }

    private init(_ name: String, _ parameters: Parameters) {
        self.name = name
        self.parameters = parameters
    }

    static func limitReached(nextPermitted: Int64, _ reason: String) -> Refusal {
        Refusal("LimitReached", Parameters(nextPermitted: nextPermitted, reason: reason))
    }

    static func tooEarly(nextPermitted: Int64, _ reason: String) -> Refusal {
        Refusal("TooEarly", Parameters(nextPermitted: nextPermitted, reason: reason))
    }

    static func timeUnknown(_ reason: String) -> Refusal { Refusal("TimeUnknown", Parameters(reason: reason)) }
    static func timeRefused(_ reason: String) -> Refusal { Refusal("TimeRefused", Parameters(reason: reason)) }
    static func wrongRole(_ reason: String) -> Refusal { Refusal("WrongRole", Parameters(reason: reason)) }
    static func busy(_ reason: String) -> Refusal { Refusal("Busy", Parameters(reason: reason)) }
    static func tooManyConsents(_ reason: String) -> Refusal { Refusal("TooManyConsents", Parameters(reason: reason)) }

    static func notEnabled(_ reason: String) -> Refusal { Refusal("NotEnabled", Parameters(reason: reason)) }

    static let notEnabled = Refusal(
        "NotEnabled",
        Parameters(reason: "This device was not enabled, or was disabled: enable it first (vigil ctl enable)."))

    static func fileRefused(_ file: String, rule: String, offset: UInt64? = nil, _ reason: String) -> Refusal {
        Refusal(
            "FileRefused",
            Parameters(
                file: ForeignText.line(file, limit: 64), rule: rule, offset: offset.map { Int64(clamping: $0) },
                reason: reason))
    }

    static func consentRefused(_ cause: String, _ reason: String) -> Refusal {
        Refusal("ConsentRefused", Parameters(cause: cause, reason: reason))
    }

    static func answerRefused(_ cause: String, _ reason: String) -> Refusal {
        Refusal("AnswerRefused", Parameters(cause: cause, reason: reason))
    }

    static func rulesRefused(_ rule: String, _ reason: String) -> Refusal {
        Refusal("ConfigurationRefused", Parameters(rule: rule, reason: reason))
    }

    static func contentRefused(_ rule: String, _ reason: String) -> Refusal {
        Refusal("ContentRefused", Parameters(rule: rule, reason: reason))
    }

    static func termsRefused(_ rule: String, _ reason: String) -> Refusal {
        Refusal("TermsRefused", Parameters(rule: rule, reason: reason))
    }

    static func logChanged(_ reason: String) -> Refusal { Refusal("LogChanged", Parameters(reason: reason)) }

    static func successionRefused(_ rule: String, _ reason: String) -> Refusal {
        Refusal("SuccessionRefused", Parameters(rule: rule, reason: reason))
    }

    static func buttonNeeded(_ reason: String) -> Refusal { Refusal("ButtonNeeded", Parameters(reason: reason)) }

    static func storage(_ reason: String) -> Refusal { Refusal("StorageUnavailable", Parameters(reason: reason)) }

    static func storage(_ error: any Error) -> Refusal {
        Refusal("StorageUnavailable", Parameters(reason: "\(error)"))
    }
}
