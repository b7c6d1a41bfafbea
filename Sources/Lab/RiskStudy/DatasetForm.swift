// SPDX-License-Identifier: Apache-2.0

import ExposureRisk
import GAEN
import JSON
import Matching
import RiskConfiguration

/// How a dataset is written: reader, writer and published schema at once.
enum DatasetForm {
    /// Most of each; half an hour has ten scans, a day of one key 48 windows.
    static let cases = 0...20_000
    static let windows = 0...2_000
    static let scans = 0...200
    static let seconds = 0...86_400

    private struct Draft: Sendable {
        var format = StudyDataset.format
        var about: String?
        var licence: String?
        var cases: [StudyCase] = []
    }

    static let document = Form.object(
        Draft(),
        [
            .unused("$schema", Form<String>.words(0...500), "Where this schema lies; for editors."),
            .required("format", \.format, .word([(StudyDataset.format, StudyDataset.format)]), "The format's name."),
            .maybe("about", \.about, .words(1...1_000), "What this is and where it comes from."),
            .maybe("licence", \.licence, .words(1...200), "Under what licence others may use it, such as CC0-1.0."),
            .required("cases", \.cases, named, "What is judged together, each with a name of its own."),
        ]
    ).mapped(
        to: { draft, _, _ in StudyDataset(about: draft.about, licence: draft.licence, cases: draft.cases) },
        from: { Draft(about: $0.about, licence: $0.licence, cases: $0.cases) }, standIn: StudyDataset(cases: []))

    private static let named = Form.list(oneCase, cases).mapped(
        to: { cases, path, problems in
            var seen: Set<String> = []
            for (index, one) in cases.enumerated() where !one.name.isEmpty && !seen.insert(one.name).inserted {
                problems.report(path.index(index).field("name"), "another case has this name: give each its own")
            }
            return cases
        }, from: { $0 }, standIn: [])

    private static let oneCase = Form.object(
        StudyCase(name: ""),
        [
            .required("name", \.name, .words(1...120), "Unique in the dataset; nobody's name."),
            .maybe("truth", \.truth, truth, "What is known by other means than radio."),
            .required("windows", \.windows, .list(window, windows), "Exposure windows, in any order."),
            .maybe(
                "exposures", \.exposures, .list(exposure, windows),
                "For models of the first generation; if not given, made from the windows with a transmissionRiskLevel."),
        ])

    private static let truth = Form.object(
        StudyTruth(),
        [
            .maybe("metres", \.metres, .number(0...1_000), "How near."),
            .maybe("minutes", \.minutes, .number(0...100_000), "For how long within that distance."),
            .maybe("geometry", \.geometry, .words(1...300), "The same in words."),
            .maybe(
                "expected", \.expected, .word([("low", .low), ("increased", .increased)]), "What a model should say."),
        ])

    private static let day = Form<Int>.integer(StudyDataset.days)
    private static let dayNote = "Days from the study's day 0; never a date."
    private static let attenuation = Form<Int>.integer(0...255)

    private static let confidence = Form.word([
        ("lowest", CalibrationConfidence.lowest), ("low", .low), ("medium", .medium), ("high", .high),
    ])

    private static let reportType = Form.word([
        ("confirmedTest", ReportType.confirmedTest), ("clinicalDiagnosis", .clinicalDiagnosis),
        ("selfReport", .selfReport), ("unknown", .unknown), ("recursive", .recursive), ("revoked", .revoked),
    ])

    private static let infectiousness = Form.word([
        ("none", Infectiousness.none), ("standard", .standard), ("high", .high),
    ])

    private static let window: Form<StudyWindow> = {
        let empty = StudyWindow(day: 0, reportType: .confirmedTest, calibrationConfidence: .lowest, scanInstances: [])
        let fields = Form.object(
            empty,
            [
                .required("day", \.day, day, dayNote),
                .required("reportType", \.reportType, reportType, "How the diagnosis was made."),
                .maybe("infectiousness", \.infectiousness, infectiousness, "Instead of daysSinceOnset."),
                .maybe(
                    "daysSinceOnset", \.daysSinceOnset, .integer(-14...14),
                    "The configuration's mapping makes infectiousness of it, or of a missing one."),
                .maybe("transmissionRiskLevel", \.transmissionRiskLevel, .integer(1...8), "First generation only."),
                .required(
                    "calibrationConfidence", \.calibrationConfidence, confidence,
                    "How well the other device knows its own loudness."),
                .required("scanInstances", \.scanInstances, .list(scan, scans), "In the order in which they were made."),
            ])
        var schema = fields.schema
        schema["oneOf"] = [
            ["properties": ["infectiousness": false]],
            ["required": ["infectiousness"], "properties": ["daysSinceOnset": false]],
        ]
        return Form(
            schema, standIn: empty,
            read: { json, path, problems in
                let window = fields.read(json, path, &problems)
                if json["infectiousness"] != nil, json["daysSinceOnset"] != nil {
                    problems.report(
                        path.field("daysSinceOnset"), "infectiousness is there already: give one of the two")
                }
                return window
            }, write: { fields.write($0) })
    }()

    private struct ScanDraft: Sendable {
        var minimum = 0
        var typical = 0
        var seconds = 0
    }

    private static let scan = Form.object(
        ScanDraft(),
        [
            .required("minAttenuation", \.minimum, attenuation, "Smallest attenuation of the scan, dB."),
            .required("typicalAttenuation", \.typical, attenuation, "Mean attenuation of the scan, dB."),
            .required("secondsSinceLastScan", \.seconds, .integer(seconds), "Seconds that the scan stands for."),
        ]
    ).mapped(
        to: { draft, _, _ in
            ScanInstance(
                typicalAttenuation: draft.typical, minimumAttenuation: draft.minimum, secondsSinceLastScan: draft.seconds)
        },
        from: {
            ScanDraft(minimum: $0.minimumAttenuation, typical: $0.typicalAttenuation, seconds: $0.secondsSinceLastScan)
        }, standIn: ScanInstance(typicalAttenuation: 0, minimumAttenuation: 0, secondsSinceLastScan: 0))

    private static let exposure = Form.object(
        StudyExposure(day: 0, transmissionRiskLevel: 0, calibrationConfidence: .lowest, periods: []),
        [
            .required("day", \.day, day, dayNote),
            .required("transmissionRiskLevel", \.transmissionRiskLevel, .integer(0...8), "0 is unknown."),
            .optional(
                "calibrationConfidence", \.calibrationConfidence, confidence, "How well the loudness is known."),
            .required("periods", \.periods, .list(period, scans), "Time by attenuation."),
        ])

    private static let period = Form.object(
        StudyExposure.Period(attenuation: 0, seconds: 0),
        [
            .required("attenuation", \.attenuation, attenuation, "dB."),
            .required("seconds", \.seconds, .integer(seconds), "Seconds at that attenuation."),
        ])
}
