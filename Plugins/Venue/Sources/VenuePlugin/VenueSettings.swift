// SPDX-License-Identifier: Apache-2.0

import AppConfig
package import BLS12381
import CrowdNotifier
import Cryptography
import HTTPClient
package import Interfaces
import PresenceTracing
package import Trust
import VenueNotices
package import VenuePlan

/// The plugin's settings, which plugin.json describes.
public struct VenueSettings: Decodable, Sendable {
    /// Whose codes are taken: ``VenueSystem``.
    var systems: [String]?
    /// Base64 of the public key of the health authority that own codes of the Corona-Warn-App carry; none if absent.
    var placeKey: String?
    /// The host of SwissCovid's links.
    var crowdNotifierHost: String?
    /// Their `v`.
    var crowdNotifierVersion: String?
    /// What the NHS signs its posters with.
    var posterKeys: [PosterKey]?
    /// Where warnings of the Corona-Warn-App are, without a slash at the end; absent where none are fetched. Likewise the others.
    var coronaWarnAppServer: String?
    var coronaWarnAppCountry: String?
    /// Path of the signed configuration, which has the rules for visits.
    var coronaWarnAppConfig: String?
    /// For which phones it is: `android` or `ios`.
    var coronaWarnAppForm: String?
    /// Whether warnings of the first version, which everybody can read, are fetched; as the authority's configuration says if absent.
    var coronaWarnAppPlain: Bool?
    var swissCovidServer: String?
    /// Base64 of the key whose counterparts the health authority publishes with SwissCovid's warnings; without it no place can be hidden.
    var swissCovidKey: String?
    var nhsServer: String?
    /// `name:value`, as every copy of the NHS's app has it; none is sent if absent. Likewise the app's name for itself.
    var nhsApiKey: String?
    var nhsUserAgent: String?
    /// Whether the operators' word counts without a signature.
    var nhsUnsignedAnswers: Bool?
    /// Who may sign what a server publishes.
    var signers: [Signer]?
    /// Systems of an authority that the device follows: the core says who may sign, after every change of keys.
    var signersOf: [SignersOf]?
    /// PEM of the certificate authorities to believe; the system's if absent.
    var authorities: String?
    var pins: [String]?
    var plainHTTP: Bool?

    struct Signer: Decodable, Sendable {
        var system: String
        /// ID-VERSION; a dash and nothing behind it without a version.
        var name: String
        /// PEM, or Base64 of DER.
        var key: String
        /// export: warnings of the Corona-Warn-App. config: everything else.
        var role: String
    }

    struct SignersOf: Decodable, Sendable {
        var system: String
        /// The name of the authority's profile; absent for the device's own authority.
        var source: String?
    }

    struct PosterKey: Decodable, Sendable {
        var id: String
        /// PEM, or Base64 of DER.
        var key: String
    }

    /// The reason why the plugin cannot start: an English sentence that begins with the name of the setting that
    /// cannot be used, or of the missing file.
    package struct Fault: Error, CustomStringConvertible { package let description: String }

    /// Returns the systems that the device follows, in the order of ``VenueSystem``.
    /// - Throws: `Fault` if `systems` names an unknown one.
    package func followed() throws(Fault) -> [VenueSystem] {
        var wanted: Set<VenueSystem> = []
        for name in systems ?? [] {
            guard let system = VenueSystem(rawValue: name) else {
                throw Fault(description: "systems: there is no \(name); there are coronaWarnApp, swissCovid and nhs")
            }
            wanted.insert(system)
        }
        return VenueSystem.allCases.filter(wanted.contains)
    }

    /// Returns the reader for the codes of the followed systems.
    /// - Throws: `Fault` if `systems` names an unknown system, or the NHS is followed and `posterKeys` is empty, has a key
    ///   that is not one, or has an identifier twice.
    package func reader() throws(Fault) -> VenueTicket.Reader {
        let followed = try followed()
        var reader = VenueTicket.Reader()
        if followed.contains(.coronaWarnApp) { reader.descriptors = VenueCode.Descriptor.known }
        if followed.contains(.swissCovid) {
            reader.crowdNotifier = [
                CrowdNotifierCode(
                    host: crowdNotifierHost ?? CrowdNotifierCode.swissCovid.host,
                    version: crowdNotifierVersion ?? CrowdNotifierCode.swissCovid.version)
            ]
        }
        if followed.contains(.nhs) { reader.posterKeys = try pinnedKeys() }
        return reader
    }

    /// Returns the public key that codes made here contain; empty if none is set.
    /// - Throws: `Fault` if it is not Base64 of at most 256 bytes.
    package func ownKey() throws(Fault) -> [UInt8] {
        guard let placeKey else { return [] }
        guard let bytes = Base64.bytes(placeKey), bytes.count <= 256 else {
            throw Fault(description: "placeKey: it is not the Base64 of a public key")
        }
        return bytes
    }

    /// Returns the health authority's key, by which the places of SwissCovid's visits can be hidden; `nil` if none is set.
    /// - Throws: `Fault` if it is not the Base64 of a point of the group, or is zero. Takes the time of a multiplication.
    package func authorityKey() throws(Fault) -> MasterPublicKey? {
        guard let swissCovidKey else { return nil }
        guard let bytes = Base64.bytes(swissCovidKey), let key = try? MasterPublicKey(bytes) else {
            throw Fault(
                description:
                    "swissCovidKey: it is not the Base64 of a key: 96 bytes that are a point of the group G2 of BLS12-381, and not zero; take it from `vigil-authority venues trace-keys public-key`"
            )
        }
        return key
    }

    /// Returns the address of a system's server without a slash at its end; `nil` if none is set.
    /// - Throws: `Fault` if it is not an `https` address (or `http`, where the settings permit it).
    package func server(_ system: VenueSystem) throws(Fault) -> String? {
        let (name, address) =
            switch system {
            case .coronaWarnApp: ("coronaWarnAppServer", coronaWarnAppServer)
            case .swissCovid: ("swissCovidServer", swissCovidServer)
            case .nhs: ("nhsServer", nhsServer)
            }
        guard let address else { return nil }
        guard WebAddress(address).map({ $0.isSecure || plainHTTP == true }) == true else {
            throw Fault(description: "\(name): must be like https://host/path")
        }
        return address.utf8.last == UInt8(ascii: "/") ? String(address.dropLast()) : address
    }

    /// The form of the Corona-Warn-App's configuration, `android` if absent.
    /// - Throws: `Fault` if `coronaWarnAppForm` names none.
    func configurationForm() throws(Fault) -> AppConfiguration.Form {
        guard let name = coronaWarnAppForm else { return .android }
        guard let form = AppConfiguration.Form(rawValue: name) else {
            throw Fault(description: "coronaWarnAppForm: there is no \(name); there are android and ios")
        }
        return form
    }

    /// Returns the systems for which the core says who may sign, each with the name of its authority's profile (`nil` for the
    /// device's own authority).
    /// - Throws: `Fault` if `signersOf` has an unknown system, or one twice.
    package func toldSystems() throws(Fault) -> [(system: VenueSystem, source: String?)] {
        var systems: [(system: VenueSystem, source: String?)] = []
        for entry in signersOf ?? [] {
            guard let system = VenueSystem(rawValue: entry.system), !systems.contains(where: { $0.system == system }) else {
                throw Fault(description: "signersOf: \(entry.system) is no system, or there twice")
            }
            systems.append((system, entry.source))
        }
        return systems
    }

    /// Returns the keys that may sign what a system publishes: those of `signers`, and with `told`, the core's answer, those that are
    /// in force by it. Of a name that the core knows, its word counts: a key that was withdrawn is none any more.
    /// - Throws: `Fault` if an entry of `signers`, of any system, has an unknown system, another role than `export`
    ///   or `config`, a name without a dash or a broken key; if there is no key for the system; or if two of its
    ///   keys of one role have the same name.
    package func trust(_ system: VenueSystem, told: [Trust1.Signer] = []) throws(Fault) -> TrustStore {
        var keys: [TrustedKey] = []
        for signer in signers ?? [] {
            guard let of = VenueSystem(rawValue: signer.system), let role = KeyRole(rawValue: signer.role),
                role == .export || role == .config, let name = Self.name(signer.name)
            else {
                throw Fault(
                    description:
                        "signers: \(signer.name) needs a system, the role export or config, and a name like ID-VERSION")
            }
            let bytes = Base64.bytes(signer.key) ?? Array(signer.key.utf8)
            guard let key = try? P256.VerificationKey(pemOrDER: bytes) else {
                throw Fault(description: "signers: the key of \(signer.name) is no P-256 public key in Base64 or PEM")
            }
            if of == system { keys.append(TrustedKey(name: name, role: role, key: key)) }
        }
        keys.removeAll { key in
            told.contains { signer in
                let isNamed = signer.role.rawValue == key.role.rawValue && Self.name(signer.name) == key.name
                // Withdrawn under another name.
                let isSame = Base64.bytes(signer.publicHalf) == key.key.subjectPublicKeyInfo
                return isNamed || isSame && !signer.inForce
            }
        }
        for signer in told where signer.inForce && (signer.role == .export || signer.role == .config) {
            guard let role = KeyRole(rawValue: signer.role.rawValue), let name = Self.name(signer.name),
                let bytes = Base64.bytes(signer.publicHalf), let key = try? P256.VerificationKey(pemOrDER: bytes)
            else { continue }
            keys.append(TrustedKey(name: name, role: role, key: key, isSpare: signer.spare))
        }
        guard !keys.isEmpty else {
            throw Fault(description: "signers: without a key nothing of \(system.rawValue) can be believed")
        }
        do throws(TrustError) { return try TrustStore(keys: keys) } catch { throw Fault(description: "signers: \(error)") }
    }

    /// `ID-VERSION`, of which the last dash counts.
    private static func name(_ text: String) -> KeyName? {
        text.lastIndex(of: "-").map { KeyName(id: String(text[..<$0]), version: String(text[text.index(after: $0)...])) }
    }

    private func pinnedKeys() throws(Fault) -> [VenuePoster.Key] {
        var keys: [VenuePoster.Key] = []
        for entry in posterKeys ?? [] {
            let bytes = Base64.bytes(entry.key) ?? Array(entry.key.utf8)
            guard let key = try? P256.VerificationKey(pemOrDER: bytes), !keys.contains(where: { $0.id == entry.id }) else {
                throw Fault(description: "posterKeys: the key of \(entry.id) is not one, or there twice")
            }
            keys.append(VenuePoster.Key(id: entry.id, key: key))
        }
        guard !keys.isEmpty else { throw Fault(description: "posterKeys: without them no poster can be believed") }
        return keys
    }
}
