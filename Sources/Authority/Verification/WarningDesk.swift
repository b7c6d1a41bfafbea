// SPDX-License-Identifier: Apache-2.0

public import CodedError
public import JSON

/// The change of a warning that a proposal asks for. Raw values are stable: they travel between servers.
public enum WarningChange: String, Sendable, CaseIterable {
    /// The warning is taken back.
    case revoked
    /// The report type of the warning becomes this one. Refused where published report types are codes for levels
    /// (`typesAreCodes`).
    case confirmedTest, clinicalDiagnosis

    /// The number of the report type that a changed key is published with (`ReportType` of `TemporaryExposureKey`): 1
    /// confirmed test, 2 clinical diagnosis, 5 revoked.
    public var reportType: Int32 {
        switch self {
        case .revoked: 5
        case .confirmedTest: 1
        case .clinicalDiagnosis: 2
        }
    }
}

/// A change that one person has proposed and another one may confirm, with its extent when this was made. Says nothing
/// about whose warning it is.
public struct WarningProposal: Hashable, Sendable {
    /// The proposal's number, by which it is confirmed or dropped; the authority counts from 1.
    public var number: Int64
    /// The time when it was proposed, Unix seconds by the clock of the authority.
    public var time: Int64
    /// The person who proposed it: 1 to 64 of a-z, 0-9, dot, hyphen and underscore, as the authority has checked; not
    /// checked here.
    public var person: String
    /// The change of the warning that is proposed.
    public var change: WarningChange
    /// The proposer's words, foreign text: 3 to 200 characters without line breaks, as the authority has checked; not
    /// checked here.
    public var reason: String
    /// The number of public keys that the change is for, 0 or more; without those that are taken back already, or
    /// cannot change to that type.
    public var published: Int
    /// The number of keys that are not public yet and never become so once this is confirmed; 0 unless the warning is
    /// to be taken back.
    public var waiting: Int
    /// The number of keys among ``published`` whose change phones obey, 0 or more. Phones obey no change of a confirmed
    /// test, not even that it is taken back (gaen-core, section 5).
    public var believedByPhones: Int
    /// Names of the regions where the keys of ``published`` are public, sorted; empty without such keys.
    public var regions: [String]
    /// The first UTC day on which a key of ``published`` or ``waiting`` begins, in days since 1970-01-01.
    public var firstDay: Int64
    /// The last UTC day on which a key of ``published`` or ``waiting`` begins, in days since 1970-01-01.
    public var lastDay: Int64

    /// A proposal of these parts, unchecked; `time` is in Unix seconds, `firstDay` and `lastDay` in days since
    /// 1970-01-01.
    public init(
        number: Int64, time: Int64, person: String, change: WarningChange, reason: String, published: Int, waiting: Int,
        believedByPhones: Int, regions: [String], firstDay: Int64, lastDay: Int64
    ) {
        self.number = number
        self.time = time
        self.person = person
        self.change = change
        self.reason = reason
        self.published = published
        self.waiting = waiting
        self.believedByPhones = believedByPhones
        self.regions = regions
        self.firstDay = firstDay
        self.lastDay = lastDay
    }

    /// The proposal as a JSON object for the way between servers; ``init(json:)`` reads it back. Cannot fail.
    public var json: JSON {
        [
            "proposal": .int(number), "time": .int(time), "person": .string(person), "change": .string(change.rawValue),
            "reason": .string(reason), "published": .int(Int64(published)), "waiting": .int(Int64(waiting)),
            "believedByPhones": .int(Int64(believedByPhones)), "regions": .array(regions.map { .string($0) }),
            "firstDay": .int(firstDay), "lastDay": .int(lastDay),
        ]
    }

    /// The proposal out of ``json``. `nil` when a member is absent or of another kind, or the change is unknown. Ranges
    /// are not checked, further members are ignored, and so are regions that are no text.
    public init?(json: JSON) {
        guard let number = json["proposal"]?.int, let time = json["time"]?.int, let person = json["person"]?.string,
            let change = json["change"]?.string.flatMap(WarningChange.init), let reason = json["reason"]?.string,
            let published = json["published"]?.int, let waiting = json["waiting"]?.int,
            let believed = json["believedByPhones"]?.int, let regions = json["regions"]?.array?.compactMap(\.string),
            let firstDay = json["firstDay"]?.int, let lastDay = json["lastDay"]?.int
        else { return nil }
        self.init(
            number: number, time: time, person: person, change: change, reason: reason, published: Int(published),
            waiting: Int(waiting), believedByPhones: Int(believed), regions: regions, firstDay: firstDay, lastDay: lastDay)
    }
}

/// The reason why a warning was not found, or a change not proposed, confirmed, dropped or listed. Equal by code.
public struct WarningRefusal: CodedError {
    /// The kind of refusal. Raw values travel between servers; they are those of the publishing authority's errors,
    /// except `invalidCode` and `failed`.
    public enum Code: String, Sendable, CaseIterable {
        /// Nobody has warned with that code; the warning was taken back before; the change does not follow what is
        /// published; none of the keys is public yet; or report types are codes, which cannot be changed.
        case unknownWarning, warningRevoked, olderRevision, warningNotPublished, typesAreCodes
        /// The same is proposed already; no proposal of that number is open; whoever proposed may not confirm; or the
        /// person's name or the reason breaks its rules.
        case alreadyProposed, unknownProposal, samePerson, invalidPerson, invalidReason
        /// The typed text is no code of a test and no teleTAN.
        case invalidCode
        /// Another server, the disk or the cryptographic library does not answer as it should.
        case failed
    }

    /// The rule that refused; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// Details of the refusal for a log, empty when there are none; names no keys and no person who warned.
    public let detail: String

    /// The raw value of the code, and after a colon the detail, unless that is empty; for a log.
    public var description: String { detail.isEmpty ? code.rawValue : "\(code.rawValue): \(detail)" }

    /// A refusal of that kind, made at the line of the caller. `detail` must name no keys and no person who warned; not
    /// checked.
    public init(_ code: Code, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.detail = detail
    }
}

/// The source of a warning's handles by its code: a ``VerificationServer`` in this process, or a client of one elsewhere.
public protocol WarningFinding: AnyObject {
    /// The handles that the warning of `code` (a teleTAN, or the code of a test as a person types it) may have; at
    /// least one, also for a code that nobody warned with. May block for as long as another server takes. Throws
    /// `invalidCode` for any other text, `failed` when they cannot be had.
    func handles(_ code: String) throws(WarningRefusal) -> [WarningHandle]
}

extension VerificationServer: WarningFinding {
    /// As ``warningHandles(_:)``, without blocking; throws `invalidCode` for a text that is no code, and `failed` when
    /// the cryptographic library refuses. The detail is the raw value of the server's error code.
    public func handles(_ code: String) throws(WarningRefusal) -> [WarningHandle] {
        do throws(VerificationError) { return try warningHandles(code) } catch {
            throw WarningRefusal(error.code == .malformedRequest ? .invalidCode : .failed, error.code.rawValue)
        }
    }
}

/// The part of a publisher that takes warnings back: two people, one after the other. What is answered is durable.
public protocol WarningDesk: AnyObject {
    /// `person` proposes a change at `now` (Unix seconds). The warning is that of the first of `handles` under which
    /// keys are known. `person` has 1 to 64 of a-z, 0-9, dot, hyphen and underscore, in any case; `reason` has 3 to 200
    /// characters. May block for as long as another server takes, as every function here. Throws any code of
    /// ``WarningRefusal/Code`` but `invalidCode`, `unknownProposal` and `samePerson`.
    func propose(
        _ handles: [WarningHandle], _ change: WarningChange, by person: String, reason: String, now: Int64
    ) throws(WarningRefusal) -> WarningProposal
    /// `person`, another one than proposed, confirms the proposal of that number at `now` (Unix seconds): the change is
    /// decided, and in the next packages. Gives the proposal as it was decided. Throws `unknownProposal` (also three
    /// days after it was made), `samePerson`, `invalidPerson`, `failed`, or what has changed since it was proposed:
    /// `unknownWarning`, `warningRevoked`, `olderRevision`, `warningNotPublished`.
    func confirm(_ number: Int64, by person: String, now: Int64) throws(WarningRefusal) -> WarningProposal
    /// `person`, whoever it is, drops the proposal of that number at `now` (Unix seconds). Throws `unknownProposal`
    /// (also three days after it was made), `invalidPerson`, `failed`.
    func drop(_ number: Int64, by person: String, now: Int64) throws(WarningRefusal)
    /// The proposals of the last three days before `now` (Unix seconds) that wait for a second person, oldest first.
    /// Throws `failed`.
    func proposals(now: Int64) throws(WarningRefusal) -> [WarningProposal]
}
