// SPDX-License-Identifier: Apache-2.0

import CivilTime
import HTTPFields

extension SyncEngine {
    /// Fetches with a few tries where the transfer breaks; a server that cannot be had is not asked again. No other try begins after `end`, in
    /// seconds of the steady clock; `nil` stands for the end of the run.
    mutating func fetchWithTries(
        _ request: FetchRequest, _ run: inout Run, until end: Int64? = nil
    ) throws(SyncStop) -> Result<FetchAnswer, FetchFailure> {
        var attempt = 1
        while true {
            switch try ports.fetch(request) {
            case .success(let answer):
                try noteAnswer(&run, date: answer.date, received: answer.receivedByteCount)
                return .success(answer)
            case .failure(let failure):
                if let file = request.file { try ports.removeSpoolFile(file) }
                try noteAnswer(&run, date: failure.date, received: failure.receivedByteCount)
                guard failure.scope == .transfer, attempt < limits.transferTries,
                    ports.now().steady < min(run.deadline, end ?? run.deadline)
                else { return .failure(failure) }
                count(run.source, failure.name, failure.sentence)
                attempt += 1
            }
        }
    }

    /// Fetches the packages of one group and hands them to the core.
    mutating func take(_ group: [PackageOffer], _ run: inout Run) throws(SyncStop) -> Step {
        let source = run.source
        var fetched: [String] = []
        for offer in group {
            guard mayProvide(run) || mayWait else {
                count(source, "waiting", "as much is fetched as may wait; the rest is fetched when the core takes it")
                return .end(.failed(retryAfter: nil))
            }
            switch try fetchPackage(offer, &run) {
            case .fetched: fetched.append(offer.id)
            case .notThere: break
            case .failed:
                // Without one of its parts a batch is worth nothing.
                try drop(fetched, source)
                return .go
            case .end(let outcome):
                try drop(fetched, source)
                return .end(outcome)
            }
        }
        guard !fetched.isEmpty, mayProvide(run) else { return .go }
        return try provide(fetched, &run)
    }

    /// Whether one more package may wait in the spool, beside those of all sources: empty ones take room as well.
    private var mayWait: Bool {
        let waiting = state.sources.values.flatMap { $0.packages.values.filter { $0.file != nil } }
        return waiting.count < limits.waitingFiles && waiting.reduce(0) { $0 + $1.byteCount } < limits.waitingBytes
    }

    private enum Fetched {
        case fetched, notThere, failed
        case end(Outcome)
    }

    private mutating func fetchPackage(_ offer: PackageOffer, _ run: inout Run) throws(SyncStop) -> Fetched {
        let source = run.source
        let old = record(source).packages[offer.id]
        let tries = old?.count ?? 0
        let file = "k-" + String(ports.random(), radix: 36) + ".zip"
        // A package that was too slow once gets more time the next time.
        let seconds = min(run.packageSeconds << min(tries, 5), 1_800)
        let request = FetchRequest(
            source: source, path: offer.path, file: file, maximumBytes: source.maximumPackageBytes, totalSeconds: seconds)
        switch try fetchWithTries(request, &run) {
        case .success(let answer):
            if let tag = answer.tag, run.revokedTags.contains(tag) {
                try ports.removeSpoolFile(file)
                return try refuse(
                    [offer.id], offer.end, source, "revoked", tag: tag,
                    "a revoked package is still published; it is fetched again when it was replaced")
                    ? .failed : .end(.failed(retryAfter: nil))
            }
            let record = PackageRecord(
                state: .waiting, tag: answer.tag, end: offer.end, byteCount: answer.byteCount, count: tries, file: file)
            guard try commit([.package(source: source.name, id: offer.id, record)]) else {
                try ports.removeSpoolFile(file)
                count(source, "journal", "this plugin's journal cannot be written; free space in its state folder")
                return .end(.failed(retryAfter: nil))
            }
            return .fetched
        case .failure(let failure):
            switch failure.scope {
            case .server, .local:
                count(source, failure.name, failure.sentence)
                return .end(.failed(retryAfter: failure.retryAfter))
            case .absent where offer.mayBeAbsent: return .notThere
            case .absent, .object, .transfer, .content:
                run.failuresInARow += 1
                // A server that is overloaded for some hours must not cost a package a day.
                return try refuse(
                    [offer.id], offer.end, source, failure.name, tag: nil, failure.sentence,
                    counts: failure.scope != .object) ? .failed : .end(.failed(retryAfter: nil))
            }
        }
    }

    /// Offers to the core what lies in the spool: on record before the call, and what came of it before the files go.
    mutating func provide(_ ids: [String], _ run: inout Run) throws(SyncStop) -> Step {
        let source = run.source
        let packages = ids.compactMap { id in record(source).packages[id].map { (id, $0) } }
        let files = packages.compactMap(\.1.file)
        guard files.count == ids.count else { return .go }
        let attempts = packages.map { id, package in
            var attempt = package
            attempt.state = .attempted
            attempt.count += 1
            return JournalEntry.package(source: source.name, id: id, attempt)
        }
        guard try commit(attempts) else { return .end(.failed(retryAfter: nil)) }
        switch try ports.provide(files, from: source, among: sources) {
        case .success(let answer): return try took(packages, answer, &run)
        case .failure(let failure):
            switch failure.kind {
            case .fileRefused(let file, let rule):
                // What the file is called in the spool says nothing to anybody.
                let id = packages.first { $0.1.file == file }?.0
                let sentence = id.map { Self.named($0, for: file, in: failure.sentence) } ?? failure.sentence
                return try refused(packages, rule, sentence, &run)
            case .timeUnknown:
                run.takesFiles = false
                count(source, failure.name, failure.sentence)
                return try putBack(packages, source) ? .go : .end(.failed(retryAfter: nil))
            case .later(let until):
                count(source, failure.name, failure.sentence)
                _ = try putBack(packages, source)
                return .end(.failed(retryAfter: until.map { max(0, $0 - ports.now().wall) }))
            case .notPermitted, .older, .stillOnTrial:
                count(source, failure.name, failure.sentence)
                _ = try putBack(packages, source)
                return .end(.failed(retryAfter: nil))
            }
        }
    }

    /// The core has these packages. Those that are what was asked for are done; the others are asked for again, like refused ones.
    private mutating func took(
        _ packages: [(String, PackageRecord)], _ answer: CoreAnswer, _ run: inout Run
    ) throws(SyncStop) -> Step {
        let source = run.source
        var accepted: [JournalEntry] = []
        var wrong: [(id: String, end: Int64, fault: PeriodCheck.Fault)] = []
        for (index, (id, package)) in packages.enumerated() {
            let signed = index < answer.files.count ? answer.files[index] : SignedPeriod()
            if let fault = PeriodCheck.fault(of: signed, asked: id, of: source) {
                wrong.append((id, package.end, fault))
            } else {
                accepted.append(
                    .package(
                        source: source.name, id: id,
                        PackageRecord(
                            state: .accepted, tag: package.tag, end: package.end, byteCount: package.byteCount)))
            }
        }
        run.failuresInARow = wrong.isEmpty ? 0 : run.failuresInARow + 1
        let newest = answer.files.compactMap(\.end).max()
        facts(of: source) {
            $0.packageCount += accepted.count
            // Nobody waits for what a stick brings, so that the core keeps no account of it.
            $0.knownUntil = answer.knownUntil ?? [$0.knownUntil, newest].compactMap { $0 }.max()
            $0.knownDays = answer.knownDays
        }
        let facts = sourceEntry(source)
        guard try commit(accepted + [facts]) else { return .end(.failed(retryAfter: nil)) }
        for package in packages where !wrong.contains(where: { $0.id == package.0 }) {
            if let file = package.1.file { try ports.removeSpoolFile(file) }
        }
        for (id, end, fault) in wrong {
            guard try refuse([id], end, source, fault.rule, tag: nil, fault.sentence) else {
                return .end(.failed(retryAfter: nil))
            }
        }
        return .go
    }

    /// What waits in the spool from before.
    mutating func provideWaiting(_ run: inout Run) throws(SyncStop) -> Step {
        guard mayProvide(run) else { return .go }
        let waiting = record(run.source).packages.filter { $0.value.state == .waiting && $0.value.part == nil }
        // Oldest first, as they were published; the parts of a batch together.
        let offers = waiting.sorted { ($0.value.end, $0.key) < ($1.value.end, $1.key) }.map { id, package in
            PackageOffer(
                id: id, path: "", start: 0, end: package.end, batch: IndexPlan.FileName(Self.fileName(id))?.batch)
        }
        for group in Self.groups(offers, limits.filesPerCall) {
            if case .end(let outcome) = try provide(group.map(\.id), &run) { return .end(outcome) }
            if !mayProvide(run) { break }
        }
        return .go
    }

    private static func fileName(_ id: String) -> String { id.split(separator: "?").first.map(String.init) ?? id }

    // MARK: - Refusals

    private mutating func refused(
        _ packages: [(String, PackageRecord)], _ rule: String, _ sentence: String, _ run: inout Run
    ) throws(SyncStop) -> Step {
        let source = run.source
        run.failuresInARow += 1
        let parts = rule == "incompleteBatch" ? packages.compactMap { $0.1.file.flatMap(ports.batchPart) } : []
        if !parts.isEmpty, parts.count == packages.count {
            // The rest of the batch has another name, or is not published yet: they wait for each other, at most a day.
            let until = ports.now().wall + UTCDay.seconds
            var entries = zip(packages, parts).map { package, part in
                var waiting = package.1
                waiting.state = .waiting
                waiting.part = part
                waiting.retryAt = waiting.retryAt ?? until
                return JournalEntry.package(source: source.name, id: package.0, waiting)
            }
            // What waited too long for this one is asked for again.
            for (id, package) in record(source).packages where package.state == .refused && package.rule == rule {
                var again = package
                again.retryAt = nil
                entries.append(.package(source: source.name, id: id, again))
            }
            run.failuresInARow = 0
            return try commit(entries) ? .go : .end(.failed(retryAfter: nil))
        }
        let ids = packages.map(\.0)
        let done = try refuse(ids, packages.first?.1.end ?? 0, source, rule, tag: nil, sentence)
        return done ? .go : .end(.failed(retryAfter: nil))
    }

    /// Files the core found to be parts of batches: provided when a batch is whole.
    mutating func provideIncomplete(_ run: inout Run) throws(SyncStop) -> Step {
        let source = run.source
        guard mayProvide(run) else { return .go }
        var batches: [String: [String: PackageRecord]] = [:]
        for (id, package) in record(source).packages where package.state == .waiting {
            if let part = package.part { batches["\(part.identity)/\(part.size)", default: [:]][id] = package }
        }
        for (_, parts) in batches.sorted(by: { $0.key < $1.key }) {
            let size = parts.values.first?.part?.size ?? 0
            let numbers = Set(parts.values.compactMap(\.part?.number))
            if numbers.count == size, parts.count <= limits.filesPerCall {
                if case .end(let outcome) = try provide(parts.keys.sorted(), &run) { return .end(outcome) }
            } else if parts.values.contains(where: { ($0.retryAt ?? 0) <= ports.now().wall }) {
                let sentence = "the other files of a batch do not come; they are asked for again later"
                guard try refuse(parts.keys.sorted(), 0, source, "incompleteBatch", tag: nil, sentence) else {
                    return .end(.failed(retryAfter: nil))
                }
            }
        }
        return .go
    }

    /// Remembers packages as refused, to be tried again later, and drops their files; `false` when that cannot be stored. A try that does not count
    /// makes no later one wait longer.
    mutating func refuse(
        _ ids: [String], _ end: Int64, _ source: SourceSettings, _ rule: String, tag: String?, _ sentence: String,
        counts: Bool = true
    ) throws(SyncStop) -> Bool {
        count(source, rule, sentence)
        var files: [String] = []
        let now = ports.now().wall
        let entries = ids.map { id in
            let old = record(source).packages[id]
            if let file = old?.file { files.append(file) }
            let tries = max(1, (old?.count ?? 0) + (old?.state == .attempted || !counts ? 0 : 1))
            return JournalEntry.package(
                source: source.name, id: id,
                PackageRecord(
                    state: .refused, tag: tag ?? old?.tag, end: old?.end ?? end, count: tries, rule: rule,
                    retryAt: now + PackageRecord.retryDelay(count: counts ? tries : 1)))
        }
        let facts = sourceEntry(source)
        guard try commit(entries + [facts]) else { return false }
        for file in files { try ports.removeSpoolFile(file) }
        return true
    }

    /// The core did not look at them: they wait in the spool, and the attempt does not count.
    private mutating func putBack(
        _ packages: [(String, PackageRecord)], _ source: SourceSettings
    ) throws(SyncStop) -> Bool {
        try commit(packages.map { .package(source: source.name, id: $0, $1) })
    }

    /// Forgets packages of this run whose batch did not become whole.
    private mutating func drop(_ ids: [String], _ source: SourceSettings) throws(SyncStop) {
        guard !ids.isEmpty else { return }
        let files = ids.compactMap { record(source).packages[$0]?.file }
        if try commit(ids.map { .forgotten(source: source.name, id: $0) }) {
            for file in files { try ports.removeSpoolFile(file) }
        }
    }

    /// `sentence` with `name` in place of each `file`. The standard library's own is that of its regular expressions, more than a megabyte.
    private static func named(_ name: String, for file: String, in sentence: String) -> String {
        var result = ""
        var rest = sentence[...]
        while !file.isEmpty, let place = rest.indices.first(where: { rest[$0...].hasPrefix(file) }) {
            result += rest[..<place] + name
            rest = rest[place...].dropFirst(file.count)
        }
        return result + rest
    }
}
