// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// What a donation of now would hold, field by field in words.
extension WearerPages {
    static func previewPart(_ preview: Donation1.PreviewReply?, isExample: Bool, _ context: PageContext) -> HTML {
        Part.section("preview", context.t("donate.preview-title")) {
            if let preview {
                if isExample {
                    Part.note(.heed, context.t("donate.preview-example"))
                } else {
                    el(.p, text: context.t("donate.preview"))
                }
                Part.facts([
                    (context.t("donate.risk-title"), risk(preview, context)),
                    (
                        context.t("donate.encounters-title"),
                        HTML(
                            preview.count == 0
                                ? context.t("donate.encounters-none")
                                : context.t(
                                    isExample ? "donate.encounters-example" : "donate.encounters",
                                    counting: Int64(preview.count)))
                    ),
                    (
                        context.t("donate.device-title"),
                        HTML(context.t("donate.device"))
                    ),
                ])
                if !preview.windows.isEmpty { encounters(preview.windows, context) }
                if preview.count > preview.windows.count {
                    el(
                        .p, .class("small"),
                        text: context.t(
                            isExample ? "donate.more-example" : "donate.more",
                            counting: Int64(preview.count - preview.windows.count),
                            ["shown": context.number(preview.windows.count)]))
                }
            } else {
                el(.p, text: context.t(isExample ? "donate.no-preview" : "donate.no-preview-now"))
            }
        }
    }

    /// Both halves are said: what holds, and how likely it is that it is what is sent.
    @HTMLBuilder private static func risk(_ preview: Donation1.PreviewReply, _ context: PageContext) -> HTML {
        el(.p, text: context.t(.donationRisk, preview.isIncreased ? "increased" : "other"))
        el(.p, text: context.t("donate.truth", ["wrong": context.number(preview.oppositesInTenThousand)]))
        if preview.isAnswerAlmostCertain { el(.p, text: context.t("donate.truth-rare")) }
    }

    @HTMLBuilder private static func encounters(_ windows: [Donation1.Window], _ context: PageContext) -> HTML {
        Part.table(
            context.t("donate.table"),
            columns: [
                context.t("donate.day"), context.t("why.report-title"), context.t("why.infectious-title"),
                context.t("why.confidence-title"), context.t("donate.strength-title"),
            ],
            rows: windows.map { window in
                [
                    HTML(context.longDay(Int(clamping: window.day))),
                    HTML(context.t(.reportType, window.reportType.rawValue)),
                    HTML(context.t(.infectiousness, window.infectiousness.rawValue)),
                    HTML(context.t(.confidence, TextFamily.confidence.members[min(max(window.confidence, 0), 3)])),
                    Part.list(window.scans.map { scan($0, context) }),
                ]
            })
        el(.p, .class("small"), text: context.t("donate.strength"))
    }

    private static func scan(_ scan: Donation1.Scan, _ context: PageContext) -> String {
        context.t(
            "donate.scan",
            [
                "minutes": context.number(scan.minutes), "typical": context.number(scan.typical),
                "least": context.number(scan.least),
            ])
    }
}
