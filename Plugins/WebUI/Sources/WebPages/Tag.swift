// SPDX-License-Identifier: Apache-2.0

/// The elements that pages are made of. There is none for inline scripts, inline styles, frames or objects.
public enum Tag: String, Sendable, CaseIterable {
    /// The frame of the document.
    case html, head, meta, title, link, script, body
    /// The parts of a page.
    case header, nav, main, footer, section, article, div, aside
    /// Headings, paragraphs, lists and figures.
    case h1, h2, h3, h4, p, ul, ol, li, dl, dt, dd, figure, figcaption
    /// Pieces of a text.
    case a, span, strong, em, bdi, code, time, br, small, pre, kbd
    /// Tables and their parts.
    case table, caption, thead, tbody, tr, th, td
    /// Forms and their fields.
    case form, fieldset, legend, label, input, select, option, textarea, button, output
    /// Parts that open, and bars of progress.
    case details, summary, progress
    /// Drawings (SVG) and their parts.
    case svg, g, path, rect, circle, line, polyline, polygon, text, desc

    /// Without content and end.
    var isVoid: Bool {
        switch self {
        case .meta, .link, .input, .br: true
        default: false
        }
    }
}
