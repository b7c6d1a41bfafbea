// SPDX-License-Identifier: Apache-2.0

public import Interfaces
public import SelfCheck

extension TechnicianPages {
    /// Makes the page `/tech/radio`: the state of the controller, and what was received by hour and by strength.
    /// Cannot fail.
    ///
    /// - Parameters:
    ///   - radio: The core's answer about the radio; `nil` if it does not answer.
    ///   - evidence: The hours of at least the last day, oldest first, of which the last 24 are shown.
    ///   - found: The findings of the self-check, of which those about the radio are shown.
    public static func radio(
        _ radio: Device1.Radio?, evidence: [Device1.EvidenceHour], found: [Found], _ context: PageContext
    ) -> Page {
        page(.radio, context, lead: context.t("tech.radio.lead")) {
            el(.div, .live("radio"), .polite) { radioNow(radio, context) }
            heardPerHour(evidence, context)
            if let radio { strengths(radio, context) }
            if let radio { ladder(radio, context) }
            findings(found.filter { $0.finding.area == .radio }, isKnown: radio != nil, context)
        }
    }

    /// Returns the state part of ``radio(_:evidence:found:_:)`` as markup in UTF-8, for a live event named `radio`. `radio`
    /// is `nil` if the core does not answer.
    public static func radioFragment(_ radio: Device1.Radio?, _ context: PageContext) -> [UInt8] {
        Array(radioNow(radio, context).markup.utf8)
    }

    private static func radioNow(_ radio: Device1.Radio?, _ context: PageContext) -> HTML {
        Part.section("now", context.t("tech.radio.now")) {
            if let radio {
                Part.facts(
                    [
                        (context.t("tech.radio.on-air"), word(radio.onAir, context)),
                        (context.t("tech.radio.scanning"), word(radio.scanning, context)),
                        (
                            context.t("tech.radio.controller"),
                            radio.controller.map(Part.foreign) ?? HTML(context.t("tech.none"))
                        ),
                        (context.t("tech.radio.transport"), Part.foreign(radio.transport)),
                        (context.t("tech.radio.slices"), word(radio.timeSlices, context)),
                        (
                            context.t("tech.radio.next"),
                            HTML(radio.secondsToRotation.map(context.span) ?? context.t("tech.none"))
                        ),
                        (
                            context.t("tech.radio.late"),
                            HTML(context.t("tech.milliseconds", ["n": context.number(radio.worstRotationLateness)]))
                        ),
                        (context.t("tech.radio.rotations"), HTML(context.number(radio.rotationCount))),
                        (context.t("tech.radio.scans"), HTML(context.number(radio.scanCount))),
                        (context.t("tech.radio.quiet"), HTML(context.number(radio.quietScanCount))),
                        (context.t("tech.radio.lost"), HTML(context.number(radio.lostScanCount))),
                        (context.t("tech.radio.reports"), HTML(context.number(radio.reportCount))),
                        (context.t("tech.radio.ours"), HTML(context.number(radio.exposureNotificationCount))),
                        (context.t("tech.radio.senders"), HTML(context.number(radio.lastScanSenderCount))),
                    ], class: "facts tiles")
                if let problem = radio.transportProblem { Part.english(problem, in: context) }
            } else {
                el(.p, text: context.t("tech.nothing"))
            }
        }
    }

    private static func heardPerHour(_ evidence: [Device1.EvidenceHour], _ context: PageContext) -> HTML {
        let hours = Array(evidence.suffix(24))
        return Part.section("hours", context.t("tech.radio.hours")) {
            if hours.isEmpty {
                el(.p, text: context.t("tech.nothing"))
            } else {
                BarChart(
                    id: "hours-chart", title: context.t("tech.radio.hours"),
                    description: context.t("tech.radio.hours-text"),
                    bars: hours.map {
                        BarChart.Bar(label: "\($0.start / 3_600 % 24)", value: Double($0.storedSenderCount), style: .accent)
                    }, labelEvery: 4
                ).html
                el(.details) {
                    el(.summary, text: context.t("tech.as-table"))
                    Part.table(
                        context.t("tech.radio.hours"),
                        columns: [
                            context.t("proof.hour"), context.t("tech.radio.stored"), context.t("tech.radio.scans"),
                            context.t("tech.radio.quiet"),
                            context.t("tech.radio.trouble"),
                        ],
                        rows: hours.reversed().map {
                            [
                                HTML(context.moment($0.start)), HTML(context.number($0.storedSenderCount)),
                                HTML(context.number($0.scanCount)),
                                HTML(context.number($0.quietScanCount)), HTML(context.number($0.troubleCount)),
                            ]
                        }, captionIsHidden: true)
                }
            }
        }
    }

    private static func strengths(_ radio: Device1.Radio, _ context: PageContext) -> HTML {
        Part.section("strengths", context.t("tech.radio.strengths")) {
            el(.p, text: context.t("tech.radio.strengths-lead"))
            BarChart(
                id: "strength-chart", title: context.t("tech.radio.strengths"),
                description: context.t("tech.radio.strengths-text"),
                bars: radio.rssiHistogram.enumerated().map { index, count in
                    BarChart.Bar(label: "\(-110 + 5 * (index - 1))", value: Double(count), style: .accent)
                }, labelEvery: 4
            ).html
            el(.details) {
                el(.summary, text: context.t("tech.as-table"))
                Part.table(
                    context.t("tech.radio.strengths"),
                    columns: [context.t("tech.radio.from"), context.t("tech.radio.count")],
                    rows: radio.rssiHistogram.enumerated().map { index, count in
                        [
                            HTML(
                                index == 0 ? "< \u{2212}110 dBm" : "\u{2265} \(context.number(-110 + 5 * (index - 1))) dBm"),
                            HTML(context.number(count)),
                        ]
                    }, captionIsHidden: true, isNarrow: true)
            }
        }
    }

    private static func ladder(_ radio: Device1.Radio, _ context: PageContext) -> HTML {
        Part.section("ladder", context.t("tech.radio.ladder")) {
            el(.p, text: context.t("tech.radio.ladder-lead"))
            if radio.ladder.isEmpty {
                el(.p, text: context.t("tech.radio.ladder-none"))
            } else {
                Part.table(
                    context.t("tech.radio.ladder"), columns: [context.t("tech.radio.step"), context.t("tech.radio.count")],
                    rows: radio.ladder.sorted { $0.key < $1.key }.map {
                        [el(.code, text: $0.key), HTML(context.number($0.value))]
                    },
                    captionIsHidden: true, isNarrow: true)
            }
            if let trouble = radio.lastTrouble { Part.english(trouble, in: context) }
        }
    }

    /// Makes the page `/tech/calibration`: the correction of this board's receiver, measured with another device at a
    /// distance of one metre. Cannot fail.
    /// - Parameters:
    ///   - reply: The correction in force, and the last measurement; `nil` if the core does not answer.
    ///   - fault: Whether the entry just now was not valid.
    public static func calibration(_ reply: Device1.MeasurementReply?, fault: Bool = false, _ context: PageContext) -> Page
    {
        page(.calibration, context, lead: context.t("tech.calibration.lead")) {
            Part.section("steps", context.t("tech.calibration.steps")) {
                Part.list(
                    TextFamily.calibrationStep.members.map { context.t(.calibrationStep, $0) }, class: "story",
                    numbered: true)
                if fault { Part.note(.warm, context.t("tech.calibration.fault")) }
                technicianOnly(context) {
                    context.form(.measure, to: ["tech", "calibration"]) {
                        Field.line(
                            "reference", context.t("tech.calibration.reference"),
                            hint: context.t("tech.calibration.reference-hint"), value: "-55",
                            type: .number, .min("-90"), .max("-30"), isRequired: true)
                        Field.line(
                            "seconds", context.t("tech.calibration.seconds"), value: "60", type: .number, .min("10"),
                            .max("120"), isRequired: true)
                        Field.submit(context.t("tech.calibration.start"))
                    }
                }
            }
            el(.div, .live("calibration"), .polite) { measurement(reply, context) }
            if let reply {
                Part.section("correction", context.t("tech.calibration.correction")) {
                    el(.p, text: context.t("tech.calibration.holds", ["n": context.number(reply.correction)]))
                    technicianOnly(context) {
                        context.form(.setCorrection, to: ["tech", "calibration"]) {
                            Field.line(
                                "correction", context.t("tech.calibration.set-label"),
                                value: "\(reply.measurement?.proposal ?? reply.correction)",
                                type: .number, .min("-30"), .max("30"), isRequired: true)
                            Field.submit(context.t("tech.calibration.set"))
                        }
                        context.buttonForm(
                            .clearCorrection, to: ["tech", "calibration"], context.t("tech.calibration.clear"),
                            class: "button plain")
                    }
                }
            }
        }
    }

    /// Returns the measurement of ``calibration(_:fault:_:)`` as markup in UTF-8, for a live event named `calibration`.
    /// `reply` is `nil` if the core does not answer.
    public static func calibrationFragment(_ reply: Device1.MeasurementReply?, _ context: PageContext) -> [UInt8] {
        Array(measurement(reply, context).markup.utf8)
    }

    private static func measurement(_ reply: Device1.MeasurementReply?, _ context: PageContext) -> HTML {
        Part.section("measurement", context.t("tech.calibration.measurement")) {
            if let measurement = reply?.measurement {
                if measurement.running {
                    Part.note(
                        .heed, context.t("tech.calibration.running", ["span": context.span(Int64(measurement.secondsLeft))])
                    )
                }
                Part.facts([
                    (context.t("tech.radio.count"), HTML(context.number(measurement.count))),
                    (
                        context.t("tech.calibration.median"),
                        HTML(measurement.median.map { "\(context.number($0)) dBm" } ?? context.t("tech.none"))
                    ),
                    (
                        context.t("tech.calibration.spread"),
                        HTML(measurement.spread.map { "\(context.number($0)) dB" } ?? context.t("tech.none"))
                    ),
                    (
                        context.t("tech.calibration.proposal"),
                        HTML(measurement.proposal.map { "\(context.number($0)) dB" } ?? context.t("tech.none"))
                    ),
                ])
                if !measurement.running, measurement.proposal == nil {
                    Part.note(.heed, context.t("tech.calibration.not-good"))
                }
            } else {
                el(.p, text: context.t("tech.calibration.none"))
            }
        }
    }
}
