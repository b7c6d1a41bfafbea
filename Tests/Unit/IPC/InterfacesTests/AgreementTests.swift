// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import Testing
import Varlink

/// What the Swift types encode is what the texts describe, with every optional field and without.
@Suite struct AgreementTests {
    private static let full: [(String, any Encodable & Sendable)] = [
        ("org.vigil.exposure1.GetStatus", Exposure1.StatusReply(status: status(1))),
        ("org.vigil.exposure1.GetStatus", Exposure1.StatusReply(status: status(nil))),
        ("org.vigil.exposure1.Watch", Exposure1.WatchReply(event: .current, status: status(1))),
        ("org.vigil.exposure1.ProvideDiagnosisKeys", Exposure1.ProvideReply(progressByteCount: 1, progressFileCount: 1)),
        (
            "org.vigil.exposure1.ProvideDiagnosisKeys",
            Exposure1.ProvideReply(
                result: .init(
                    files: [
                        .init(name: "a", outcome: .matched, keyCount: 1), .init(name: "b", outcome: .repeated, keyCount: 0),
                    ],
                    newMatchCount: 1, changedMatchCount: 0, refusedKeyCount: 0))
        ),
        (
            "org.vigil.exposure1.GetExposureWindows",
            Exposure1.WindowsReply(windows: [
                .init(
                    day: 1, reportType: .selfReport, infectiousness: .high, calibrationConfidence: .lowest,
                    scanInstances: [.init(typicalAttenuation: 1, minAttenuation: 1, secondsSinceLastScan: 60)])
            ])
        ),
        (
            "org.vigil.exposure1.GetDailySummaries",
            Exposure1.DailySummariesReply(dailySummaries: [
                .init(day: 1, total: scores, confirmedTest: scores, confirmedClinicalDiagnosis: scores, selfReport: scores),
                .init(day: 1, total: scores, confirmedTest: nil, confirmedClinicalDiagnosis: nil, selfReport: nil),
            ])
        ),
        ("org.vigil.exposure1.GetExposureSummary", Exposure1.SummaryReply(summary: summary(1))),
        ("org.vigil.exposure1.GetExposureSummary", Exposure1.SummaryReply(summary: summary(nil))),
        (
            "org.vigil.exposure1.GetExposureInformation",
            Exposure1.InformationReply(information: [
                .init(
                    day: 1, durationMinutes: 5, attenuationValue: 1, transmissionRiskLevel: 1, totalRiskScore: 1,
                    attenuationDurationsInMinutes: [0, 0, 5])
            ])
        ),
        ("org.vigil.exposure1.GetDiagnosisKeysDataMapping", Exposure1.MappingReply(mapping: mapping, changeableFrom: 1)),
        ("org.vigil.exposure1.GetDiagnosisKeysDataMapping", Exposure1.MappingReply(mapping: mapping, changeableFrom: nil)),
        ("org.vigil.access1.GetRoles", Access1.RolesReply(roles: [.wearer])),
        ("org.vigil.access1.SignIn", Access1.SignInReply(session: "a", idleSeconds: 1, totalSeconds: 2)),
        ("org.vigil.access1.UseSession", Access1.UseSessionReply(role: .technicianReadOnly)),
        ("org.vigil.access1.UseSession", Access1.UseSessionReply(role: nil)),
        ("org.vigil.access1.ChangeSecret", Access1.ChangeSecretReply(made: "a")),
        ("org.vigil.access1.ChangeSecret", Access1.ChangeSecretReply(made: nil)),
        ("org.vigil.access1.MakeToken", Access1.MakeTokenReply(token: "a")),
        (
            "org.vigil.access1.GetTokens",
            Access1.TokensReply(tokens: [
                .init(name: "a", role: .technician, made: 1, lastUsed: 1),
                .init(name: "a", role: .technicianReadOnly, made: nil, lastUsed: nil),
            ])
        ),
        ("org.vigil.access1.MakeProof", Access1.MakeProofReply(proof: "a")),
        ("org.vigil.access1.RedeemProof", Access1.RedeemProofReply(seconds: 1)),
        ("org.vigil.access1.MakeSecret", Access1.MakeSecretReply(secret: "a")),
        ("org.vigil.content1.TakeContent", Content1.TakeContentReply(version: 1, changed: true)),
        ("org.vigil.content1.GetContent", Content1.ContentReply(version: 1, content: "{}")),
        ("org.vigil.content1.GetContent", Content1.ContentReply(version: 0, content: nil)),
        ("org.vigil.device1.GetPreferences", preferences("de")), ("org.vigil.device1.GetPreferences", preferences(nil)),
        ("org.vigil.device1.GetMeasurement", Device1.MeasurementReply(measurement: nil, correction: 0)),
        ("org.vigil.device1.GetMeasurement", Device1.MeasurementReply(measurement: measurement(nil), correction: 0)),
        ("org.vigil.device1.GetMeasurement", Device1.MeasurementReply(measurement: measurement(1), correction: 0)),
        (
            "org.vigil.device1.GetNeighbours",
            Device1.NeighboursReply(
                neighbours: .init(
                    running: true, secondsLeft: 1, scanCount: 1, count: 1, median: -1, lowerQuartile: -1,
                    upperQuartile: -1, deviation: 1, otherCount: 5, otherMedian: -1, changed: false))
        ),
        ("org.vigil.trust1.TakeSuccession", Trust1.TakeSuccessionReply(changed: true)),
        ("org.vigil.trust1.TakeConfiguration", Trust1.TakeConfigurationReply(onTrial: true)),
        (
            "org.vigil.trust1.GetConfiguration",
            Trust1.ConfigurationReply(
                version: 1, trial: 2, secondsLeft: 1, takenBack: 1, reason: "a", refused: 3, refusedReason: "b")
        ),
        (
            "org.vigil.trust1.GetSigners",
            Trust1.SignersReply(
                successions: 1,
                signers: [
                    .init(role: .operator, name: "a-1", publicHalf: "a", validUntil: 1, spare: true, inForce: true),
                    .init(role: .export, name: "a-1", publicHalf: "a", validUntil: nil, spare: false, inForce: false),
                ])
        ),
        ("org.vigil.time1.MakeChallenge", Time1.NonceReply(challenge: "00")),
        ("org.vigil.time1.TakeSignedTime", Time1.TakeReply(state: .plausible, sentence: "x")),
        ("org.vigil.risk1.GetRisk", Risk1.RiskReply(risk: risk(true))),
        ("org.vigil.risk1.GetRisk", Risk1.RiskReply(risk: risk(false))),
        ("org.vigil.risk1.Watch", Risk1.WatchReply(news: true)),
        (
            "org.vigil.risk1.Explain",
            Risk1.ContributionsReply(contributions: [
                .init(
                    day: 1, bands: [.init(from: 1, below: 2, seconds: 60, weight: 0.5)],
                    reportType: .confirmedClinicalDiagnosis,
                    infectiousness: .high, transmissionRiskLevel: 8, factor: 1, estimatedDistance: 1.5, score: 2,
                    level: .increased, outcome: .counted, calibrationConfidence: .high),
                .init(
                    day: 1, bands: [.init(from: nil, below: nil, seconds: 0, weight: 0)], reportType: nil,
                    infectiousness: nil,
                    transmissionRiskLevel: nil, factor: 1, estimatedDistance: nil, score: 0, level: nil,
                    outcome: .levelFiltered, calibrationConfidence: nil),
            ])
        ),
        ("org.vigil.risk1.TakeConfiguration", Risk1.TakeConfigurationReply(version: 1, changed: true)),
        ("org.vigil.risk1.GetConfiguration", Risk1.ConfigurationReply(version: 0, configuration: nil)),
        ("org.vigil.risk1.GetConfiguration", Risk1.ConfigurationReply(version: 1, configuration: "{}")),
        ("org.vigil.device1.GiveConsent", Device1.GiveConsentReply(ticket: "a", expires: 1)),
        ("org.vigil.device1.GetRadio", Device1.RadioReply(radio: radio("x"))),
        ("org.vigil.device1.GetRadio", Device1.RadioReply(radio: radio(nil))),
        (
            "org.vigil.device1.GetEvidence",
            Device1.EvidenceReply(hours: [
                .init(
                    start: 0, scanCount: 1, quietScanCount: 1, reportCount: 1, exposureNotificationCount: 1,
                    storedSenderCount: 1, rotationCount: 1, secondsOnAir: 1, troubleCount: 1)
            ])
        ),
        (
            "org.vigil.device1.GetTime",
            Device1.TimeReply(time: .init(state: .plausible, sentence: "x", now: 1, uncertainty: 1))
        ),
        (
            "org.vigil.device1.SetTime",
            Device1.TimeReply(time: .init(state: .untrusted, sentence: "x", now: nil, uncertainty: nil))
        ),
        (
            "org.vigil.device1.GetAudit",
            Device1.AuditReply(
                entries: [
                    .init(sequence: 1, time: 1, kind: "k", actor: "a", details: ["a": "b"]),
                    .init(sequence: 1, time: nil, kind: "k", actor: "a", details: [:]),
                ], intact: true, droppedCount: 0)
        ),
        (
            "org.vigil.device1.GetStorage",
            Device1.StorageReply(storage: .init(dayCount: 1, writtenByteCount: 1, findings: ["x"], problem: "y"))
        ),
        (
            "org.vigil.device1.GetRecording",
            Device1.RecordingReply(
                recording: .init(
                    running: true, secondsLeft: 1, recordCount: 1, byteCount: 1, leftOutCount: 1, problem: "x"))
        ),
        ("org.vigil.device1.StopRecording", Device1.RecordingReply(recording: nil)),
        (
            "org.vigil.device1.ExportMyData",
            Device1.DataReply(sections: [.init(topic: "t", explanation: "e", values: ["a": "b"])])
        ),
        ("org.vigil.device1.ReadPairingFile", Device1.ReadPairingReply(paired: .init(name: "x"))),
        ("org.vigil.device1.GetPaired", Device1.PairedReply(paired: [.init(name: "x")])),
        ("org.vigil.technician1.GetProcesses", processes(1, "x")),
        ("org.vigil.technician1.GetProcesses", processes(nil, nil)),
        ("org.vigil.technician1.GetPlugin", plugin("{}")), ("org.vigil.technician1.GetPlugin", plugin(nil)),
        (
            "org.vigil.technician1.GetLog",
            Technician1.LogReply(
                lines: [.init(number: 1, time: 1, process: "core", level: "info", text: "x")], droppedCount: 0)
        ),
        ("org.vigil.technician1.GetNetwork", network("x", 1)), ("org.vigil.technician1.GetNetwork", network(nil, nil)),
        ("org.vigil.sync1.GetFreshness", freshness(1, "x")),
        ("org.vigil.sync1.GetFreshness", freshness(nil, nil)),
        ("org.vigil.sync1.Watch", freshness(1, nil)),
        (
            "org.vigil.release1.TakeDiagnosisKeys",
            Release1.KeysReply(keys: [.init(keyData: "AAAA", rollingStartIntervalNumber: 1, rollingPeriod: 144)])
        ),
        (
            "org.vigil.release1.TakeDiagnosisKeys",
            Release1.KeysReply(
                keys: [.init(keyData: "AAAA", rollingStartIntervalNumber: 1, rollingPeriod: 144)],
                remainder: .init(from: 1, after: 2, until: 3), proof: "a")
        ),
        (
            "org.vigil.egress1.GetTraffic",
            Egress1.TrafficReply(metered: true, proxied: false, callers: [caller("x"), caller(nil)])
        ),
        ("org.vigil.checkin1.GetRegistrationFacts", Checkin1.RegistrationFactsReply(hasCheckIns: true, inIsolation: false)),
        ("org.vigil.checkin1.TakeReports", Checkin1.ReportsReply(reports: ["AAAA"], visits: 1, batch: 1)),
        ("org.vigil.checkin1.TakeReports", Checkin1.ReportsReply(reports: [], visits: 0, batch: nil)),
        ("org.vigil.checkin1.CheckIn", Checkin1.CheckInReply(visit: visit("x"), began: true)),
        ("org.vigil.checkin1.CheckOut", Checkin1.VisitReply(visit: visit(nil))),
        (
            "org.vigil.checkin1.GetVisits",
            Checkin1.VisitsReply(
                visits: [visit("x"), visit(nil)], more: true, hides: false, unhidden: 1, hidingIsSet: true, choiceLost: true
            )
        ),
        ("org.vigil.checkin1.GetVisits", Checkin1.VisitsReply(visits: [], more: false)),
        ("org.vigil.checkin1.SetHiding", Checkin1.HidingReply(hidden: 1, unhidden: 1)),
        ("org.vigil.checkin1.EditVisit", Checkin1.VisitReply(visit: visit("x"))),
        ("org.vigil.checkin1.SetWarning", Checkin1.VisitReply(visit: visit("x"))),
        ("org.vigil.checkin1.ExportVisits", Checkin1.ExportReply(text: "x", next: 1)),
        ("org.vigil.checkin1.ExportVisits", Checkin1.ExportReply(text: "x", next: nil)),
        (
            "org.vigil.checkin1.GetNotices",
            Checkin1.NoticesReply(
                notices: [notice(true), notice(false)], more: false,
                followed: [
                    .init(system: .nhs, checked: 1, problem: "x"), .init(system: .swissCovid, checked: nil, problem: nil),
                ], lost: true)
        ),
        ("org.vigil.checkin1.Watch", Checkin1.WatchReply(news: true)),
        (
            "org.vigil.checkin1.GetPlaces",
            Checkin1.PlacesReply(
                places: [place], more: true, makes: [.coronaWarnApp], imports: [.nhs, .swissCovid], screen: 1,
                broadcast: .init(number: 1, opens: 480, closes: 1_080))
        ),
        ("org.vigil.checkin1.Describe", Checkin1.PlaceReply(place: place)),
        ("org.vigil.checkin1.Revoke", Checkin1.PlaceReply(place: place)),
        ("org.vigil.checkin1.Start", Checkin1.CodeReply(code: code(1))),
        ("org.vigil.checkin1.End", Checkin1.CodeReply(code: code(nil))),
        ("org.vigil.checkin1.ImportCode", Checkin1.ImportReply(added: code(nil))),
        ("org.vigil.checkin1.GetPoster", Checkin1.PosterReply(code: code(1), text: "x", street: "y", place: "z")),
        ("org.vigil.checkin1.GetPoster", Checkin1.PosterReply(code: code(1), text: "x", street: nil)),
        ("org.vigil.checkin1.GetScreen", Checkin1.ScreenReply(isOn: true, code: code(1), text: "x", street: "y")),
        ("org.vigil.checkin1.GetScreen", Checkin1.ScreenReply(isOn: false)),
        ("org.vigil.diagnosis1.GetTests", tests(1)), ("org.vigil.diagnosis1.GetTests", tests(nil)),
        ("org.vigil.diagnosis1.Watch", Diagnosis1.WatchReply(news: true)),
        ("org.vigil.diagnosis1.EnterCode", Diagnosis1.NumberCall(number: 1)),
        ("org.vigil.diagnosis1.EnterTeleTAN", Diagnosis1.NumberCall(number: 1)),
        ("org.vigil.diagnosis1.GetWarnedDays", Diagnosis1.WarnedDaysReply(days: [0, 1])),
        ("org.vigil.diagnosis1.CheckTeleTAN", Diagnosis1.CheckReply(problems: ["x"], isWhole: false)),
        ("org.vigil.diagnosis1.GetResult", Diagnosis1.ResultReply(result: .redeemed)),
        ("org.vigil.diagnosis1.Warn", Diagnosis1.WarnReply(nextExchange: 1)),
        ("org.vigil.diagnosis1.Withdraw", Diagnosis1.WithdrawReply(isWithdrawn: true)),
        ("org.vigil.diagnosis1.Forget", Diagnosis1.ForgetReply(isForgotten: true)),
        ("org.vigil.diagnosis1.GetPublished", Diagnosis1.PublishedReply(published: [1], over: [2], uncertain: [3])),
        (
            "org.vigil.indicator1.Watch",
            Indicator1.WatchReply(
                scene: .init(
                    signals: Indicator1.Signal.allCases, button: .countdown, count: 5, presses: 1, done: 1, cancelled: 1))
        ),
        (
            "org.vigil.indicator1.Watch",
            Indicator1.WatchReply(
                scene: .init(signals: [], button: .idle, count: nil, presses: 0, done: 0, cancelled: 0))
        ),
        (
            "org.vigil.indicator1.Watch",
            Indicator1.WatchReply(
                scene: .init(signals: [], button: .idle, count: nil, presses: 0, done: 0, cancelled: 0, collecting: true))
        ),
        (
            "org.vigil.donation1.GetDonation",
            Donation1.DonationReply(
                isOffered: true, issuer: "x", server: "x", lastKeyDay: 1, consent: .init(since: 1, text: 1), begins: 1,
                next: 1,
                preparedDays: 1, stopped: .otherKey, history: [.init(day: 1, outcome: .taken)], documentVersion: 1,
                documentMark: "x")
        ), ("org.vigil.donation1.GetDonation", Donation1.DonationReply(isOffered: false)),
        (
            "org.vigil.donation1.GetPreview",
            Donation1.PreviewReply(
                isIncreased: true, truth: 0.5,
                windows: [
                    .init(
                        day: 1, reportType: .selfReport, infectiousness: .high, confidence: 3,
                        scans: [.init(typical: 30, least: 30, minutes: 5)])
                ], count: 1)
        ),
        (
            "org.vigil.donation1.GetDonation",
            Donation1.DonationReply(
                isOffered: true,
                log: .init(
                    isOffered: true, consent: .init(since: 1, text: 1), begins: 1, isPrepared: true, stopped: .otherServers,
                    history: [.init(day: 1, outcome: .lapsed)]))
        ),
        (
            "org.vigil.donation1.GetErrorLog",
            Donation1.ErrorLogReply(
                lines: Donation1.Trouble.allCases.map { .init(trouble: $0, day: 1) }, released: Donation1.Trouble.allCases)
        ), ("org.vigil.donation1.GetErrorLog", Donation1.ErrorLogReply()),
        ("org.vigil.donation1.GetSurvey", Donation1.SurveyReply()),
        (
            "org.vigil.donation1.GetSurvey",
            Donation1.SurveyReply(
                held: .init(isOffered: true), survey: .init(link: "a", about: ["en": "b"], invited: .increasedRisk),
                state: .accepted,
                lastDay: 1, password: "a", passwordLink: "b")
        ),
        ("org.vigil.donation1.GetDonor", Donation1.DonorReply(name: "AA==", publicHalf: "AA==")),
        ("org.vigil.donation1.GetEnrolmentRequest", Donation1.EnrolmentRequestReply(request: "AA==")),
        ("org.vigil.donation1.TakeTerms", Donation1.TakeTermsReply(version: 1, changed: true)),
        (
            "org.vigil.donation1.GetStep",
            Donation1.StepReply(
                step: .init(kind: .donate, day: 1, target: "x", body: "AA==", authorization: "x"), seconds: 1)
        ),
        (
            "org.vigil.donation1.GetStep",
            Donation1.StepReply(step: .init(kind: .request, day: 1, target: "x", body: "AA=="), seconds: 1)
        ), ("org.vigil.donation1.GetStep", Donation1.StepReply(seconds: 1)),
        ("org.vigil.donation1.SignEvidence", Donation1.EvidenceReply(authorization: "x")),
        ("org.vigil.donation1.TakeToken", Donation1.TakeTokenReply(isToken: true)),
        ("org.vigil.door1.TakeCode", Door1.CodeReply(number: 1, content: "AA==")),
        ("org.vigil.door1.TakeCode", Door1.CodeReply()),
        ("org.vigil.wake1.GetState", wake("x")), ("org.vigil.wake1.GetState", wake(nil)),
        (
            "org.vigil.egress1.GetEndpoints",
            Egress1.EndpointsReply(endpoints: [
                .init(
                    destination: "a.example:443", mayBePrivate: false, connectionCount: 1, failedConnectionCount: 1,
                    sentByteCount: 1, receivedByteCount: 1)
            ])
        ),
    ]

    private static let scores = Exposure1.DailyScores(maximumScore: 1.5, scoreSum: 2, weightedDurationSum: 3)
    private static let mapping = Exposure1.DiagnosisKeysDataMapping(
        daysSinceOnsetToInfectiousness: [.none, .standard, .high], infectiousnessWhenDaysSinceOnsetMissing: .standard,
        reportTypeWhenMissing: .confirmedClinicalDiagnosis)

    private static func status(_ number: Int64?) -> Exposure1.Status {
        .init(
            enabled: true, state: .active, sentence: "x", role: .place, timeState: .authenticated, matchCount: 1,
            matchedFileCount: 1, lastMatched: number, matching: false,
            limit: .init(perDay: number.map(Int.init), used: 1, nextPermitted: number))
    }

    private static func caller(_ text: String?) -> Egress1.Caller {
        .init(
            name: "sync", mayUseMetered: false, openConnectionCount: 1, connectionCount: 1, sentByteCount: 1,
            receivedByteCount: 1, refusals: ["notListed": 1], lastRefusal: text)
    }

    private static func processes(_ number: Int64?, _ text: String?) -> Technician1.ProcessesReply {
        .init(
            version: "1", safeMode: false, problems: ["x"],
            processes: [
                .init(
                    name: "x", title: text, version: text, state: .running, reason: text, sinceSeconds: 1, restarts: 0,
                    memory: number, lastExit: text, confinement: [.init(primitive: "x", state: "verified", detail: "x")])
            ])
    }

    private static func plugin(_ schema: String?) -> Technician1.PluginReply {
        .init(
            title: "x", description: "x", version: "1", enabled: true,
            items: [.init(asks: "x", granted: true, gets: "x", why: "x")], schema: schema, settings: "{}",
            secretsSet: ["x"])
    }

    private static func network(_ text: String?, _ number: Int64?) -> Technician1.NetworkReply {
        .init(
            problem: text,
            networks: [
                .init(interface: "x", method: .manual, addresses: ["192.0.2.7/24"], gateway: text, nameServers: ["x"])
            ], secondsToRollBack: number)
    }

    private static func wake(_ text: String?) -> Wake1.StateReply {
        .init(
            wanted: true, connected: false, problem: text, secondsToSync: text.map { _ in 1 }, registered: false,
            counters: .init(
                connectionCount: 1, messageCount: 1, nonEmptyCount: 1, retainedCount: 1, mergedCount: 1, overLimitCount: 1,
                freshCount: 1, syncCount: 1, failureCount: 1, registrationCount: 1))
    }

    private static func summary(_ days: Int?) -> Exposure1.ExposureSummary {
        .init(
            daysSinceLastExposure: days, matchedKeyCount: 1, maximumRiskScore: 1, summationRiskScore: 1,
            attenuationDurationsInMinutes: [0, 5, 30])
    }

    private static func tests(_ number: Int64?) -> Diagnosis1.TestsReply {
        .init(
            tests: [
                .init(
                    number: 1, kind: .rapidPCR, byTelephone: false, entered: 1, state: .ready,
                    warning: number == nil ? nil : .sending, sentence: number.map { "\($0)" }, news: true,
                    refusal: number.map { _ in .expired }, remainder: number.map { _ in .waiting }, remainderFrom: number,
                    remainderTo: number, visits: number.map(Int.init))
            ], news: true, nextExchange: number, teleTANSeconds: number)
    }

    private static func visit(_ text: String?) -> Checkin1.Visit {
        .init(
            number: 1, system: .nhs, name: "x", street: text, arrival: 1, departure: 2, open: text == nil, warns: true,
            published: false, hidden: text.map { _ in true })
    }

    private static func notice(_ isFull: Bool) -> Checkin1.Notice {
        .init(
            number: 1, system: .swissCovid, visit: 1, name: "x", day: 1, level: isFull ? .increased : nil,
            advice: isFull ? .bookATest : nil, message: isFull ? "x" : nil, news: true)
    }

    private static func code(_ time: Int64?) -> Checkin1.Code {
        .init(number: 1, system: .coronaWarnApp, name: "x", state: .shown, own: true, begins: time, ends: time)
    }

    private static let place = Checkin1.Place(
        number: 1, name: "x", street: "y", kind: .foodService, stayMinutes: 90, codes: [code(1), code(nil)])

    private static func freshness(_ number: Int64?, _ text: String?) -> Sync1.FreshnessReply {
        Sync1.FreshnessReply(
            freshness: .init(
                sources: [
                    .init(
                        name: "x", kind: .nhs, lastAttempt: number, lastSuccess: number, newestEnd: number, missingCount: 1,
                        problem: text, faults: ["a": 1], packageCount: 1, byteCount: 1,
                        knownDays: number.map { [Int($0)] })
                ], running: true, secondsToNext: number, wakeWindow: number, clockOffset: number))
    }

    private static func risk(_ isFull: Bool) -> Risk1.Risk {
        let verdict = Risk1.Verdict(score: 1.5, increasedFrom: isFull ? 2 : nil, level: isFull ? .low : nil)
        return Risk1.Risk(
            state: isFull ? .low : .unknown, sentence: "x", news: true, mostRelevantDay: isFull ? 1 : nil,
            rules: isFull ? .init(model: .nhsSecond, unit: .weightedMinutes, fallback: "x", version: 1) : nil,
            combined: isFull ? verdict : nil,
            days: [.init(day: 1, verdict: verdict, encounters: isFull ? .init(low: 1, increased: 0) : nil)],
            unjudged: isFull ? 1 : nil, assessed: isFull ? 1 : nil, lastMatched: isFull ? 1 : nil,
            eraseFrom: isFull ? 1 : nil, told: isFull ? 1 : nil)
    }

    private static func preferences(_ language: String?) -> Device1.PreferencesMessage {
        .init(preferences: .init(introduced: true, notifications: false, language: language))
    }

    private static func measurement(_ number: Int?) -> Device1.Measurement {
        .init(running: true, secondsLeft: 1, count: 1, median: number, spread: number, proposal: number)
    }

    private static func radio(_ text: String?) -> Device1.Radio {
        .init(
            onAir: true, scanning: true, controller: text, transport: "t", transportProblem: text, timeSlices: false,
            secondsToRotation: text.map { _ in 1 }, worstRotationLateness: 1, rotationCount: 1, scanCount: 1,
            quietScanCount: 1, reportCount: 1, exposureNotificationCount: 1, lastScanSenderCount: 1, lostScanCount: 1,
            rssiHistogram: .init(repeating: 0, count: 20), ladder: ["x": 1], lastTrouble: text)
    }

    @Test func repliesAreWhatTheTextsDescribe() throws {
        var missing = Set<String>()
        for (name, text) in InterfaceTexts.all {
            let interface = try InterfaceDescription(parsing: text)
            missing.formUnion(interface.methods.filter { !$0.results.isEmpty }.map { "\(name).\($0.name)" })
        }
        for (method, value) in Self.full {
            missing.remove(method)
            let dot = try #require(method.lastIndex(of: "."))
            let interface = try InterfaceDescription(parsing: #require(InterfaceTexts.all[String(method[..<dot])]))
            let results = try #require(interface.method(named: String(method[method.index(after: dot)...]))).results
            let json = try JSON(encoding: value)
            let object = try #require(json.object)
            #expect(interface.fault(in: object, fields: results) == nil, "\(method)")
            // And the comparison notices: a field of another name, and one that is not there.
            #expect(interface.fault(in: ["other": 1], fields: results) != nil)
            // Of these nothing has to be there.
            let free = [
                "org.vigil.access1.ChangeSecret", "org.vigil.access1.UseSession", "org.vigil.diagnosis1.Warn",
                "org.vigil.door1.TakeCode", "org.vigil.trust1.GetConfiguration", "org.vigil.donation1.GetEnrolmentRequest",
                "org.vigil.donation1.GetSurvey",
                "org.vigil.exposure1.ProvideDiagnosisKeys",
                "org.vigil.device1.GetRecording", "org.vigil.device1.StopRecording",
                "org.vigil.device1.GetNeighbours",
            ]
            guard !free.contains(method) else { continue }
            #expect(interface.fault(in: [:], fields: results) != nil)
        }
        #expect(missing == [], "replies without a sample here")
    }
}
