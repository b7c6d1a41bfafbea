// SPDX-License-Identifier: Apache-2.0

/// Parts that many pages share.
enum Part {
    /// The page's first heading, with a sentence below it.
    @HTMLBuilder static func head(_ title: String, lead: String? = nil, back: (Link, String)? = nil) -> HTML {
        if let back {
            el(.p, .class("back")) { el(.a, .href(back.0), text: back.1) }
        }
        el(.h1, text: title)
        if let lead { el(.p, .class("lead"), text: lead) }
    }

    /// A section with a heading of its own, which names it.
    static func section(
        _ id: String, _ title: String, class name: String = "card", @HTMLBuilder _ content: () -> HTML
    ) -> HTML {
        el(.section, .class(name), .labelledBy(id + "-title")) {
            el(.h2, .id(id + "-title"), text: title)
            content()
        }
    }

    static func p(_ text: String, class name: String? = nil) -> HTML { el(.p, name.map { .class($0) }, text: text) }

    static func list(_ items: [String], class name: String? = nil, numbered: Bool = false) -> HTML {
        el(numbered ? .ol : .ul, name.map { .class($0) }) { items.map { el(.li, text: $0) } }
    }

    static func link(_ link: Link, _ text: String, class name: String? = nil) -> HTML {
        el(.a, .href(link), name.map { .class($0) }, text: text)
    }

    /// A link in a paragraph of its own, with an arrow.
    static func onward(_ link: Link, _ text: String) -> HTML {
        el(.p, .class("onward")) {
            el(.a, .href(link)) {
                el(.span, text: text)
                Icon.arrow.html
            }
        }
    }

    /// Names with values.
    static func facts(_ facts: [(String, HTML)], class name: String = "facts") -> HTML {
        el(.dl, .class(name)) {
            facts.map { fact in
                el(.div) {
                    el(.dt, text: fact.0)
                    el(.dd) { fact.1 }
                }
            }
        }
    }

    /// A table. On a phone each row stands by itself, its cells below each other with the names of their columns, unless it is narrow;
    /// what is too wide elsewhere scrolls by itself, also by keyboard.
    ///
    /// Roles are written out: some browsers take what is not laid out as a table for none.
    static func table(
        _ caption: String, columns: [String], rows: [[HTML]], captionIsHidden: Bool = false, isNarrow: Bool = false
    )
        -> HTML
    {
        el(.div, .class(isNarrow ? "table" : "table stack"), .role("group"), .tabindex(0), .label(caption)) {
            el(.table, .role("table")) {
                el(.caption, captionIsHidden ? .class("unseen") : nil, text: caption)
                el(.thead, .role("rowgroup")) {
                    el(.tr, .role("row")) { columns.map { el(.th, .column, .role("columnheader"), text: $0) } }
                }
                el(.tbody, .role("rowgroup")) {
                    rows.map { row in
                        el(.tr, .role("row")) {
                            row.enumerated().map { index, cell in
                                index == 0
                                    ? el(.th, .row, .role("rowheader")) { cell }
                                    : el(.td, .role("cell"), .inColumn(index < columns.count ? columns[index] : "")) {
                                        el(.div) { cell }
                                    }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Words of others than these pages, in whatever direction they run.
    static func foreign(_ text: String) -> HTML { el(.bdi, text: text) }

    /// The board's own English, marked as such.
    static func english(_ text: String, in context: PageContext, class name: String = "original") -> HTML {
        el(.p, .class(name), context.language == .english ? nil : .lang("en"), text: text)
    }

    /// A mark of colour, shape and word.
    static func badge(_ tone: Tone, _ text: String) -> HTML {
        el(.span, .class("badge " + tone.rawValue)) {
            tone.icon.html
            el(.span, text: text)
        }
    }

    static func note(_ tone: Tone, @HTMLBuilder _ content: () -> HTML) -> HTML {
        el(.div, .class("note " + tone.rawValue)) {
            tone.icon.html
            el(.div, content: content)
        }
    }

    static func note(_ tone: Tone, _ text: String) -> HTML { note(tone) { el(.p, text: text) } }
}

/// What a colour stands for. Each has a shape of its own.
enum Tone: String, CaseIterable, Sendable {
    /// All is well.
    case calm
    /// Somebody should act.
    case warm
    /// Worth a look.
    case heed
    /// Off, or not known.
    case still

    var icon: Icon {
        switch self {
        case .calm: .check
        case .warm: .warning
        case .heed: .info
        case .still: .pause
        }
    }
}

/// Fields with their labels.
enum Field {
    /// A line to type in.
    static func line(
        _ name: String, _ label: String, hint: String? = nil, error: String? = nil, value: String? = nil,
        type: Attribute.InputType = .text, _ more: Attribute?..., isRequired: Bool = false
    ) -> HTML {
        line(name, label, hint: hint, error: error, value: value, type: type, more, isRequired: isRequired)
    }

    /// - Parameter here: The label where the page reckons in the reader's own time zone.
    static func line(
        _ name: String, _ label: String, here: String? = nil, hint: String?, error: String?, value: String?,
        type: Attribute.InputType, _ more: [Attribute?], isRequired: Bool
    ) -> HTML {
        let id = "field-" + name
        return el(.div, .class("field")) {
            el(.label, .for(id), here.map { .here($0) }, text: label)
            if let hint { el(.p, .class("hint"), .id(id + "-hint"), text: hint) }
            if let error {
                el(.p, .class("error"), .id(id + "-error")) {
                    Icon.warning.html
                    el(.span, text: error)
                }
            }
            HTML.element(
                .input,
                [.id(id), .name(name), .type(type)] + more.compactMap { $0 }
                    + [
                        value.map { .value($0) }, isRequired ? .required : nil, error == nil ? nil : .invalid,
                        described(id, hint, error),
                    ].compactMap { $0 })
        }
    }

    static func area(
        _ name: String, _ label: String, hint: String? = nil, error: String? = nil, value: String = "", rows: Int = 4,
        maxlength: Int? = nil
    ) -> HTML {
        let id = "field-" + name
        return el(.div, .class("field")) {
            el(.label, .for(id), text: label)
            if let hint { el(.p, .class("hint"), .id(id + "-hint"), text: hint) }
            if let error {
                el(.p, .class("error"), .id(id + "-error")) {
                    Icon.warning.html
                    el(.span, text: error)
                }
            }
            el(
                .textarea, .id(id), .name(name), .rows(rows), .noCorrection, .noCapitals, maxlength.map { .maxlength($0) },
                error == nil ? nil : .invalid, described(id, hint, error), text: value)
        }
    }

    static func choice(
        _ name: String, _ label: String, options: [(value: String, text: String)], selected: String?, hint: String? = nil
    ) -> HTML {
        let id = "field-" + name
        return el(.div, .class("field")) {
            el(.label, .for(id), text: label)
            if let hint { el(.p, .class("hint"), .id(id + "-hint"), text: hint) }
            el(.select, .id(id), .name(name), described(id, hint, nil)) {
                options.map { el(.option, .value($0.value), $0.value == selected ? .selected : nil, text: $0.text) }
            }
        }
    }

    static func check(
        _ name: String, _ label: String, hint: String? = nil, isOn: Bool = false, isRequired: Bool = false
    ) -> HTML {
        let id = "field-" + name
        return el(.div, .class("field check")) {
            el(
                .input, .id(id), .name(name), .type(.checkbox), .value("yes"), isOn ? .checked : nil,
                isRequired ? .required : nil, described(id, hint, nil))
            el(.div) {
                el(.label, .for(id), text: label)
                if let hint { el(.p, .class("hint"), .id(id + "-hint"), text: hint) }
            }
        }
    }

    /// One of several, each on a line.
    static func radios(
        _ name: String, _ legend: String, options: [(value: String, text: String)], selected: String?
    ) -> HTML {
        el(.fieldset, .class("field")) {
            el(.legend, text: legend)
            options.map { option in
                el(.div, .class("check")) {
                    el(
                        .input, .type(.radio), .name(name), .id("field-\(name)-\(option.value)"), .value(option.value),
                        option.value == selected ? .checked : nil)
                    el(.label, .for("field-\(name)-\(option.value)"), text: option.text)
                }
            }
        }
    }

    static func submit(_ text: String, class name: String = "button") -> HTML {
        el(.p, .class("actions")) { el(.button, .class(name), .type(.submit), text: text) }
    }

    private static func described(_ id: String, _ hint: String?, _ error: String?) -> Attribute? {
        let ids = [hint == nil ? nil : id + "-hint", error == nil ? nil : id + "-error"].compactMap { $0 }
        return ids.isEmpty ? nil : .describedBy(ids.joined(separator: " "))
    }
}
