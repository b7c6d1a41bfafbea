// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
public import Interfaces
import Ledger
import Matching
import RiskConfiguration
public import TimeTrust

extension ExposureService {
    /// Returns the exposure windows under the current mapping, in random order; empty if there are no matches. Days more
    /// than 14 days ago are left out.
    ///
    /// - Throws: ``Refusal`` if the device is in a place, or the disk cannot be read.
    public func windows(at now: BootInstant) throws(Refusal) -> [Exposure1.ExposureWindow] {
        try roles.requirePerson()
        let (matches, mapping) = try derivation(at: now)
        let oldest = beacon.oldestDay(at: now)
        return ExposureWindow.released(from: matches, mapping: mapping, using: &generator)
            .filter { $0.day >= oldest }.map(Exposure1.ExposureWindow.init)
    }

    /// Returns a summary of each day with windows, for the last 14 days only; `nil` if the configuration breaks a rule of
    /// the interface.
    ///
    /// - Throws: ``Refusal`` if the device is in a place, the time is not known, or the disk cannot be read.
    public func dailySummaries(
        _ configuration: Exposure1.DailySummariesConfiguration, at now: BootInstant
    ) throws(Refusal) -> [Exposure1.DailySummary]? {
        try roles.requirePerson()
        guard let configuration = configuration.checked else { return nil }
        let today = UInt32(clamping: try beacon.requireTime(at: now) / 86_400)
        let (matches, mapping) = try derivation(at: now)
        let oldest = beacon.oldestDay(at: now)
        let windows = ExposureWindow.released(from: matches, mapping: mapping, using: &generator).filter {
            $0.day >= oldest
        }
        return DailySummary.summaries(of: windows, configuration: configuration, today: today).map {
            Exposure1.DailySummary(
                day: Int($0.day), total: .init($0.total), confirmedTest: $0.byReportType[.confirmedTest].map { .init($0) },
                confirmedClinicalDiagnosis: $0.byReportType[.clinicalDiagnosis].map { .init($0) },
                selfReport: $0.byReportType[.selfReport].map { .init($0) })
        }
    }

    /// Returns one summary of all encounters of the last 14 days, by the rules of the first generation; `nil` if the
    /// configuration breaks a rule of the interface.
    ///
    /// - Throws: ``Refusal`` if the device is in a place, the time is not known, or the disk cannot be read.
    public func summary(
        _ configuration: Exposure1.ExposureConfiguration, at now: BootInstant
    ) throws(Refusal) -> Exposure1.ExposureSummary? {
        try roles.requirePerson()
        guard let configuration = configuration.checked else { return nil }
        let time = try beacon.requireTime(at: now)
        let (matches, mapping) = try derivation(at: now)
        let summary = ExposureSummaryV1(matches, configuration: configuration, mapping: mapping, now: time)
        return Exposure1.ExposureSummary(
            daysSinceLastExposure: summary.daysSinceLastExposure, matchedKeyCount: summary.matchedKeyCount,
            maximumRiskScore: summary.maximumRiskScore, summationRiskScore: summary.riskScoreSum,
            attenuationDurationsInMinutes: summary.attenuationDurations.map { Self.minutes($0) })
    }

    /// Returns all encounters of the last 14 days one by one, by the rules of the first generation, in random order; empty
    /// if there are none, `nil` if the configuration breaks a rule of the interface.
    ///
    /// - Throws: ``Refusal`` if the device is in a place, the time is not known, or the disk cannot be read.
    public func information(
        _ configuration: Exposure1.ExposureConfiguration, at now: BootInstant
    ) throws(Refusal) -> [Exposure1.ExposureInformation]? {
        try roles.requirePerson()
        guard let configuration = configuration.checked else { return nil }
        let time = try beacon.requireTime(at: now)
        let (matches, mapping) = try derivation(at: now)
        return matches.flatMap { $0.exposuresV1(configuration: configuration, mapping: mapping, now: time) }
            .shuffled(using: &generator).map {
                Exposure1.ExposureInformation(
                    day: Int($0.keyStart.day), durationMinutes: Self.minutes($0.duration),
                    attenuationValue: $0.attenuation, transmissionRiskLevel: Int($0.transmissionRiskLevel),
                    totalRiskScore: $0.riskScore,
                    attenuationDurationsInMinutes: $0.attenuationDurations.map { Self.minutes($0) })
            }
    }

    /// The matches of the last 14 days, and the mapping that holds now. Older ones are still on the disk of a device whose time is not
    /// certain enough to delete anything; nobody is told of them.
    func derivation(at now: BootInstant) throws(Refusal) -> ([Match], DiagnosisKeyMapping) {
        let oldest = beacon.oldestDay(at: now)
        let matches = try reading { try ledger.matches() }.filter { $0.sightings.contains { $0.time / 86_400 >= oldest } }
        var mapping = try storedMapping()?.mapping ?? .standard
        // Whose revocations are believed is the authority's to say, whoever asks.
        let time = beacon.present(at: now).time?.seconds
        for (index, riskSource) in warnings.state.sources.enumerated() {
            guard let coded = riskSource.configuration(at: time)?.mapping.codedSources, !coded.isEmpty else { continue }
            for statement in Set(matches.flatMap { $0.statements.map(\.source) }) {
                guard let owner = warnings.state.owners.owner(of: statement), owner.index == index else { continue }
                if coded.contains(owner.id) { mapping.codedSources.insert(statement) }
            }
        }
        return (matches, mapping)
    }

    /// As the interfaces of phones give it: rounded up to five minutes by the arithmetic before, at most 30 (gaen-core section 8).
    private static func minutes(_ seconds: Int) -> Int { min(30, seconds / 60) }
}

// MARK: The mapping

extension ExposureService {
    func storedMapping() throws(Refusal) -> StoredMapping? {
        try reading { try ledger.setting(StoredMapping.setting) }.flatMap(StoredMapping.init)
    }

    /// Returns the mapping in force, and the time from which it may be changed, in Unix seconds; that is `nil` if it may be
    /// changed now, or the time is not known.
    ///
    /// - Throws: ``Refusal`` if the disk cannot be read.
    public func mapping(at now: BootInstant) throws(Refusal) -> Exposure1.MappingReply {
        let stored = try storedMapping()
        let time = beacon.present(at: now).time?.seconds
        return Exposure1.MappingReply(
            mapping: .init(stored?.mapping ?? .standard),
            changeableFrom: time.flatMap { time in stored.flatMap { $0.settled(at: time).changeableFrom(time) } })
    }

    /// Changes the mapping. Returns `true` if the new mapping is in force, also if it was before; `false` if it breaks a
    /// rule of the interface.
    ///
    /// - Throws: ``Refusal`` if the mapping was changed too short a time ago, the time is not known, or the disk refuses.
    public func setMapping(
        _ mapping: Exposure1.DiagnosisKeysDataMapping, by caller: Caller, at now: BootInstant
    ) throws(Refusal) -> Bool {
        guard let mapping = mapping.checked else { return false }
        let time = try beacon.requireTime(at: now)
        if let found = try storedMapping() {
            if found.mapping == mapping { return true }
            let stored = found.settled(at: time)
            if let due = stored.changeableFrom(time) {
                // Kept as settled: a change recorded under a clock that was ahead must not bind again at every question.
                if stored != found { try ledger.record { try $0.set(StoredMapping.setting, stored.bytes) } }
                throw .limitReached(
                    nextPermitted: due, "The mapping was changed less than seven days ago. What it says holds until then.")
            }
        }
        try ledger.record {
            try $0.set(StoredMapping.setting, StoredMapping(mapping, changed: time).bytes)
            try $0.audit(auditWriter.entry(.mappingChanged, caller, at: now))
        }
        announce(.mappingChanged)
        return true
    }
}
