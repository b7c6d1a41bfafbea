// SPDX-License-Identifier: Apache-2.0

import ForeignText

/// A piece of a page, with well-formed markup and escaped texts.
///
/// Markup cannot come from outside this file: texts and attribute values are escaped when they are passed in, and the names
/// of elements and attributes come from closed sets. So no text, whoever wrote it, can change which elements a page has.
public struct HTML: Sendable, Equatable {
    /// The markup: well-formed, with all texts escaped.
    public private(set) var markup: String

    /// An empty piece of markup.
    public static let nothing = HTML(safe: "")

    private init(safe: String) { markup = safe }

    /// Creates markup from a text: the text is escaped, so that nothing in it acts as markup; characters that control, hide
    /// or change the direction of reading are replaced by U+FFFD, except tab and line feed. The pair of carriage return and
    /// line feed becomes a line feed, as browsers read it. Cannot fail.
    public init(_ text: String) {
        markup = ""
        Self.escape(text, into: &markup)
    }

    /// Joins pieces of markup, with nothing between them.
    public init(_ pieces: [HTML]) {
        markup = ""
        for piece in pieces { markup += piece.markup }
    }

    /// Returns an element with its content; for elements without content (`br`, `input`, …) `content` is ignored.
    public static func element(_ tag: Tag, _ attributes: [Attribute], _ content: HTML = .nothing) -> HTML {
        var markup = "<" + tag.rawValue
        for attribute in attributes {
            markup += " " + attribute.name
            guard let value = attribute.value else { continue }
            markup += "=\""
            escape(value, into: &markup)
            markup += "\""
        }
        markup += ">"
        guard !tag.isVoid else { return HTML(safe: markup) }
        markup += content.markup
        markup += "</" + tag.rawValue + ">"
        return HTML(safe: markup)
    }

    /// A whole document.
    static func document(_ root: HTML) -> HTML { HTML(safe: "<!DOCTYPE html>\n" + root.markup + "\n") }

    /// Whether there is no markup.
    public var isEmpty: Bool { markup.isEmpty }

    /// What a parser could take for anything but a character becomes a reference. What hides, turns the direction of reading or controls something
    /// becomes U+FFFD, by the same rule as everywhere (`ForeignText`).
    private static func escape(_ text: String, into markup: inout String) {
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            // Forms send what was typed into several lines with this pair, and such a text comes back into its field when it was refused.
            case "\r" where rest.first == "\n": break
            case "&": markup += "&amp;"
            case "<": markup += "&lt;"
            case ">": markup += "&gt;"
            case "\"": markup += "&quot;"
            case "'": markup += "&#39;"
            case "\t", "\n": markup.unicodeScalars.append(scalar)
            default: markup.unicodeScalars.append(ForeignText.isHarmless(scalar) ? scalar : "\u{FFFD}")
            }
        }
    }
}

/// Builds a page from pieces that are written one below the other.
@resultBuilder
public enum HTMLBuilder {
    /// Builds markup, for the compiler: a piece, unchanged.
    public static func buildExpression(_ piece: HTML) -> HTML { piece }
    /// Builds markup, for the compiler: a piece, or nothing.
    public static func buildExpression(_ piece: HTML?) -> HTML { piece ?? .nothing }
    /// Builds markup, for the compiler: several pieces.
    public static func buildExpression(_ pieces: [HTML]) -> HTML { HTML(pieces) }
    /// Builds markup, for the compiler: a text, escaped.
    public static func buildExpression(_ text: String) -> HTML { HTML(text) }
    /// Builds markup, for the compiler: pieces below each other.
    public static func buildBlock(_ pieces: HTML...) -> HTML { HTML(pieces) }
    /// Builds markup, for the compiler: an `if` without `else`.
    public static func buildOptional(_ piece: HTML?) -> HTML { piece ?? .nothing }
    /// Builds markup, for the compiler: the first branch of an `if` or `switch`.
    public static func buildEither(first piece: HTML) -> HTML { piece }
    /// Builds markup, for the compiler: the other branch of an `if` or `switch`.
    public static func buildEither(second piece: HTML) -> HTML { piece }
    /// Builds markup, for the compiler: the pieces of a `for`.
    public static func buildArray(_ pieces: [HTML]) -> HTML { HTML(pieces) }
}

/// An element; what is in it follows.
func el(_ tag: Tag, _ attributes: Attribute?..., @HTMLBuilder content: () -> HTML) -> HTML {
    .element(tag, attributes.compactMap { $0 }, content())
}

/// An element with a text, or with nothing.
func el(_ tag: Tag, _ attributes: Attribute?..., text: String = "") -> HTML {
    .element(tag, attributes.compactMap { $0 }, HTML(text))
}
