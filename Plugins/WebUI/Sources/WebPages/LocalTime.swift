// SPDX-License-Identifier: Apache-2.0

/// Texts and fields with times. The device knows no time zone, so it writes and reads UTC. A browser knows one: the script (``Assets/liveScript``) replaces
/// the text of an element by its `data-here`, in which `@now@`, `@05:47@` and `@2026-11-22T05:47:00Z@` become local times, and turns fields (`data-utc`)
/// into local time when they are shown and back into UTC when they are sent. Without the script, or in a browser that cannot do that, all stays in UTC and
/// says so.
extension PageContext {
    /// A text with the mark `{zone}`, which names UTC, and the same text for local times, without the mark and the space before it.
    func zoned(
        _ key: StaticString, _ values: [String: String] = [:], here: [String: String] = [:]
    ) -> (utc: String, here: String) {
        let text = t(key, values.merging(["zone": t("venue.zone")]) { given, _ in given })
        // No text has this character.
        let mark: Unicode.Scalar = "\u{1}"
        var local = String.UnicodeScalarView()
        let marked = t(key, values.merging(here) { _, local in local }.merging(["zone": "\(mark)"]) { given, _ in given })
        for scalar in marked.unicodeScalars {
            if scalar != mark { local.append(scalar) } else if local.last == " " { local.removeLast() }
        }
        return (text, String(local))
    }

    /// The zone of the fields below. Times of each day stay where they are in UTC when clocks are put forward or back.
    func zoneHint(daily: Bool = false) -> HTML {
        let here = t("venue.here", ["now": "@now@"]) + (daily ? " " + t("venue.here-daily") : "")
        return el(
            .p, .class("hint"), .here(here),
            text: timeIsKnown ? t("venue.utc", ["now": clock(now)]) : t("venue.utc-unknown"))
    }

    /// A sentence with a moment, as an element of its own.
    func momentText(_ tag: Tag, _ key: StaticString, _ unixSeconds: Int64) -> HTML {
        el(
            tag, .here(t(key, ["moment": "@\(Self.isoMoment(unixSeconds))@"])),
            text: t(key, ["moment": moment(unixSeconds)]))
    }

    /// The time of an event or of a visit.
    func spanElement(_ tag: Tag = .span, _ attribute: Attribute? = nil, from begin: Int64, to end: Int64) -> HTML {
        let here = t("venue.span", ["from": "@\(Self.isoMoment(begin))@", "to": "@\(Self.isoMoment(end))@"])
        return el(tag, attribute, .here(here), text: span(from: begin, to: end))
    }
}

extension Field {
    /// A field for a date or a time of the day, whose label has the mark `{zone}`.
    ///
    /// - Parameter time: For a date, the name of the field with its time in the same form; `nil` for a time that belongs to a date; empty for a time of each day.
    static func zoned(
        _ name: String, _ label: StaticString, _ context: PageContext, hint: String? = nil, error: String? = nil,
        value: String?, type: Attribute.InputType, time: String? = nil, _ more: Attribute?..., isRequired: Bool = false
    ) -> HTML {
        let words = context.zoned(label)
        return line(
            name, words.utc, here: words.here, hint: hint, error: error, value: value, type: type,
            [.autocomplete("off"), time.map { .inUTC(with: $0) }] + more, isRequired: isRequired)
    }
}
