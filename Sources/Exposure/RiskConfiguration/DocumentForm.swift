// SPDX-License-Identifier: Apache-2.0

import CivilTime
import ExposureRisk
import GAEN
public import JSON

/// Vigil's own document.
enum DocumentForm {
    private struct Draft: Sendable {
        var format = 1
        var version: Int64 = 1
        var validFrom: Int64?
        var models: [RiskModelParameters] = []
        var mapping = DiagnosisKeyMapping.standard
        var service = RiskService.running
        /// `nil` is stated.
        var reportTypes: ReportTypeMeaning?
    }

    static let document = Form.object(
        Draft(),
        [
            .unused("$schema", schemaAddress, "Where this schema lies; for editors."),
            .required("vigilRisk", \.format, .integer(1...1), "The format's number."),
            .required("version", \.version, .integer(RiskConfiguration.versions), "Rises with every change."),
            .maybe(
                "validFrom", \.validFrom, .integer(0...253_402_300_799),
                "Unix seconds from which on it holds; at once if not given. Until then the one before it does."),
            .required("models", \.models, models, "In order of preference; the first whose input was published judges."),
            .required(
                "mapping", \.mapping, GAENForms.mapping(isComplete: true), "How what was published with a key is read."),
            .optional("service", \.service, service, "Whether the authority warns."),
            .maybe(
                "reportTypes", \.reportTypes, .word([("stated", .stated), ("codes", .codes)]),
                "codes: report types of keys stand for something else, and a revocation is believed whatever the type was. Otherwise: stated."
            ),
        ]
    ).mapped(
        to: { draft, _, _ in
            RiskConfiguration(
                version: draft.version, validFrom: draft.validFrom, models: draft.models, mapping: draft.mapping,
                service: draft.service, reportTypes: draft.reportTypes ?? .stated)
        },
        from: {
            Draft(
                version: $0.version, validFrom: $0.validFrom, models: $0.models, mapping: $0.mapping, service: $0.service,
                reportTypes: $0.reportTypes == .codes ? .codes : nil)
        },
        standIn: RiskConfiguration(version: 1, models: [], mapping: .standard))

    private static let schemaAddress = Form.words(0...500)

    // MARK: Models

    private static let models = Form.list(model, 1...RiskModelName.allCases.count).mapped(
        to: { models, path, problems in
            var seen: Set<RiskModelName> = []
            for (index, model) in models.enumerated() where !seen.insert(model.name).inserted {
                problems.report(path.index(index), "\(model.name.rawValue) is there already: the first always judges")
            }
            return models
        }, from: { $0 }, standIn: [])

    private static let dailySummaries = GAENForms.dailySummaries
    private static let cwaSecond = CWAForms.second(isComplete: true)

    /// `{"cwaSecond": {…}}`: the name of the model, and its parameters.
    private static let model: Form<RiskModelParameters> = {
        var properties = JSON.Object()
        for name in RiskModelName.allCases { properties[name.rawValue] = .object(shape(of: name)) }
        let schema: JSON.Object = [
            "type": "object", "additionalProperties": false, "minProperties": 1, "maxProperties": 1,
            "properties": .object(properties),
        ]
        let standIn = RiskModelParameters.cwaSecond(CWASecondParameters())
        return Form(schema, standIn: standIn) { json, path, problems in
            let names = RiskModelName.allCases.map(\.rawValue).joined(separator: ", ")
            guard let members = json.object?.members, members.count == 1, let member = members.first else {
                problems.report(path, "must be an object with one field, the name of a model: \(names)")
                return standIn
            }
            let inner = path.field(member.name)
            guard let name = RiskModelName(rawValue: member.name) else {
                problems.report(inner, "there is no such model; there are \(names)")
                return standIn
            }
            let parameters = parameters(of: name, member.value, inner, &problems)
            let places = Places.own(parameters)
            problems.report(parameters.problems) { inner.joined(places.place($0)) }
            return parameters
        } write: { parameters in
            .object([parameters.name.rawValue: write(parameters)])
        }
    }()

    private static func shape(of name: RiskModelName) -> JSON.Object {
        switch name {
        case .dailySummaries: dailySummaries.schema
        case .cwaFirst: CWAForms.first.schema
        case .cwaSecond: cwaSecond.schema
        case .nhsFirst: NHSForms.first.schema
        case .nhsSecond: NHSForms.second.schema
        case .swissCovid: SwissCovidForms.rule.schema
        }
    }

    private static func parameters(
        of name: RiskModelName, _ json: JSON, _ path: JSONPath, _ problems: inout ProblemList
    ) -> RiskModelParameters {
        switch name {
        case .dailySummaries: .dailySummaries(dailySummaries.read(json, path, &problems))
        case .cwaFirst: .cwaFirst(CWAForms.first.read(json, path, &problems))
        case .cwaSecond: .cwaSecond(cwaSecond.read(json, path, &problems))
        case .nhsFirst: .nhsFirst(NHSForms.first.read(json, path, &problems))
        case .nhsSecond: .nhsSecond(NHSForms.second.read(json, path, &problems))
        case .swissCovid: .swissCovid(SwissCovidForms.rule.read(json, path, &problems))
        }
    }

    private static func write(_ parameters: RiskModelParameters) -> JSON {
        switch parameters {
        case .dailySummaries(let parameters): dailySummaries.write(parameters)
        case .cwaFirst(let parameters): CWAForms.first.write(parameters)
        case .cwaSecond(let parameters): cwaSecond.write(parameters)
        case .nhsFirst(let parameters): NHSForms.first.write(parameters)
        case .nhsSecond(let parameters): NHSForms.second.write(parameters)
        case .swissCovid(let parameters): SwissCovidForms.rule.write(parameters)
        }
    }

    // MARK: Service

    private enum State: Sendable {
        case running, paused, ended
    }

    private struct ServiceDraft: Sendable {
        var state = State.running
        var eraseOn: CivilDate?
        var words: String?
    }

    private static let service: Form<RiskService> = {
        let fields = Form.object(
            ServiceDraft(),
            [
                .required(
                    "state", \.state, .word([("running", .running), ("paused", .paused), ("ended", .ended)]),
                    "paused: nothing is judged or told but this. ended: for good."),
                .maybe(
                    "eraseOn", \.eraseOn, date,
                    "With ended only: the day on which boards erase what they know of encounters."),
                .maybe("words", \.words, .words(1...500), "What people are told, with paused and ended."),
            ])
        var schema = fields.schema
        schema["oneOf"] = [
            ["properties": ["state": ["const": "running"], "eraseOn": false, "words": false]],
            ["properties": ["state": ["const": "paused"], "eraseOn": false]],
            ["properties": ["state": ["const": "ended"]], "required": ["eraseOn"]],
        ]
        return Form(schema, standIn: .running) { json, path, problems in
            let draft = fields.read(json, path, &problems)
            if draft.state != .ended, draft.eraseOn != nil {
                problems.report(path.field("eraseOn"), "belongs to the state ended")
            }
            if draft.state == .running, draft.words != nil {
                problems.report(path.field("words"), "belongs to the states paused and ended")
            }
            switch draft.state {
            case .running: return .running
            case .paused: return .paused(words: draft.words)
            case .ended:
                if let day = draft.eraseOn { return .ended(eraseOn: day, words: draft.words) }
                problems.report(
                    path.field("eraseOn"), "is missing: the day on which boards erase what they know of encounters")
                return .running
            }
        } write: { service in
            switch service {
            case .running: fields.write(ServiceDraft())
            case .paused(let words): fields.write(ServiceDraft(state: .paused, words: words))
            case .ended(let day, let words): fields.write(ServiceDraft(state: .ended, eraseOn: day, words: words))
            }
        }
    }()

    private static let firstDay = CivilDate(day: 18_262)

    private static let date = Form<CivilDate>(
        [
            "type": "string", "format": "date",
            "pattern": "^20[2-9][0-9]-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$",
        ], standIn: firstDay
    ) { json, path, problems in
        if let day = json.string.flatMap({ CivilDate(isoText: $0) }), (2_020...2_099).contains(day.year) { return day }
        problems.report(path, "must be a day of the years 2020 to 2099, such as 2026-12-31")
        return firstDay
    } write: {
        .string($0.isoText)
    }
}

extension RiskConfiguration {
    /// The JSON Schema (draft 2020-12) of Vigil's own document, which is generated from its reader at each access.
    public static var schema: JSON {
        var schema: JSON.Object = [
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Vigil risk configuration",
            "description":
                "What boards judge encounters by. Published signed as /version/v1/risk_config; docs/risk-configuration.md.",
        ]
        for member in DocumentForm.document.schema.members { schema[member.name] = member.value }
        return .object(schema)
    }
}
