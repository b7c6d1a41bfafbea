// SPDX-License-Identifier: Apache-2.0

import AuthorityProfile
import Cryptography
import JSON
import PluginManifest

/// One HTML file that makes cards in a browser, for people whose computer has no `vigil-fleet`: it asks the same five questions and
/// makes the same files, byte for byte. What plugins may do with each authority is worked out here and put into it, so the page has
/// no law of its own. It reaches no network: its own policy forbids that.
public enum CardPage {
    /// The most authorities that one page offers, beside none: 16. Our own choice: more than that nobody finds theirs among.
    public static let mostAuthorities = 16

    /// Returns the page, in UTF-8, that offers `authorities` in this order and, at the end, none. Throws `badProfile` when the settings of
    /// plugins cannot be made from a profile, when two have one name, when there are more than ``mostAuthorities``, or when a board would
    /// not take the card.
    public static func text(_ authorities: [BoardAnswers.Authority]) throws(AnswerFault) -> String {
        guard authorities.count <= mostAuthorities else {
            throw .badProfile("a page offers at most \(mostAuthorities) authorities")
        }
        var names: Set<String> = []
        for authority in authorities where !names.insert(authority.profile.name).inserted {
            throw .badProfile("two of these are called \(authority.profile.name)")
        }
        var entries: [JSON] = []
        for authority in authorities { entries.append(try entry(authority)) }
        entries.append(try entry(nil))
        let style = file(PackageResources.page_css)
        let script = [PackageResources.card_js, PackageResources.texts_js, PackageResources.page_js].map(file).joined()
        // Only these two texts run or colour anything, and nothing is fetched, sent or framed.
        let policy =
            "default-src 'none'; script-src '\(source(script))'; style-src '\(source(style))'; base-uri 'none'; form-action 'none'"
        // A text in it must not end the element that it stands in.
        let data = JSON.object(["authorities": .array(entries)]).description.replacing("<", with: "\\u003c")
        var page = file(PackageResources.page_html)
        for (name, value) in [("policy", policy), ("style", style), ("data", data), ("script", script)] {
            page = page.replacing("{{\(name)}}", with: value)
        }
        return page
    }

    /// What the page has of an authority, or of none.
    private static func entry(_ authority: BoardAnswers.Authority?) throws(AnswerFault) -> JSON {
        // The page puts the title and the name in their places.
        let (grants, notes) = try CardGrants.make(try answers(authority, title: "@"), localName: "@")
        var generator = SystemRandomNumberGenerator()
        let secrets = CardSecrets(using: &generator)
        let card = try Card(try answers(authority, title: nil), serial: BoardSerial(using: &generator), secrets: secrets)
        guard card.problems.isEmpty else { throw .badProfile(card.problems.joined(separator: "; ")) }
        var entry: JSON.Object = [
            "name": .string(authority?.profile.name ?? "none"),
            "file": authority.map { .string(Base64.string($0.bytes)) } ?? .null,
            // The profiles to copy are called so (Provisioning/authorities), and none of their servers exists.
            "isLocal": .bool(authority?.isLocal == true),
            "isExample": .bool(authority?.profile.name.hasPrefix("example-") == true),
            "grants": .string(grants.indentedText),
            "notes": .array(notes.map { .string($0) }),
        ]
        if let authority {
            var title = JSON.Object()
            for (language, text) in authority.profile.title.sorted(by: { $0.key < $1.key }) {
                title[language] = .string(text)
            }
            entry["title"] = .object(title)
        }
        return .object(entry)
    }

    private static func answers(
        _ authority: BoardAnswers.Authority?, title: String?
    ) throws(AnswerFault) -> BoardAnswers {
        try BoardAnswers(
            use: .person, language: "en", network: .automatic, authority: authority, technicians: nil, title: title)
    }

    private static func file(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// How a policy names a text that may be used (Content Security Policy Level 3, section 2.3.1).
    private static func source(_ text: String) -> String { "sha256-\(Base64.string(SHA256.digest(of: Array(text.utf8))))" }
}
