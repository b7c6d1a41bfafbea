// SPDX-License-Identifier: Apache-2.0

import AuthorityProfile
import BLS12381
import Cryptography
import ExposureRisk
import GAEN
import Glibc
import JSON
import RandomValues
import RiskConfiguration
import Testing

/// What the tests begin with.
enum Sample {
    /// The tree's root: tests are run there.
    static let root = "."

    /// The point of RFC 6979 A.2.5.
    static let key =
        "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYP7UuiVanTHJYet0xjVtaMBJuJI7Yfps5mliLmDyn7Z5A/4QCLi8maQa6elWKLxk8vGyDC1+n1F3o8KU1EYimQ=="
    static let pem = "-----BEGIN PUBLIC KEY-----\n\(key.prefix(64))\n\(key.dropFirst(64))\n-----END PUBLIC KEY-----\n"

    /// A key for hidden visits, whose secret nobody has.
    static let hidingKey: String = {
        var random = SeededGenerator(seed: 1)
        return (try? MasterPublicKey(secret: .random(using: &random))).map { Base64.string($0.bytes) } ?? ""
    }()

    static func risk() throws -> RiskConfiguration {
        let summaries = try #require(
            DailySummariesConfiguration(
                attenuationThresholds: [55, 63, 73], attenuationWeights: [1, 1, 0.5, 0],
                reportTypeWeights: [0, 1, 1, 1, 0, 0], infectiousnessWeights: [0, 1, 2]))
        return RiskConfiguration(
            version: 3, models: [.dailySummaries(DailySummariesParameters(summaries: summaries))], mapping: .standard)
    }

    /// Google's servers, with the operator's own rules: every kind of field is used.
    static func json() throws -> JSON {
        [
            "$schema": "authority-profile.schema.json", "name": "us-wa", "title": ["en": "WA Notify", "de": "Washington"],
            "status": "running", "region": "US",
            "keys": [
                ["id": "310", "version": "v1", "role": "export", "key": .string(pem)],
                ["id": "310", "version": "v1", "role": "rules", "key": .string(key), "spare": true],
            ],
            "rules": ["form": "profile", "document": try JSON(parsing: try risk().document)],
            "distribution": [
                "kind": "index", "base": "https://example.org/keys", "index": "exposureKeyExport-US/index.txt",
                "intervalSeconds": 14_400,
            ],
            "warn": [
                "kind": "ens", "verification": "https://verify.example.org:8443", "publish": "https://keys.example.org",
                "apiKey": "abc+/=", "healthAuthority": "gov.wa.doh",
            ],
            "checkIn": [
                "systems": ["swissCovid", "nhs"], "codeHost": "qr.example.org",
                "swissCovidKey": .string(hidingKey),
                "posterKeys": [["id": "1", "key": .string(key)]],
            ],
        ]
    }

    /// The Corona-Warn-App's shape, after its end.
    static func closed() -> JSON {
        [
            "name": "cwa-de", "title": ["en": "Corona-Warn-App (Germany)"], "status": "switchedOff",
            "keys": [["id": "262", "version": "v1", "role": "export", "key": .string(key)]],
            "rules": ["form": "cwa", "path": "version/v1/app_config_android", "country": "DE"],
            "distribution": ["kind": "cwa", "base": "https://svc90.example", "country": "DE"], "warn": ["kind": "none"],
        ]
    }

    static func problems(_ bytes: [UInt8]) -> [RiskProblem] {
        do throws(AuthorityProfileError) {
            _ = try AuthorityProfile(parsing: bytes)
            return []
        } catch {
            return error.problems
        }
    }
}

extension JSON {
    /// With another value, or none, at `path` ("keys/0/id").
    func with(_ path: String, _ value: JSON?) -> JSON {
        guard let slash = path.firstIndex(of: "/") else { return setting(path, value) }
        let name = String(path[..<slash])
        let rest = String(path[path.index(after: slash)...])
        return setting(name, (member(name) ?? [:]).with(rest, value))
    }

    private func member(_ name: String) -> JSON? {
        if let array, let index = Int(name) { return array.indices.contains(index) ? array[index] : nil }
        return self[name]
    }

    private func setting(_ name: String, _ value: JSON?) -> JSON {
        if var array, let index = Int(name) {
            if index == array.count, let value {
                array.append(value)
            } else if let value {
                array[index] = value
            } else {
                array.remove(at: index)
            }
            return .array(array)
        }
        var object = self.object ?? JSON.Object()
        object[name] = value
        return .object(object)
    }
}
