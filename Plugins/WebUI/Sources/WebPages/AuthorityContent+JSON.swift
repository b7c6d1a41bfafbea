// SPDX-License-Identifier: Apache-2.0

import JSON

extension AuthorityContent {
    /// Reads the content that `org.vigil.content1.GetContent` returns, as JSON text (docs/content.md), which the core has
    /// checked. Parts that are not understood are left out, and so are languages that the pages do not have. The version is
    /// 0 if there is none.
    ///
    /// `nil` if the text is not a JSON object with `languages`.
    public init?(json text: String) {
        guard let json = try? JSON(parsing: Array(text.utf8)), let languages = json["languages"]?.object else { return nil }
        var editions: [Language: Edition] = [:]
        for member in languages.members {
            guard let language = Language(rawValue: member.name) else { continue }
            editions[language] = Self.edition(member.value)
        }
        self.init(version: json["version"]?.int ?? 0, editions: editions)
    }

    private static func edition(_ json: JSON) -> Edition {
        func lines(_ value: JSON?) -> [String] { (value?.array ?? []).compactMap(\.string) }
        let publication = lines(json["publication"])
        var recommendations: [String: [String]] = [:]
        for member in json["recommendations"]?.object?.members ?? [] { recommendations[member.name] = lines(member.value) }
        var texts: [String: String] = [:]
        for member in json["texts"]?.object?.members ?? [] { texts[member.name] = member.value.string }
        return Edition(
            publisher: publication.first, recommendations: recommendations,
            hotlines: (json["hotlines"]?.array ?? []).compactMap { hotline in
                guard let number = hotline["number"]?.string else { return nil }
                let purpose = hotline["purpose"]?.string ?? ""
                return Hotline(
                    topic: purpose == "results" ? "verification" : purpose, title: hotline["name"]?.string, number: number,
                    hours: hotline["hours"]?.string ?? "")
            },
            links: (json["links"]?.array ?? []).compactMap { link in
                guard let title = link["title"]?.string, let url = link["url"]?.string else { return nil }
                return WebLink(title: title, address: url)
            }, publication: publication, texts: texts)
    }
}
