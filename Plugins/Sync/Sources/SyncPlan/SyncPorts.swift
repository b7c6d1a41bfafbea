// SPDX-License-Identifier: Apache-2.0

/// The outcome of the check of a signed document.
public enum SignedDocument: Sendable, Hashable {
    /// Its content; a key that may do so signed it.
    case signed([UInt8])
    /// No key that may do so signed it, or its content is not what it should be.
    case refused
    /// This device could not look at it, which says nothing about it.
    case unread
}

/// The process is to end now: nothing more may be done. Never caught by the engine.
public struct SyncStop: Error, Hashable {
    /// The error, which says no more than that the process is to end.
    public init() {}
}

/// One thing to fetch from a source. Nothing that the server said before is part of it: a server that gives each board a tag of its own would know the
/// board again by it.
public struct FetchRequest: Sendable {
    /// The source to fetch from.
    public var source: SourceSettings
    /// The path, appended to the source's base, with a slash between if it begins with none.
    public var path: String
    /// The name of the new file in the spool that takes the body; `nil` keeps it in memory.
    public var file: String?
    /// The largest body that is taken, in bytes; a larger one fails with ``FetchFailure/Scope/content``.
    public var maximumBytes: Int
    /// The number of seconds that the whole transfer may take; 60 if not set.
    public var totalSeconds: Int
    /// The names of headers of the answer that are wanted, at most 4 (not checked here); none if not set.
    public var headers: [String] = []
    /// Whether the server's certificate is not checked: the answer carries its own signature and must be had even with a wrong clock.
    public var ignoresCertificate: Bool

    /// A request with these values. See the properties for units.
    ///
    /// - Parameters:
    ///   - file: `nil` keeps the body in memory.
    ///   - totalSeconds: The longest time of the whole transfer, in seconds.
    public init(
        source: SourceSettings, path: String, file: String? = nil, maximumBytes: Int, totalSeconds: Int = 60,
        ignoresCertificate: Bool = false
    ) {
        self.source = source
        self.path = path
        self.file = file
        self.maximumBytes = maximumBytes
        self.totalSeconds = totalSeconds
        self.ignoresCertificate = ignoresCertificate
    }
}

/// The whole answer to a request.
public struct FetchAnswer: Sendable {
    /// The bytes of the body; empty if it went to a file.
    public var body: [UInt8]
    /// The size of the body in bytes, wherever it went.
    public var byteCount: Int
    /// The number of bytes received for it, tries that broke included, 0 or more.
    public var receivedByteCount: Int
    /// SHA-256 of a body in memory and of ``headers``, in hexadecimal; `nil` for a body in a file. Never sent: it tells this device whether the
    /// document is the one that it had.
    public var digest: String?
    /// The tag that the server gave it, without quotation marks; `nil` if it gave none.
    public var tag: String?
    /// The server's time, Unix seconds; `nil` if it gave none.
    public var date: Int64?
    /// The values of the headers that were wanted and came, by the names asked for; empty if none was or did.
    public var headers: [String: String] = [:]

    /// An answer with these values. See the properties for units.
    ///
    /// - Parameter receivedByteCount: As many as `byteCount` if it is `nil`.
    public init(
        body: [UInt8] = [], byteCount: Int, receivedByteCount: Int? = nil, digest: String? = nil, tag: String? = nil,
        date: Int64? = nil
    ) {
        self.body = body
        self.byteCount = byteCount
        self.receivedByteCount = receivedByteCount ?? byteCount
        self.digest = digest
        self.tag = tag
        self.date = date
    }
}

/// The reason why nothing usable came for a request.
public struct FetchFailure: Error, Sendable {
    /// The consequences that a failure has for the rest of the run.
    public enum Scope: Sendable {
        /// The server or folder cannot be had at all: nothing more is asked of it in this run.
        case server
        /// The transfer of this answer broke off: it is asked for again.
        case transfer
        /// The server has nothing there, or does not give it to us.
        case absent
        /// Too large, or otherwise nothing that another try would change.
        case content
        /// Our own disk or memory is the trouble, not the server.
        case local
    }

    /// The consequence of the failure for the rest of the run.
    public var scope: Scope
    /// A stable name of the failure, for counting.
    public var name: String
    /// An English sentence for logs and pages that tells what went wrong and what to do.
    public var sentence: String
    /// The number of seconds that the server asked to wait, as it said; `nil` if it did not. ``SyncSchedule`` bounds it.
    public var retryAfter: Int64?
    /// The server's time, Unix seconds; `nil` if it gave none.
    public var date: Int64?
    /// The number of bytes received before it failed, at least 0.
    public var receivedByteCount: Int

    /// A failure with these values.
    ///
    /// - Parameters:
    ///   - scope: The consequence of the failure for the rest of the run.
    ///   - name: A stable name, for counting.
    ///   - sentence: The failure and the remedy, in an English sentence.
    ///   - retryAfter: The seconds that the server asks to wait; `nil` if it does not.
    ///   - date: The server's own time, Unix seconds; `nil` if it told none.
    ///   - receivedByteCount: The bytes received before it failed.
    public init(
        _ scope: Scope, name: String, sentence: String, retryAfter: Int64? = nil, date: Int64? = nil,
        receivedByteCount: Int = 0
    ) {
        self.scope = scope
        self.name = name
        self.sentence = sentence
        self.retryAfter = retryAfter
        self.date = date
        self.receivedByteCount = receivedByteCount
    }
}

/// The core's answer whether it takes files now.
public struct CoreState: Sendable {
    /// Whether the core takes files now.
    public var takesFiles: Bool
    /// Whether the core would take files if it knew the time, which it does not: then what it does not take now is worth keeping until it does.
    public var isOnlyTime: Bool
    /// Whether the core knows the time for certain, by a signature.
    public var isTimeAuthenticated: Bool
    /// The core's own sentence about its state, in English: the reason if it takes no files. Empty if it says nothing.
    public var sentence: String

    /// Defaults are those of a core that takes files, or does not for a reason other than time. Cannot fail.
    public init(takesFiles: Bool, isOnlyTime: Bool = false, isTimeAuthenticated: Bool = false, sentence: String = "") {
        self.takesFiles = takesFiles
        self.isOnlyTime = isOnlyTime
        self.isTimeAuthenticated = isTimeAuthenticated
        self.sentence = sentence
    }
}

/// The core's answer about files that it took.
public struct CoreAnswer: Sendable, Hashable {
    /// The periods that the files are signed for, in the order in which the files were given; those that the core had already, too. It may be
    /// shorter than the files: of the others nothing is known.
    public var files: [SignedPeriod]
    /// The moment up to which everything of the source is known to the core, Unix seconds, by what was signed; `nil` if it
    /// does not say.
    public var knownUntil: Int64?
    /// The days among the last 14 whole ones whose keys are known, as days since 1970; empty if the core names none.
    public var knownDays: [Int64]

    /// An answer with these values.
    ///
    /// - Parameters:
    ///   - files: The files in the order in which they were provided.
    ///   - knownUntil: Up to when everything is known, Unix seconds; `nil` if the core did not say.
    ///   - knownDays: Whole days that are known, as days since 1970.
    public init(files: [SignedPeriod], knownUntil: Int64? = nil, knownDays: [Int64] = []) {
        self.files = files
        self.knownUntil = knownUntil
        self.knownDays = knownDays
    }
}

/// The reason why the core did not do what it was asked.
public struct CoreFailure: Error, Sendable {
    /// The consequences that a failure of the core has for the run.
    public enum Kind: Sendable, Hashable {
        /// A file of the call breaks a rule: its name in the spool, and the rule's stable name.
        case fileRefused(file: String, rule: String)
        /// It has a newer one than the document of the call. Of files it never says that.
        case older
        /// The core does not know the time well enough; later it may.
        case timeUnknown
        /// Not now: busy, out of reach, its storage or a limit. From then on (Unix seconds) if it said so.
        case later(until: Int64?)
        /// The operator's settings do not permit it; trying again is of no use.
        case notPermitted
    }

    /// The consequence of the failure for the run.
    public var kind: Kind
    /// A stable name of the failure, for counting.
    public var name: String
    /// An English sentence that tells what went wrong and what to do.
    public var sentence: String

    /// A failure with these values, as they are.
    ///
    /// - Parameters:
    ///   - name: A stable name, for counting.
    ///   - sentence: The failure and the remedy, in an English sentence.
    public init(_ kind: Kind, name: String, sentence: String) {
        self.kind = kind
        self.name = name
        self.sentence = sentence
    }
}

/// All ways in which the engine touches the world: clocks, network, disk and core. Each call may be the last one: the
/// process can end in it, before or after it took effect.
public protocol SyncPorts: SuccessionPorts {
    /// The present moment by both clocks. Cannot fail.
    func now() -> SyncMoment

    /// 64 random bits, for waits: of the system, or of a fixed seed in tests. Cannot fail.
    func random() -> UInt64

    /// Fetches one file or document. Blocks until it is there or has failed; a failure is a result, and may leave the beginning of the file in the
    /// spool. Throws ``SyncStop`` when the process is to end.
    func fetch(_ request: FetchRequest) throws(SyncStop) -> Result<FetchAnswer, FetchFailure>

    /// The files of a source's folder, not those of folders in it, in any order; a failure is a result. Throws ``SyncStop`` when the process is to
    /// end.
    func folderFiles(_ source: SourceSettings) throws(SyncStop) -> Result<[FolderPlan.File], FetchFailure>

    /// The state of the core, as far as the engine needs it. Blocks until the core answers; a failure is a result. Throws ``SyncStop`` when the
    /// process is to end.
    func coreState() throws(SyncStop) -> Result<CoreState, CoreFailure>
    /// Gives the core files of the spool, all or none; from one of `sources`, which are all there are. Blocks until the
    /// core has taken or refused them; a refusal is a result. Throws ``SyncStop`` when the process is to end.
    func provide(
        _ files: [String], from source: SourceSettings, among sources: [SourceSettings]
    ) throws(SyncStop) -> Result<CoreAnswer, CoreFailure>

    /// A nonce of the core for a question about the signed time, 32 lower-case hexadecimal digits. Blocks until the core answers; a refusal is a
    /// result. Throws ``SyncStop`` when the process is to end.
    func makeNonce() throws(SyncStop) -> Result<String, CoreFailure>
    /// Gives the core a signed time, as the server sent it. Blocks until the core answers. Returns whether the core knows the time for certain
    /// afterwards; a refusal is a result. Throws ``SyncStop`` when the process is to end.
    func takeSignedTime(_ document: String) throws(SyncStop) -> Result<Bool, CoreFailure>

    /// Appends entries to the journal; `true` when they are durable, `false` when the disk refuses. Throws ``SyncStop``
    /// when the process is to end.
    func append(_ entries: [JournalEntry]) throws(SyncStop) -> Bool
    /// Replaces a small document by these bytes; `true` when they are durable, `false` when the disk refuses. Throws
    /// ``SyncStop`` when the process is to end.
    func save(_ bytes: [UInt8], document: String) throws(SyncStop) -> Bool

    /// The bytes of a document that was saved; `nil` if there is none, it is empty, or it cannot be read.
    func load(document: String) -> [UInt8]?

    /// The names of the files in the spool; empty if there are none, or the folder cannot be read.
    func spoolFiles() -> [String]

    /// Removes a file of the spool; nothing happens if there is none of that name, or the disk refuses. Throws ``SyncStop``
    /// when the process is to end.
    func removeSpoolFile(_ name: String) throws(SyncStop)

    /// The part of a batch that a file of the spool says it is; `nil` when it cannot be read or is whole by itself. Nothing
    /// is verified.
    func batchPart(_ file: String) -> BatchPart?
    /// The content of a document, if a key that may do so for this source signed it; otherwise the reason why not, as a
    /// result. `archive` has the bytes as fetched. Never throws.
    func verified(_ archive: [UInt8], of source: SourceSettings) -> SignedDocument
    /// Whether the core may be given such documents: whether this plugin was granted the method for them.
    func mayCarry(_ document: CarriedDocument) -> Bool
    /// Gives the core a document of a source's authority, as it was published. Blocks until the core has judged whether it is one; a refusal is a
    /// result. Throws ``SyncStop`` when the process is to end.
    func carry(
        _ document: CarriedDocument, of source: SourceSettings, _ answer: FetchAnswer
    ) throws(SyncStop) -> Result<Void, CoreFailure>
    /// Writes a sentence to the log; it holds no address, no key, and no name of a person. Cannot fail.
    func note(_ sentence: String)
}

/// Randomness from the ports, so that a test repeats.
struct PortsRandom: RandomNumberGenerator {
    let ports: any SyncPorts

    mutating func next() -> UInt64 { ports.random() }
}
