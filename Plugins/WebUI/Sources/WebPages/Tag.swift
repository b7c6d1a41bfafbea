// SPDX-License-Identifier: Apache-2.0

/// The elements pages are made of. There is none for scripts within a page, styles within a page, frames or objects.
public enum Tag: String, Sendable, CaseIterable {
    case html, head, meta, title, link, script, body
    case header, nav, main, footer, section, article, div, aside
    case h1, h2, h3, h4, p, ul, ol, li, dl, dt, dd, figure, figcaption
    case a, span, strong, em, bdi, code, time, br, small, pre, kbd
    case table, caption, thead, tbody, tr, th, td
    case form, fieldset, legend, label, input, select, option, textarea, button, output
    case details, summary, progress
    case svg, g, path, rect, circle, line, polyline, polygon, text, desc

    /// Without content and end.
    var isVoid: Bool {
        switch self {
        case .meta, .link, .input, .br: true
        default: false
        }
    }
}
