// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// An account of the freshness of this device's keys, by the periods and regions that were signed, and by the
/// authorities that signed them.
///
/// Each authority is judged separately: what another authority signed does not make its keys fresh, whatever region
/// it names.
///
/// A program that brings files states the sources from which it brings them (``want(_:by:at:)``). A source is as
/// fresh as the files of its region, however they came: over the network, on a USB stick, from another server with
/// the same files, or a second time after lost state. What a server states about its files in lists and names is not
/// used here.
public struct KeyFreshness: Hashable, Sendable, Codable {
    /// A source as described by the program that fetches its files.
    public struct Wanted: Hashable, Sendable, Codable {
        /// The name that the program gives to the source; unique among the sources of one caller, which is not
        /// checked. The core accepts at most 32 bytes of name and of region.
        public let name: String
        /// The region for which its files are signed, in upper or lower case. `nil` when it is not known: then
        /// everything that its ``authority`` has signed counts for it, and for a source without a named authority
        /// only what came from the source itself.
        public let region: String?
        /// Whether the source publishes a file for every period, even an empty one. If so, a gap means that something
        /// is held back or lost; otherwise it can mean that there were no keys.
        public let isContinuous: Bool
        /// The authority whose files the source has, by the name of its profile; `nil` is the authority without a
        /// name.
        public let authority: String?

        /// Creates a source. `region` is `nil` when it is not known, and `authority` is `nil` for the authority
        /// without a name.
        public init(name: String, region: String?, isContinuous: Bool, authority: String? = nil) {
            self.name = name
            self.region = region
            self.isContinuous = isContinuous
            self.authority = authority
        }
    }

    /// The freshness of an authority's keys.
    public enum Verdict: Hashable, Sendable {
        /// No source is wanted, and no signed period is known yet.
        case never
        /// All keys are here up to `until`, in Unix seconds, never later than now and less than ``longest`` ago.
        case current(until: Int64)
        /// The first files of the source with this ``Wanted/name`` are being fetched: it has been wanted for less
        /// than ``longest``.
        case fetching(source: String)
        /// Keys have been missing for ``longest`` or longer. All keys are here up to `until`, in Unix seconds, `nil`
        /// if none are. `source` is the ``Wanted/name`` of the late source that is furthest behind; empty when no
        /// source is wanted.
        case behind(until: Int64?, source: String)
    }

    /// The number of seconds after the end of the known periods within which keys are current, exclusive: two days
    /// (spec cwa-protocols 7.1).
    public static let longest: Int64 = 2 * UTCDay.seconds
    /// The number of days before today (UTC) that count: 14, as long as phones keep keys (GAEN).
    public static let days: Int64 = 14
    /// The number of seconds by which a signed end may lie in the future, inclusive: enough for a current hour that
    /// is published at once, and for the allowed error of the clock. The number is this project's own.
    public static let furthestEnd: Int64 = 3 * 3_600
    /// The maximum number of sources of all callers together; beyond it, the ones stated last are kept. The number is
    /// this project's own.
    public static let mostSources = 16
    static let mostStreams = 32

    private struct Source: Hashable, Sendable, Codable {
        var wanted: Wanted
        var caller: String
        /// Since when it is wanted, Unix seconds.
        var since: Int64
        /// Whether everything of it was here once.
        var wasCurrent = false

        var stream: String {
            if let authority = wanted.authority { return KeyFreshness.stream(of: authority, wanted.region ?? "") }
            return KeyFreshness.stream(wanted.region, wanted.name, caller)
        }
    }

    /// A file that was taken while this clock was behind what it is signed for.
    private struct Early: Hashable, Sendable, Codable {
        let period: ExportPeriod
        let source: String?
        let caller: String
        let authorities: [String]
    }

    /// Files of two weeks in pieces of an hour, with room for a few sources.
    static let mostEarly = 512

    private var streams: [String: PeriodCoverage] = [:]
    private var sources: [Source] = []
    /// The next one first; absent where there is none, as in accounts of earlier versions. Such files are never fetched again, so they count
    /// from the moment when this clock allows it.
    private var early: [Early]?

    /// Creates an empty account, in which every verdict is ``Verdict/never``.
    public init() {}

    /// The region's stream; without one, that of the source alone.
    private static func stream(_ region: String?, _ source: String, _ caller: String) -> String {
        if let region, !region.isEmpty { return "=" + region.uppercased() }
        return "@\(caller)/\(source)"
    }

    /// What a named authority has signed for a region; with an empty one, all it has signed. Names hold no equals sign, and streams of the
    /// authority without a name begin with one or with @.
    private static func stream(of authority: String, _ region: String) -> String { "\(authority)=\(region.uppercased())" }

    /// Replaces the sources of `caller` by `wanted`, of which only the first ``mostSources`` count. `now` is in Unix
    /// seconds. Cannot fail.
    public mutating func want(_ wanted: [Wanted], by caller: String, at now: Int64) {
        let old = sources.filter { $0.caller == caller }
        sources.removeAll { $0.caller == caller }
        for wanted in wanted.prefix(Self.mostSources) {
            let known = old.first { $0.wanted == wanted }
            // Written under a clock that was ahead.
            let since = known.map { min($0.since, now) } ?? now
            sources.append(
                Source(wanted: wanted, caller: caller, since: since, wasCurrent: known?.wasCurrent ?? false))
        }
        sources = Array(sources.suffix(Self.mostSources))
    }

    /// Records that a verified file is here, for the first time or again. Cannot fail.
    ///
    /// A period that ended 14 days ago or more is ignored. A period that ends more than ``furthestEnd`` in the future
    /// waits until it counts; of more than 512 such periods those that end last are forgotten.
    ///
    /// - Parameters:
    ///   - source: The source it came from, by its name in ``want(_:by:at:)``; `nil` when it is not known.
    ///   - caller: The caller that brings the file, as in ``want(_:by:at:)``.
    ///   - now: The present time, in Unix seconds.
    ///   - authorities: The names of the authorities that signed the file; an empty name is the authority without a
    ///     name.
    public mutating func take(
        _ period: ExportPeriod, from source: String?, by caller: String, at now: Int64, of authorities: [String] = [""]
    ) {
        guard period.end > now - Self.days * UTCDay.seconds else { return }
        guard period.end <= now + Self.furthestEnd else {
            let file = Early(period: period, source: source, caller: caller, authorities: authorities)
            let files = early ?? []
            guard !files.contains(file) else { return }
            early = Array((files + [file]).sorted { $0.period.end < $1.period.end }.prefix(Self.mostEarly))
            return
        }
        for authority in authorities where !authority.isEmpty {
            for name in Set([Self.stream(of: authority, ""), Self.stream(of: authority, period.region)]) {
                streams[name, default: PeriodCoverage()].add(start: period.start, end: period.end)
            }
        }
        guard authorities.contains("") else { return }
        let from = sources.first { $0.caller == caller && $0.wanted.name == source }
        // A file that names no region is one of the source's.
        let region = period.region.isEmpty ? from?.wanted.region ?? "" : period.region
        var names: Set<String> = region.isEmpty ? [] : [Self.stream(region, "", "")]
        if let from, from.wanted.region == nil { names.insert(from.stream) }
        if names.isEmpty { names.insert(Self.stream(nil, source ?? "", caller)) }
        for name in names { streams[name, default: PeriodCoverage()].add(start: period.start, end: period.end) }
    }

    /// Forgets periods that are too old, counts waiting files whose time has come, and records which sources are
    /// current. Of the regions that no wanted source has, only the 16 with the newest periods are kept. To be
    /// called after the last file of a call. `now` is in Unix seconds. Cannot fail.
    public mutating func settle(at now: Int64) {
        if let waiting = early {
            early = nil
            for file in waiting {
                take(file.period, from: file.source, by: file.caller, at: now, of: file.authorities)
            }
        }
        let oldest = (max(now, 0) / UTCDay.seconds - Self.days) * UTCDay.seconds
        for name in streams.keys { streams[name]?.forget(before: oldest) }
        let named = Set(sources.map(\.stream))
        streams = streams.filter { !$0.value.isEmpty }
        // The oldest of those that nobody asked for.
        let others = streams.filter { !named.contains($0.key) }
            .sorted { ($0.value.newestEnd ?? 0, $0.key) > ($1.value.newestEnd ?? 0, $1.key) }
        for (name, _) in others.dropFirst(Self.mostStreams - Self.mostSources) { streams[name] = nil }
        for index in sources.indices where isCurrent(until(sources[index]), now) { sources[index].wasCurrent = true }
    }

    /// With the files whose time has come since, where there are any.
    private func settled(at now: Int64) -> KeyFreshness {
        guard let next = early?.first, next.period.end <= now + Self.furthestEnd else { return self }
        var settled = self
        settled.settle(at: now)
        return settled
    }

    private func isCurrent(_ until: Int64?, _ now: Int64) -> Bool { until.map { now - $0 < Self.longest } ?? false }

    private func until(_ source: Source) -> Int64? {
        let coverage = streams[source.stream]
        return source.wanted.isContinuous ? coverage?.firstEnd : coverage?.newestEnd
    }

    /// Returns the time up to which all keys of the source `name` of `caller`, as in ``want(_:by:at:)``, are here,
    /// in Unix seconds, never later than `now` (Unix seconds); `nil` when there are none or the source is not
    /// wanted.
    public func until(_ name: String, by caller: String, at now: Int64) -> Int64? {
        let account = settled(at: now)
        return account.sources.first { $0.caller == caller && $0.wanted.name == name }.flatMap(account.until)
            .map { min($0, now) }
    }

    /// Returns those of the last 14 whole UTC days, in days since 1970, whose keys are all here
    /// (``PeriodCoverage/covers(day:)``), oldest first; empty for a source that is not wanted. `name` and `caller`
    /// are as in ``want(_:by:at:)``; `now` is in Unix seconds.
    public func days(_ name: String, by caller: String, at now: Int64) -> [Int64] {
        guard let source = sources.first(where: { $0.caller == caller && $0.wanted.name == name }),
            let coverage = settled(at: now).streams[source.stream]
        else { return [] }
        let today = max(now, 0) / UTCDay.seconds
        return (today - Self.days..<today).filter(coverage.covers)
    }

    /// Returns the verdict at `now` (Unix seconds) for an authority, empty for the one without a name. If it has
    /// several sources, the one that is furthest behind decides.
    public func verdict(at now: Int64, of authority: String = "") -> Verdict {
        settled(at: now).settledVerdict(at: now, of: authority)
    }

    private func settledVerdict(at now: Int64, of authority: String) -> Verdict {
        let sources = sources.filter { ($0.wanted.authority ?? "") == authority }
        guard !sources.isEmpty else {
            // Nobody has said what there is to be known: the newest of all.
            guard let until = newestEnd(of: authority) else { return .never }
            return isCurrent(until, now) ? .current(until: min(until, now)) : .behind(until: until, source: "")
        }
        let behind = sources.filter { !isCurrent(until($0), now) }
            .sorted { (until($0) ?? .min, $0.wanted.name) < (until($1) ?? .min, $1.wanted.name) }
        // A source that never had everything may be fetched for as long as one that had it may be late.
        if let late = behind.first(where: { $0.wasCurrent || now - $0.since >= Self.longest }) {
            return .behind(until: until(late), source: late.wanted.name)
        }
        if let first = behind.first { return .fetching(source: first.wanted.name) }
        return .current(until: min(sources.compactMap(until).min() ?? now, now))
    }

    private func newestEnd(of authority: String) -> Int64? {
        if !authority.isEmpty { return streams[Self.stream(of: authority, "")]?.newestEnd }
        return streams.filter { $0.key.hasPrefix("=") || $0.key.hasPrefix("@") }.compactMap(\.value.newestEnd).max()
    }
}
