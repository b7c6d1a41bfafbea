// SPDX-License-Identifier: Apache-2.0

import CrowdNotifier
import Cryptography
import PresenceTracing
import VenueNotices
package import VenuePlan

/// The plugin's settings, as plugin.json describes them.
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

    struct PosterKey: Decodable, Sendable {
        var id: String
        /// PEM, or Base64 of DER.
        var key: String
    }

    /// What cannot be used, in an English sentence that begins with the setting's name.
    package struct Fault: Error, CustomStringConvertible { package let description: String }

    /// The systems that are followed, in the order of ``VenueSystem``.
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

    /// What reads the codes of the systems that are followed.
    package func reader() throws(Fault) -> VenueTicket.Reader {
        let followed = try followed()
        var reader = VenueTicket.Reader()
        if followed.contains(.coronaWarnApp) { reader.descriptors = VenueCode.Descriptor.published }
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

    /// The key that own codes carry.
    package func ownKey() throws(Fault) -> [UInt8] {
        guard let placeKey else { return [] }
        guard let bytes = Base64.bytes(placeKey), bytes.count <= 256 else {
            throw Fault(description: "placeKey: it is not the Base64 of a public key")
        }
        return bytes
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
