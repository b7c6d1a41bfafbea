// SPDX-License-Identifier: Apache-2.0

/// All texts of the pages in one language, with another language behind it for what is missing.
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

    /// The language that the texts are in; those of the language behind it may stand in for some.
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

    /// Names of all texts of this language itself; forms for a number have `[one]` or `[other]` at the end.
    public var keys: Set<String> { Set(templates.keys) }

    /// Names of the values that a text has a place for; `nil` if there is no such text in this language itself.
    public func placeholders(of key: String) -> Set<String>? { templates[key]?.placeholders }

    /// A text with its values, in this language or else in the one behind it. A text that is in neither gives its own name, because a page must not
    /// fail for a word; a value that is missing gives its name in braces, and one too many is left out.
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

    /// A text in the form that goes with a number: that of `key` with `[one]` or `[other]` at its end. The number itself is
    /// in the text only if `values` has it. Values are not escaped here: ``HTML`` does that. Cannot fail: a text that is
    /// not there gives its own name.
    public func text(_ key: String, counting number: Int64, _ values: [String: String] = [:]) -> String {
        text(key + (language.isOne(number) ? "[one]" : "[other]"), values)
    }

    /// This catalogue with other words for some texts, by their names. Left out are names that are not known, and texts that are not well-formed or
    /// have a placeholder that the present text lacks: an authority's bundle may be newer or older than these pages.
    public func replacing(_ overrides: [String: String]) -> TextCatalog {
        var replaced = self
        for (key, value) in overrides {
            guard let present = templates[key] ?? fallback[key], let template = Self.template(value),
                template.placeholders.isSubset(of: present.placeholders)
            else { continue }
            replaced.templates[key] = template
        }
        return replaced
    }
}
