// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import Interfaces
public import SelfCheck

extension TechnicianPages {
    /// Makes the page `/tech/time`: the time, the reason to believe it, and a form to set it. Cannot fail.
    /// - Parameters:
    ///   - time: The core's answer about the time; `nil` if it does not answer.
    ///   - found: The findings of the self-check, of which those about the time are shown.
    ///   - fault: Whether the entry just now was not a valid time.
    public static func time(_ time: Device1.Time?, found: [Found], fault: Bool = false, _ context: PageContext) -> Page {
        page(.time, context, lead: context.t("tech.time.lead")) {
            Part.section("now", context.t("tech.time.now")) {
                if let time {
                    el(.p) {
                        Part.badge(time.state == .authenticated ? .calm : .heed, context.t(.timeState, time.state.rawValue))
                    }
                    Part.facts([
                        (
                            context.t("tech.time.utc"),
                            time.now.map {
                                HTML(
                                    context.longDay(dayNumber(of: $0 / 1_000)) + ", " + context.clock($0 / 1_000)
                                        + " UTC")
                            }
                                ?? HTML(context.t("tech.time.unknown"))
                        ),
                        (
                            context.t("tech.time.uncertainty"),
                            HTML(time.uncertainty.map { "\u{B1} " + context.span($0) } ?? context.t("tech.none"))
                        ),
                    ])
                    Part.english(time.sentence, in: context)
                } else {
                    el(.p, text: context.t("tech.nothing"))
                }
            }
            Part.section("set", context.t("tech.time.set")) {
                el(.p, text: context.t("tech.time.set-lead"))
                if fault { Part.note(.warm, context.t("tech.time.fault")) }
                technicianOnly(context) {
                    context.form(.setTime, to: ["tech", "time"]) {
                        el(
                            .p, .class("hint"), .here(context.t("venue.here", ["now": "@now@"])),
                            text: context.t("tech.time.set-zone"))
                        Field.zoned(
                            "date", "tech.time.date", context, hint: context.t("tech.time.date-hint"),
                            value: context.timeIsKnown ? UTCDay(containing: context.now).date.isoText : nil, type: .date,
                            time: "time", isRequired: true)
                        Field.zoned(
                            "time", "tech.time.time", context, hint: context.t("tech.time.time-hint"), value: nil,
                            type: .time, .step("1"), isRequired: true)
                        Field.submit(context.t("tech.time.do"))
                    }
                }
            }
            findings(found.filter { $0.finding.area == .time }, isKnown: time != nil, context)
        }
    }

    /// Makes the page `/tech/sync`: the freshness of each source, and a button to fetch now. Cannot fail.
    /// - Parameters:
    ///   - freshness: The sync plugin's answer; `nil` if it does not answer.
    ///   - found: The findings of the self-check, of which those about the sync are shown.
    public static func sync(_ freshness: Sync1.Freshness?, found: [Found], _ context: PageContext) -> Page {
        page(.sync, context, lead: context.t("tech.sync.lead")) {
            el(.div, .live("sync"), .polite) { syncNow(freshness, context) }
            technicianOnly(context) { context.buttonForm(.syncNow, to: ["tech", "sync"], context.t("tech.sync.now")) }
            findings(found.filter { $0.finding.area == .sync }, isKnown: freshness != nil, context)
        }
    }

    /// Returns the state part of ``sync(_:found:_:)`` as markup in UTF-8, for a live event named `sync`. `freshness` is
    /// `nil` if the sync plugin does not answer.
    public static func syncFragment(_ freshness: Sync1.Freshness?, _ context: PageContext) -> [UInt8] {
        Array(syncNow(freshness, context).markup.utf8)
    }

    @HTMLBuilder private static func syncNow(_ freshness: Sync1.Freshness?, _ context: PageContext) -> HTML {
        if let freshness {
            Part.section("state", context.t("tech.sync.state")) {
                Part.facts([
                    (context.t("tech.sync.running"), word(freshness.running, context)),
                    (
                        context.t("tech.sync.next"),
                        HTML(freshness.secondsToNext.map(context.span) ?? context.t("tech.none"))
                    ),
                    (context.t("tech.sync.window"), HTML(freshness.wakeWindow.map(context.span) ?? context.t("tech.none"))),
                    (
                        context.t("tech.sync.offset"),
                        HTML(freshness.clockOffset.map { context.number($0) + "\u{A0}s" } ?? context.t("tech.none"))
                    ),
                ])
            }
            freshness.sources.enumerated().map { index, source in sourceCard(index, source, context) }
        } else {
            Part.note(.heed, context.t("tech.nothing"))
        }
    }

    private static func sourceCard(_ index: Int, _ source: Sync1.Source, _ context: PageContext) -> HTML {
        el(.section, .class("card"), .labelledBy("source-\(index)")) {
            el(.h2, .id("source-\(index)")) { Part.foreign(source.name) }
            el(.p) {
                Part.badge(
                    source.problem == nil ? .calm : .heed,
                    context.t(source.problem == nil ? "tech.sync.fine" : "tech.sync.trouble"))
            }
            if let problem = source.problem { Part.english(problem, in: context) }
            Part.facts([
                (context.t("tech.sync.how"), HTML(context.t(.sourceKind, source.kind.rawValue))),
                (context.t("tech.sync.newest"), HTML(source.newestEnd.map(context.ago) ?? context.t("tech.never"))),
                (context.t("tech.sync.attempt"), HTML(source.lastAttempt.map(context.ago) ?? context.t("tech.never"))),
                (context.t("tech.sync.success"), HTML(source.lastSuccess.map(context.ago) ?? context.t("tech.never"))),
                (context.t("tech.sync.missing"), HTML(context.number(source.missingCount))),
                (context.t("tech.sync.packages"), HTML(context.number(source.packageCount))),
                (context.t("tech.sync.bytes"), HTML(context.bytes(UInt64(max(0, source.byteCount))))),
            ])
            if !source.faults.isEmpty {
                Part.table(
                    context.t("tech.sync.faults"), columns: [context.t("tech.sync.fault"), context.t("tech.radio.count")],
                    rows: source.faults.sorted { $0.key < $1.key }.map {
                        [el(.code, text: $0.key), HTML(context.number($0.value))]
                    })
            }
        }
    }

    /// Makes the page `/tech/storage`: the number of stored days, the bytes written, current problems, and damage. Cannot
    /// fail.
    /// - Parameter storage: The core's answer about its storage; `nil` if it does not answer.
    public static func storage(_ storage: Device1.Storage?, _ context: PageContext) -> Page {
        page(.storage, context, lead: context.t("tech.storage.lead")) {
            if let storage {
                if let problem = storage.problem {
                    Part.note(.warm) {
                        el(.p, text: context.t("tech.storage.problem"))
                        Part.english(problem, in: context)
                    }
                }
                Part.section("disk", context.t("tech.storage.disk")) {
                    Part.facts(
                        [
                            (context.t("tech.storage.days"), HTML(context.number(storage.dayCount))),
                            (context.t("tech.storage.written"), HTML(context.bytes(storage.writtenByteCount))),
                        ]
                            + (storage.freeByteCount.map { [(context.t("tech.storage.free"), HTML(context.bytes($0)))] }
                                ?? []))
                    el(.p, .class("small"), text: context.t("tech.storage.wear"))
                }
                life(storage, context)
                Part.section("damage", context.t("tech.storage.findings")) {
                    if storage.findings.isEmpty {
                        el(.p, text: context.t("tech.storage.none"))
                    } else {
                        el(.ul) { storage.findings.map { finding in el(.li, .lang("en"), text: finding) } }
                    }
                }
            } else {
                Part.note(.heed, context.t("tech.nothing"))
            }
        }
    }

    /// Makes the page `/tech/audit`: the audit log's entries, newest first, and its state. Cannot fail.
    /// - Parameter audit: The newest entries, oldest first; `nil` if the core does not answer.
    public static func audit(_ audit: Device1.AuditReply?, _ context: PageContext) -> Page {
        page(.audit, context, lead: context.t("tech.audit.lead")) {
            if let audit {
                el(.p) { Part.badge(audit.intact ? .calm : .warm, context.t(audit.intact ? "data.intact" : "data.broken")) }
                Part.table(
                    context.t("tech.audit.table"),
                    columns: [
                        "#", context.t("data.when"), context.t("data.what"), context.t("data.by"),
                        context.t("tech.audit.details"),
                    ],
                    rows: audit.entries.reversed().map { entry in
                        [
                            HTML("\(entry.sequence)"),
                            entry.time.map { context.momentElement($0) } ?? HTML(context.t("data.no-time")),
                            HTML([HTML(WearerPages.auditText(entry, context) + " "), el(.code, text: entry.kind)]),
                            WearerPages.auditActor(entry, context),
                            el(.ul, .class("bare")) {
                                entry.details.sorted { $0.key < $1.key }.map { detail in
                                    el(.li) { Part.foreign(detail.key + ": " + detail.value) }
                                }
                            },
                        ]
                    })
                if audit.droppedCount > 0 {
                    el(.p, .class("small"), text: context.t("data.dropped", counting: audit.droppedCount))
                }
            } else {
                Part.note(.heed, context.t("tech.nothing"))
            }
        }
    }

    /// The content of `/tech/log`: lines of the log, and the filter that chose them.
    public struct Log: Sendable {
        /// The newest lines that fit the filter, oldest first; empty if there are none.
        public var lines: [Technician1.LogLine]
        /// The number of older lines that are no longer stored, 0 or more.
        public var droppedCount: Int64
        /// The names of the processes that can be chosen, in this order.
        public var processes: [String]
        /// The process whose lines are shown; `nil` for all.
        public var process: String?
        /// The lowest level of the lines that are shown, by `GetLog`'s names of levels; `nil` for all levels.
        public var level: String?

        /// Creates the content of these values, unchecked.
        ///
        /// - Parameters:
        ///   - lines: The lines, oldest first.
        ///   - process: The process whose lines are shown; `nil` for all.
        ///   - level: The lowest level; `nil` for all levels.
        public init(
            lines: [Technician1.LogLine], droppedCount: Int64, processes: [String], process: String?, level: String?
        ) {
            self.lines = lines
            self.droppedCount = droppedCount
            self.processes = processes
            self.process = process
            self.level = level
        }
    }

    /// Makes the page `/tech/log?process=…&level=…`: lines of the log, and a link to download `/tech/log.txt` with the same
    /// filter. Cannot fail.
    /// - Parameter model: The content; `nil` if the core does not answer.
    public static func log(_ model: Log?, _ context: PageContext) -> Page {
        page(.log, context, lead: context.t("tech.log.lead")) {
            if let model {
                el(.form, .get, .action(Link("/tech/log")), .class("card filter")) {
                    Field.choice(
                        "process", context.t("tech.log.process"),
                        options: [("", context.t("tech.log.all"))] + model.processes.map { ($0, $0) },
                        selected: model.process ?? "")
                    Field.choice(
                        "level", context.t("tech.log.level-label"),
                        options: TextFamily.level.members.map { ($0, context.t(.level, $0)) },
                        selected: model.level ?? "info")
                    Field.submit(context.t("tech.log.filter"), class: "button plain")
                }
                if model.lines.isEmpty {
                    el(.p, text: context.t("tech.log.none"))
                } else {
                    Part.table(
                        context.t("tech.log.table"),
                        columns: [
                            context.t("tech.log.time"), context.t("tech.log.process"), context.t("tech.log.severity"),
                            context.t("tech.log.text"),
                        ],
                        rows: model.lines.reversed().map { line in
                            [
                                el(
                                    .time, .datetime(PageContext.isoMoment(line.time / 1_000)), .localTime,
                                    text: context.clock(line.time / 1_000)),
                                Part.foreign(line.process), HTML(context.known(.level, line.level) ?? line.level),
                                el(.bdi, .lang("en"), text: line.text),
                            ]
                        })
                }
                if model.droppedCount > 0 {
                    el(.p, .class("small"), text: context.t("tech.log.dropped", counting: model.droppedCount))
                }
                el(.p, .class("actions")) {
                    el(
                        .a, .class("button plain"),
                        .href(
                            Link(
                                page: ["tech", "log.txt"],
                                query: [("process", model.process), ("level", model.level)].compactMap { name, value in
                                    value.map { (name, $0) }
                                })),
                        .download
                    ) {
                        Icon.download.html
                        el(.span, text: context.t("tech.log.download"))
                    }
                    el(.a, .class("button plain"), .href(Link("/tech/bundle.json")), .download) {
                        Icon.download.html
                        el(.span, text: context.t("tech.log.bundle"))
                    }
                }
                el(.p, .class("small"), text: context.t("tech.log.bundle-note"))
            } else {
                Part.note(.heed, context.t("tech.nothing"))
            }
        }
    }

    /// Makes the page `/tech/reboot`: a button to restart the board, and the consequences. Cannot fail.
    public static func reboot(_ context: PageContext) -> Page {
        page(.reboot, context, lead: context.t("tech.reboot.lead")) {
            Part.section("do", context.t("tech.reboot.title")) {
                el(.p, text: context.t("tech.reboot.what"))
                technicianOnly(context) {
                    context.form(.reboot, to: ["tech", "reboot"]) { Field.submit(context.t("tech.reboot.do")) }
                }
            }
        }
    }

    /// Makes the page that answers ``FormAction/reboot``: what happens next, and how long to wait. Cannot fail.
    public static func rebooting(_ context: PageContext) -> Page {
        page(.reboot, context, lead: context.t("tech.reboot.now")) {
            Part.note(.heed, context.t("tech.reboot.wait"))
            Part.onward(Link("/tech"), context.t("tech.reboot.back"))
        }
    }

    /// Makes the page `/tech/update`: the version, and the functions that do not exist yet. Cannot fail.
    /// - Parameter version: The version of the board's software, from the core; `nil` if it is not known.
    public static func update(version: String?, _ context: PageContext) -> Page {
        page(.update, context, lead: context.t("tech.update.lead")) {
            if let version { Part.section("version", context.t("tech.version")) { el(.p) { el(.code, text: version) } } }
            Part.section("missing", context.t("tech.not-yet")) {
                Part.list(TextFamily.updateMissing.members.map { context.t(.updateMissing, $0) })
            }
        }
    }

    /// Makes the page `/tech/identity`: the functions that do not exist yet. Cannot fail.
    public static func identity(_ context: PageContext) -> Page {
        page(.identity, context, lead: context.t("tech.identity.lead")) {
            Part.section("missing", context.t("tech.not-yet")) {
                Part.list(TextFamily.identityMissing.members.map { context.t(.identityMissing, $0) })
            }
        }
    }
}
