// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The reason why the authority did not do what it was asked. Equal by code; the detail never holds a key.
public struct AuthorityError: CodedError {
    /// The kind of error. Raw values are stable: they appear in logs, in the audit and in answers.
    public enum Code: String, Sendable, CaseIterable {
        /// The folder holds no authority. None is created on the way, because a mistyped path would then become a second
        /// root of trust.
        case stateMissing
        /// The state folder or a file in it cannot be used.
        case stateUnusable
        /// A newer release wrote the database; this one must not touch it.
        case stateTooNew
        /// The database is not what this program writes.
        case stateDamaged
        /// Another process is publishing or writing, and did not finish in time.
        case inUse
        /// No space left on the disk.
        case full
        /// The service's own settings have faults; the detail lists the first 100 of them and the number of the
        /// others.
        case invalidSettings
        /// The published configuration has faults; the detail lists the first 100 of them and the number of the
        /// others.
        case invalidConfiguration
        /// The number of the published configuration was more than a day above the machine's clock, and begins anew there.
        case configurationNumberAhead
        /// The risk configuration for boards has faults; the detail lists all of them.
        case invalidRiskConfiguration
        /// The content bundle, which holds texts for people, has faults; the detail lists all of them.
        case invalidContent
        /// The document about data donation is not one.
        case invalidDonation
        /// The published document about data donation has keys of too few days to come, so boards will stop donating.
        case donationRunsOut
        /// The submission is not a list of keys in any form that is read.
        case unreadableSubmission
        /// The submission has more bytes or keys than one submission may have.
        case submissionTooLarge
        /// A key names a region that this authority does not serve.
        case unknownRegion
        /// No such package is published.
        case unknownPackage
        /// The broker was not reached, or refused the message.
        case brokerFailed
        /// The address cannot be listened on.
        case listenFailed
        /// The machine's clock is not synchronised, so no time is signed.
        case clockUnknown
        /// The cryptographic library refused.
        case cryptography
        /// No known key came with that code, or is one of those keys.
        case unknownWarning
        /// The warning has already been taken back.
        case warningRevoked
        /// The change cannot follow the published report type: a type that has changed once, or that stands for a test,
        /// does not change again.
        case olderRevision
        /// None of the warning's keys is public yet, so their report type cannot change.
        case warningNotPublished
        /// Published report types are codes for risk levels, so a warning can be taken back but its type cannot change.
        case typesAreCodes
        /// A key of the warning already belongs to an open proposal; the detail names that proposal's number.
        case alreadyProposed
        /// No proposal of this number is open: it was never made, was confirmed or dropped, or is older than three days.
        case unknownProposal
        /// The person who proposed a change cannot also confirm it.
        case samePerson
        /// The name of a person breaks its rules: 1 to 64 of a-z, 0-9, dot, hyphen and underscore.
        case invalidPerson
        /// The reason, without line breaks and blanks around it, is shorter than 3 characters, or longer than 200
        /// characters or 800 bytes.
        case invalidReason
        /// The venue's id or time breaks the rules of ``HealthAuthority/listVenue(_:now:)``, or 5,000 venues are
        /// listed already.
        case invalidVenue
        /// No venue of that number is listed.
        case unknownVenue
        /// The settings say nothing of SwissCovid, so no trace keys are offered.
        case traceKeysNotOffered
        /// 40,000 trace keys are kept already, as many as boards read.
        case tooManyTraceKeys
        /// A board would refuse the change of keys.
        case invalidSuccession
        /// A trial stopped the work at this point; never thrown in service.
        case stopped
    }

    /// The rule that was broken, or what refused.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The names, numbers and reasons of the case, in printable form and without any key; may be empty.
    public let detail: String

    /// Creates an error of the kind `code`. `detail` must hold no key, which is not checked. Cannot fail.
    public init(_ code: Code, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.detail = detail
    }

    /// A text for operators, logs and answers to callers on this machine: what is wrong and what to do, with detail and
    /// code. Names files; holds no key.
    public var description: String {
        let text =
            switch code {
            case .stateMissing:
                "there is no authority here; check the path, or make one with new keys: vigil-authority init --state FOLDER"
            case .stateUnusable: "the state folder cannot be used; check its owner, its rights and the disk"
            case .stateTooNew: "a newer release wrote this state; install that release again"
            case .stateDamaged: "the database is damaged; restore the state folder from its last copy"
            case .inUse: "another process works on this state; wait for it, or stop it"
            case .full: "the disk is full; free some space and do it again"
            case .invalidSettings: "the settings have faults; correct every one of them"
            case .invalidConfiguration: "the configuration has faults, the last good one stays published; correct every one"
            case .configurationNumberAhead:
                "the number of the published configuration was of the future and begins anew at this machine's clock, which was ahead then or is behind now; check the clock: while it is behind, boards keep the configuration that they have"
            case .invalidRiskConfiguration:
                "the risk configuration has faults, the last good one stays published; correct every one"
            case .invalidContent: "the content has faults, the last good one stays published; correct every one"
            case .invalidDonation:
                "the document about data donation has faults, the last good one stays published; make it with `donations terms`"
            case .donationRunsOut:
                "boards will stop donating: the document about data donation has keys of too few days; make a new one with `donations terms`"
            case .unreadableSubmission: "this is no list of diagnosis keys; nothing of it was taken"
            case .submissionTooLarge: "this is more than may be handed in at once; split it"
            case .unknownRegion: "this authority does not serve that region; nothing was taken"
            case .unknownPackage: "no such package is published; `vigil-authority status` lists them"
            case .brokerFailed: "the wake message was not delivered to the broker; it is tried again"
            case .listenFailed: "the address cannot be listened on; choose another, or stop who has it"
            case .clockUnknown: "the machine's clock is not synchronised, so no time is signed; start an NTP service"
            case .cryptography: "the cryptographic library refused"
            case .unknownWarning: "no keys are known that came with this code; compare it with the letter of the laboratory"
            case .warningRevoked: "this warning was taken back before; there is nothing left to do"
            case .olderRevision:
                "this report type cannot follow the one that is published; a type moves once, and never from a test to less"
            case .warningNotPublished:
                "none of these keys is public yet; wait for their publication, or take the warning back"
            case .typesAreCodes:
                "report types are codes for risk levels here, and there is none to change; a warning can only be taken back"
            case .alreadyProposed: "somebody has proposed the same; another person confirms that proposal"
            case .unknownProposal:
                "there is no such proposal any more; it was confirmed or dropped, or is older than three days"
            case .samePerson: "whoever proposed it cannot confirm it; another person must"
            case .invalidPerson: "a person's name has 1 to 64 of a-z, 0-9, dot, hyphen and underscore; give the real one"
            case .invalidReason: "a reason has 3 to 200 characters; say what went wrong, and nothing about the person"
            case .invalidVenue: "this venue cannot be listed; correct it"
            case .unknownVenue: "no venue of that number is listed; `vigil-authority venues list` shows them"
            case .traceKeysNotOffered:
                "trace keys are not offered here; put \"swissCovid\": {} into settings.json, and start the service anew"
            case .tooManyTraceKeys:
                "as many trace keys are kept as boards read; nothing was taken: wait until old ones are forgotten, or withdraw some"
            case .invalidSuccession: "no board would take this change of keys; nothing was signed"
            case .stopped: "stopped here by the trial that asked for it"
            }
        return detail.isEmpty ? "\(text) [\(code.rawValue)]" : "\(text): \(detail) [\(code.rawValue)]"
    }
}
