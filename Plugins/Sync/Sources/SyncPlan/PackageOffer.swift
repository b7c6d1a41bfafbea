// SPDX-License-Identifier: Apache-2.0

/// A package that a source has and that is not here yet.
public struct PackageOffer: Sendable, Hashable {
    /// The journal's name for the package: unique within the source, and the same in every run.
    public let id: String
    /// The path that is appended to the source's base, with its slash.
    public let path: String
    /// The start of the period in which its keys were published, Unix seconds, inclusive; 0 if the name does not tell.
    public let start: Int64
    /// The end of the period in which its keys were published, Unix seconds, exclusive; 0 if the name does not tell.
    public let end: Int64
    /// An opaque text, equal for packages that may be parts of one batch, as far as names tell: the path up to the number. They are provided
    /// together, as many as one call takes. A single file can have one too; `nil` if its name tells nothing.
    public let batch: String?
    /// Whether it may well not be there yet, so that its absence is no fault.
    public let mayBeAbsent: Bool

    /// An offer with these values, as they are.
    ///
    /// - Parameters:
    ///   - id: The package's name within its source.
    ///   - path: The path to fetch it from.
    ///   - start: Unix seconds; 0 if it is unknown.
    ///   - end: Unix seconds; 0 if it is unknown.
    ///   - batch: A text that packages of one batch share; `nil` if it is not known to be of a batch.
    ///   - mayBeAbsent: Whether the server may do without it.
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
    /// Takes the body of the index that ``nextIndex()`` named last; `nil` if the server has none there.
    /// - Throws: `IndexFault` if it is not what it should be; it counts as not come then.
    mutating func take(_ body: [UInt8]?) throws(IndexFault)
    /// The packages to fetch, in this order, as far as the record does not say that they are done or must wait; empty if
    /// there are none. Cannot fail.
    func offers() -> [PackageOffer]
    /// The record of what was done so far. The run brings it up to date to learn what is missing in the end.
    var record: SourceRecord { get set }
    /// The number of lines of an index that were left out because nobody may follow them, at least 0.
    var refusedLineCount: Int { get }
    /// Whether an index that came ends before what is here already: it is an old one that somebody sent again.
    var isOlder: Bool { get }
    /// Whether a package of that id can still be offered, as far as the indexes say that came.
    func mayOffer(_ id: String) -> Bool
}

extension SourcePlan {
    /// Whether an index that came ends before what is here already; always false for a source without an index.
    public var isOlder: Bool { false }
    /// True: where names follow from the time, only time makes a package one of the past.
    public func mayOffer(_ id: String) -> Bool { true }
}

/// The reason why the body of an index cannot be taken for one.
public struct IndexFault: Error, Hashable, CustomStringConvertible {
    /// The fault of the index, an English sentence without a full stop; it holds nothing of the server's words.
    public let description: String

    /// A fault with this description. Cannot fail.
    ///
    /// - Parameter description: A sentence without a full stop and without anything the server sent.
    public init(_ description: String) { self.description = description }
}
