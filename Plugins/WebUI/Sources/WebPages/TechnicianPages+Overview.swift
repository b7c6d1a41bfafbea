// SPDX-License-Identifier: Apache-2.0

import Interfaces
public import SelfCheck

/// The technician's pages. ``PageContext/Reader/technicianReadOnly`` sees them without forms.
public enum TechnicianPages {
    static func page(
        _ area: TechnicianArea, _ context: PageContext, lead: String? = nil, title: String? = nil,
        @HTMLBuilder _ content: () -> HTML
    ) -> Page {
        let title = title ?? context.t(TechnicianArea.family, area.rawValue)
        return Layout(context: context).page(title: title, place: .tech(area)) {
            Part.head(title, lead: lead)
            content()
        }
    }

    /// A form for a technician who may change things; otherwise a sentence that says who may.
    static func technicianOnly(_ context: PageContext, @HTMLBuilder _ form: () -> HTML) -> HTML {
        context.reader == .technician ? form() : el(.p, .class("small"), text: context.t("tech.read-only"))
    }

    static func word(_ yes: Bool, _ context: PageContext) -> HTML {
        Part.badge(yes ? .calm : .still, context.t(yes ? "tech.yes" : "tech.no"))
    }

    /// Makes the page `/tech`: the state of the board at a glance, and the remedies. Cannot fail.
    /// - Parameters:
    ///   - inputs: The board's answers; nothing is shown for an answer that is `nil`.
    ///   - found: The findings of ``SelfCheck`` from `inputs`; all are shown.
    public static func overview(_ inputs: CheckInputs, found: [Found], _ context: PageContext) -> Page {
        page(.overview, context, lead: context.t("tech.overview.lead")) {
            if context.device == .place {
                Part.section("door", context.t("tech.overview.door")) {
                    el(.p, text: context.t("tech.overview.door-lead"))
                    Part.onward(Link("/tech/places"), context.t("places.title"))
                }
                if let status = inputs.status { power(status.enabled, context) }
            }
            el(.div, .live("overview"), .polite) { overviewFacts(inputs, context) }
            if context.device == .place, !found.isEmpty {
                Part.note(.still, context.t("tech.overview.operator"))
            }
            findings(found, isKnown: inputs.status != nil, context)
            Part.onward(Link("/tech/checks"), context.t("tech.overview.catalogue"))
        }
    }

    /// Whether a place sends and listens, and the way to change that: a place has no wearer to ask.
    private static func power(_ isOn: Bool, _ context: PageContext) -> HTML {
        Part.section("on", context.t("settings.on-title")) {
            el(.p) { Part.badge(isOn ? .calm : .still, context.t(isOn ? "settings.is-on" : "settings.is-off")) }
            el(.p, text: context.t(isOn ? "tech.overview.on" : "tech.overview.off"))
            technicianOnly(context) {
                context.form(isOn ? .disable : .enable, to: ["tech"]) {
                    Field.submit(
                        context.t(isOn ? "off.do" : "settings.enable"), class: isOn ? "button plain" : "button")
                }
            }
        }
    }

    /// Returns the facts of ``overview(_:found:_:)``, without the findings, as markup in UTF-8, for a live event named
    /// `overview`. Nothing is shown for an answer in `inputs` that is `nil`.
    public static func overviewFragment(_ inputs: CheckInputs, _ context: PageContext) -> [UInt8] {
        Array(overviewFacts(inputs, context).markup.utf8)
    }

    private static func overviewFacts(_ inputs: CheckInputs, _ context: PageContext) -> HTML {
        var facts: [(String, HTML)] = []
        if let status = inputs.status {
            facts.append(
                (
                    context.t("tech.state"),
                    Part.badge(status.state == .active ? .calm : .heed, context.t(.statusState, status.state.rawValue))
                ))
        }
        if let radio = inputs.radio {
            facts.append((context.t("tech.radio.on-air"), word(radio.onAir, context)))
            facts.append((context.t("tech.radio.scans"), HTML(context.number(radio.scanCount))))
        }
        if let time = inputs.time {
            facts.append(
                (
                    context.t("tech.area.time"),
                    Part.badge(time.state == .authenticated ? .calm : .heed, context.t(.timeState, time.state.rawValue))
                ))
        }
        if let newest = inputs.freshness?.sources.filter({ $0.kind != .folder }).compactMap(\.newestEnd).min() {
            facts.append((context.t("tech.sync.newest"), HTML(context.ago(newest))))
        }
        if let battery = inputs.processes?.battery {
            facts.append((context.t("tech.battery"), Self.battery(battery, context)))
        }
        if let processes = inputs.processes {
            facts.append((context.t("tech.version"), Part.foreign(processes.version)))
            if let version = inputs.configuration?.version {
                // Not as a number with separators: it is a name.
                facts.append((context.t("tech.configuration"), HTML("\(version)")))
            }
            let running = processes.processes.filter { $0.state == .running }.count
            // One that is started when it is needed lacks nothing.
            let wanted = processes.processes.filter { $0.state != .waiting }.count
            facts.append(
                (
                    context.t("tech.running"),
                    HTML("\(context.number(running)) / \(context.number(wanted))")
                ))
        }
        return Part.section("facts", context.t("tech.overview.now")) {
            if facts.isEmpty { el(.p, text: context.t("tech.nothing")) } else { Part.facts(facts, class: "facts tiles") }
        }
    }

    /// `57 %, charging`: what the gauge says.
    private static func battery(_ battery: Technician1.Battery, _ context: PageContext) -> HTML {
        var words: [String] = []
        if let percent = battery.percent { words.append("\(context.number(percent)) %") }
        if battery.percent == nil, let voltage = battery.voltage { words.append("\(context.number(voltage)) mV") }
        if let powered = battery.powered {
            words.append(context.t(powered ? "tech.battery.powered" : "tech.battery.off"))
        }
        return Part.badge(battery.low ? .heed : .calm, words.joined(separator: ", "))
    }

    /// `isKnown`: whether the board has answered what the findings are about; without an answer none is no good sign.
    static func findings(_ found: [Found], isKnown: Bool, _ context: PageContext) -> HTML {
        Part.section("findings", context.t("tech.findings"), class: "plain") {
            if found.isEmpty {
                Part.note(isKnown ? .calm : .heed, context.t(isKnown ? "tech.no-findings" : "tech.not-checked"))
            } else {
                found.enumerated().map { index, one in finding(index, one, context) }
            }
        }
    }

    private static func finding(_ index: Int, _ found: Found, _ context: PageContext) -> HTML {
        let finding = found.finding
        return el(
            .article, .class("card finding " + tone(finding.severity).rawValue + "-edge"), .labelledBy("finding-\(index)")
        ) {
            el(.p) { Part.badge(tone(finding.severity), context.t(.severity, finding.severity.rawValue)) }
            el(.h3, .id("finding-\(index)")) {
                context.t(.findingTitle, finding.rawValue)
                if let name = found.name {
                    ": "
                    Part.foreign(name)
                }
            }
            el(.p, text: context.t(.findingMeaning, finding.rawValue))
            el(.p) {
                el(.strong, text: context.t("tech.fix") + " ")
                context.t(.findingFix, finding.rawValue)
            }
            if let detail = found.detail { Part.english(detail, in: context) }
            el(.div, .class("actions")) {
                if context.reader == .technician, let fix = finding.fix(about: found.name) {
                    context.buttonForm(fix.action, to: fix.path, context.t(fixText(fix.action)), class: "button small")
                }
                if finding.area != .overview {
                    Part.link(
                        finding.area.link, context.t(TechnicianArea.family, finding.area.rawValue),
                        class: "button plain small")
                }
                el(.code, text: finding.rawValue)
            }
        }
    }

    private static func fixText(_ action: FormAction) -> StaticString {
        switch action {
        case .syncNow: "tech.sync.now"
        case .restartPlugin: "tech.plugin.restart"
        case .enablePlugin: "tech.plugin.enable"
        case .confirmNetwork: "tech.network.confirm"
        default: "tech.reboot.do"
        }
    }

    static func tone(_ severity: Severity) -> Tone {
        switch severity {
        case .serious: .warm
        case .attention: .heed
        case .hint: .still
        }
    }

    /// Makes the page `/tech/checks`: the whole catalogue of findings; those of `found` come first, the most serious before
    /// the others. Cannot fail.
    ///
    /// - Parameter isKnown: Whether the board has answered; if not, what was not found is not called fine.
    public static func checks(found: [Found], isKnown: Bool = true, _ context: PageContext) -> Page {
        let present = Set(found.map(\.finding))
        let order = Finding.allCases.enumerated().sorted { left, right in
            func rank(_ entry: (offset: Int, element: Finding)) -> (Int, Int, Int) {
                guard present.contains(entry.element) else { return (1, 0, entry.offset) }
                return (0, Severity.allCases.firstIndex(of: entry.element.severity) ?? 0, entry.offset)
            }
            return rank(left) < rank(right)
        }.map(\.element)
        return checksPage(order, present, isKnown: isKnown, context)
    }

    private static func checksPage(
        _ order: [Finding], _ present: Set<Finding>, isKnown: Bool, _ context: PageContext
    ) -> Page {
        page(.checks, context, lead: context.t("tech.checks.lead")) {
            if !isKnown { Part.note(.heed, context.t("tech.not-checked")) }
            Part.table(
                context.t("tech.checks.table"),
                columns: [
                    context.t("tech.checks.id"), context.t("tech.checks.now"), context.t("tech.checks.weight"),
                    context.t("tech.checks.meaning"), context.t("tech.checks.fix"),
                ],
                rows: order.map { finding in
                    let isFound = present.contains(finding)
                    return [
                        HTML([
                            HTML(context.t(.findingTitle, finding.rawValue) + " "), el(.code, text: finding.rawValue),
                        ]),
                        Part.badge(
                            isFound ? tone(finding.severity) : isKnown ? .calm : .still,
                            context.t(isFound ? "tech.checks.found" : isKnown ? "tech.checks.fine" : "tech.time.unknown")),
                        HTML(context.t(.severity, finding.severity.rawValue)),
                        HTML(context.t(.findingMeaning, finding.rawValue)),
                        HTML(context.t(.findingFix, finding.rawValue)),
                    ]
                })
        }
    }
}
