// SPDX-License-Identifier: Apache-2.0

public import CodedError
import HTTPService
package import SQLiteFile

/// The reason why the verification server, the test-result server or the submission server did not do what it was asked.
/// Equal by code; the detail never holds a key, a token, a TAN or a test.
public struct VerificationError: CodedError {
    /// The kind of error. Raw values are stable: they appear in answers, counters and logs.
    public enum Code: String, Sendable, CaseIterable {
        /// The request breaks the protocol; the detail names the wrong part if there is one.
        case malformedRequest
        /// The test or the teleTAN is or was registered already.
        case keyAlreadyUsed
        /// No such teleTAN was issued, or it was deleted since.
        case unknownTeleTAN
        /// The teleTAN has expired; the error does not say whether it was used.
        case teleTANExpired
        /// No registration has this token, or it has expired.
        case unknownToken
        /// The result for the date of birth differs from the result of the test.
        case birthMismatch
        /// The test has no positive result: there is none yet, it is another one, or it is redeemed.
        case notPositive
        /// The registration's only TAN was given to another request, or to one without a name.
        case tanAlreadyIssued
        /// There is no such TAN, it was used, it has expired, or it is of another type.
        case invalidTAN
        /// The caller of an internal route did not present the route's secret.
        case notAuthorised
        /// As many teleTANs were issued as the rules allow in their window, which is an hour unless set.
        case teleTANRateExceeded
        /// The submission breaks a rule; the detail names it.
        case invalidSubmission
        /// The publisher of keys did not take them.
        case intakeFailed
        /// The database or a file of secrets cannot be used, or others than its owner may read the secret.
        case storageUnusable
        /// A newer release wrote the database; this one must not touch it.
        case storageTooNew
        /// The database is not what this program writes.
        case storageDamaged
        /// Another process kept the database busy for too long.
        case storageInUse
        /// No space left on the disk.
        case full
        /// As many uploads of visits wait for their answers as may at once.
        case tooManyUploads
        /// Another server of the authority cannot be reached, or does not answer as it should.
        case partnerFailed
        /// The address cannot be listened on.
        case listenFailed
        /// The cryptographic library refused.
        case cryptography
    }

    /// The kind of the error; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The names, numbers and reasons of the case, without any secret; may be empty.
    public let detail: String

    /// Creates an error of the kind `code`, with the place of the call. `detail` must hold no key, token, TAN or test,
    /// which is not checked. Cannot fail.
    public init(_ code: Code, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.detail = detail
    }

    /// A text for operators, logs and partners, in English: what is wrong and what to do, then the detail after a colon
    /// unless it is empty, then the raw value of the code in brackets. No secrets.
    public var description: String {
        let text =
            switch code {
            case .malformedRequest: "the request is not what the protocol says; correct the sender"
            case .keyAlreadyUsed:
                "this test or teleTAN was registered before; use the device that did, or ask the health office"
            case .unknownTeleTAN: "no such teleTAN is valid; check its characters, or ask the health office for another"
            case .teleTANExpired: "the time of this teleTAN is over; ask the health office for another"
            case .unknownToken: "this registration token is not known or not kept any more; register anew"
            case .birthMismatch: "the date of birth does not belong to this test; register with the right one"
            case .notPositive:
                "the test has no positive result, so there is nothing to warn of; ask for the result again later"
            case .tanAlreadyIssued: "this registration has had its TAN; use that one"
            case .invalidTAN: "this TAN is not valid or was used; nothing was taken"
            case .notAuthorised: "the secret of this route is missing or wrong; give the one of the secrets file"
            case .teleTANRateExceeded: "more teleTANs than an hour may have; issue the next one later"
            case .invalidSubmission: "the submission breaks a rule; nothing was taken"
            case .intakeFailed: "the keys could not be handed to the authority; send the same submission again"
            case .storageUnusable: "the storage cannot be used; check its owner, its rights and the disk"
            case .storageTooNew: "a newer release wrote this database; install that release again"
            case .storageDamaged: "the database is damaged; restore it from its last copy"
            case .storageInUse: "another process works on this database; wait for it, or stop it"
            case .full: "the disk is full; free some space and do it again"
            case .tooManyUploads: "too many uploads at once; nothing was taken; send the same again in a few seconds"
            case .partnerFailed:
                "another server did not answer as it should; see that it runs and that the secrets are the same"
            case .listenFailed: "the address cannot be listened on; choose another, or stop who has it"
            case .cryptography: "the cryptographic library refused"
            }
        return detail.isEmpty ? "\(text) [\(code.rawValue)]" : "\(text): \(detail) [\(code.rawValue)]"
    }
}

extension VerificationError: SQLiteFailure {
    /// Creates the server's error for a fault of the database, with the fault's detail: `storageUnusable`, `storageTooNew`,
    /// `storageDamaged`, `storageInUse` or `full`. Cannot fail.
    package init(_ fault: SQLiteFault) {
        let code: Code =
            switch fault.kind {
            case .unusable: .storageUnusable
            case .tooNew: .storageTooNew
            case .damaged: .storageDamaged
            case .inUse: .storageInUse
            case .full: .full
            }
        self.init(code, fault.detail)
    }
}
