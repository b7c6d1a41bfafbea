// SPDX-License-Identifier: Apache-2.0

/// A package that a source offers and that is not here yet.
public struct PackageOffer: Sendable, Hashable {
    /// The journal's name for the package: unique within the source, and the same in every run.
    public let id: String
    /// The path that is appended to the source's base, with its slash.
    public let path: String
    /// The start of the period in which its keys were published, in Unix seconds, inclusive; 0 if the name does not tell
    /// it.
    public let start: Int64
    /// The end of the period in which its keys were published, in Unix seconds, exclusive; 0 if the name does not tell it.
    public let end: Int64
    /// A text that is equal for packages that may be parts of one batch: the path up to the number. Such packages are
    /// provided together, as many as fit into one call. A single file can have one, too; `nil` if its name tells nothing.
    public let batch: String?
    /// Whether the package may not be published yet, so that its absence is not a fault.
    public let mayBeAbsent: Bool

    /// Creates an offer of these values, unchecked.
    ///
    /// - Parameters:
    ///   - id: The journal's name for the package, unique within its source.
    ///   - path: The path that is appended to the source's base.
    ///   - start: The start of its period in Unix seconds; 0 if it is unknown.
    ///   - end: The end of its period in Unix seconds; 0 if it is unknown.
    ///   - batch: The text that packages of one batch share; `nil` if the package is not known to belong to one.
    ///   - mayBeAbsent: Whether the package may not be published yet.
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

/// Decides which indexes and packages of a source of one kind are requested in one run. Pure: the run fetches, and
/// passes the answers on.
public protocol SourcePlan: Sendable {
    /// Returns the next index to fetch, as a path that is appended to the base; `nil` if no further one is needed.
    mutating func nextIndex() -> String?
    /// Takes the body of the index that ``nextIndex()`` returned last; `nil` if the server does not have it.
    /// - Throws: `IndexFault` if the body is not such an index; it then counts as not received.
    mutating func take(_ body: [UInt8]?) throws(IndexFault)
    /// Returns the packages to fetch, in this order, without those that the record names as done or as not due yet; empty
    /// if there are none. Cannot fail.
    func offers() -> [PackageOffer]
    /// The record of the source's packages. The run updates it, to learn what is missing in the end.
    var record: SourceRecord { get set }
    /// The number of lines of an index that were left out because they are not acceptable; 0 or more.
    var refusedLineCount: Int { get }
    /// Whether an index ends before the packages that are here already, because an old one was sent again.
    var isOlder: Bool { get }
    /// Whether a package of that id can still be offered, as far as the indexes say that came.
    func mayOffer(_ id: String) -> Bool
}

extension SourcePlan {
    /// Whether an index ends before the packages that are here already; always `false` for a source without an index.
    public var isOlder: Bool { false }
    /// Returns `true`: where names follow from the time, only time makes a package one of the past.
    public func mayOffer(_ id: String) -> Bool { true }
}

/// The reason why the body of an index was refused.
public struct IndexFault: Error, Hashable, CustomStringConvertible {
    /// The fault of the index, an English sentence without a full stop; it contains no text from the server.
    public let description: String

    /// Creates a fault with this description. Cannot fail.
    ///
    /// - Parameter description: A sentence without a full stop, which must not contain text from the server.
    public init(_ description: String) { self.description = description }
}
