// SPDX-License-Identifier: Apache-2.0

import BLS12381
import Cryptography
import RiskConfiguration

/// Check-in at venues.
extension ProfileForm {
    private struct PosterKeyDraft: Sendable {
        var id = ""
        var key: P256.VerificationKey?
    }

    private static let posterKeys: Form<[AuthorityProfile.CheckIn.PosterKey]> = {
        let fields = Form<PosterKeyDraft>.object(
            PosterKeyDraft(),
            [
                .required("id", \.id, visible(100), "kid in the code of a poster."),
                .required("key", \.key, verificationKey, "PEM, or DER in Base64."),
            ])
        return Form<[PosterKeyDraft]>.list(fields, 0...8).mapped(
            to: { drafts, path, problems in
                for (index, draft) in drafts.enumerated() where drafts[..<index].contains(where: { $0.id == draft.id }) {
                    problems.report(path.index(index).field("id"), "is the id of another key here, too")
                }
                return drafts.compactMap { draft in draft.key.map { .init(id: draft.id, key: $0) } }
            }, from: { $0.map { PosterKeyDraft(id: $0.id, key: $0.key) } }, standIn: [])
    }()

    private static let codeHost = text("the name of a host, such as qr.swisscovid.ch", "^[A-Za-z0-9.-]{1,253}$") {
        (1...253).contains($0.utf8.count)
            && $0.utf8.allSatisfy { isLower($0) || isDigit($0) || (65...90).contains($0) || $0 == 45 || $0 == 46 }
    }

    /// The plugin takes no other: with a wrong key nothing would be hidden, and with one that is zero everybody could read it.
    private static let hidingKey = text(
        "a point of the group G2 of BLS12-381 that is not zero, 96 bytes in Base64, as `vigil-authority venues trace-keys public-key` prints it",
        "^[A-Za-z0-9+/]{128}$"
    ) { text in
        text.utf8.count == 128 && Base64.bytes(text).flatMap { try? MasterPublicKey($0) } != nil
    }

    private static let systems = Form<[AuthorityProfile.CheckIn.System]>.list(
        .word(AuthorityProfile.CheckIn.System.allCases.map { ($0.rawValue, $0) }), 1...3
    ).mapped(
        to: { systems, path, problems in
            for (index, system) in systems.enumerated() where systems[..<index].contains(system) {
                problems.report(path.index(index), "is there twice")
            }
            return systems
        }, from: { $0 }, standIn: [])

    /// As the plugin takes it: it stands in addresses.
    private static let checkInCountry = text("2 to 8 letters or digits, such as DE", "^[0-9A-Za-z]{2,8}$") {
        (2...8).contains($0.utf8.count)
            && $0.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) || isLower($0) }
    }

    static let checkIn: Form<AuthorityProfile.CheckIn> = {
        let fields = Form<AuthorityProfile.CheckIn>.object(
            AuthorityProfile.CheckIn(systems: []),
            [
                .required("systems", \.systems, systems, "Whose codes are taken: coronaWarnApp, swissCovid, nhs."),
                .maybe(
                    "base", \.base, address,
                    "Where its warnings about venues are; without it codes are taken, and nobody is warned."),
                .maybe(
                    "country", \.country, checkInCountry,
                    "With coronaWarnApp and a base: whose packages, as the tree names it."),
                .maybe(
                    "codeHost", \.codeHost, codeHost,
                    "With swissCovid: the host of its links; that of the public app if not given."),
                .maybe(
                    "swissCovidKey", \.swissCovidKey, hidingKey,
                    "With swissCovid: the key that visits are hidden with, 96 bytes in Base64."),
                .optional("posterKeys", \.posterKeys, posterKeys, "With nhs: the keys that sign posters."),
            ])
        return Form(fields.schema, standIn: fields.standIn) { json, path, problems in
            let count = problems.problems.count
            let found = fields.read(json, path, &problems)
            guard problems.problems.count == count else { return found }
            var (needs, allows): ([String], [String]) = ([], ["base"])
            if found.systems.contains(.coronaWarnApp), found.base != nil { needs.append("country") }
            if found.systems.contains(.swissCovid) { allows += ["codeHost", "swissCovidKey"] }
            if found.systems.contains(.nhs) { needs.append("posterKeys") }
            judge(
                "check-in by \(found.systems.map(\.rawValue).joined(separator: ", "))\(found.base == nil ? " without a base" : "")",
                [
                    ("base", found.base != nil), ("country", found.country != nil), ("codeHost", found.codeHost != nil),
                    ("swissCovidKey", found.swissCovidKey != nil),
                    ("posterKeys", !found.posterKeys.isEmpty),
                ], needs: needs, allows: allows, path, &problems)
            return found
        } write: {
            fields.write($0)
        }
    }()
}
