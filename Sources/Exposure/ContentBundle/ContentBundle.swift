// SPDX-License-Identifier: Apache-2.0

import ForeignText
import JSON

/// The content that a health authority publishes for people, in several languages: texts, recommendations, hotlines,
/// links, publication information (docs/content.md). It is read strictly: a bundle with any problem is refused as a
/// whole, and every problem is reported with its path.
public struct ContentBundle: Sendable, Equatable {
    /// The maximum size of a document in bytes, inclusive; 40 KiB. The number is this project's own.
    public static let maximumByteCount = 40 << 10

    /// The maximum size of a document in bytes when it is encoded as a text in another document, inclusive, because
    /// it is passed on in messages of at most 64 KiB. The number is this project's own.
    public static let maximumToldByteCount = 60_000

    /// The occasion on which a list of recommendations is shown; raw values are those of the document.
    public enum Occasion: String, Sendable, CaseIterable { case low, increased, positive, negative }

    /// A telephone number of the authority, with its purpose and hours.
    public struct Hotline: Sendable, Equatable {
        /// The kind of help that the number gives. Raw values are those of the document.
        public enum Purpose: String, Sendable, CaseIterable { case technical, privacy, health, psychological, results }

        /// The kind of help that this number gives.
        public let purpose: Purpose
        /// The number's name for people; 1 to 500 bytes on one line.
        public let name: String
        /// The number as it is shown: digits, spaces, and `+-()/`; up to 32 bytes with at least one digit.
        public let number: String
        /// The hours in which calls are answered, in words; 1 to 500 bytes on one line.
        public let hours: String
    }

    /// A page on the web. Devices without a network show its address.
    public struct Link: Sendable, Equatable {
        /// The page's title for people; 1 to 500 bytes on one line.
        public let title: String
        /// The page's address: begins with `https://` and a host; ASCII, up to 300 bytes.
        public let url: String
    }

    /// The texts of one language. Where a text is missing, the pages use their own.
    public struct Language: Sendable, Equatable {
        /// The texts that replace the pages' own, by their keys of 1 to 64 letters, digits, dots and dashes; up to
        /// 256 texts of 1 to 2,000 bytes, one line each.
        public internal(set) var texts: [String: String] = [:]
        /// The recommendations for each occasion, up to 16 of 1 to 500 bytes each. An occasion may have an empty list
        /// or be missing.
        public internal(set) var recommendations: [Occasion: [String]] = [:]
        /// The telephone numbers for this language, up to 16, in the order of the document.
        public internal(set) var hotlines: [Hotline] = []
        /// The links for this language, up to 16, in the order of the document.
        public internal(set) var links: [Link] = []
        /// The note about the publisher of the content, by line: up to 16 lines of 1 to 500 bytes; may be empty.
        public internal(set) var publication: [String] = []
    }

    /// The version of the content, 1 or more; a board never returns to a lower one.
    public let version: Int64
    /// The texts of each language, 1 to 16, by a name that ``isLanguage(_:)`` accepts, such as `de` or `de-simple`.
    public let languages: [String: Language]

    /// Reads a document without verifying a signature. Throws an error with all problems, at most
    /// ``ContentProblems/most``, or with a single one when the document has more than ``maximumByteCount`` bytes or
    /// is not JSON. A document of more than ``maximumToldByteCount`` bytes as a text in another document is a
    /// problem, too.
    public init(parsing document: [UInt8]) throws(ContentProblems) {
        var reader = ContentReader()
        let (version, languages) = reader.read(document)
        guard reader.problems.isEmpty else { throw ContentProblems(reader.problems) }
        self.version = version
        self.languages = languages
    }

    /// The content written again as JSON: the same content results in the same bytes. Empty parts of a language are
    /// left out, except empty lists of recommendations.
    public var document: [UInt8] {
        var parts: JSON.Object = [:]
        for (name, language) in languages.sorted(by: { $0.key < $1.key }) { parts[name] = .object(language.parts) }
        return JSON.object(["version": .int(version), "languages": .object(parts)]).bytes
    }

    /// Returns the texts for a reader of `language`: those of that name, or else those of its name up to the first
    /// dash (`de` for `de-simple`); `nil` without either.
    public func language(_ language: String) -> Language? {
        if let found = languages[language] { return found }
        guard let dash = language.firstIndex(of: "-") else { return nil }
        return languages[String(language[..<dash])]
    }

    /// Whether `name` has the form of a language's name in bundles and preferences (`ForeignText.isLanguage`).
    public static func isLanguage(_ name: String) -> Bool { ForeignText.isLanguage(name) }
}

extension ContentBundle.Language {
    fileprivate var parts: JSON.Object {
        func lines(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }
        var parts: JSON.Object = [:]
        if !texts.isEmpty {
            var object: JSON.Object = [:]
            for (key, text) in texts.sorted(by: { $0.key < $1.key }) { object[key] = .string(text) }
            parts["texts"] = .object(object)
        }
        var advice: JSON.Object = [:]
        for occasion in ContentBundle.Occasion.allCases {
            if let list = recommendations[occasion] { advice[occasion.rawValue] = lines(list) }
        }
        if !advice.isEmpty { parts["recommendations"] = .object(advice) }
        if !hotlines.isEmpty {
            parts["hotlines"] = .array(
                hotlines.map { line in
                    [
                        "purpose": .string(line.purpose.rawValue), "name": .string(line.name),
                        "number": .string(line.number),
                        "hours": .string(line.hours),
                    ]
                })
        }
        if !links.isEmpty {
            parts["links"] = .array(links.map { ["title": .string($0.title), "url": .string($0.url)] })
        }
        if !publication.isEmpty { parts["publication"] = lines(publication) }
        return parts
    }
}

/// The problems for which a document is refused, each with its path, in the order of the document; at most
/// ``most``.
public struct ContentProblems: Error, Sendable, Equatable, CustomStringConvertible {
    /// The maximum number of problems reported for one document; one more line has the number of those left out. The
    /// number is this project's own.
    public static let most = 50

    /// The problems, one sentence each, 1 to ``most``, and possibly a last one with the number of those left out;
    /// paths from the document are made printable.
    public let problems: [String]

    init(_ problems: [String]) {
        let left = problems.count - Self.most
        self.problems = problems.prefix(Self.most) + (left > 0 ? ["and \(left) more"] : [])
    }

    /// A sentence about the refusal and the next step, for the person who wrote the document, followed by the
    /// problems, one on each line.
    public var description: String {
        (["the content has faults, and what was there before stays; mend these:"] + problems.map { "  \($0)" })
            .joined(separator: "\n")
    }
}
