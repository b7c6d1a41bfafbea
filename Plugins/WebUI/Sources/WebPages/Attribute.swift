// SPDX-License-Identifier: Apache-2.0

/// An attribute of an element. Names are only those in this file, and values are escaped when the element is written. There
/// is none for styles or scripts, which the pages' policy forbids.
public struct Attribute: Sendable, Equatable {
    let name: String
    /// `nil` for one that is there or not.
    let value: String?

    private init(_ name: String, _ value: String?) {
        self.name = name
        self.value = value
    }

    static func `class`(_ value: String) -> Attribute { Attribute("class", value) }
    static func id(_ value: String) -> Attribute { Attribute("id", value) }
    static func href(_ link: Link) -> Attribute { Attribute("href", link.target) }
    static func lang(_ value: String) -> Attribute { Attribute("lang", value) }
    static func dir(_ value: Direction) -> Attribute { Attribute("dir", value.rawValue) }
    static func title(_ value: String) -> Attribute { Attribute("title", value) }
    static func tabindex(_ value: Int) -> Attribute { Attribute("tabindex", "\(value)") }
    static func datetime(_ value: String) -> Attribute { Attribute("datetime", value) }
    static let hidden = Attribute("hidden", nil)
    static let open = Attribute("open", nil)
    static let download = Attribute("download", nil)
    static let noReferrer = Attribute("referrerpolicy", "no-referrer")
    static let external = Attribute("rel", "noreferrer external")

    enum Direction: String { case auto, ltr }

    // Head.
    static let charset = Attribute("charset", "utf-8")
    static func meta(_ name: MetaName) -> Attribute { Attribute("name", name.rawValue) }
    static func content(_ value: String) -> Attribute { Attribute("content", value) }
    static func rel(_ value: Relation) -> Attribute { Attribute("rel", value.rawValue) }
    static func script(_ link: Link) -> Attribute { Attribute("src", link.target) }
    static let deferred = Attribute("defer", nil)

    enum MetaName: String {
        case viewport, referrer, robots
        case colorScheme = "color-scheme"
    }

    enum Relation: String { case stylesheet, icon }

    // Accessibility.
    static func role(_ value: String) -> Attribute { Attribute("role", value) }
    static func label(_ value: String) -> Attribute { Attribute("aria-label", value) }
    static func labelledBy(_ value: String) -> Attribute { Attribute("aria-labelledby", value) }
    static func describedBy(_ value: String) -> Attribute { Attribute("aria-describedby", value) }
    static let currentPage = Attribute("aria-current", "page")
    static let currentStep = Attribute("aria-current", "step")
    static let invalid = Attribute("aria-invalid", "true")
    static let ariaHidden = Attribute("aria-hidden", "true")
    static let polite = Attribute("aria-live", "polite")

    /// Replaced by live events of this name.
    static func live(_ name: String) -> Attribute { Attribute("data-live", name) }
    /// A moment that the page may show in the reader's own time zone.
    static let localTime = Attribute("data-local", nil)
    /// What the page says instead where it reckons in the reader's own time zone (LocalTime.swift).
    static func here(_ text: String) -> Attribute { Attribute("data-here", text) }
    /// On a field for a date in UTC: the name of the field for its time, in the same form. On one for a time of each day: empty.
    static func inUTC(with name: String) -> Attribute { Attribute("data-utc", name) }
    /// On a field for a secret: what the page calls the choice to see what is typed.
    static func revealed(_ text: String) -> Attribute { Attribute("data-reveal", text) }
    /// Counted down, second by second.
    static func countdown(_ seconds: Int64) -> Attribute { Attribute("data-countdown", "\(seconds)") }

    // Forms.
    static let post = Attribute("method", "post")
    static let get = Attribute("method", "get")
    static func action(_ link: Link) -> Attribute { Attribute("action", link.target) }
    static func type(_ value: InputType) -> Attribute { Attribute("type", value.rawValue) }
    static func name(_ value: String) -> Attribute { Attribute("name", value) }
    static func value(_ value: String) -> Attribute { Attribute("value", value) }
    static func `for`(_ value: String) -> Attribute { Attribute("for", value) }
    static func autocomplete(_ value: String) -> Attribute { Attribute("autocomplete", value) }
    static func inputmode(_ value: String) -> Attribute { Attribute("inputmode", value) }
    static func maxlength(_ value: Int) -> Attribute { Attribute("maxlength", "\(value)") }
    static func minlength(_ value: Int) -> Attribute { Attribute("minlength", "\(value)") }
    static func min(_ value: String) -> Attribute { Attribute("min", value) }
    static func max(_ value: String) -> Attribute { Attribute("max", value) }
    static func step(_ value: String) -> Attribute { Attribute("step", value) }
    static func rows(_ value: Int) -> Attribute { Attribute("rows", "\(value)") }
    static let required = Attribute("required", nil)
    static let checked = Attribute("checked", nil)
    static let selected = Attribute("selected", nil)
    static let noCorrection = Attribute("spellcheck", "false")
    static let noCapitals = Attribute("autocapitalize", "none")

    enum InputType: String { case hidden, text, password, number, checkbox, radio, submit, date, time, search, tel }

    // Tables.
    static let column = Attribute("scope", "col")
    static let row = Attribute("scope", "row")
    /// The name of a cell's column, shown where rows stand by themselves.
    static func inColumn(_ name: String) -> Attribute { Attribute("data-column", name) }

    // Drawings.
    static func viewBox(_ width: Int, _ height: Int) -> Attribute { Attribute("viewBox", "0 0 \(width) \(height)") }
    static let notFocusable = Attribute("focusable", "false")
    static func shape(_ name: ShapeName, _ value: String) -> Attribute { Attribute(name.rawValue, value) }
    static func shape(_ name: ShapeName, _ value: Int) -> Attribute { Attribute(name.rawValue, "\(value)") }

    enum ShapeName: String {
        case d, x, y, cx, cy, r, rx, x1, y1, x2, y2, width, height, points, fill, stroke
        case anchor = "text-anchor"
    }
}
