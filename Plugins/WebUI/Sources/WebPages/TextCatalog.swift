// SPDX-License-Identifier: Apache-2.0

/// All texts of the pages in one language, with another language for texts that it lacks.
public struct TextCatalog: Sendable {
    /// A text of the catalogue: constant pieces with values between them.
    struct Template: Sendable, Equatable {
        enum Piece: Sendable, Equatable {
            case text(String)
            case value(String)
        }

        var pieces: [Piece]

        /// Names of the values, sorted.
        var placeholders: Set<String> {
            Set(pieces.compactMap { if case .value(let name) = $0 { name } else { nil } })
        }
    }

    /// The language of the texts; some may come from the second language.
    public let language: Language
    private(set) var templates: [String: Template]
    private let fallback: [String: Template]

    /// Catalogues in the order of looking things up: the reader's, then English.
    ///
    /// - Parameter behind: what is asked where this language has nothing to say. Plain German asks German first.
    init(language: Language, templates: [String: Template], behind: TextCatalog? = nil) {
        self.language = language
        self.templates = templates
        fallback = (behind?.fallback ?? [:]).merging(behind?.templates ?? [:]) { _, nearer in nearer }
    }

    /// The names of all texts in this language itself; the forms for a number end with `[one]` or `[other]`.
    public var keys: Set<String> { Set(templates.keys) }

    /// Returns the names of a text's placeholders; `nil` if this language itself has no such text.
    public func placeholders(of key: String) -> Set<String>? { templates[key]?.placeholders }

    /// Returns a text with its values, in this language or else in the second one. If neither has it, the result is its
    /// name, because a page must not fail for want of a text; a missing value appears as its name in braces, and a
    /// superfluous one is ignored.
    public func text(_ key: String, _ values: [String: String] = [:]) -> String {
        guard let template = templates[key] ?? fallback[key] else { return key }
        var text = ""
        for piece in template.pieces {
            switch piece {
            case .text(let constant): text += constant
            case .value(let name): text += values[name] ?? "{\(name)}"
            }
        }
        return text
    }

    /// Returns a text in the form for a number: the text of `key` with `[one]` or `[other]` at its end. The number itself
    /// appears only if `values` contains it. Values are not escaped here: ``HTML`` does that. Cannot fail: a missing text
    /// appears as its name.
    public func text(_ key: String, counting number: Int64, _ values: [String: String] = [:]) -> String {
        text(key + (language.isOne(number) ? "[one]" : "[other]"), values)
    }

    /// Returns this catalogue with other texts under some names. Unknown names are ignored, and so are texts that are not
    /// well-formed or have a placeholder that the current text lacks, because an authority's bundle may be newer or older
    /// than these pages. Texts about data donation stay: a consent is kept with the version of these very words.
    public func replacing(_ overrides: [String: String]) -> TextCatalog {
        var replaced = self
        for (key, value) in overrides {
            guard !key.hasPrefix("donate."), let present = templates[key] ?? fallback[key],
                let template = Self.template(value),
                template.placeholders.isSubset(of: present.placeholders)
            else { continue }
            replaced.templates[key] = template
        }
        return replaced
    }
}
