// SPDX-License-Identifier: Apache-2.0

public import PresenceTracing

/// What a warning of the wearer's says of the visits, and what becomes of visits that were in one.
extension VisitDiary {
    /// The most reports for one warning: 32, as a submission of constant size has room for (docs/decisions/0045).
    public static let maximumReports = 32
    /// The most batches of reports that wait for the end of their warnings: 16, our choice, twice as many as there can be
    /// tests. No further one is handed out then: if one were forgotten, its visits would meet their own reports.
    public static let maximumBatches = 16

    /// Whether another batch can be handed out: fewer than ``maximumBatches`` wait.
    public var takesBatch: Bool { batches.count < Self.maximumBatches }

    /// Returns what is to be published of the visits to places of the Corona-Warn-App: whole intervals within one UTC day
    /// (``CheckInSubmission``), the latest first, at most `most` and at most ``maximumReports``. Visits that the wearer has
    /// excluded, those that were published before, and those of batches that wait, are left out: whoever was there would
    /// count the same minutes twice. An open visit lasts until `now`. Empty if nothing is to be published.
    ///
    /// - Parameters:
    ///   - levels: The wearer's levels of transmission risk, 1 to 8, one for each day of age, beginning with today.
    ///   - rules: The authority's rules.
    ///   - most: The number of parts that there is room for.
    ///   - now: The time in Unix seconds.
    public func parts(levels: [UInt8], rules: ReportRules, most: Int, at now: Int64) -> [PublishedCheckIn] {
        let waiting = batches.reduce(into: Set<Int>()) { $0.formUnion($1.visits) }
        let wanted = Set(visits.filter { $0.warns && !$0.isSubmitted }.map(\.number)).subtracting(waiting)
        let parts = CheckInSubmission.parts(
            of: presenceVisits(at: now, isTrimmed: false).filter { wanted.contains($0.number) }, levels: levels,
            values: rules.values,
            derivation: rules.derivation, now: now)
        let latest = parts.sorted { ($0.record.start, $0.visit) > ($1.record.start, $1.visit) }
        return Array(latest.prefix(min(max(most, 0), Self.maximumReports)))
    }

    /// Whether a batch can have this name: it is one of ``ReportBatch/names``, and no batch that waits has it.
    public func allowsName(_ name: Int64) -> Bool {
        ReportBatch.names.contains(name) && !batches.contains { $0.name == name }
    }

    /// Notes that these parts of visits were handed out under `name`, and which time they are about, as ``handOut(_:as:)`` of their visits does.
    public mutating func handOut(_ parts: [PublishedCheckIn], as name: Int64) {
        guard allowsName(name), takesBatch else { return }
        for part in parts { noteReported(part.visit, part.record.seconds) }
        handOut(Set(parts.map(\.visit)), as: name)
    }

    /// Notes that reports of the visits with these numbers were handed out under `name`, in ``ReportBatch/names``. They go into
    /// no other batch until ``noteOver(_:)``; otherwise nothing changes for them until ``notePublished(_:)``. Has no effect if there is no such visit, if a batch
    /// has that name, and unless ``takesBatch``: then the reports must not be handed out.
    public mutating func handOut(_ numbers: Set<Int>, as name: Int64) {
        let known = numbers.intersection(visits.map(\.number))
        guard !known.isEmpty, allowsName(name), takesBatch else { return }
        batches.append(ReportBatch(name: name, visits: known))
    }

    /// Notes that the warnings with the batches of these names are out: their visits were published, and meet no warning
    /// any more. Unknown names are ignored.
    public mutating func notePublished(_ names: Set<Int64>) {
        for batch in batches where names.contains(batch.name) { noteSubmitted(batch.visits) }
        batches.removeAll { names.contains($0.name) }
    }

    /// Notes that no warning has the batches of these names any more, and that nobody knows whether they went out: their visits meet no warning any
    /// more, which may be the wearer's own, and can go along with another one. Unknown names are ignored.
    public mutating func noteUncertain(_ names: Set<Int64>) {
        for batch in batches where names.contains(batch.name) { noteMaybeSubmitted(batch.visits) }
        batches.removeAll { names.contains($0.name) }
    }

    /// Notes that no warning has the batches of these names any more, and that they are not known as published: their visits can
    /// go along with another warning. Unknown names are ignored.
    public mutating func noteOver(_ names: Set<Int64>) {
        for batch in batches where names.contains(batch.name) { noteUnreported(batch.visits) }
        batches.removeAll { names.contains($0.name) }
    }
}
