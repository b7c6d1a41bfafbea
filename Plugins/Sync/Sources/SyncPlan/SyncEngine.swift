// SPDX-License-Identifier: Apache-2.0

/// Fetches the sources' packages: decides when to run, runs, and remembers.
///
/// Everything that must last is written to the journal before it is acted on, so the process may end at any instruction: a
/// new engine made from the journal continues the work. A package that the core has accepted is never fetched again; one
/// that was about to be accepted is provided once more, and the core answers `repeated`.
public struct SyncEngine {
    /// The state that follows from the journal, together with facts in ``SyncState/sources`` that will be written with the
    /// next entry.
    public internal(set) var state: SyncState
    /// The sources, in the order in which they are run; may be empty.
    public let sources: [SourceSettings]
    let limits: SyncLimits
    let ports: any SyncPorts
    var schedules: [String: SyncSchedule] = [:]
    /// What a run of a source leaves wrong although everything is here, in a sentence.
    var standing: [String: String] = [:]
    /// Sources whose last run brought a configuration of the fleet that is on trial.
    var onTrial: Set<String> = []

    /// Creates an engine that continues from `state`, the journal's, and waits for the disk. Files in the spool
    /// that the journal does not name are removed; packages of sources that no longer exist are forgotten; packages
    /// whose attempt was cut off are offered again, or count as refused after ``SyncLimits/unexplainedAttempts``.
    /// The first run of a new source is planned and stored.
    /// - Parameter sources: The sources, whose names must differ; not checked.
    /// - Throws: `SyncStop` when the process is to end. If the journal cannot be written, nothing is thrown.
    public init(
        sources: [SourceSettings], state: SyncState, limits: SyncLimits = SyncLimits(), ports: any SyncPorts
    ) throws(SyncStop) {
        self.sources = sources
        self.state = state
        self.limits = limits
        self.ports = ports
        var random = PortsRandom(ports: ports)
        let now = ports.now()
        for source in sources {
            let stored = state.sources[source.name]?.schedule
            var schedule =
                stored.map { SyncSchedule($0, at: now, timing: source.timing, using: &random) }
                ?? SyncSchedule(at: now, timing: source.timing, using: &random)
            if record(source).isWished { schedule.wish() }
            schedules[source.name] = schedule
        }
        try recover()
        // The first moment is drawn once. A process that ends before it and draws again at its next start would hardly ever come to run.
        let fresh = sources.filter { state.sources[$0.name]?.schedule == nil }
        if !fresh.isEmpty { _ = try commit(fresh.map(sourceEntry)) }
    }

    /// Returns the number of whole seconds until a source is due, 0 if one is; `nil` if there are no sources, or all of
    /// them are running.
    public func secondsUntilRun() -> Int64? {
        let now = ports.now()
        return sources.compactMap { schedules[$0.name]?.secondsUntilRun(at: now, timing: $0.timing) }.min()
    }

    /// Returns the number of whole seconds until the source with this name is due, 0 if it is; `nil` while it is running,
    /// or if there is no such source. Cannot fail.
    public func secondsUntilRun(of name: String) -> Int64? {
        guard let source = sources.first(where: { $0.name == name }) else { return nil }
        return schedules[name]?.secondsUntilRun(at: ports.now(), timing: source.timing)
    }

    /// Asks for a run of every source as soon as its schedule permits. The wish outlasts this process, unless the
    /// journal cannot be written; then ``hasWish`` is `false` as well, and the run comes all the same. Waits for
    /// the disk.
    /// - Throws: `SyncStop` when the process is to end.
    public mutating func wish() throws(SyncStop) {
        for source in sources { schedules[source.name]?.wish() }
        let entries = sources.filter { !record($0).isWished }.map { JournalEntry.wished(source: $0.name) }
        if !entries.isEmpty { _ = try commit(entries) }
    }

    /// Whether a run was asked for with ``wish()``, is written in the journal, and has not begun yet.
    public var hasWish: Bool { sources.contains { record($0).isWished } }

    /// Runs every source that is due, one after the other; does nothing if none is. A fault of one source does not stop the
    /// others. Blocks for as long as the network and the core need, so call it on the worker thread.
    /// - Throws: `SyncStop` when the process is to end. All other faults are counted in ``state``.
    public mutating func runDue() throws(SyncStop) {
        guard secondsUntilRun() == 0 else { return }
        // A disk that was full may have left journal and spool apart.
        try recover()
        for source in sources where schedules[source.name]?.secondsUntilRun(at: ports.now(), timing: source.timing) == 0 {
            try run(source)
        }
    }

    /// How a run of one source ended.
    enum Outcome {
        case succeeded
        case failed(retryAfter: Int64?)
        /// There is more to fetch, and nothing wrong.
        case unfinished
    }

    private mutating func run(_ source: SourceSettings) throws(SyncStop) {
        let begin = ports.now()
        standing[source.name] = nil
        onTrial.remove(source.name)
        schedules[source.name]?.begin(at: begin)
        facts(of: source) { $0.lastAttempt = begin.wall }
        // The attempt is on record before it is made: what dies on it does not try at once again.
        guard try commitSource(source) else { return try end(source, .failed(retryAfter: nil)) }
        let outcome = try work(source)
        try end(source, outcome)
    }

    private mutating func end(_ source: SourceSettings, _ outcome: Outcome) throws(SyncStop) {
        let now = ports.now()
        var random = PortsRandom(ports: ports)
        switch outcome {
        case .succeeded:
            schedules[source.name]?.succeeded(at: now, timing: source.timing, using: &random)
            let problem = standing[source.name]
            facts(of: source) {
                $0.lastSuccess = now.wall
                // The server was had; single packages may still be missing.
                if $0.missingCount == 0 { $0.problem = problem }
            }
        case .failed(let retryAfter):
            schedules[source.name]?.failed(at: now, retryAfter: retryAfter, timing: source.timing, using: &random)
        case .unfinished: schedules[source.name]?.stopped(at: now, timing: source.timing, using: &random)
        }
        if onTrial.contains(source.name) { schedules[source.name]?.hasten(at: now, timing: source.timing, using: &random) }
        _ = try commitSource(source)
    }

    // MARK: - What lasts

    /// Writes entries and applies them; `false` when the disk does not take them, and then nothing is different.
    mutating func commit(_ entries: [JournalEntry]) throws(SyncStop) -> Bool {
        guard try ports.append(entries) else {
            ports.note("the journal cannot be written: free space in the plugin's state folder")
            return false
        }
        for entry in entries { state.apply(entry) }
        return true
    }

    func sourceEntry(_ source: SourceSettings) -> JournalEntry {
        let record = state.sources[source.name] ?? SourceRecord()
        return .source(source.name, record.facts, schedules[source.name]?.stored(at: ports.now()))
    }

    private mutating func commitSource(_ source: SourceSettings) throws(SyncStop) -> Bool {
        let entry = sourceEntry(source)
        guard try commit([entry]) else {
            count(source, "journal", "this plugin's journal cannot be written; free space in its state folder")
            return false
        }
        return true
    }

    /// Changes facts in memory; they are written with the next entry of the source.
    mutating func facts(of source: SourceSettings, _ change: (inout SourceFacts) -> Void) {
        change(&state.sources[source.name, default: SourceRecord()].facts)
    }

    /// Counts a fault and says what it is.
    mutating func count(_ source: SourceSettings, _ name: String, _ sentence: String) {
        facts(of: source) {
            // Names are from closed sets; this keeps a fault of our own from filling the journal.
            if $0.faults[name] != nil || $0.faults.count < 64 { $0.faults[name, default: 0] += 1 }
            $0.problem = String(sentence.prefix(400))
        }
        ports.note("\(source.name): \(sentence)")
    }

    /// The same for a fault that is not over when everything was fetched.
    mutating func countStanding(_ source: SourceSettings, _ name: String, _ sentence: String) {
        count(source, name, sentence)
        standing[source.name] = sentence
    }

    func record(_ source: SourceSettings) -> SourceRecord { state.sources[source.name] ?? SourceRecord() }

    // MARK: - After a restart

    /// Brings spool and journal together, while no run is under way.
    private mutating func recover() throws(SyncStop) {
        let files = Set(ports.spoolFiles())
        var known = Set<String>()
        var entries: [JournalEntry] = []
        let now = ports.now().wall
        for (name, record) in state.sources {
            let isConfigured = sources.contains { $0.name == name }
            for (id, package) in record.packages where package.file != nil {
                guard let file = package.file, isConfigured, files.contains(file),
                    package.count < limits.unexplainedAttempts || package.state == .waiting
                else {
                    entries.append(Self.lost(name, id, package, at: now, limits))
                    continue
                }
                known.insert(file)
                if package.state == .attempted {
                    var again = package
                    again.state = .waiting
                    entries.append(.package(source: name, id: id, again))
                }
            }
            if !isConfigured { entries += record.packages.keys.map { .forgotten(source: name, id: $0) } }
        }
        // The journal first: a file it names must be there.
        while !entries.isEmpty {
            _ = try commit(Array(entries.prefix(limits.filesPerCall)))
            entries.removeFirst(min(entries.count, limits.filesPerCall))
        }
        for file in files.subtracting(known) { try ports.removeSpoolFile(file) }
    }

    /// What becomes of a package whose file is gone, or that was attempted too often. Attempts count on, so that a package that ends this process
    /// each time is left alone for a while.
    private static func lost(
        _ source: String, _ id: String, _ package: PackageRecord, at now: Int64, _ limits: SyncLimits
    ) -> JournalEntry {
        guard package.count > 0 else { return .forgotten(source: source, id: id) }
        var record = package
        record.state = .refused
        record.file = nil
        record.rule = "interrupted"
        let isSuspect = package.count >= limits.unexplainedAttempts
        record.retryAt = isSuspect ? now + PackageRecord.retryDelay(count: package.count) : nil
        return .package(source: source, id: id, record)
    }
}
