// SPDX-License-Identifier: Apache-2.0

import AppConfig
import CivilTime
import Cryptography
import HTTPClient
import PresenceTracing
import SyncPlan
import Trust
import VenuePlan

/// Packages of the Corona-Warn-App, hour by hour (spec cwa-protocols 8.3).
extension WarningFetcher {
    /// Hours of packages that come onto the disk together when nothing is found in them: a write for each would wear the card.
    private static let batch = 24

    func fetchPackages(
        _ records: VenueRecords, _ server: String, _ trust: TrustStore, _ http: HTTPClient, _ now: Int64
    ) throws {
        let visits = records.diary.presenceVisits(at: now)
        guard let first = visits.map(\.start).min() else { return }
        let read = try configuration(server, trust, http, now)
        let (parameters, revoked) = (read.parameters, read.configuration.revokedTraceWarningTags)
        let withdrawn = revoked.isEmpty ? "" : Self.name(of: revoked)
        // Its number is on the disk with the first thing that is done by it.
        let version = try store.change { records in
            records.downloads.configuration = read.memory
            // Rules that nothing can be published by leave those of before.
            if let rules = ReportRules(parameters) { records.rules = rules }
            records.withdrawnVersions = Set(parameters.revokedVersions.sorted().prefix(VenueRecords.maximumVersions))
            // Nobody knows any more what a withdrawn package has added, and another one may stand in its place.
            let wanted = self.version(read.configuration.features)
            let isOther = records.downloads.notePackages(
                version: wanted, withdrawn: withdrawn,
                isNumbered: read.memory != nil
                    || settings.coronaWarnAppPlain != nil && wanted != records.downloads.packageVersion,
                at: now)
            if isOther { records.diary.forgetMatches() }
            return records.downloads.packageVersion
        }
        let base = "\(server)/version/\(version)/twp/country/\(Self.country(settings))/hour"
        guard let list = try get(base, http, bytes: IndexReading.maximumJSONBytes) else {
            throw Trouble(sentence: "the server has no list of warnings; check its address in the settings")
        }
        let index: ClosedRange<Int64>?
        do throws(IndexFault) { index = try IndexReading.traceWarningHours(list.body) } catch {
            throw Trouble(sentence: "the server's list of warnings is none; it is asked again")
        }
        // Without any warning there is nothing to compare.
        guard let index else { return try finish(records, parameters, now, isComplete: true) }
        // Packages of an hour come after it; a list that reaches farther is somebody's mistake, and would never end.
        guard index.upperBound <= now / 3_600 + 1 else {
            throw Trouble(
                sentence: "the server lists warnings of hours that are not over; its clock or this device's is wrong")
        }
        let progress = store.records.downloads
        let lower = max(
            index.lowerBound, VenueDownloads.firstHour(of: first), progress.earliestHour(latest: index.upperBound))
        guard lower <= index.upperBound else { return try finish(records, parameters, now, isComplete: true) }
        let listed = lower...index.upperBound
        let matcher = WarningMatcher(visits)
        let today = UTCDay(containing: now).number
        var compared: Set<Int64> = []
        var unproven: Set<Int64> = []
        var wasted = 0
        var found: [PresenceMatch] = []
        /// Of hours that are compared once more.
        var early: [Int64: [PresenceMatch]] = [:]
        var problem: Trouble?
        func write() throws {
            let (hours, others, matches, firsts) = (compared, unproven, found, early)
            try add(to: records) { records in
                records.diary.note(matches, of: hours)
                let full = firsts.sorted { $0.key < $1.key }.compactMap { records.diary.noteEarly($1, of: $0) }
                records.downloads.noteHours(hours.union(full), unproven: others, on: today, listed: listed)
            }
            (compared, unproven, found, early) = ([], [], [], [:])
        }
        let known = progress.known(on: today)
        var hours = listed.filter { !known.contains($0) }
        // Where the last run ended at one of them, the others get their turn.
        if records.downloads.problems[.coronaWarnApp] != nil { hours.shuffle() }
        let end = ContinuousClock.now + packageTime
        var missing = 0
        for hour in hours {
            guard !cancellation.isCancelled else { break }
            guard ContinuousClock.now < end, wasted <= wasteBytes else {
                problem = Trouble(
                    sentence:
                        "the server is slow, or much of what it gives is unusable: not all warnings were looked at; the rest follows"
                )
                break
            }
            do {
                let matches = try matches(of: hour, at: "\(base)/\(hour)", matcher, trust, revoked, http, now)
                missing = 0
                if let matches {
                    if VenueDownloads.settles(hour, at: now) {
                        found += matches
                        compared.insert(hour)
                    } else {
                        early[hour] = matches
                    }
                } else {
                    unproven.insert(hour)
                }
            } catch let trouble as Unusable {
                // One that is broken keeps none of the others away.
                problem = Trouble(sentence: trouble.sentence)
                wasted += trouble.byteCount
                missing = trouble.isMissing ? missing + 1 : 0
                // A store that gives nothing of what is listed is not asked for all of it every time.
                if missing >= Self.missingInARow { break }
                continue
            } catch let trouble as Trouble {
                problem = trouble
                break
            }
            if !found.isEmpty || early.values.contains(where: { !$0.isEmpty })
                || compared.count + unproven.count >= Self.batch
            {
                try write()
            }
        }
        try write()
        let isComplete = problem == nil && !cancellation.isCancelled
        try finish(records, parameters, now, isComplete: isComplete)
        if let problem { throw problem }
        if cancellation.isCancelled { throw Trouble(sentence: "not all warnings were looked at; the rest follows") }
    }

    /// After so many packages in a row that are not there a run ends; our choice, that of key files.
    private static let missingInARow = 6

    /// The authority's feature that has phones read packages of the first version, which everybody can read (spec cwa-protocols 8.3).
    private static let plainFeature = "unencrypted-checkins-enabled"

    /// The version of packages that count: the authority says so, unless the settings do.
    private func version(_ features: [String: Int64]) -> String {
        settings.coronaWarnAppPlain ?? (features[Self.plainFeature] ?? 0 >= 1) ? "v1" : "v2"
    }

    /// A text that is equal for equal sets of tags.
    private static func name(of tags: Set<String>) -> String {
        let text = tags.sorted().map { "\($0.utf8.count):\($0)" }.joined(separator: ",")
        return Base64.string(SHA256.digest(of: Array(text.utf8)))
    }

    /// A package that is not what it should be.
    private struct Unusable: Error {
        let sentence: String
        /// What it took from the network.
        var byteCount = 0
        /// Whether the server does not have it.
        var isMissing = false
    }

    /// Of visits that were changed meanwhile there are no matches, which does not mean that there is no warning.
    private func finish(
        _ compared: VenueRecords, _ parameters: PresenceTracingParameters, _ now: Int64, isComplete: Bool
    ) throws {
        try add(to: compared) { $0.diary.judge(by: parameters.risk, at: now, isComplete: isComplete) }
    }

    /// `nil` if the server says that there is nothing to compare, and nobody has signed that.
    private func matches(
        of hour: Int64, at url: String, _ matcher: WarningMatcher, _ trust: TrustStore, _ revoked: Set<String>,
        _ http: HTTPClient, _ now: Int64
    ) throws -> [PresenceMatch]? {
        // Stores of files say 403 of one that is not there, and 410 of one that was taken away.
        guard let answer = try get(url, http, bytes: Self.maximumArchiveBytes, missing: [403, 404, 410]) else {
            throw Unusable(
                sentence: "the server lists warnings of an hour that it does not have; it is asked again", isMissing: true)
        }
        // An hour without warnings has an empty body, and nothing to verify. Nor is the tag signed by which a package was withdrawn.
        guard !answer.body.isEmpty, !(answer.entityTag.map(revoked.contains) ?? false) else { return nil }
        let parts: (bin: [UInt8], sig: [UInt8])
        do throws(Trouble) {
            parts = try unpacked(answer.body, limit: TraceWarningPackage.Limits.standard.maximumBytes)
        } catch {
            throw Unusable(sentence: error.sentence, byteCount: answer.receivedByteCount)
        }
        do throws(PresenceTracingError) {
            let package = try TraceWarningPackage(
                exportBin: parts.bin, exportSig: parts.sig, trust: trust, time: now, hour: UInt32(clamping: hour),
                wanted: matcher.wanted)
            return matcher.matches(package)
        } catch {
            throw Unusable(sentence: "\(error)", byteCount: answer.receivedByteCount)
        }
    }

    /// The authority's configuration, its rules for visits, and what is to be remembered of it.
    private struct ReadConfiguration {
        let configuration: AppConfiguration
        let parameters: PresenceTracingParameters
        let memory: ConfigurationMemory?
    }

    /// What the server gives as the authority's configuration, if the authority signed it, and none that is newer was believed before.
    private func configuration(
        _ server: String, _ trust: TrustStore, _ http: HTTPClient, _ now: Int64
    ) throws -> ReadConfiguration {
        let path = settings.coronaWarnAppConfig ?? "version/v2/app_config_android"
        guard let answer = try get("\(server)/\(path)", http) else {
            throw Trouble(sentence: "the server has no configuration; check coronaWarnAppConfig in the settings")
        }
        let parts = try unpacked(answer.body, limit: AppConfiguration.maximumByteCount)
        guard
            let signer = SignedConfiguration.signer(
                exportBin: parts.bin, exportSig: parts.sig, trust: trust, time: now)
        else {
            throw Trouble(sentence: "the configuration is not signed by a key of the settings; nothing is judged by it")
        }
        let form = try settings.configurationForm()
        guard let configuration = AppConfiguration(parts.bin, form: form),
            let parameters = PresenceTracingParameters(configuration.content)
        else {
            throw Trouble(sentence: "the authority's configuration has no rules for visits; nothing can be said of them")
        }
        do throws(ConfigurationRefusal) {
            let memory = try ConfigurationMemory.judge(
                configuration.number, signer: signer, place: "\(form.rawValue) \(server)/\(path)",
                after: store.records.downloads.configuration, trust: trust, at: now)
            return ReadConfiguration(configuration: configuration, parameters: parameters, memory: memory)
        } catch { throw Trouble(sentence: "\(error)") }
    }
}
