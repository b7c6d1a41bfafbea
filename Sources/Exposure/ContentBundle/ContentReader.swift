// SPDX-License-Identifier: Apache-2.0

import ForeignText
import JSON

/// Reads a document and gathers what is wrong with it.
struct ContentReader {
    private(set) var problems: [String] = []

    // Bytes of UTF-8, and numbers of things: far above what a page has room for.
    static let mostLanguages = 16
    static let mostTexts = 256
    static let mostItems = 16
    static let longestText = 2_000
    static let longestLine = 500
    static let longestURL = 300

    mutating func read(_ document: [UInt8]) -> (version: Int64, languages: [String: ContentBundle.Language]) {
        guard document.count <= ContentBundle.maximumByteCount else {
            complain("", "at most \(ContentBundle.maximumByteCount) bytes")
            return (0, [:])
        }
        let json: JSON
        do throws(JSONError) { json = try JSON(parsing: document) } catch {
            complain("", "\(error)")
            return (0, [:])
        }
        if JSON.string(String(decoding: document, as: UTF8.self)).bytes.count > ContentBundle.maximumToldByteCount {
            complain(
                "",
                "so many quotation marks or line breaks that it cannot be told on: at most \(ContentBundle.maximumToldByteCount) bytes as a text within another"
            )
        }
        var version: Int64 = 0
        var languages: [String: ContentBundle.Language] = [:]
        var found: Set<String> = []
        for (name, value) in members(json, "") {
            found.insert(name)
            switch name {
            case "version":
                if let number = value.int, number >= 1 {
                    version = number
                } else {
                    complain(name, "a whole number from 1 up")
                }
            case "languages": languages = readLanguages(value)
            default: complain(name, "there is no such field")
            }
        }
        for name in ["version", "languages"] where json.object != nil && !found.contains(name) {
            complain(name, "it is missing")
        }
        return (version, languages)
    }

    private mutating func readLanguages(_ json: JSON) -> [String: ContentBundle.Language] {
        var languages: [String: ContentBundle.Language] = [:]
        let members = members(json, "languages")
        if json.object != nil, !(1...Self.mostLanguages).contains(members.count) {
            complain("languages", "1 to \(Self.mostLanguages) languages")
        }
        for (name, value) in members.prefix(Self.mostLanguages) {
            guard ContentBundle.isLanguage(name) else {
                complain(
                    "languages", "no language is named like one of these: 2 or 3 small letters, as in de, or de-simple")
                continue
            }
            languages[name] = readLanguage(value, "languages.\(name)")
        }
        return languages
    }

    private mutating func readLanguage(_ json: JSON, _ path: String) -> ContentBundle.Language {
        var language = ContentBundle.Language()
        for (name, value) in members(json, path) {
            let path = "\(path).\(name)"
            switch name {
            case "texts": language.texts = texts(value, path)
            case "recommendations":
                for (name, value) in members(value, path) {
                    guard let occasion = ContentBundle.Occasion(rawValue: name) else {
                        complain("\(path).\(name)", "there is no such occasion")
                        continue
                    }
                    language.recommendations[occasion] = lines(value, "\(path).\(name)")
                }
            case "hotlines": language.hotlines = list(value, path).compactMap { hotline($0.value, $0.path) }
            case "links": language.links = list(value, path).compactMap { link($0.value, $0.path) }
            case "publication": language.publication = lines(value, path)
            default: complain(path, "there is no such field")
            }
        }
        return language
    }

    private mutating func texts(_ json: JSON, _ path: String) -> [String: String] {
        var texts: [String: String] = [:]
        let members = members(json, path)
        if members.count > Self.mostTexts { complain(path, "at most \(Self.mostTexts) texts") }
        for (name, value) in members.prefix(Self.mostTexts) {
            let isKey =
                (1...64).contains(name.utf8.count)
                && name.utf8.allSatisfy {
                    (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45 || $0 == 46
                }
            guard isKey else {
                complain(path, "keys have 1 to 64 letters, digits, dots and dashes")
                continue
            }
            texts[name] = text(value, "\(path).\(name)", most: Self.longestText)
        }
        return texts
    }

    private mutating func hotline(_ json: JSON, _ path: String) -> ContentBundle.Hotline? {
        var fields = fields(json, path, ["purpose", "name", "number", "hours"])
        guard let purpose = fields.removeValue(forKey: "purpose"), let name = fields["name"], let number = fields["number"],
            let hours = fields["hours"]
        else { return nil }
        guard let purpose = ContentBundle.Hotline.Purpose(rawValue: purpose) else {
            complain("\(path).purpose", "one of technical, privacy, health, psychological, results")
            return nil
        }
        let isNumber =
            number.utf8.count <= 32 && number.utf8.contains { (48...57).contains($0) }
            && number.utf8.allSatisfy { (48...57).contains($0) || Array(" +-()/".utf8).contains($0) }
        guard isNumber else {
            complain("\(path).number", "at most 32 digits, blanks and +-()/")
            return nil
        }
        return ContentBundle.Hotline(purpose: purpose, name: name, number: number, hours: hours)
    }

    private mutating func link(_ json: JSON, _ path: String) -> ContentBundle.Link? {
        let fields = fields(json, path, ["title", "url"])
        guard let title = fields["title"], let url = fields["url"] else { return nil }
        guard Self.isURL(url) else {
            complain(
                "\(path).url",
                "an address that begins with https:// and a host, of at most \(Self.longestURL) plain characters")
            return nil
        }
        return ContentBundle.Link(title: title, url: url)
    }

    /// `https://HOST…`, ASCII without anything that ends an attribute or names a user.
    private static func isURL(_ text: String) -> Bool {
        let scheme = Array("https://".utf8)
        let bytes = Array(text.utf8)
        guard bytes.count <= longestURL, bytes.starts(with: scheme) else { return false }
        let rest = bytes.dropFirst(scheme.count)
        let ends = [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")]
        let host = rest.prefix { !ends.contains($0) }
        let isHost =
            !host.isEmpty && host.first != UInt8(ascii: ".")
            && host.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45 || $0 == 46
                    || $0 == 58
            }
        return isHost && rest.allSatisfy { (33...126).contains($0) && !Array("\"'<>\\^`{|}".utf8).contains($0) }
    }

    // MARK: Parts

    private mutating func complain(_ path: String, _ problem: String) {
        problems.append(path.isEmpty ? "the document: \(problem)" : "\(ForeignText.ascii(path, limit: 120)): \(problem)")
    }

    private mutating func members(_ json: JSON, _ path: String) -> [(String, JSON)] {
        guard let object = json.object else {
            complain(path, "an object is expected")
            return []
        }
        return object.members.map { ($0.name, $0.value) }
    }

    private mutating func list(_ json: JSON, _ path: String) -> [(path: String, value: JSON)] {
        guard let list = json.array else {
            complain(path, "a list is expected")
            return []
        }
        if list.count > Self.mostItems { complain(path, "at most \(Self.mostItems)") }
        return list.prefix(Self.mostItems).enumerated().map { ("\(path)[\($0.offset)]", $0.element) }
    }

    private mutating func lines(_ json: JSON, _ path: String) -> [String] {
        list(json, path).compactMap { text($0.value, $0.path, most: Self.longestLine) }
    }

    /// The texts of an object that has these fields and no others.
    private mutating func fields(_ json: JSON, _ path: String, _ names: [String]) -> [String: String] {
        var fields: [String: String] = [:]
        var found: Set<String> = []
        for (name, value) in members(json, path) {
            found.insert(name)
            guard names.contains(name) else {
                complain("\(path).\(name)", "there is no such field")
                continue
            }
            fields[name] = text(value, "\(path).\(name)", most: Self.longestLine)
        }
        for name in names where json.object != nil && !found.contains(name) { complain("\(path).\(name)", "it is missing") }
        return fields
    }

    private mutating func text(_ json: JSON, _ path: String, most: Int) -> String? {
        guard let text = json.string else {
            complain(path, "a text is expected")
            return nil
        }
        guard (1...most).contains(text.utf8.count) else {
            complain(path, "1 to \(most) bytes")
            return nil
        }
        guard !text.unicodeScalars.contains(where: Self.isControl) else {
            complain(path, "no control characters, line breaks included")
            return nil
        }
        return text
    }

    /// Those of ASCII and Latin-1, separators of lines and paragraphs, and what turns the direction of writing round.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<32, 127..<160, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
