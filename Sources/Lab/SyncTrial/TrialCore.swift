// SPDX-License-Identifier: Apache-2.0

import CivilTime
import KeyExport
import SyncPlan

/// A core as `org.vigil.exposure1` describes it, without the files: takes all of a call or nothing, knows what it took before, and allows 200
/// refused calls a day.
struct TrialCore {
    /// Whether it matches content again that it has matched before; for a check of the judge.
    var isForgetful = false
    private var taken: Set<TrialPackage> = []
    /// In how many different packages a key was taken, and in how many of them beside others.
    private(set) var keys: [Int64: (count: Int, whole: Int)] = [:]
    private(set) var repeatedCount = 0
    private(set) var callCount = 0
    /// Whether it says that it took a document, and did not; for a check of the judge.
    var isDeaf = false
    /// The newest version taken.
    private(set) var documents: [CarriedDocument: Int64] = [:]
    /// How often a document came that was here already.
    private(set) var repeatedDocumentCount = 0
    private var refusals: (day: Int64, count: Int) = (0, 0)
    /// What the real one goes by.
    private(set) var freshness = KeyFreshness()
    private static let caller = "sync"

    /// A document is its name and its version, and nothing else.
    mutating func take(_ document: CarriedDocument, _ archive: [UInt8]) -> Result<Void, CoreFailure> {
        let words = String(decoding: archive, as: UTF8.self).split(separator: " ")
        guard words.count == 2, words[0] == document.rawValue, let version = Int64(words[1]) else {
            return .failure(CoreFailure(.later(until: nil), name: "refused", sentence: "the document is not signed"))
        }
        let known = documents[document] ?? 0
        guard version >= known else {
            return .failure(CoreFailure(.older, name: "refused", sentence: "the document is older than the one in force"))
        }
        if version == known { repeatedDocumentCount += 1 }
        if !isDeaf { documents[document] = version }
        return .success(())
    }

    mutating func provide(
        _ packages: [(file: String, content: TrialPackage?)], from source: SourceSettings, among sources: [SourceSettings],
        at time: Int64
    ) -> Result<CoreAnswer, CoreFailure> {
        callCount += 1
        let day = UTCDay(containing: time).number
        if refusals.day != day { refusals = (day, 0) }
        guard refusals.count < 200 else {
            return .failure(
                CoreFailure(
                    .later(until: UTCDay(number: day + 1).start), name: "LimitReached",
                    sentence: "the limit of the day is used up"))
        }
        func refused(_ file: String, _ rule: String) -> Result<CoreAnswer, CoreFailure> {
            refusals.count += 1
            return .failure(CoreFailure(.fileRefused(file: file, rule: rule), name: rule, sentence: "refused: \(rule)"))
        }
        for (file, content) in packages {
            guard let content else { return refused(file, "notAZipArchive") }
            if let rule = content.brokenRule { return refused(file, rule) }
        }
        for (file, content) in packages {
            guard let content, content.batchSize > 1 else { continue }
            let numbers = Set(packages.compactMap { $0.content }.filter { $0.batch == content.batch }.map(\.batchNumber))
            if numbers.count < content.batchSize { return refused(file, "incompleteBatch") }
        }
        for case (_, let content?) in packages {
            guard taken.insert(content).inserted || isForgetful else {
                repeatedCount += 1
                continue
            }
            for key in content.keys {
                keys[key, default: (0, 0)].count += 1
                if content.isWhole { keys[key, default: (0, 0)].whole += 1 }
            }
        }
        freshness.want(
            SourceSettings.awaited(sources).map {
                .init(name: $0.name, region: $0.signedRegion, isContinuous: $0.isContinuous)
            }, by: Self.caller, at: time)
        for case (_, let content?) in packages {
            guard let period = ExportPeriod(start: content.start, end: content.end, region: content.region) else {
                continue
            }
            freshness.take(period, from: source.name, by: Self.caller, at: time)
        }
        freshness.settle(at: time)
        return .success(
            CoreAnswer(
                files: packages.compactMap(\.content).map {
                    SignedPeriod(start: $0.start, end: $0.end, region: $0.region)
                }, knownUntil: freshness.until(source.name, by: Self.caller, at: time),
                knownDays: freshness.days(source.name, by: Self.caller, at: time)))
    }
}
