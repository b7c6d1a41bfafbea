// SPDX-License-Identifier: Apache-2.0

/// A package that a source has and we want.
public struct PackageOffer: Sendable, Hashable {
    /// What the journal calls it: unique within the source, and the same in every run.
    public let id: String
    /// What is appended to the source's base, with its slash.
    public let path: String
    /// Keys published from…
    public let start: Int64
    /// …up to then are in it, Unix seconds; 0 for both when the name does not tell.
    public let end: Int64
    /// Packages of one batch are provided together.
    public let batch: String?
    /// Whether it may well not be there yet.
    public let mayBeAbsent: Bool

    public init(
        id: String, path: String, start: Int64, end: Int64, batch: String? = nil, mayBeAbsent: Bool = false
    ) {
        self.id = id
        self.path = path
        self.start = start
        self.end = end
        self.batch = batch
        self.mayBeAbsent = mayBeAbsent
    }
}

/// Decides what a source of one kind is asked for, in one run. Pure: the run tells it what came.
public protocol SourcePlan: Sendable {
    /// The next index to fetch, as a path appended to the base; `nil` when no further one is needed.
    mutating func nextIndex() -> String?
    /// The index named last came, or is not there (`nil`). Throws when it is not what it should be; it counts as not come then.
    mutating func take(_ body: [UInt8]?) throws(IndexFault)
    /// What to fetch, in this order, as far as the record does not say that it is done or must wait.
    func offers() -> [PackageOffer]
    /// What was done so far. The run brings it up to date to learn what is missing in the end.
    var record: SourceRecord { get set }
    /// Lines of an index that were left out because nobody may follow them.
    var refusedLineCount: Int { get }
    /// Whether an index that came ends before what is here already: it is an old one that somebody sent again.
    var isOlder: Bool { get }
}

extension SourcePlan {
    public var isOlder: Bool { false }
}

/// Why an index is not one.
public struct IndexFault: Error, Hashable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
