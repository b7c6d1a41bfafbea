// SPDX-License-Identifier: Apache-2.0

public import CodedError
public import JSON

/// The change of a warning that a proposal asks for.
public enum WarningChange: String, Sendable, CaseIterable {
    /// It is taken back.
    case revoked
    /// Its report type is another one. Only where report types are published as such.
    case confirmedTest, clinicalDiagnosis

    /// Number of the report type, as published with a key.
    public var reportType: Int32 {
        switch self {
        case .revoked: 5
        case .confirmedTest: 1
        case .clinicalDiagnosis: 2
        }
    }
}

/// A change that one person has proposed and another one may confirm. Says nothing about whose warning it is.
public struct WarningProposal: Hashable, Sendable {
    /// The proposal's number, by which it is confirmed or dropped; above 0.
    public var number: Int64
    /// The time when it was proposed: Unix seconds.
    public var time: Int64
    /// The person who proposed it: 1 to 64 of a-z, 0-9, dot, hyphen and underscore.
    public var person: String
    /// The change of the warning that is proposed.
    public var change: WarningChange
    /// The proposer's words, 3 to 200 characters on one line; foreign text.
    public var reason: String
    /// How many of the warning's keys are public, 0 or more.
    public var published: Int
    /// Number of the keys that wait; they never become public when the warning is taken back.
    public var waiting: Int
    /// How many of the public keys phones believe the change of: they let a confirmed test become nothing (gaen-core,
    /// section 5).
    public var believedByPhones: Int
    /// Names of the regions where the keys are public, sorted.
    public var regions: [String]
    /// First UTC day of the keys, in days since 1970.
    public var firstDay: Int64
    /// Last UTC day of the keys, in days since 1970.
    public var lastDay: Int64

    /// A proposal of these parts; `time` is in Unix seconds, days count from 1970.
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

    /// The proposal as JSON for the way between servers; ``init(json:)`` reads it back.
    public var json: JSON {
        [
            "proposal": .int(number), "time": .int(time), "person": .string(person), "change": .string(change.rawValue),
            "reason": .string(reason), "published": .int(Int64(published)), "waiting": .int(Int64(waiting)),
            "believedByPhones": .int(Int64(believedByPhones)), "regions": .array(regions.map { .string($0) }),
            "firstDay": .int(firstDay), "lastDay": .int(lastDay),
        ]
    }

    /// The proposal out of ``json``; `nil` for anything that cannot have been one.
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

/// The reason why a change was not proposed or not confirmed. Equal by code.
public struct WarningRefusal: CodedError {
    /// Raw values are those of the publishing authority's errors: they travel between servers.
    public enum Code: String, Sendable, CaseIterable {
        /// Nobody has warned with that code; the warning was taken back before; the change does not follow what is
        /// published; none of the keys is public yet; or report types are codes, which cannot be changed.
        case unknownWarning, warningRevoked, olderRevision, warningNotPublished, typesAreCodes
        /// The same is proposed already; no proposal of that number is open; whoever proposed may not confirm; or the
        /// person's name or the reason breaks its rules.
        case alreadyProposed, unknownProposal, samePerson, invalidPerson, invalidReason
        /// The typed text is no code of a test and no teleTAN.
        case invalidCode
        /// Another server does not answer as it should, or the disk.
        case failed
    }

    /// The rule that refused; the only part that counts in comparisons.
    public let code: Code
    /// Where in the source the error was made.
    public let origin: ErrorOrigin
    /// Details of the refusal for a log; names no keys and no person who warned.
    public let detail: String

    /// The code, and the detail behind it; for a log.
    public var description: String { detail.isEmpty ? code.rawValue : "\(code.rawValue): \(detail)" }

    /// A refusal of that kind. `detail` must name no keys and no person who warned.
    public init(_ code: Code, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.detail = detail
    }
}

/// The source of a warning's handles by its code: a ``VerificationServer`` in this process, or whoever asks one elsewhere.
public protocol WarningFinding: AnyObject {
    /// The handles that the warning of this code may have; at least one, also for a code that nobody warned with. May block
    /// for as long as another server takes. Throws `invalidCode`, `failed`.
    func handles(_ code: String) throws(WarningRefusal) -> [WarningHandle]
}

extension VerificationServer: WarningFinding {
    /// As ``warningHandles(_:)``; throws `invalidCode` for a text that is no code, `failed` with the server's code
    /// otherwise.
    public func handles(_ code: String) throws(WarningRefusal) -> [WarningHandle] {
        do throws(VerificationError) { return try warningHandles(code) } catch {
            throw WarningRefusal(error.code == .malformedRequest ? .invalidCode : .failed, error.code.rawValue)
        }
    }
}

/// The part of a publisher that takes warnings back: two people, one after the other. What is answered is durable.
public protocol WarningDesk: AnyObject {
    /// One person proposes at `now` (Unix seconds). The warning is the one that any of `handles` finds. May block for as
    /// long as another server takes, as every function here; throws the refusal's code.
    func propose(
        _ handles: [WarningHandle], _ change: WarningChange, by person: String, reason: String, now: Int64
    ) throws(WarningRefusal) -> WarningProposal
    /// Another person confirms the proposal of that number at `now` (Unix seconds): it is decided, and in the next
    /// packages. Blocks and throws as ``propose(_:_:by:reason:now:)``.
    func confirm(_ number: Int64, by person: String, now: Int64) throws(WarningRefusal) -> WarningProposal
    /// Either person, or a third, drops the proposal of that number at `now` (Unix seconds). Blocks and throws as
    /// ``propose(_:_:by:reason:now:)``.
    func drop(_ number: Int64, by person: String, now: Int64) throws(WarningRefusal)
    /// The proposals that wait for a second person at `now` (Unix seconds), oldest first. Blocks as the others; throws
    /// `failed`.
    func proposals(now: Int64) throws(WarningRefusal) -> [WarningProposal]
}
