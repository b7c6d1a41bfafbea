// SPDX-License-Identifier: Apache-2.0

public import JSON

/// What becomes of a warning.
public enum WarningChange: String, Sendable, CaseIterable {
    /// It is taken back.
    case revoked
    /// Its report type is another one. Only where report types are published as such.
    case confirmedTest, clinicalDiagnosis

    /// As published with a key.
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
    public var number: Int64
    /// Unix seconds.
    public var time: Int64
    public var person: String
    public var change: WarningChange
    public var reason: String
    /// Keys that are public, and keys that wait; the latter never become public when the warning is taken back.
    public var published: Int
    public var waiting: Int
    /// Of the public ones, how many phones believe the change of: they let a confirmed test become nothing (gaen-core, section 5).
    public var believedByPhones: Int
    /// Where they are public.
    public var regions: [String]
    /// First and last UTC day of the keys, days since 1970.
    public var firstDay: Int64
    public var lastDay: Int64

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

    public var json: JSON {
        [
            "proposal": .int(number), "time": .int(time), "person": .string(person), "change": .string(change.rawValue),
            "reason": .string(reason), "published": .int(Int64(published)), "waiting": .int(Int64(waiting)),
            "believedByPhones": .int(Int64(believedByPhones)), "regions": .array(regions.map { .string($0) }),
            "firstDay": .int(firstDay), "lastDay": .int(lastDay),
        ]
    }

    /// `nil` for anything ``json`` cannot have made.
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

/// Why a change was not proposed or not confirmed. Equal by code.
public struct WarningRefusal: Error, Hashable {
    /// Raw values are those of the publishing authority's errors: they travel between servers.
    public enum Code: String, Sendable, CaseIterable {
        case unknownWarning, warningRevoked, olderRevision, warningNotPublished, typesAreCodes
        case alreadyProposed, unknownProposal, samePerson, invalidPerson, invalidReason
        /// What was typed is no code of a test and no teleTAN.
        case invalidCode
        /// Another server does not answer as it should, or the disk.
        case failed
    }

    public let code: Code
    /// For a log.
    public let detail: String

    public init(_ code: Code, _ detail: String = "") {
        self.code = code
        self.detail = detail
    }

    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

/// Who knows a warning's handles by its code: a ``VerificationServer`` in this process, or whoever asks one elsewhere.
public protocol WarningFinding: AnyObject {
    /// Throws `invalidCode`, `failed`.
    func handles(_ code: String) throws(WarningRefusal) -> [WarningHandle]
}

extension VerificationServer: WarningFinding {
    public func handles(_ code: String) throws(WarningRefusal) -> [WarningHandle] {
        do throws(VerificationError) { return try warningHandles(code) } catch {
            throw WarningRefusal(error.code == .malformedRequest ? .invalidCode : .failed, error.code.rawValue)
        }
    }
}

/// Who publishes what was warned, and takes it back: two people, one after the other. What is answered is durable.
public protocol WarningDesk: AnyObject {
    /// One person proposes. The warning is the one that any of `handles` finds.
    func propose(
        _ handles: [WarningHandle], _ change: WarningChange, by person: String, reason: String, now: Int64
    ) throws(WarningRefusal) -> WarningProposal
    /// Another one confirms: it is decided, and in the next packages.
    func confirm(_ number: Int64, by person: String, now: Int64) throws(WarningRefusal) -> WarningProposal
    /// Either of them, or a third, drops it.
    func drop(_ number: Int64, by person: String, now: Int64) throws(WarningRefusal)
    /// Those that wait for a second person, oldest first.
    func proposals(now: Int64) throws(WarningRefusal) -> [WarningProposal]
}
