// SPDX-License-Identifier: Apache-2.0

public import CodedError
public import JSON

/// A change of a warning that a proposal asks for. Raw values are stable: they are sent between servers.
public enum WarningChange: String, Sendable, CaseIterable {
    /// The warning is taken back.
    case revoked
    /// The report type of the warning becomes the one that the case names. Refused with `typesAreCodes` where published
    /// report types are codes for levels.
    case confirmedTest, clinicalDiagnosis

    /// The report type with which a changed key is published (`ReportType` of `TemporaryExposureKey`): 1 for a confirmed
    /// test, 2 for a clinical diagnosis, 5 for a revoked key.
    public var reportType: Int32 {
        switch self {
        case .revoked: 5
        case .confirmedTest: 1
        case .clinicalDiagnosis: 2
        }
    }
}

/// A change of a warning that one person has proposed and another may confirm, with its extent at the time when this value
/// was made. It does not tell whose warning it is.
public struct WarningProposal: Hashable, Sendable {
    /// The number of the proposal, by which it is confirmed or dropped; the authority counts from 1.
    public var number: Int64
    /// The time of the proposal by the authority's clock, in Unix seconds.
    public var time: Int64
    /// The name of the person who proposed the change, in lower case: 1 to 64 of a-z, 0-9, dot, hyphen and
    /// underscore. The authority checks that; this type does not.
    public var person: String
    /// The change of the warning that is proposed.
    public var change: WarningChange
    /// The reason in the proposer's own words: 3 to 200 characters and at most 800 bytes, without line breaks. The
    /// authority checks that; this type does not.
    public var reason: String
    /// The number of public keys that the change applies to, 0 or more. Keys that are taken back already, or cannot change
    /// to the type, are not counted.
    public var published: Int
    /// The number of keys that are not public yet and will never be once the proposal is confirmed, 0 or more; always 0 for
    /// a change of the type.
    public var waiting: Int
    /// The number of keys in ``published`` for which phones accept the change, 0 or more. Phones accept no change of a
    /// confirmed test, not even that it is taken back (gaen-core, section 5).
    public var believedByPhones: Int
    /// The names of the regions in which the keys of ``published`` are public, sorted; empty if there are none.
    public var regions: [String]
    /// The number of hours at venues that go off SwissCovid's lists, 0 or more, without random ones; always 0 for a change of the type. Whoever was told of them stays told.
    public var venueHours: Int
    /// The first UTC day on which one of the keys or hours begins, in days since 1970-01-01.
    public var firstDay: Int64
    /// The last UTC day on which one of the keys or hours begins, in days since 1970-01-01.
    public var lastDay: Int64

    /// Creates a proposal of these parts, which are not checked; `time` is in Unix seconds, `firstDay` and `lastDay` are
    /// days since 1970-01-01.
    public init(
        number: Int64, time: Int64, person: String, change: WarningChange, reason: String, published: Int, waiting: Int,
        believedByPhones: Int, regions: [String], firstDay: Int64, lastDay: Int64,
        venueHours: Int = 0
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
        self.venueHours = venueHours
    }

    /// The proposal as a JSON object that is sent between servers and read by ``init(json:)``. Cannot fail.
    public var json: JSON {
        [
            "proposal": .int(number), "time": .int(time), "person": .string(person), "change": .string(change.rawValue),
            "reason": .string(reason), "published": .int(Int64(published)), "waiting": .int(Int64(waiting)),
            "believedByPhones": .int(Int64(believedByPhones)), "regions": .array(regions.map { .string($0) }),
            "firstDay": .int(firstDay), "lastDay": .int(lastDay), "venueHours": .int(Int64(venueHours)),
        ]
    }

    /// Reads a proposal from ``json``. `nil` when a member is missing or has another JSON type, or the change is unknown.
    /// `venueHours` may be absent, as from an older authority. Ranges are not checked; unknown members, and regions that are not text, are ignored.
    public init?(json: JSON) {
        guard let number = json["proposal"]?.int, let time = json["time"]?.int, let person = json["person"]?.string,
            let change = json["change"]?.string.flatMap(WarningChange.init), let reason = json["reason"]?.string,
            let published = json["published"]?.int, let waiting = json["waiting"]?.int,
            let believed = json["believedByPhones"]?.int, let regions = json["regions"]?.array?.compactMap(\.string),
            let firstDay = json["firstDay"]?.int, let lastDay = json["lastDay"]?.int
        else { return nil }
        self.init(
            number: number, time: time, person: person, change: change, reason: reason, published: Int(published),
            waiting: Int(waiting), believedByPhones: Int(believed), regions: regions, firstDay: firstDay, lastDay: lastDay,
            venueHours: Int(clamping: json["venueHours"]?.int ?? 0))
    }
}

/// The reason why a warning was not found, or a change was not proposed, confirmed, dropped or listed. Equal by code.
public struct WarningRefusal: CodedError {
    /// The kind of refusal. Raw values are sent between servers; except `invalidCode` and `failed`, they are codes of the
    /// publishing authority's errors.
    public enum Code: String, Sendable, CaseIterable {
        /// The rules about the keys: no warning was made with that code; the warning is taken back already; the change
        /// cannot follow what is published; none of the keys is public yet; or published report types are codes, which
        /// cannot be changed.
        case unknownWarning, warningRevoked, olderRevision, warningNotPublished, typesAreCodes
        /// The rules about proposals: the keys are already in a proposal; no proposal of that number is open; the proposer
        /// may not confirm; or the person's name or the reason breaks its rules.
        case alreadyProposed, unknownProposal, samePerson, invalidPerson, invalidReason
        /// The text is neither the code of a test nor a teleTAN.
        case invalidCode
        /// Another server, the disk or the cryptographic library failed.
        case failed
    }

    /// The rule that refused; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The details of the refusal for a log, empty if there are none; names no keys and no person who warned.
    public let detail: String

    /// The raw value of the code, followed by a colon and the detail unless that is empty; for a log.
    public var description: String { detail.isEmpty ? code.rawValue : "\(code.rawValue): \(detail)" }

    /// Creates a refusal of the kind `code`, with the place of the call. `detail` must name no keys and no person who
    /// warned, which is not checked. Cannot fail.
    public init(_ code: Code, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.detail = detail
    }
}

/// A server that knows the handles of a warning by its code: a ``VerificationServer`` in this process, or a client of one
/// elsewhere.
public protocol WarningFinding: AnyObject {
    /// Returns the handles that the warning of `code` (a teleTAN, or the code of a test as a person types it) may have: at
    /// least one, even if nobody warned with that code. May block for as long as another server takes. Throws `invalidCode`
    /// for any other text, and `failed` when the handles cannot be computed or fetched.
    func handles(_ code: String) throws(WarningRefusal) -> [WarningHandle]
}

extension VerificationServer: WarningFinding {
    /// Returns the handles for `code` as ``warningHandles(_:)`` does, without blocking. Throws `invalidCode` for a text
    /// that is no such code, and `failed` when the cryptographic library refuses; the detail is the raw value of the
    /// server's error code.
    public func handles(_ code: String) throws(WarningRefusal) -> [WarningHandle] {
        do throws(VerificationError) { return try warningHandles(code) } catch {
            throw WarningRefusal(error.code == .malformedRequest ? .invalidCode : .failed, error.code.rawValue)
        }
    }
}

/// A publisher's functions for taking warnings back, which need two people, one after the other. Every result is durable.
/// Every function may block for as long as another server takes.
public protocol WarningDesk: AnyObject {
    /// Proposes a change in the name of `person` at `now` (Unix seconds), and returns the proposal. The warning is
    /// that of the first of `handles` under which keys are known. `person` has 1 to 64 of a-z, 0-9, dot, hyphen and
    /// underscore, in any case; `reason` has 3 to 200 characters and at most 800 bytes, not counting blanks around
    /// it and line breaks, which are removed. Throws ``WarningRefusal`` of any kind but `invalidCode`,
    /// `unknownProposal` and `samePerson`; the codes say when.
    func propose(
        _ handles: [WarningHandle], _ change: WarningChange, by person: String, reason: String, now: Int64
    ) throws(WarningRefusal) -> WarningProposal
    /// Confirms the proposal `number` at `now` (Unix seconds) in the name of `person`, who must not be the proposer, and
    /// returns the proposal as it was decided. The change is published with the next packages. Throws `unknownProposal`
    /// when no such proposal is open (it closes after three days), `samePerson` for the proposer, `invalidPerson` for a
    /// name that breaks the rules, `failed` when a server or the disk fails, and `unknownWarning`, `warningRevoked`,
    /// `olderRevision` or `warningNotPublished` when the keys have changed since it was proposed.
    func confirm(_ number: Int64, by person: String, now: Int64) throws(WarningRefusal) -> WarningProposal
    /// Drops the proposal `number` at `now` (Unix seconds) in the name of any `person`, the proposer included.
    /// Throws `unknownProposal` when no such proposal is open (it closes after three days), `invalidPerson` for a
    /// name that breaks the rules, and `failed` when a server or the disk fails.
    func drop(_ number: Int64, by person: String, now: Int64) throws(WarningRefusal)
    /// Returns the proposals of the last three days before `now` (Unix seconds) that wait for a second person and
    /// would still change something, oldest first. Throws `failed` when a server or the disk fails.
    func proposals(now: Int64) throws(WarningRefusal) -> [WarningProposal]
    /// The changes that can be proposed: all, or `revoked` alone where published report types are codes for levels. An authority elsewhere has said it with the last
    /// ``proposals(now:)``; before that it is `revoked` alone. Cannot fail.
    var changes: [WarningChange] { get }
}
