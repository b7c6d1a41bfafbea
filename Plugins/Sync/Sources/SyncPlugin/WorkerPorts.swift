// SPDX-License-Identifier: Apache-2.0

import AppConfig
import Cryptography
import ForeignText
import Glibc
import HTTPClient
import Interfaces
import JSON
import KeyExport
import KeyIntake
import Logging
import PluginKit
import SyncPlan
import Synchronization
import Trust
import Varlink
import VarlinkSocket

/// What the engine touches, really: servers through egress, the core by its sockets, the journal, the spool. Waits; lives on the worker
/// thread while a run is under way, and on the loop before and after.
final class WorkerPorts: SyncPorts {
    /// Where things are.
    struct Places: Sendable {
        var spool: String
        var exposureSocket: String
        var timeSocket: String?
        /// Of those documents that may be given to the core.
        var documentSockets: [CarriedDocument: String] = [:]
        var trustSocket: String?
    }

    let journal: JournalFile
    let places: Places
    private let http: HTTPClient
    /// By the name of the source.
    let trust: [String: TrustStore]
    /// The same after changes of keys that the core took.
    var successors: [String: TrustStore] = [:]
    private let unzip: UnzipProgram?
    private let log: Logger
    private let boot: UInt64
    /// Set while a run is under way.
    var cancellation: Cancellation?
    /// Ends a transfer that is under way.
    var transfer: HTTPCancellation?
    /// Told of every entry that is durable; called on whatever thread runs.
    var onAppend: (([JournalEntry]) -> Void)?

    init(
        journal: JournalFile, places: Places, http: HTTPClient, trust: [String: TrustStore], unzip: UnzipProgram?,
        log: Logger
    ) {
        self.journal = journal
        self.places = places
        self.http = http
        self.trust = trust
        self.unzip = unzip
        self.log = log
        boot = Self.bootNumber()
    }

    // MARK: Clock, chance, log

    func now() -> SyncMoment {
        func seconds(_ clock: Int32) -> Int64 {
            var time = timespec()
            clock_gettime(clock, &time)
            return Int64(time.tv_sec)
        }
        return SyncMoment(wall: seconds(CLOCK_REALTIME), steady: seconds(CLOCK_BOOTTIME), boot: boot)
    }

    func random() -> UInt64 { .random(in: 0 ... .max) }

    func note(_ sentence: String) { log.info("\(sentence)") }

    /// Differs between two boots; where nobody says which boot it is, every start of the plugin counts as one.
    private static func bootNumber() -> UInt64 {
        guard let text = getenv("VIGIL_BOOT_ID").map({ String(cString: $0) }) else { return .random(in: 0 ... .max) }
        return TextMark.of(text.utf8)
    }

    func check() throws(SyncStop) { if cancellation?.isCancelled == true { throw SyncStop() } }

    // MARK: Servers

    func fetch(_ request: FetchRequest) throws(SyncStop) -> Result<FetchAnswer, FetchFailure> {
        try check()
        var sink = HTTPRequest.Sink.memory
        var file: Int32 = -1
        if let name = request.file {
            // The core reads it by its group.
            file = open("\(places.spool)/\(name)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o640)
            guard file >= 0 else {
                return .failure(
                    FetchFailure(.local, name: "spool", sentence: "the spool cannot be written; free space in it"))
            }
            sink = .descriptor(file)
        }
        defer { if file >= 0 { close(file) } }
        let limits = HTTPLimits(totalSeconds: request.totalSeconds, maximumBodyBytes: request.maximumBytes)
        if request.source.kind == .folder { return copy(request, to: file) }
        // The spool's folder and file names are this plugin's own; only the path comes from the source. Servers take two slashes for
        // another path than one.
        let path = request.path.hasPrefix("/") ? request.path : "/" + request.path
        let call = HTTPRequest(
            request.source.base + path, sink: sink, limits: limits, answerHeaders: request.headers,
            ignoresCertificate: request.ignoresCertificate)
        do throws(HTTPError) {
            let answer = try http.send(call, cancellation: transfer)
            var fetched = FetchAnswer(
                body: answer.body, byteCount: answer.bodyByteCount, receivedByteCount: answer.receivedByteCount,
                digest: request.file == nil ? Self.digest(answer, request.headers) : nil, tag: answer.entityTag,
                date: answer.date)
            fetched.headers = answer.headers
            return .success(fetched)
        } catch {
            if error.code == .cancelled { throw SyncStop() }
            return .failure(
                FetchFailure(
                    Self.scope(of: error), name: error.status.map { "status\($0)" } ?? error.code.rawValue,
                    sentence: "\(error)", retryAfter: error.retryAfter, date: error.date,
                    receivedByteCount: error.receivedByteCount))
        }
    }

    /// Of a body and the headers that were wanted, each with its end.
    private static func digest(_ answer: HTTPResponse, _ wanted: [String]) -> String {
        let headers = wanted.map { "\(answer.headers[$0] ?? "")\n" }.joined()
        return Hex.string(SHA256.digest(of: Array(headers.utf8) + answer.body))
    }

    /// A file of a folder, into the spool.
    private func copy(_ request: FetchRequest, to file: Int32) -> Result<FetchAnswer, FetchFailure> {
        let unreadable = FetchFailure(
            .content, name: "unreadable",
            sentence: "a file of the folder cannot be read, or is larger than allowed; it is tried again later")
        let source = open(request.source.base + request.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard source >= 0, file >= 0 else {
            if source >= 0 { close(source) }
            return .failure(unreadable)
        }
        defer { close(source) }
        var total = 0
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(source, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0, total + count <= request.maximumBytes else { return .failure(unreadable) }
            guard count > 0 else { return .success(FetchAnswer(byteCount: total)) }
            total += count
            guard write(file, buffer, count) == count else {
                return .failure(
                    FetchFailure(.local, name: "spool", sentence: "the spool cannot be written; free space in it"))
            }
        }
    }

    private static func scope(of error: HTTPError) -> FetchFailure.Scope {
        switch error.code {
        case .timeout, .tooSlow, .truncated, .connectionLost, .badAnswer: .transfer
        case .headersTooLarge, .bodyTooLarge, .tooManyRedirects, .redirectNotPermitted: .content
        case .cannotWrite: .local
        case .status:
            // Object stores say 403 for what does not exist (spec cwa-protocols 1).
            // 304 without a condition answers no question of this board's.
            switch error.status ?? 0 {
            case 304, 403, 404, 410: .absent
            case 429: .server
            default: error.retryAfter == nil ? .object : .server
            }
        default: .server
        }
    }

    func folderFiles(_ source: SourceSettings) throws(SyncStop) -> Result<[FolderPlan.File], FetchFailure> {
        try check()
        guard let folder = opendir(source.base) else {
            return .failure(
                FetchFailure(
                    .server, name: "folder",
                    sentence:
                        "the folder \(source.base) cannot be read: \(String(cString: strerror(errno))); is the stick plugged in?"
                ))
        }
        defer { closedir(folder) }
        var files: [FolderPlan.File] = []
        while files.count < 4096, let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            var status = stat()
            guard lstat("\(source.base)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            files.append(.init(name: name, byteCount: Int(status.st_size), modified: Int64(status.st_mtim.tv_sec)))
        }
        return .success(files)
    }

    // MARK: The core

    func coreState() throws(SyncStop) -> Result<CoreState, CoreFailure> {
        try check()
        switch ask(places.exposureSocket, Exposure1.Method.getStatus, NoFields(), as: Exposure1.StatusReply.self) {
        case .failure(let failure): return .failure(failure)
        case .success(let reply):
            let status = reply.status
            let isTimeUnknown = status.timeState == .untrusted
            let isPerson = status.role == .person
            return .success(
                CoreState(
                    takesFiles: isPerson && status.enabled && !isTimeUnknown && status.state != .stopping,
                    isOnlyTime: isPerson && status.enabled && isTimeUnknown,
                    isTimeAuthenticated: status.timeState == .authenticated,
                    sentence: isPerson
                        ? status.sentence
                        : "this device stands in a place and has no personal risk: no keys are fetched for it; switch this plugin off"
                ))
        }
    }

    func provide(
        _ files: [String], from source: SourceSettings, among sources: [SourceSettings]
    ) throws(SyncStop) -> Result<CoreAnswer, CoreFailure> {
        try check()
        let call = Exposure1.Files(
            files: files, source: source.name,
            sources: SourceSettings.awaited(sources).map {
                .init(name: $0.name, region: $0.signedRegion, continuous: $0.isContinuous)
            })
        do {
            // With progress, so that a large file is not taken for a dead core.
            let client = try VarlinkClient(path: places.exposureSocket, timeout: .seconds(120))
            let parameters = try JSON(encoding: call)
            var isCancelled = false
            var result: Exposure1.ProvideResult?
            try client.callMore(Exposure1.Method.provideDiagnosisKeys.path, parameters) { reply in
                result = try reply.decode(Exposure1.ProvideReply.self).result ?? result
                isCancelled = self.cancellation?.isCancelled == true
                return !isCancelled
            }
            if isCancelled { throw SyncStop() }
            return .success(
                CoreAnswer(
                    files: (result?.files ?? []).map {
                        SignedPeriod(start: $0.startSeconds, end: $0.endSeconds, region: $0.regionName)
                    },
                    knownUntil: result?.knownUntilSeconds, knownDays: (result?.knownDays ?? []).map { Int64($0) }))
        } catch is SyncStop {
            throw SyncStop()
        } catch {
            return .failure(Self.failure(error))
        }
    }

    func makeNonce() throws(SyncStop) -> Result<String, CoreFailure> {
        try check()
        guard let socket = places.timeSocket else { return .failure(Self.noTime) }
        return ask(socket, Time1.Method.makeChallenge, NoFields(), as: Time1.NonceReply.self).map(\.challenge)
    }

    func takeSignedTime(_ document: String) throws(SyncStop) -> Result<Bool, CoreFailure> {
        try check()
        guard let socket = places.timeSocket else { return .failure(Self.noTime) }
        return ask(socket, Time1.Method.takeSignedTime, Time1.TakeCall(document: document), as: Time1.TakeReply.self)
            .map { $0.state == .authenticated }
    }

    private static let noTime = CoreFailure(
        .notPermitted, name: "noTimeInterface", sentence: "the core's time was not granted to this plugin")

    func ask<Reply: Decodable>(
        _ path: String, _ method: some InterfaceMethod, _ parameters: some Encodable, as type: Reply.Type
    ) -> Result<Reply, CoreFailure> {
        do throws(VarlinkSocketError) {
            let client = try VarlinkClient(path: path, timeout: .seconds(30))
            return .success(try client.call(method.path, parameters, as: type))
        } catch {
            return .failure(Self.failure(error))
        }
    }

    private static func failure(_ error: any Error) -> CoreFailure {
        guard let failure = error as? VarlinkSocketError else {
            return CoreFailure(.later(until: nil), name: "core", sentence: "the core cannot be asked: \(error)")
        }
        guard let reply = failure.reply, let name = reply.error else {
            return CoreFailure(.later(until: nil), name: "core", sentence: "\(failure)")
        }
        let parameters = JSON.object(reply.parameters)
        let reason = parameters["reason"]?.string ?? "the core says \(name)"
        let short = name.split(separator: ".").last.map(String.init) ?? name
        switch short {
        case "FileRefused":
            return CoreFailure(
                .fileRefused(file: parameters["file"]?.string ?? "", rule: parameters["rule"]?.string ?? ""), name: short,
                sentence: reason)
        case "ConfigurationRefused" where parameters["rule"]?.string == "older",
            "ContentRefused" where parameters["rule"]?.string == "older",
            "TermsRefused" where parameters["rule"]?.string == "older",
            "SuccessionRefused" where parameters["rule"]?.string == "notNewer":
            return CoreFailure(.older, name: short, sentence: reason)
        case "ConfigurationRefused" where parameters["rule"]?.string == "stillOnTrial":
            return CoreFailure(.stillOnTrial, name: short, sentence: reason)
        case "TimeUnknown": return CoreFailure(.timeUnknown, name: short, sentence: reason)
        case "LimitReached":
            return CoreFailure(.later(until: parameters["nextPermitted"]?.int), name: short, sentence: reason)
        case "NotEnabled", "WrongRole", "PermissionDenied", "MethodNotFound", "InterfaceNotFound", "InvalidParameter",
            "AnswerRefused":
            return CoreFailure(.notPermitted, name: short, sentence: reason)
        default: return CoreFailure(.later(until: nil), name: short, sentence: reason)
        }
    }

    // MARK: Disk

    func append(_ entries: [JournalEntry]) throws(SyncStop) -> Bool {
        try check()
        guard journal.append(entries) else { return false }
        onAppend?(entries)
        return true
    }

    /// A wish, so that it outlives this process; also while a run is under way on the other thread.
    func keepWish(of sources: [SourceSettings]) {
        let entries = sources.map { JournalEntry.wished(source: $0.name) }
        guard journal.append(entries) else {
            return note("a wish for a run cannot be stored: it is lost if this process ends")
        }
        onAppend?(entries)
    }

    func save(_ bytes: [UInt8], document: String) throws(SyncStop) -> Bool {
        try check()
        return journal.save(bytes, document: document)
    }

    func load(document: String) -> [UInt8]? { journal.load(document: document) }

    func spoolFiles() -> [String] { FolderNames.all(places.spool) }

    func removeSpoolFile(_ name: String) throws(SyncStop) {
        try check()
        unlink("\(places.spool)/\(name)")
    }

    func batchPart(_ file: String) -> BatchPart? {
        guard let unzip, let reader = try? ConfinedKeyFile(path: "\(places.spool)/\(file)", program: unzip),
            let summary = try? reader.readUnverified(keys: { _ in }), let size = summary.batchSize, size > 1
        else { return nil }
        // As the core tells batches apart (docs/key-intake.md).
        let identity = "\(summary.region) \(summary.startTimestamp) \(summary.endTimestamp) \(size)"
        return BatchPart(identity: identity, number: Int(summary.batchNumber ?? 1), size: Int(size))
    }

    func mayCarry(_ document: CarriedDocument) -> Bool { places.documentSockets[document] != nil }

    func carry(
        _ document: CarriedDocument, of source: SourceSettings, _ answer: FetchAnswer
    ) throws(SyncStop) -> Result<Void, CoreFailure> {
        try check()
        guard let socket = places.documentSockets[document] else {
            return .failure(
                CoreFailure(
                    .notPermitted, name: document.rawValue, sentence: "\(document.method) was not granted to this plugin"))
        }
        let form = document == .rules ? source.rulesForm : nil
        // Of the device's own authority the core is told no name.
        let name = form == nil ? nil : source.name
        if let form, form.proofHeaders != nil {
            guard let proof = form.proof(answer.headers) else {
                return .failure(
                    CoreFailure(
                        .later(until: nil), name: document.rawValue,
                        sentence:
                            "the server sent \(document.title) without what proves whose they are: what was there before holds"
                    ))
            }
            let call = SignedDocumentCall(
                source: name, document: Base64.string(answer.body), approvals: Base64.string(proof))
            return ask(socket, document.method, call, as: JSON.self).map { _ in }
        }
        switch unpacked(answer.body, limit: CarriedDocument.maximumByteCount) {
        case .success(let parts) where parts.exportSig.count > CarriedDocument.maximumSignatureByteCount:
            return .failure(Self.unusable(document))
        case .success(let parts):
            let call = SignedDocumentCall(
                source: name, document: Base64.string(parts.exportBin), approvals: Base64.string(parts.exportSig))
            return ask(socket, document.method, call, as: JSON.self).map { _ in }
        case .failure(.refused): return .failure(Self.unusable(document))
        case .failure:
            return .failure(
                CoreFailure(
                    .later(until: nil), name: document.rawValue,
                    sentence:
                        "this device could not unpack \(document.title): what was there before holds; if this goes on, restart the device"
                ))
        }
    }

    private static func unusable(_ document: CarriedDocument) -> CoreFailure {
        CoreFailure(
            .later(until: nil), name: document.rawValue,
            sentence: "what the server has as \(document.title) is no such document: what was there before holds")
    }

    func verified(_ archive: [UInt8], of source: SourceSettings) -> SignedDocument {
        switch unpacked(archive, limit: AppConfiguration.maximumByteCount) {
        case .success(let parts):
            guard let keys = successors[source.name] ?? trust[source.name],
                let signer = SignedConfiguration.signer(
                    exportBin: parts.exportBin, exportSig: parts.exportSig, trust: keys, time: nil)
            else { return .refused }
            return .signed(parts.exportBin, by: signer, among: keys)
        case .failure(let fault): return fault
        }
    }

    private enum Unpacked {
        case success((exportBin: [UInt8], exportSig: [UInt8]))
        case failure(SignedDocument)
    }

    /// A document of `limit` bytes at most and its signatures; otherwise `unread` or `refused`.
    private func unpacked(_ archive: [UInt8], limit: Int) -> Unpacked {
        guard let unzip else { return .failure(.unread) }
        let path = "\(places.spool)/.document"
        unlink(path)
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return .failure(.unread) }
        defer { close(file) }
        // Nobody else needs its name.
        unlink(path)
        guard write(file, archive, archive.count) == archive.count, lseek(file, 0, Int32(SEEK_SET)) == 0 else {
            return .failure(.unread)
        }
        do {
            return .success(
                try ConfinedDocument.read(file, program: unzip, maximumByteCount: limit))
        } catch let failure as IntakeFailure
            where [.programMissing, .programNotStarted, .notConfined].contains(failure.code)
        {
            log.warning("\(failure)")
            return .failure(.unread)
        } catch {
            return .failure(.refused)
        }
    }
}
