// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Interfaces
import KeyArchive
import KeyExport
import PluginTestKit
import Synchronization
import Trust
import Varlink

/// A core as far as files go: unpacks what lies in the spool, verifies it as the real one does, takes all of a call or nothing, and knows what it
/// took before.
final class VerifyingCore: Sendable {
    struct Taken {
        var digests: Set<[UInt8]> = []
        var keys: [[UInt8]: Int] = [:]
        var repeatedCount = 0
        var callCount = 0
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
        let names = (parameters["files"]?.array ?? []).compactMap(\.string)
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
                    files.append(.init(name: name, outcome: isNew ? .matched : .repeated, keyCount: keys.count))
                } catch {
                    let rule = (error as? KeyExportError)?.code.rawValue ?? "unreadable"
                    return .failure(
                        "\(Exposure1.name).FileRefused",
                        ["file": .string(name), "rule": .string(rule), "reason": .string("refused: \(error)")])
                }
            }
            taken = next
            let result = Exposure1.ProvideResult(
                files: files, newMatchCount: nil, changedMatchCount: nil, refusedKeyCount: 0)
            guard let json = try? JSON(encoding: Exposure1.ProvideReply(result: result)) else { return .silence }
            return .reply(json)
        }
    }
}
