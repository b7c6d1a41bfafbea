// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import HTTPClient
import Interfaces
import KeyIntake
import VenuePlan

/// Fetches warnings and compares them with the wearer's visits, in runs on the worker thread. A server is not asked while
/// there is no visit of its system. Matches and progress are written to disk together.
package struct WarningFetcher: Sendable {
    /// What stops the run of a system, in an English sentence for the wearer. It names no place.
    struct Trouble: Error {
        let sentence: String
        /// Whether the next run is due at once, and not only after ``WarningFetcher/pause``.
        var isDueAtOnce = false

        /// What the run has found is about times that a visit no longer has.
        static let visitChanged = Trouble(
            sentence: "a visit was changed while warnings were compared; they are compared anew", isDueAtOnce: true)
    }

    /// Seconds between two runs at least, whatever plans them: as long as until one that was put off (``VenueDownloads/retryPause``).
    static let pause = VenueDownloads.retryPause
    /// Bytes of a zipped package; 100,000 warnings have some 10 MB, which hardly shrink.
    static let maximumArchiveBytes = 12 << 20

    let store: VenueStore
    var settings: VenueSettings
    let unzip: UnzipProgram?
    /// A folder for a file that is unpacked.
    let spool: String
    /// How requests leave; one client for a run.
    let configuration: HTTPConfiguration
    let cancellation: HTTPCancellation
    /// How long packages of a run are asked for, as sync does (``SyncLimits``).
    var packageTime = Duration.seconds(1_800)
    /// Bytes that a run takes of packages that turn out to be none, before it ends.
    var wasteBytes = 24 << 20
    /// How long a run tries warnings on hidden visits before it ends; the next one goes on where it was.
    var hiddenTime = Duration.seconds(2_400)
    /// By what that time is measured.
    var moment: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    /// Trials up to which a list is compared with hidden visits at once, and not in parts.
    var trialsAtOnce = 4_096
    /// What the core says about signers, by system. Systems that it is not asked about are absent.
    var told: [VenueSystem: SignersWord] = [:]

    /// The name of a request to the NHS's servers, which their answer's signature is about (rules-and-nhs 1.1).
    var requestName: @Sendable () -> String = randomName

    /// A random UUID of version 4, as these servers want it.
    private static let randomName: @Sendable () -> String = {
        var random = SystemRandomNumberGenerator()
        return RandomUUID.text(using: &random)
    }

    /// The core's answer to the question who may sign.
    enum SignersWord: Sendable {
        /// It did not answer, or not to this plugin.
        case silent
        case signers([Trust1.Signer])
    }

    /// Whether anybody is to be asked at `now`, Unix seconds.
    func isDue(at now: Int64) -> Bool {
        let records = store.records
        if let attempted = records.downloads.attempted, attempted <= now, now - attempted < Self.pause { return false }
        return followed.contains { system in records.diary.visits.contains { $0.place.system == system } }
    }

    /// Systems that have a server.
    var followed: [VenueSystem] {
        ((try? settings.followed()) ?? []).filter { (try? settings.server($0)) != nil }
    }

    /// Asks every server that there is a visit for. What goes wrong with one is noted, and stops no other. Throws `StorageError` alone, the first one, when all were
    /// asked.
    func run(at now: Int64) throws {
        try store.change { $0.downloads.attempted = now }
        // What a cut has left in the clear.
        if let key = try? settings.authorityKey() { _ = try? HiddenVisits.hideRest(store, key, at: now) }
        var failure: (any Error)?
        for system in followed {
            guard !cancellation.isCancelled else { break }
            do { try run(system, at: now) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private func run(_ system: VenueSystem, at now: Int64) throws {
        guard store.records.diary.visits.contains(where: { $0.place.system == system }) else {
            return try store.change { $0.downloads.noteNothingToAsk(system) }
        }
        do {
            let http: HTTPClient
            do throws(HTTPError) { http = try HTTPClient(configuration) } catch {
                throw Trouble(sentence: "\(error)")
            }
            guard let server = try settings.server(system) else { return }
            let trust = try settings.trust(system, told: try toldSigners(system))
            try noteOrigin(system, server)
            let records = store.records
            switch system {
            case .coronaWarnApp: try fetchPackages(records, server, trust, http, now)
            case .swissCovid: try fetchTraceKeys(records, server, trust, http, now)
            case .nhs: try fetchVenues(server, trust, http, now)
            }
            try add(to: records) { $0.downloads.noteComplete(system, at: now) }
        } catch let trouble as Trouble {
            try store.change {
                $0.downloads.noteProblem(system, trouble.sentence)
                if trouble.isDueAtOnce { $0.downloads.attempted = nil }
            }
        } catch let fault as VenueSettings.Fault {
            try store.change { $0.downloads.noteProblem(system, fault.description) }
        }
    }

    /// What was compared with another server's warnings, or with another country's, says nothing of these.
    private func noteOrigin(_ system: VenueSystem, _ server: String) throws {
        let parts = system == .coronaWarnApp ? [server, Self.country(settings)] : [server]
        let origin = Base64.string(SHA256.digest(of: Array(parts.joined(separator: "\n").utf8)))
        try store.change { records in
            guard records.downloads.noteOrigin(system, origin), system == .coronaWarnApp else { return }
            records.diary.forgetMatches()
        }
    }

    static func country(_ settings: VenueSettings) -> String { settings.coronaWarnAppCountry ?? "DE" }

    /// What the core says about the signers of a system; nothing if it is not asked. A key may have been withdrawn, so without an answer nothing
    /// is believed.
    private func toldSigners(_ system: VenueSystem) throws(Trouble) -> [Trust1.Signer] {
        switch told[system] {
        case nil: return []
        case .silent:
            throw Trouble(
                sentence:
                    "the device does not say who may sign warnings; let the operator grant org.vigil.trust1 GetSigners, and check signersOf"
            )
        case .signers(let signers): return signers
        }
    }

    /// Changes the records by what was found for the visits of `compared`, the records when the run of a system began.
    /// Throws ``Trouble/visitChanged`` and changes nothing if a visit has had other times since, or `StorageError`.
    func add(to compared: VenueRecords, _ change: (inout VenueRecords) -> Void) throws {
        try store.change { records in
            guard records.downloads.generation == compared.downloads.generation else { throw Trouble.visitChanged }
            change(&records)
        }
    }

    /// The answer to a request; `nil` for one whose status is in `missing`.
    func get(
        _ url: String, _ http: HTTPClient, headers: [(name: String, value: String)] = [], wanted: [String] = [],
        bytes: Int = 1 << 20, missing: Set<Int> = [404]
    ) throws(Trouble) -> HTTPResponse? {
        let request = HTTPRequest(
            url, headers: headers, limits: HTTPLimits(totalSeconds: 300, maximumBodyBytes: bytes), answerHeaders: wanted)
        do throws(HTTPError) { return try http.send(request, cancellation: cancellation) } catch {
            if let status = error.status, missing.contains(status) { return nil }
            throw Trouble(sentence: "\(error)")
        }
    }

    /// export.bin and export.sig of a package.
    func unpacked(_ archive: [UInt8], limit: Int) throws(Trouble) -> (bin: [UInt8], sig: [UInt8]) {
        guard let unzip else { throw Trouble(sentence: "the program that unpacks files (vigil-zip) is not there") }
        let path = "\(spool)/.package"
        unlink(path)
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw Trouble(sentence: "the spool cannot be written; free space in it") }
        defer { close(file) }
        // Nobody else needs its name.
        unlink(path)
        guard write(file, archive, archive.count) == archive.count, lseek(file, 0, Int32(SEEK_SET)) == 0 else {
            throw Trouble(sentence: "the spool cannot be written; free space in it")
        }
        do {
            let parts = try ConfinedDocument.read(file, program: unzip, maximumByteCount: limit)
            return (parts.exportBin, parts.exportSig)
        } catch {
            throw Trouble(sentence: "a package of warnings cannot be unpacked; it is fetched again: \(error)")
        }
    }
}
