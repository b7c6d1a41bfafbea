// SPDX-License-Identifier: Apache-2.0

import AppConfig
import BoardClock
import Glibc
import HTTPClient
import KeyIntake
import KeyExport
import PluginKit
public import SyncPlan
import TimeTrust
import Trust

/// The engine's ports on a board: libcurl through egress, the core over Varlink, files in the plugin's folders. Blocks; one thread.
public final class LivePorts: SyncPorts {
    /// What the process was given.
    struct Places: Sendable {
        var state: String
        var spool: String
        var exposure: String?
        var time: String?
    }

    private let places: Places
    private let http: HTTPClient
    private let trust: TrustStore
    /// What looks into zips; `nil` when it is not there.
    private let unzip = try? UnzipProgram.besideThisProgram()
    private let journal: JournalFile
    private let stop: HTTPCancellation
    private let log: Logger
    private let boot: UInt64

    init(
        places: Places, http: HTTPClient, trust: TrustStore, journal: JournalFile, stop: HTTPCancellation, log: Logger
    ) {
        self.places = places
        self.http = http
        self.trust = trust
        self.journal = journal
        self.stop = stop
        self.log = log
        let identity = BoardClock.bootIdentity()
        boot = identity.high ^ identity.low
    }

    private func goOn() throws(SyncStop) { if stop.isCancelled { throw SyncStop() } }

    public func now() -> SyncMoment {
        SyncMoment(wall: Int64(time(nil)), steady: BoardClock.boot().nanoseconds / 1_000_000_000, boot: boot)
    }

    public func random() -> UInt64 { .random(in: .min ... .max) }

    public func note(_ sentence: String) { log.notice("\(sentence)") }

    // MARK: - Network

    public func fetch(_ request: FetchRequest) throws(SyncStop) -> Result<FetchAnswer, FetchFailure> {
        try goOn()
        if request.source.kind == .folder { return copy(request) }
        var descriptor: Int32 = -1
        var sink = HTTPRequest.Sink.memory
        if let file = request.file {
            descriptor = create(file)
            guard descriptor >= 0 else { return .failure(.disk) }
            sink = .descriptor(descriptor)
        }
        defer { if descriptor >= 0 { close(descriptor) } }
        let limits = HTTPLimits(totalSeconds: request.totalSeconds, maximumBodyBytes: request.maximumBytes)
        let wanted = HTTPRequest(
            request.source.base + request.path, knownTag: request.knownTag, sink: sink, limits: limits,
            ignoresCertificate: request.ignoresCertificate)
        do throws(HTTPError) {
            let answer = try http.send(wanted, cancellation: stop)
            return .success(
                FetchAnswer(
                    isNotModified: answer.isNotModified, body: answer.body, byteCount: answer.bodyByteCount,
                    receivedByteCount: answer.receivedByteCount, tag: answer.entityTag, date: answer.date))
        } catch {
            if error.code == .cancelled { throw SyncStop() }
            return .failure(FetchFailure(error))
        }
    }

    /// Readable for the group: the core opens it.
    private func create(_ file: String) -> Int32 {
        open("\(places.spool)/\(file)", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o640)
    }

    /// A file of the folder, into the spool.
    private func copy(_ request: FetchRequest) -> Result<FetchAnswer, FetchFailure> {
        guard let bytes = Files.read(request.source.base + request.path, limit: request.maximumBytes) else {
            return .failure(
                FetchFailure(
                    .content, name: "unreadable", sentence: "a file in the folder cannot be read, or is larger than allowed"
                ))
        }
        guard let file = request.file else { return .success(FetchAnswer(body: bytes, byteCount: bytes.count)) }
        let descriptor = create(file)
        guard descriptor >= 0 else { return .failure(.disk) }
        defer { close(descriptor) }
        guard Files.write(bytes, to: descriptor) else { return .failure(.disk) }
        return .success(FetchAnswer(byteCount: bytes.count))
    }

    public func folderFiles(_ source: SourceSettings) throws(SyncStop) -> Result<[FolderPlan.File], FetchFailure> {
        try goOn()
        mkdir(source.base, 0o770)
        guard let names = Files.names(in: source.base) else {
            return .failure(FetchFailure(.local, name: "folder", sentence: "the folder of key files cannot be read"))
        }
        return .success(
            names.compactMap { name in
                var status = stat()
                guard lstat("\(source.base)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
                return FolderPlan.File(name: name, byteCount: Int(status.st_size), modified: Int64(status.st_mtim.tv_sec))
            })
    }

    // MARK: - Disk

    public func append(_ entries: [JournalEntry]) throws(SyncStop) -> Bool {
        try goOn()
        return journal.append(entries)
    }

    public func save(_ bytes: [UInt8], document: String) throws(SyncStop) -> Bool {
        try goOn()
        return Files.replace("\(places.state)/\(document)", with: bytes, in: places.state)
    }

    public func load(document: String) -> [UInt8]? { Files.read("\(places.state)/\(document)", limit: 1 << 20) }

    public func spoolFiles() -> [String] { Files.names(in: places.spool) ?? [] }

    public func removeSpoolFile(_ name: String) throws(SyncStop) { unlink("\(places.spool)/\(name)") }

    public func batchPart(_ file: String) -> BatchPart? {
        guard let unzip, let reader = try? ConfinedKeyFile(path: "\(places.spool)/\(file)", program: unzip),
            let summary = try? reader.readUnverified(keys: { _ in }), let size = summary.batchSize, size > 1, size <= 128,
            let number = summary.batchNumber, number >= 1, number <= size
        else { return nil }
        return BatchPart(
            identity: "\(summary.region)-\(summary.startTimestamp)-\(summary.endTimestamp)", number: Int(number),
            size: Int(size))
    }

    public func verified(_ archive: [UInt8]) -> [UInt8]? {
        guard let unzip else {
            log.error("vigil-zip is not there: no signed document can be read")
            return nil
        }
        let path = "\(places.spool)/.document"
        unlink(path)
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // Nobody else needs its name.
        unlink(path)
        guard write(file, archive, archive.count) == archive.count, lseek(file, 0, Int32(SEEK_SET)) == 0,
            let entries = try? ConfinedDocument.read(
                file, program: unzip, maximumByteCount: AppConfiguration.maximumByteCount),
            // The clock may be the very thing that is wrong; validity is the keys' owner's to end by a new configuration of this plugin.
            SignedConfiguration.isSigned(
                exportBin: entries.exportBin, exportSig: entries.exportSig, trust: trust, time: Int64(time(nil)))
        else { return nil }
        return entries.exportBin
    }

    // MARK: - Core

    public func coreState() throws(SyncStop) -> Result<CoreState, CoreFailure> {
        try goOn()
        return CoreCalls.state(places.exposure)
    }

    public func provide(_ files: [String]) throws(SyncStop) -> Result<Void, CoreFailure> {
        try goOn()
        return CoreCalls.provide(files, places.exposure, isStopped: { [stop] in stop.isCancelled })
    }

    public func makeNonce() throws(SyncStop) -> Result<String, CoreFailure> {
        try goOn()
        return CoreCalls.makeNonce(places.time)
    }

    public func takeSignedTime(_ document: String) throws(SyncStop) -> Result<Bool, CoreFailure> {
        try goOn()
        return CoreCalls.takeSignedTime(document, places.time)
    }
}

extension FetchFailure {
    static let disk = FetchFailure(
        .local, name: "cannotWrite", sentence: "a file cannot be made in the spool; free space there")

    /// What an answer that did not come means for the rest of the run.
    init(_ error: HTTPError) {
        let scope: Scope
        switch error.code {
        case .timeout, .tooSlow, .truncated, .connectionLost, .badAnswer: scope = .transfer
        case .headersTooLarge, .bodyTooLarge, .tooManyRedirects, .redirectNotPermitted: scope = .content
        case .cannotWrite: scope = .local
        case .status:
            switch error.status ?? 0 {
            case 401, 403, 404, 410: scope = .absent
            case 408, 429, 500...599: scope = .server
            default: scope = .content
            }
        default: scope = .server
        }
        let name = error.status.map { "status\($0)" } ?? error.code.rawValue
        self.init(
            scope, name: name, sentence: "\(error)", retryAfter: error.retryAfter, date: error.date,
            receivedByteCount: error.receivedByteCount)
    }
}
