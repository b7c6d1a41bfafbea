// SPDX-License-Identifier: Apache-2.0

import AppConfig
import CivilTime
import ForeignText
import HTTPFields
import Trust

extension SyncEngine {
    /// What one run of a source knows.
    struct Run {
        let source: SourceSettings
        let begin: SyncMoment
        /// Whether the core takes files now, and whether it is worth fetching.
        var takesFiles = true
        var deadline: Int64
        var packageSeconds = 60
        /// By how many seconds the server's clock is ahead of ours, once an answer told.
        var offset: Int64?
        var checksClock = true
        var revokedTags = Set<String>()
        var failuresInARow = 0
        /// Whether an index that was asked for did not come as it should.
        var lacksIndex = false
        /// Whether an index was older than what is here.
        var listIsOlder = false
        /// Whether the core took a signed time in this run: it matches with a clock of its own then, and ours does not matter.
        var coreKnowsTime = false
        /// The configuration, where it is the source's rules as well: nobody asks for one path twice.
        var configuration: FetchAnswer?
        /// When the signed documents have had their time, in seconds of the steady clock: what is left of the run is for keys.
        var documentsUntil: Int64 { begin.steady + SyncEngine.documentSeconds }
    }

    /// Seconds after which no other try for a document begins: five of them that stall take less than the shortest run of a server's configuration
    /// (480 s, spec cwa-protocols 3) then. Our choice.
    static let documentSeconds: Int64 = 100

    /// What a step of a run came to.
    enum Step {
        case go
        case end(Outcome)
    }

    mutating func work(_ source: SourceSettings) throws(SyncStop) -> Outcome {
        let begin = ports.now()
        var run = Run(source: source, begin: begin, deadline: begin.steady + 1_800)
        var isAuthenticated = false
        switch try ports.coreState() {
        case .success(let core):
            run.takesFiles = core.takesFiles
            isAuthenticated = core.isTimeAuthenticated
            guard core.takesFiles || core.isOnlyTime else {
                // What the fleet says is for every board, also for one in a place, or that nobody has switched on.
                try carryFleetConfiguration(&run, isTimeAuthenticated: isAuthenticated)
                // Nothing is wrong with the source, and nothing would become of what else it has.
                count(source, "core", core.sentence)
                return .failed(retryAfter: nil)
            }
        case .failure(let failure):
            count(source, failure.name, failure.sentence)
            return .failed(retryAfter: nil)
        }
        try carrySuccessions(&run, isTimeAuthenticated: isAuthenticated)
        if source.timePath != nil { try askForTime(&run, isAuthenticated: isAuthenticated) }
        // After the time: a core that does not know it takes none.
        try carryFleetConfiguration(&run, isTimeAuthenticated: isAuthenticated)
        if case .end(let outcome) = try readConfiguration(&run) { return outcome }
        if case .end(let outcome) = try provideWaiting(&run) { return outcome }

        let plan: any SourcePlan
        switch try makePlan(&run) {
        case .success(let made): plan = made
        case .failure(let failure):
            count(source, failure.name, failure.sentence)
            return .failed(retryAfter: failure.retryAfter)
        }
        // The first answer may have come only now, and tell that the clock is right again.
        if case .end(let outcome) = try provideWaiting(&run) { return outcome }
        try forgetUnlisted(run, plan)
        var outcome = try takeAll(plan.offers(), &run)
        if case .succeeded = outcome, case .end(let end) = try provideIncomplete(&run) { outcome = end }
        noteHorizon(run, plan)
        // What can be had was taken; what there is was not all told.
        if run.listIsOlder || run.lacksIndex, case .succeeded = outcome { outcome = .failed(retryAfter: nil) }
        if case .succeeded = outcome {
            try forgetOld(run)
            if run.checksClock, let offset = run.offset, isClockWrong(offset), !mayProvide(run) {
                outcome = .failed(retryAfter: nil)
            }
        }
        return outcome
    }

    private mutating func takeAll(_ offers: [PackageOffer], _ run: inout Run) throws(SyncStop) -> Outcome {
        let planned = time(run)
        let (first, again) = sorted(offers, record(run.source))
        let groups =
            Self.groups(first, limits.filesPerCall).map { ($0, false) }
            + Self.groups(again, limits.filesPerCall).map { ($0, true) }
        // Of what was refused before only a few are refused again in one run; what comes now, comes as a whole.
        var refusedAgain = 0
        for (group, isAgain) in groups where !isAgain || refusedAgain < limits.secondTries {
            // Not enough time for more, or the answers tell that the plan was made for another hour.
            guard ports.now().steady < run.deadline,
                abs(time(run) - planned) < 7_200 + ports.now().steady - run.begin.steady
            else { return .unfinished }
            let failures = run.failuresInARow
            if case .end(let outcome) = try take(group, &run) { return outcome }
            if isAgain, run.failuresInARow > failures { refusedAgain += 1 }
            if run.failuresInARow >= limits.failuresInARow { return .failed(retryAfter: nil) }
        }
        return .succeeded
    }

    /// What the server's clock would show now, as far as known and as far as it matters: a small difference is nobody's fault.
    func time(_ run: Run) -> Int64 {
        let wall = ports.now().wall
        guard let offset = run.offset ?? state.clockOffset, isClockWrong(offset) else { return wall }
        return wall + offset
    }

    func isClockWrong(_ offset: Int64) -> Bool {
        !ConfigRules.isClockCorrect(offsetMilliseconds: offset.multipliedReportingOverflow(by: 1_000).partialValue)
    }

    /// Whether what lies in the spool may be matched now.
    func mayProvide(_ run: Run) -> Bool {
        guard run.takesFiles else { return false }
        // Until this server has answered, the last answer of any counts; a folder's files come without a clock to compare with.
        guard run.checksClock, let offset = run.offset ?? (run.source.kind == .folder ? nil : state.clockOffset),
            isClockWrong(offset)
        else { return true }
        return run.coreKnowsTime
    }

    // MARK: - Answers

    mutating func noteAnswer(_ run: inout Run, date: Int64?, received: Int) throws(SyncStop) {
        facts(of: run.source) { $0.byteCount += received }
        guard let date else { return }
        let offset = date - ports.now().wall
        let wasKnown = run.offset != nil
        run.offset = offset
        guard !wasKnown else { return }
        if state.clockOffset.map({ abs($0 - offset) >= 60 }) ?? true { _ = try commit([.clockOffset(offset)]) }
        if run.checksClock, isClockWrong(offset) {
            let hours = abs(offset) / 3_600
            count(
                run.source, "clock",
                "this device's clock is \(hours) hours \(offset > 0 ? "behind" : "ahead of") the server's: keys are fetched but not matched; set the time"
            )
        }
    }

    // MARK: - Signed time and configuration

    /// Gives the core a signed statement of the time. Whatever goes wrong here is counted, and keeps nothing else from working.
    private mutating func askForTime(_ run: inout Run, isAuthenticated: Bool) throws(SyncStop) {
        guard let path = run.source.timePath else { return }
        let nonce: String
        switch try ports.makeNonce() {
        case .success(let made): nonce = made
        case .failure(let failure): return count(run.source, failure.name, failure.sentence)
        }
        guard nonce.utf8.count == 32, nonce.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }) else {
            return
        }
        let request = FetchRequest(
            source: run.source, path: "\(path)/\(nonce)", maximumBytes: 4_096, totalSeconds: 20,
            ignoresCertificate: !isAuthenticated)
        switch try ports.fetch(request) {
        case .success(let answer):
            facts(of: run.source) { $0.byteCount += answer.receivedByteCount }
            guard let text = String(validating: answer.body, as: UTF8.self) else { return }
            switch try ports.takeSignedTime(text) {
            case .success(let isCertain): run.coreKnowsTime = isCertain
            case .failure(let failure): count(run.source, failure.name, failure.sentence)
            }
        case .failure(let failure): count(run.source, "time-\(failure.name)", failure.sentence)
        }
        // A core that did not know the time may know it now.
        if !run.takesFiles, case .success(let core) = try ports.coreState() { run.takesFiles = core.takesFiles }
    }

    /// Fetches the signed documents; on any fault the stored ones hold, and without those the defaults.
    private mutating func readConfiguration(_ run: inout Run) throws(SyncStop) -> Step {
        let source = run.source
        if let path = source.configPath {
            let document = source.name + ".config"
            // Either document may be the rules as well, and each has a table of its own.
            let isForIOS = source.rulesForm == .cwaIOS && path == source.carriedPaths[.rules]
            let form: AppConfiguration.Form = isForIOS ? .ios : .android
            let isShared = path == source.carriedPaths[.rules] && source.rulesForm?.proofHeaders == nil
            let place = "\(form.rawValue) \(source.base)/\(path)"
            if let failure = try fetchDocument(
                &run, path, document, known: record(source).facts.configDigest, isShared: isShared,
                place: " \(String(TextMark.of(place.utf8), radix: 36))",
                judge: { content, signer, trust, memory, now in
                    guard let config = AppConfiguration(content, form: form) else { return .malformed }
                    do throws(ConfigurationRefusal) {
                        return .good(
                            try ConfigurationMemory.judge(
                                config.number, signer: signer, place: place, after: memory, trust: trust, at: now))
                    } catch { return .refused(error) }
                },
                store: { facts, digest, _ in facts.configDigest = digest })
            {
                return .end(.failed(retryAfter: failure.retryAfter))
            }
            if let config = ports.load(document: document).flatMap({ AppConfiguration($0, form: form) }) {
                run.packageSeconds = config.downloadTimeoutSeconds
                run.deadline = run.begin.steady + Int64(config.overallDownloadTimeoutSeconds)
                run.revokedTags = config.revokedTags
                run.checksClock = config.checksClock
                try forgetRevoked(run)
            }
        }
        if let path = source.vigilConfigPath {
            let document = source.name + ".vigil"
            let version = record(source).facts.vigilConfigVersion ?? -1
            if let failure = try fetchDocument(
                &run, path, document, known: record(source).facts.vigilConfigDigest,
                judge: { content, _, _, memory, _ in
                    VigilConfiguration(content).map { $0.version >= version } == true ? .good(memory) : .malformed
                },
                store: { facts, digest, bytes in
                    facts.vigilConfigDigest = digest
                    facts.vigilConfigVersion = VigilConfiguration(bytes)?.version
                    facts.wakeWindow = VigilConfiguration(bytes)?.wakeWindowSeconds
                })
            {
                return .end(.failed(retryAfter: failure.retryAfter))
            }
        }
        for document in CarriedDocument.allCases {
            if let failure = try carry(document, &run) { return .end(.failed(retryAfter: failure.retryAfter)) }
        }
        return .go
    }

    /// Fetches a document of the health authority's and gives it to the core, which judges whether it is what it says: when it is another than the
    /// core had, and once a day in any case, for the core may have lost it. Gives a failure only when the server cannot be had at all.
    private mutating func carry(_ document: CarriedDocument, _ run: inout Run) throws(SyncStop) -> FetchFailure? {
        let source = run.source
        guard let path = source.carriedPaths[document] else { return nil }
        guard ports.mayCarry(document) else {
            countStanding(
                source, document.rawValue,
                "giving \(document.title) to the core was not granted to this plugin: grant it, or leave out the source's \(document.rawValue)"
            )
            return nil
        }
        let form = document == .rules ? source.rulesForm : nil
        var request = FetchRequest(
            source: source, path: path, maximumBytes: CarriedDocument.maximumFetchByteCount(form))
        request.headers = form?.proofHeaders ?? []
        let fetched: Result<FetchAnswer, FetchFailure>
        if document == .rules, let answer = run.configuration {
            fetched = .success(answer)
        } else {
            fetched = try fetchWithTries(request, &run, until: run.documentsUntil)
        }
        switch fetched {
        case .success(let answer):
            let mark = answer.digest.map { "\($0) \(UTCDay(containing: run.begin.wall).number)" }
            if let mark, mark == record(source).facts.carriedDigests[document] { return nil }
            switch try ports.carry(document, of: source, answer) {
            case .success: break
            case .failure(let failure) where failure.kind == .older: ports.note("\(source.name): \(failure.sentence)")
            case .failure(let failure):
                countStanding(source, document.rawValue, failure.sentence)
                return nil
            }
            // Only now: marked and not taken, it would not be given again.
            facts(of: source) { $0.carriedDigests[document] = mark }
            let entry = sourceEntry(source)
            _ = try commit([entry])
            return nil
        case .failure(let failure) where failure.scope == .absent && document.isOptional: return nil
        case .failure(let failure):
            countStanding(source, failure.name, failure.sentence)
            return failure.scope == .server ? failure : nil
        }
    }

    /// What a signed document is.
    private enum Judgement {
        /// It may be used, once this is remembered.
        case good(ConfigurationMemory?)
        case refused(ConfigurationRefusal)
        /// It is no such document, or an older version of Vigil's own.
        case malformed
    }

    /// Fetches a signed document and keeps it if it changed. Gives a failure only when the server cannot be had at all.
    private mutating func fetchDocument(
        _ run: inout Run, _ path: String, _ document: String, known: String?, isShared: Bool = false, place: String = "",
        judge: ([UInt8], TrustedKey, TrustStore, ConfigurationMemory?, Int64) -> Judgement,
        store: (inout SourceFacts, String?, [UInt8]) -> Void
    ) throws(SyncStop) -> FetchFailure? {
        let source = run.source
        let request = FetchRequest(source: source, path: path, maximumBytes: AppConfiguration.maximumByteCount)
        switch try fetchWithTries(request, &run, until: run.documentsUntil) {
        case .success(let answer):
            if isShared { run.configuration = answer }
            let digest = answer.digest.map { $0 + place }
            if let known, known == digest, ports.load(document: document) != nil { return nil }
            guard let content = try believed(ports.verified(answer.body, of: source), run, judge) else { return nil }
            // The document before its digest: with the digest alone it would not be read again.
            guard try ports.save(content, document: document) else {
                count(source, "journal", "a configuration cannot be stored; free space in the plugin's state folder")
                return nil
            }
            facts(of: source) { store(&$0, digest, content) }
            let entry = sourceEntry(source)
            _ = try commit([entry])
            return nil
        case .failure(let failure):
            countStanding(source, failure.name, failure.sentence)
            return failure.scope == .server ? failure : nil
        }
    }

    /// The content of a document that may be used; `nil` with a word of why for any other. What is to be remembered of it is on the disk then.
    private mutating func believed(
        _ document: SignedDocument, _ run: Run,
        _ judge: ([UInt8], TrustedKey, TrustStore, ConfigurationMemory?, Int64) -> Judgement
    ) throws(SyncStop) -> [UInt8]? {
        let source = run.source
        let memory = record(source).facts.configMemory
        let judgement: Judgement
        var content: [UInt8] = []
        switch document {
        case .signed(let bytes, let signer, let trust):
            content = bytes
            // Of this device's clock and the web server's the one that is ahead: one that is behind must not make of a good number one of the future.
            judgement = judge(bytes, signer, trust, memory, max(ports.now().wall, time(run)))
        case .refused: judgement = .malformed
        case .unread:
            countStanding(
                source, "unpacking",
                "this device could not unpack the server's configuration: the last good one holds, and it is tried again; if this goes on, restart the device"
            )
            return nil
        }
        switch judgement {
        case .good(let next):
            guard next != memory else { return content }
            facts(of: source) { $0.configMemory = next }
            let entry = sourceEntry(source)
            guard try commit([entry]) else {
                count(
                    source, "journal", "a configuration's number cannot be stored; free space in the plugin's state folder")
                return nil
            }
            return content
        case .refused(let refusal): countStanding(source, refusal.rule, "\(refusal)")
        case .malformed:
            countStanding(
                source, "configuration",
                "the server's configuration is not signed by a key we trust, malformed, or older than ours: the last good one holds"
            )
        }
        return nil
    }

    private mutating func forgetRevoked(_ run: Run) throws(SyncStop) {
        let revoked = record(run.source).packages.filter { _, package in
            package.state != .refused && package.tag.map { run.revokedTags.contains($0) } == true
        }
        guard !revoked.isEmpty else { return }
        guard try forget(revoked.keys.sorted(), of: run.source) else { return }
        for package in revoked.values { if let file = package.file { try ports.removeSpoolFile(file) } }
        ports.note("\(run.source.name): \(revoked.count) packages were revoked and are fetched again")
    }

    // MARK: - Plans

    private mutating func makePlan(_ run: inout Run) throws(SyncStop) -> Result<any SourcePlan, FetchFailure> {
        let source = run.source
        var plan: any SourcePlan
        switch source.kind {
        case .cwa: plan = CWAPlan(country: source.country, now: time(run), record: record(source))
        case .nhs: plan = NHSPlan(now: time(run), record: record(source))
        case .index: plan = IndexPlan(indexPath: source.indexPath, now: time(run), record: record(source))
        case .folder:
            switch try ports.folderFiles(source) {
            case .success(let files): plan = FolderPlan(files: files, now: time(run), record: record(source))
            case .failure(let failure): return .failure(failure)
            }
        }
        let planned = time(run)
        var isFirst = true
        while let path = plan.nextIndex() {
            let limit = source.kind == .index ? IndexReading.maximumListBytes : IndexReading.maximumJSONBytes
            var body: [UInt8]?
            switch try fetchWithTries(FetchRequest(source: source, path: path, maximumBytes: limit), &run) {
            case .success(let answer): body = answer.body
            case .failure(let failure) where failure.scope == .absent:
                // Of a day there may be no hours yet; a source that has not even days may have another address.
                if isFirst { countStanding(source, failure.name, failure.sentence) }
            case .failure(let failure):
                // Without the first nothing is known of what there is. Another one that cannot be had is no reason to leave the others.
                if failure.scope == .server || isFirst { return .failure(failure) }
                countStanding(source, failure.name, failure.sentence)
                run.lacksIndex = true
                continue
            }
            if isFirst, case let now = time(run), abs(now - planned) >= 3_600, source.kind == .cwa {
                // The first answer tells that the plan was made for another day.
                isFirst = false
                plan = CWAPlan(country: source.country, now: now, record: record(source))
                continue
            }
            do {
                try plan.take(body)
            } catch {
                let sentence = "\(error): it is read again later, and what is here is kept"
                if isFirst { return .failure(FetchFailure(.content, name: "index", sentence: sentence)) }
                countStanding(source, "index", sentence)
                run.lacksIndex = true
            }
            isFirst = false
        }
        if plan.refusedLineCount > 0 {
            countStanding(
                source, "index", "\(plan.refusedLineCount) names in the list of key files are not ones we may follow")
        }
        if plan.isOlder {
            run.listIsOlder = true
            count(
                source, "olderIndex",
                "the server's list of key files is an older one than it gave before: what is here stays, and it is asked again soon"
            )
        }
        return .success(plan)
    }

    /// What was never refused comes first.
    private func sorted(
        _ offers: [PackageOffer], _ record: SourceRecord
    ) -> (first: [PackageOffer], again: [PackageOffer]) {
        let isAgain: (PackageOffer) -> Bool = { record.packages[$0.id]?.state == .refused }
        let again = offers.filter(isAgain)
        // A batch of which one part waits for another try goes with that part.
        let batches = Set(again.compactMap(\.batch))
        let first = offers.filter { !isAgain($0) && !($0.batch.map(batches.contains) ?? false) }
        return (first, offers.filter { isAgain($0) || ($0.batch.map(batches.contains) ?? false) })
    }

    /// Packages of one batch together, in the order of the first of each.
    static func groups(_ offers: [PackageOffer], _ most: Int) -> [[PackageOffer]] {
        var groups: [[PackageOffer]] = []
        var places: [String: Int] = [:]
        for offer in offers {
            if let batch = offer.batch, let place = places[batch], groups[place].count < most {
                groups[place].append(offer)
            } else {
                if let batch = offer.batch { places[batch] = groups.count }
                groups.append([offer])
            }
        }
        return groups
    }

    // MARK: - How fresh

    /// Works out up to when nothing is missing, and says what is.
    private mutating func noteHorizon(_ run: Run, _ plan: any SourcePlan) {
        var rest = plan
        let record = record(run.source)
        // Everything that is not accepted is missing, whether or not it is to be fetched now.
        rest.record.packages = record.packages.filter { $0.value.state == .accepted }
        let missing = rest.offers().filter { !$0.mayBeAbsent }
        facts(of: run.source) { $0.missingCount = missing.count }
        // What lists and names say makes nothing newer: only what was signed does.
        let newest = record.facts.knownUntil
        // A package without a time could be from any: nothing is known to be complete beyond what was.
        guard let newest, missing.allSatisfy({ $0.end > 0 }) else { return }
        // An old list says nothing about what was published since.
        guard !run.listIsOlder || record.facts.newestEnd == nil else { return }
        let end = missing.map(\.start).reduce(newest, min)
        facts(of: run.source) { $0.newestEnd = end }
    }

    /// Packages that nobody publishes any more; only under a clock that agrees with the server's.
    private mutating func forgetOld(_ run: Run) throws(SyncStop) {
        guard let offset = run.offset, !isClockWrong(offset) else { return }
        let limit = ports.now().wall - (SourceSettings.historyDays + 4) * UTCDay.seconds
        let old = record(run.source).packages.filter { $0.value.end > 0 && $0.value.end < limit && $0.value.file == nil }
        _ = try forget(old.keys.sorted(), of: run.source)
    }

    /// Packages that the source's list does not have any more: whoever makes lists, and signs nothing, could fill the journal with names of one file
    /// otherwise. Refused ones stay while they wait. After an older list the newest stay, by which it was known.
    private mutating func forgetUnlisted(_ run: Run, _ plan: any SourcePlan) throws(SyncStop) {
        let now = ports.now().wall
        var gone = record(run.source).packages.filter { id, package in
            package.file == nil && !plan.mayOffer(id) && (package.state != .refused || package.isDue(at: now))
        }.sorted { ($0.value.end, $0.key) > ($1.value.end, $1.key) }[...]
        if plan.isOlder { gone = gone.dropFirst(limits.rememberedPackages) }
        _ = try forget(gone.map(\.key).sorted(), of: run.source)
    }

    /// Forgets packages, a line of the journal for so many as are handed to the core at once; `false` when the disk does not take one.
    private mutating func forget(_ ids: [String], of source: SourceSettings) throws(SyncStop) -> Bool {
        var rest = ids[...]
        while !rest.isEmpty {
            let part = rest.prefix(limits.filesPerCall)
            guard try commit(part.map { .forgotten(source: source.name, id: $0) }) else { return false }
            rest = rest.dropFirst(part.count)
        }
        return true
    }
}
