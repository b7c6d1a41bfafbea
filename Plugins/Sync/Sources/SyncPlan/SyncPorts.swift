// SPDX-License-Identifier: Apache-2.0

public import Trust

/// The outcome of verifying a signed document.
public enum SignedDocument: Sendable, Hashable {
    /// The document is signed by a key that may sign it: its content, that key, and all that may sign for the source now.
    case signed([UInt8], by: TrustedKey, among: TrustStore)
    /// The document is not signed by a key that may sign it, or its content is not valid.
    case refused
    /// This device could not verify the document, which says nothing about it.
    case unread
}

/// The error that ends the process: nothing more may be done. The engine never catches it.
public struct SyncStop: Error, Hashable {
    /// Creates the error; it carries no further information.
    public init() {}
}

/// One file or document to fetch from a source. The request contains nothing that the server sent before, because a server
/// that gives each board a tag of its own could recognise the board by it.
public struct FetchRequest: Sendable {
    /// The source to fetch from.
    public var source: SourceSettings
    /// The path, appended to the source's base; for a server with a slash between them if it begins with none.
    public var path: String
    /// The name of the new file in the spool that receives the body; a file that exists already is an error
    /// (``FetchFailure/Scope/local``). `nil` keeps the body in memory.
    public var file: String?
    /// The most bytes of the body; a larger one fails with ``FetchFailure/Scope/content``.
    public var maximumBytes: Int
    /// The most seconds that the whole transfer may take; 60 by default.
    public var totalSeconds: Int
    /// The names of the answer's headers that are wanted, at most 4, which is not checked here; empty by default.
    public var headers: [String] = []
    /// Whether the server's certificate is not verified, for an answer that carries its own signature and is needed even if
    /// the clock is wrong.
    public var ignoresCertificate: Bool

    /// Creates a request of these values. See the properties for units.
    ///
    /// - Parameters:
    ///   - file: The name of the new file in the spool; `nil` keeps the body in memory.
    ///   - totalSeconds: The most seconds of the whole transfer.
    ///   - ignoresCertificate: Whether the server's certificate is not verified.
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
    /// The bytes of the body; empty if the body is in a file.
    public var body: [UInt8]
    /// The size of the body in bytes, in memory or in a file.
    public var byteCount: Int
    /// The number of bytes received for the answer, including broken transfers; 0 or more.
    public var receivedByteCount: Int
    /// The SHA-256 of the body in memory and of ``headers``, in hexadecimal; `nil` for a body in a file. It is never sent:
    /// it only tells this device whether a document is the one that it has.
    public var digest: String?
    /// The tag (ETag) that the server gave, without quotation marks; `nil` if it gave none.
    public var tag: String?
    /// The server's time, in Unix seconds; `nil` if it gave none.
    public var date: Int64?
    /// The values of the wanted headers that the answer has, by the wanted names; empty if there are none.
    public var headers: [String: String] = [:]

    /// Creates an answer of these values. See the properties for units.
    ///
    /// - Parameter receivedByteCount: The number of bytes received; `nil` means `byteCount`.
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

/// The reason why a request brought nothing usable.
public struct FetchFailure: Error, Sendable {
    /// The consequences that a failure has for the rest of the run.
    public enum Scope: Sendable {
        /// The server cannot be reached or is not trusted, or wants to be left alone for a time (`Retry-After`, or status
        /// 429); or the folder cannot be read. Nothing more is requested from the source in this run.
        case server
        /// The server answers, but with a status of failure that is none of ``absent``, such as 500, and without a wish to
        /// be left alone. Something else may be there: whatever else is wanted is requested all the same.
        case object
        /// The transfer of this answer broke, took too long or was not HTTP: it is requested again,
        /// ``SyncLimits/transferTries`` times at most.
        case transfer
        /// The server does not have the file, or does not give it: status 304, 403, 404 or 410.
        case absent
        /// The answer is too large, leads to an address that is not permitted, or has another fault that a second
        /// try would not change; or a file of a folder cannot be read.
        case content
        /// The fault is in the board's own disk or memory, not in the server.
        case local
    }

    /// The consequence of the failure for the rest of the run.
    public var scope: Scope
    /// The stable name of the failure, for counting.
    public var name: String
    /// An English sentence for logs and pages that says what went wrong and what to do.
    public var sentence: String
    /// The number of seconds that the server asked to wait, not checked; `nil` if it asked for none. ``SyncSchedule``
    /// limits it.
    public var retryAfter: Int64?
    /// The server's time, in Unix seconds; `nil` if it gave none.
    public var date: Int64?
    /// The number of bytes received before the failure, 0 or more.
    public var receivedByteCount: Int

    /// Creates a failure of these values.
    ///
    /// - Parameters:
    ///   - scope: The consequence of the failure for the rest of the run.
    ///   - name: A stable name, for counting.
    ///   - sentence: An English sentence with the failure and the remedy.
    ///   - retryAfter: The number of seconds that the server asked to wait; `nil` if it asked for none.
    ///   - date: The server's time, in Unix seconds; `nil` if it gave none.
    ///   - receivedByteCount: The number of bytes received before the failure.
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

/// The core's answer to the question whether it accepts files at the moment.
public struct CoreState: Sendable {
    /// Whether the core accepts files at the moment.
    public var takesFiles: Bool
    /// Whether the core refuses files only because it does not know the time: then files that it does not accept now are
    /// worth keeping until it does.
    public var isOnlyTime: Bool
    /// Whether the core knows the time for certain, from a signature.
    public var isTimeAuthenticated: Bool
    /// The core's English sentence about its state, with the reason if it accepts no files; empty if it gives none.
    public var sentence: String

    /// Creates a state; the defaults are those of a core that does not lack the time. Cannot fail.
    public init(takesFiles: Bool, isOnlyTime: Bool = false, isTimeAuthenticated: Bool = false, sentence: String = "") {
        self.takesFiles = takesFiles
        self.isOnlyTime = isOnlyTime
        self.isTimeAuthenticated = isTimeAuthenticated
        self.sentence = sentence
    }
}

/// The core's answer about files that it has accepted.
public struct CoreAnswer: Sendable, Hashable {
    /// The periods that the files are signed for, in the order in which the files were given, including files that the core
    /// had already. The list may be shorter than that of the files: nothing is known of the rest.
    public var files: [SignedPeriod]
    /// The time until which the core knows all keys of the source by signed periods, in Unix seconds; `nil` if it does not
    /// say.
    public var knownUntil: Int64?
    /// The days among the last 14 whole ones whose keys are known, in days since 1970; empty if the core names none.
    public var knownDays: [Int64]

    /// Creates an answer of these values.
    ///
    /// - Parameters:
    ///   - files: The signed periods of the files, in the order in which the files were given.
    ///   - knownUntil: The time until which all keys are known, in Unix seconds; `nil` if the core does not say.
    ///   - knownDays: The whole days whose keys are known, in days since 1970.
    public init(files: [SignedPeriod], knownUntil: Int64? = nil, knownDays: [Int64] = []) {
        self.files = files
        self.knownUntil = knownUntil
        self.knownDays = knownDays
    }
}

/// The reason why the core refused or could not answer a call.
public struct CoreFailure: Error, Sendable {
    /// The consequences that a failure of the core has for the run.
    public enum Kind: Sendable, Hashable {
        /// A file of the call breaks a rule: the file's name in the spool, and the rule's stable name.
        case fileRefused(file: String, rule: String)
        /// The core has a newer document than that of the call; it never says so of files.
        case older
        /// The fleet's configuration of the call is on trial, and something keeps it from being kept yet.
        case stillOnTrial
        /// The core does not know the time well enough, but may later.
        case timeUnknown
        /// The core cannot do it now: it is busy or not reachable, its storage failed, or a limit is reached. `until` is
        /// the time for the next try, in Unix seconds; `nil` if the core named none.
        case later(until: Int64?)
        /// The core does not permit the call in its present state or by its grants (exposure notification is off,
        /// the device stands for a place, the method was not granted), or does not know it; another try would be
        /// refused, too.
        case notPermitted
    }

    /// The consequence of the failure for the run.
    public var kind: Kind
    /// The stable name of the failure, for counting.
    public var name: String
    /// An English sentence that says what went wrong and what to do.
    public var sentence: String

    /// Creates a failure of these values.
    ///
    /// - Parameters:
    ///   - kind: The consequence of the failure for the run.
    ///   - name: A stable name, for counting.
    ///   - sentence: An English sentence with the failure and the remedy.
    public init(_ kind: Kind, name: String, sentence: String) {
        self.kind = kind
        self.name = name
        self.sentence = sentence
    }
}

/// All access of the engine to the outside: clocks, network, disk and core. Each call may be the last one: the process can
/// end in it, before or after it has taken effect.
public protocol SyncPorts: SuccessionPorts {
    /// Returns the current time on both clocks. Cannot fail.
    func now() -> SyncMoment

    /// Returns 64 random bits for waits: from the system, or from a fixed seed in tests. Cannot fail.
    func random() -> UInt64

    /// Fetches one file or document. Blocks until it has arrived or failed; a failure is a result, and may leave the
    /// beginning of the file in the spool.
    /// - Throws: `SyncStop` when the process is to end.
    func fetch(_ request: FetchRequest) throws(SyncStop) -> Result<FetchAnswer, FetchFailure>

    /// Returns the regular files in a source's folder, in any order, without links and subfolders; the plugin reads
    /// 4,096 at most. A failure is a result.
    /// - Throws: `SyncStop` when the process is to end.
    func folderFiles(_ source: SourceSettings) throws(SyncStop) -> Result<[FolderPlan.File], FetchFailure>

    /// Asks the core for the part of its state that the engine needs. Blocks until the core answers; a failure is a result.
    /// - Throws: `SyncStop` when the process is to end.
    func coreState() throws(SyncStop) -> Result<CoreState, CoreFailure>
    /// Gives files of the spool to the core, all or none; they come from `source`, one of `sources`, which lists all that
    /// exist. Blocks until the core has accepted or refused them; a refusal is a result.
    /// - Throws: `SyncStop` when the process is to end.
    func provide(
        _ files: [String], from source: SourceSettings, among sources: [SourceSettings]
    ) throws(SyncStop) -> Result<CoreAnswer, CoreFailure>

    /// Asks the core for a nonce for a question about the signed time, 32 lower-case hexadecimal digits. Blocks until the
    /// core answers; a refusal is a result.
    /// - Throws: `SyncStop` when the process is to end.
    func makeNonce() throws(SyncStop) -> Result<String, CoreFailure>
    /// Gives a signed time to the core, as the server sent it. Blocks until the core answers. Returns whether the core then
    /// knows the time for certain; a refusal is a result.
    /// - Throws: `SyncStop` when the process is to end.
    func takeSignedTime(_ document: String) throws(SyncStop) -> Result<Bool, CoreFailure>

    /// Appends entries to the journal. Returns `true` when they are on the disk, and `false` if the disk refuses them.
    /// - Throws: `SyncStop` when the process is to end.
    func append(_ entries: [JournalEntry]) throws(SyncStop) -> Bool
    /// Replaces the content of a small document. Returns `true` when the new bytes are on the disk, and `false` if the disk
    /// refuses them.
    /// - Throws: `SyncStop` when the process is to end.
    func save(_ bytes: [UInt8], document: String) throws(SyncStop) -> Bool

    /// Returns the bytes of a saved document; `nil` if there is none, it is empty, or it cannot be read.
    func load(document: String) -> [UInt8]?

    /// Returns the names of the files in the spool; empty if there are none, or the folder cannot be read.
    func spoolFiles() -> [String]

    /// Removes a file from the spool; has no effect if there is no such file, or the disk refuses.
    /// - Throws: `SyncStop` when the process is to end.
    func removeSpoolFile(_ name: String) throws(SyncStop)

    /// Returns the part of a batch that a file of the spool states to be; `nil` if the file cannot be read or is not a part
    /// of a batch. Nothing is verified.
    func batchPart(_ file: String) -> BatchPart?
    /// Verifies a document, given in the bytes that were fetched, and returns its content if a key that may sign for this
    /// source has signed it; otherwise the reason, as a result. Never throws.
    func verified(_ archive: [UInt8], of source: SourceSettings) -> SignedDocument
    /// Returns whether this plugin was granted the method that gives such a document to the core.
    func mayCarry(_ document: CarriedDocument) -> Bool
    /// Gives a document of a source's authority to the core, as it was published. Blocks until the core has verified it; a
    /// refusal is a result.
    /// - Throws: `SyncStop` when the process is to end.
    func carry(
        _ document: CarriedDocument, of source: SourceSettings, _ answer: FetchAnswer
    ) throws(SyncStop) -> Result<Void, CoreFailure>
    /// Writes a sentence to the log. It must not contain an address, a key or a person's name. Cannot fail.
    func note(_ sentence: String)
}

/// Randomness from the ports, so that a test repeats.
struct PortsRandom: RandomNumberGenerator {
    let ports: any SyncPorts

    mutating func next() -> UInt64 { ports.random() }
}
