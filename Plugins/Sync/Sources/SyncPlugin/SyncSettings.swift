// SPDX-License-Identifier: Apache-2.0

import Cryptography
import HTTPClient
import SyncPlan
import Trust

/// The plugin's settings, as plugin.json describes them.
struct SyncSettings: Decodable, Sendable {
    struct Source: Decodable, Sendable {
        var name: String
        var kind: String
        var base: String
        var country: String?
        var continuous: Bool?
        var region: String?
        var index: String?
        var config: String?
        var vigilConfig: String?
        var rules: String?
        var rulesForm: String?
        var content: String?
        var donation: String?
        var successions: String?
        var fleetConfiguration: String?
        var time: String?
        var intervalSeconds: Int64?
        var spreadSeconds: Int64?
    }

    struct Key: Decodable, Sendable {
        /// ID-VERSION, as the documents name it.
        var name: String
        /// The public key, DER in Base64, or PEM.
        var key: String
        var spare: Bool?
        /// The name of the source whose configurations it may sign; those of every source if absent.
        var source: String?
    }

    var sources: [Source]
    var configKeys: [Key]?
    /// PEM of the certificate authorities to believe; the system's if absent.
    var authorities: String?
    var pins: [String]?
    var plainHTTP: Bool?

    /// What cannot be used, in a sentence.
    struct Fault: Error, CustomStringConvertible { let description: String }

    func planned() throws(Fault) -> [SourceSettings] {
        var names: Set<String> = []
        var result: [SourceSettings] = []
        for source in sources {
            guard let kind = SourceSettings.Kind(rawValue: source.kind) else {
                throw Fault(description: "source \(source.name): there is no kind \(source.kind)")
            }
            // It becomes part of file names.
            guard (1...32).contains(source.name.utf8.count),
                source.name.utf8.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || $0 == 45 })
            else {
                throw Fault(description: "source \(source.name): a name has 1 to 32 small letters, digits and dashes")
            }
            if kind != .folder, WebAddress(source.base).map({ $0.isSecure || plainHTTP == true }) != true {
                throw Fault(description: "source \(source.name): base must be like https://host/path")
            }
            guard names.insert(source.name).inserted else {
                throw Fault(description: "two sources are called \(source.name)")
            }
            var planned = SourceSettings(
                name: source.name, kind: kind,
                base: source.base.hasSuffix("/") ? String(source.base.dropLast()) : source.base,
                country: source.country ?? "EUR", region: source.region, indexPath: source.index ?? "index.txt",
                configPath: source.config,
                vigilConfigPath: source.vigilConfig, timePath: source.time)
            planned.publishesEmptyHours = source.continuous ?? true
            planned.carriedPaths[.rules] = source.rules
            if let form = source.rulesForm {
                guard let form = RulesForm(rawValue: form) else {
                    throw Fault(description: "source \(source.name): there is no rulesForm \(form)")
                }
                planned.rulesForm = form
            }
            planned.carriedPaths[.content] = source.content
            planned.carriedPaths[.donation] = source.donation
            planned.successionsPath = source.successions
            planned.fleetConfigurationPath = source.fleetConfiguration
            let timing = planned.timing
            planned.timing = SyncTiming(
                interval: source.intervalSeconds ?? timing.interval, spread: source.spreadSeconds ?? timing.spread)
            result.append(planned)
        }
        return result
    }

    /// By the name of each source the keys that may sign its configurations; those of other roles are the core's business. Throws when a key
    /// cannot be read, two keys of one source have one name, or a key is of a source that there is not.
    func trust() throws(Fault) -> [String: TrustStore] {
        for key in configKeys ?? [] {
            guard let source = key.source, !sources.contains(where: { $0.name == source }) else { continue }
            throw Fault(description: "configKeys: the key \(key.name) is of the source \(source), which there is not")
        }
        var stores: [String: TrustStore] = [:]
        for source in sources {
            stores[source.name] = try trust(in: (configKeys ?? []).filter { $0.source == nil || $0.source == source.name })
        }
        return stores
    }

    private func trust(in entries: [Key]) throws(Fault) -> TrustStore {
        var keys: [TrustedKey] = []
        for key in entries {
            guard let dash = key.name.lastIndex(of: "-"), dash != key.name.startIndex, key.name.last != "-" else {
                throw Fault(description: "configKeys: \(key.name) is not ID-VERSION")
            }
            let bytes = key.key.hasPrefix("-----BEGIN") ? Array(key.key.utf8) : Base64.bytes(key.key)
            guard let bytes, let publicKey = try? P256.VerificationKey(pemOrDER: bytes) else {
                throw Fault(description: "configKeys: the key of \(key.name) is no P-256 public key in Base64 or PEM")
            }
            keys.append(
                TrustedKey(
                    name: KeyName(id: String(key.name[..<dash]), version: String(key.name[key.name.index(after: dash)...])),
                    role: .config, key: publicKey, isSpare: key.spare ?? false))
        }
        do { return try TrustStore(keys: keys) } catch { throw Fault(description: "configKeys: \(error)") }
    }
}
