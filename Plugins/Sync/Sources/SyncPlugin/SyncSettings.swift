// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import HTTPClient
import PluginKit
import SyncPlan
import Trust

/// The plugin's settings, as its manifest describes them.
public struct SyncSettings: Decodable, Sendable {
    /// One source of keys.
    public struct Source: Decodable, Sendable {
        public var name: String
        public var kind: String
        public var address: String?
        public var country: String?
        public var index: String?
        public var configuration: Bool?
        public var vigilConfiguration: Bool?
        public var signedTime: Bool?
        public var intervalSeconds: Int?
        public var maximumPackageBytes: Int?
    }

    /// A key that signs configurations.
    public struct ConfigurationKey: Decodable, Sendable {
        public var id: String
        public var version: String
        /// SubjectPublicKeyInfo in Base64.
        public var publicKey: String
        /// Unix seconds, exclusive.
        public var validUntil: Int64?
    }

    public var sources: [Source]
    public var configurationKeys: [ConfigurationKey]?
    /// In PEM; the system's if absent.
    public var certificateAuthorities: [String]?
    public var publicKeyPins: [String]?
    public var allowPlainHTTP: Bool?
    public var waitingBytes: Int?

    /// Checks what a manifest cannot; every problem at once.
    func checked(state: String) throws(StartError) -> (sources: [SourceSettings], trust: TrustStore) {
        var problems: [String] = []
        var made: [SourceSettings] = []
        if sources.count > 16 { problems.append("more than 16 sources") }
        for (place, source) in sources.enumerated() {
            let path = "sources[\(place)]"
            guard let kind = SourceSettings.Kind(rawValue: source.kind) else {
                problems.append("\(path).kind: \(source.kind) is not one of cwa, index, nhs, folder")
                continue
            }
            if !Self.isName(source.name) || made.contains(where: { $0.name == source.name }) {
                problems.append("\(path).name: must be small letters, digits and dashes, and not that of another source")
            }
            var base = source.address ?? ""
            if kind == .folder {
                // Only its own folder: the sandbox has no other.
                base = state + "/inbox"
            } else {
                while base.hasSuffix("/") { base.removeLast() }
                if let address = WebAddress(base) {
                    if !address.isSecure, allowPlainHTTP != true {
                        problems.append("\(path).address: must begin with https://")
                    }
                } else {
                    problems.append("\(path).address: must be like https://host/path")
                }
            }
            let country = source.country ?? "EUR"
            if !(2...8).contains(country.utf8.count)
                || !country.utf8.allSatisfy({ (65...90).contains($0) || (97...122).contains($0) })
            {
                problems.append("\(path).country: must be 2 to 8 letters")
            }
            let index = source.index ?? "index.txt"
            if !IndexReading.isRelativeZip(String(index.dropLast(4)) + ".zip") || !index.hasSuffix(".txt") {
                problems.append("\(path).index: must be a relative path that ends in .txt")
            }
            made.append(settings(source, kind, base, country, index))
        }
        let trust = keys(&problems)
        for (place, pin) in (publicKeyPins ?? []).enumerated() where !HTTPConfiguration.isPin(pin) {
            problems.append("publicKeyPins[\(place)]: must be the SHA-256 of a public key in Base64")
        }
        guard problems.isEmpty, let trust else { throw StartError(.badSettings, problems.joined(separator: "; ")) }
        return (made, trust)
    }

    private func settings(
        _ source: Source, _ kind: SourceSettings.Kind, _ base: String, _ country: String, _ index: String
    ) -> SourceSettings {
        var made = SourceSettings(
            name: source.name, kind: kind, base: base, country: country, indexPath: index,
            configPath: kind == .cwa && source.configuration != false ? CWAPath.appConfiguration : nil,
            vigilConfigPath: source.vigilConfiguration == true ? CWAPath.vigilConfiguration : nil,
            timePath: source.signedTime == true ? CWAPath.time : nil)
        if let interval = source.intervalSeconds {
            made.timing = SyncTiming(interval: Int64(interval), spread: min(Int64(interval), 3_600))
        }
        if let bytes = source.maximumPackageBytes { made.maximumPackageBytes = min(max(bytes, 1), 64 << 20) }
        return made
    }

    private func keys(_ problems: inout [String]) -> TrustStore? {
        var keys: [TrustedKey] = []
        for (place, key) in (configurationKeys ?? []).enumerated() {
            guard let der = Data(base64Encoded: key.publicKey),
                let publicKey = try? P256.VerificationKey(pemOrDER: [UInt8](der))
            else {
                problems.append("configurationKeys[\(place)].publicKey: is not a P-256 key in Base64")
                continue
            }
            keys.append(
                TrustedKey(
                    name: KeyName(id: key.id, version: key.version), role: .config, key: publicKey,
                    validUntil: key.validUntil))
        }
        guard let trust = try? TrustStore(keys: keys) else {
            problems.append("configurationKeys: two have the same id and version")
            return nil
        }
        return trust
    }

    private static func isName(_ name: String) -> Bool {
        (1...32).contains(name.utf8.count) && name.utf8.first.map { (97...122).contains($0) } == true
            && name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
    }
}
