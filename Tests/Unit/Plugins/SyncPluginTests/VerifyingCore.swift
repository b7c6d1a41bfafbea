// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import Interfaces
import JSON
import KeyArchive
import KeyExport
import PluginTestKit
import Synchronization
import Trust

/// A core as far as files go: unpacks what lies in the spool, verifies it as the real one does, takes all of a call or nothing, and knows what it
/// took before.
final class VerifyingCore: Sendable {
    struct Taken {
        var digests: Set<[UInt8]> = []
        var keys: [[UInt8]: Int] = [:]
        var repeatedCount = 0
        var callCount = 0
        var freshness = KeyFreshness()
    }

    private let taken = Mutex(Taken())
    private let trust: TrustStore

    init(_ trust: TrustStore) { self.trust = trust }

    var state: Taken { taken.withLock { $0 } }

    func serve(_ supervisor: SupervisorStandIn) throws -> ProviderStandIn {
        let provider = try supervisor.provide(
            InterfaceTexts.all[Exposure1.name] ?? "", granted: ["GetStatus", "ProvideDiagnosisKeys"])
        let status = Exposure1.Status(
            enabled: true, state: .active, sentence: "It works.", role: .person, timeState: .plausible, matchCount: nil,
            matchedFileCount: 0, lastMatched: nil, matching: false, limit: .init(perDay: nil, used: 0, nextPermitted: nil))
        provider.on("GetStatus", reply: try JSON(encoding: Exposure1.StatusReply(status: status)))
        let spool = supervisor.folder.path + "/spool"
        provider.on("ProvideDiagnosisKeys") { [self] parameters in provide(parameters, spool) }
        return provider
    }

    private func provide(_ parameters: JSON, _ spool: String) -> ProviderStandIn.Answer {
        guard let call = try? parameters.decode(Exposure1.Files.self) else { return .silence }
        let names = call.files
        let now = Int64(time(nil))
        return taken.withLock { taken in
            taken.callCount += 1
            var next = taken
            var files: [Exposure1.ProvidedFile] = []
            for name in names {
                do {
                    var keys: [[UInt8]] = []
                    let reader = try KeyFileReader(path: "\(spool)/\(name)")
                    let file = try reader.read(trust: trust, time: nil) { keys += $0.map(\.data.bytes) }
                    let isNew = next.digests.insert(file.contentDigest).inserted
                    if isNew { for key in keys { next.keys[key, default: 0] += 1 } } else { next.repeatedCount += 1 }
                    let period = file.summary.period
                    files.append(
                        .init(
                            name: name, outcome: isNew ? .matched : .repeated, keyCount: keys.count,
                            startSeconds: period?.start,
                            endSeconds: period?.end, regionName: period?.region))
                    let sources = (call.sources ?? []).map {
                        KeyFreshness.Wanted(name: $0.name, region: $0.region, isContinuous: $0.continuous)
                    }
                    next.freshness.want(sources, by: "sync", at: now)
                    if let period { next.freshness.take(period, from: call.source, by: "sync", at: now) }
                } catch {
                    let rule = (error as? KeyExportError)?.code.rawValue ?? "unreadable"
                    return .failure(
                        "\(Exposure1.name).FileRefused",
                        ["file": .string(name), "rule": .string(rule), "reason": .string("refused: \(error)")])
                }
            }
            next.freshness.settle(at: now)
            taken = next
            let result = Exposure1.ProvideResult(
                files: files, newMatchCount: nil, changedMatchCount: nil, refusedKeyCount: 0,
                knownUntilSeconds: call.source.flatMap { next.freshness.until($0, by: "sync", at: now) },
                knownDays: call.source.map { next.freshness.days($0, by: "sync", at: now).map { Int($0) } })
            guard let json = try? JSON(encoding: Exposure1.ProvideReply(result: result)) else { return .silence }
            return .reply(json)
        }
    }
}
