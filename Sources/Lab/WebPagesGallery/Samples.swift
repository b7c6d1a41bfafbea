// SPDX-License-Identifier: Apache-2.0

public import Interfaces
public import SelfCheck
import Varlink
public import WebPages

/// Invented models for pages, the same at every call; they contain nothing of a real person or board.
public enum Samples {
    /// The present time of all samples in Unix seconds: Sunday, 22 November 2026, 14:20 UTC.
    public static let now: Int64 = 1_795_357_200
    static let today = Int(now / 86_400)

    /// Returns the status of a device in this state that has met two people and matched 214 files.
    public static func status(_ state: Exposure1.State = .active, role: Exposure1.Role = .person) -> Exposure1.Status {
        Exposure1.Status(
            enabled: state != .disabled, state: state, sentence: "The device beacons and listens.", role: role,
            timeState: state == .timeUnknown ? .untrusted : .authenticated, matchCount: 2, matchedFileCount: 214,
            lastMatched: now - 6_300,
            matching: false, limit: Exposure1.Limit(perDay: 6, used: 1, nextPermitted: nil))
    }

    /// Returns a risk in this state. With `increased` and `outdated` it has five days with encounters, two of which are
    /// increased; otherwise none. `unjudged` is the number of published keys that were met and that the rules cannot judge;
    /// `nil` if they can judge all.
    public static func risk(_ state: Risk1.State, news: Bool = false, unjudged: Int? = nil) -> Risk1.Risk {
        let days: [Risk1.Day] =
            state == .increased || state == .outdated
            ? [(9, 4.1, .low), (6, 14.2, .increased), (4, 2.3, .low), (3, 57.6, .increased), (1, 0.4, nil)].map {
                ago, score, level in
                Risk1.Day(
                    day: today - ago, verdict: Risk1.Verdict(score: score, increasedFrom: 9, level: level),
                    encounters: Risk1.Encounters(low: 1, increased: level == .increased ? 1 : 0))
            } : []
        return Risk1.Risk(
            state: state, sentence: "In English, for technicians.", news: news,
            mostRelevantDay: state == .increased ? today - 3 : nil,
            rules: Risk1.Rules(model: .cwaSecond, unit: .weightedMinutes, fallback: nil, version: 12), days: days,
            unjudged: unjudged, assessed: now - 6_200,
            lastMatched: state == .unknown && unjudged == nil ? nil : state == .outdated ? now - 230_000 : now - 6_300,
            eraseFrom: state == .ended ? now + 30 * 86_400 : nil)
    }

    /// Returns `risk` after the device has warned of an increased risk for three days ago, which it does not judge now.
    public static func withTold(_ risk: Risk1.Risk) -> Risk1.Risk {
        var risk = risk
        risk.told = today - 3
        return risk
    }

    /// Returns `risk` with its authority and two more: one whose keys are outdated, and one that has switched itself off.
    public static func withSources(_ risk: Risk1.Risk) -> Risk1.Risk {
        var risk = risk
        let state: Risk1.SourceState = risk.state == .increased ? .increased : .low
        risk.sources = [
            Risk1.SourceWord(
                name: "authority", title: [:], state: state, sentence: "In English, for technicians.",
                mostRelevantDay: risk.mostRelevantDay, rules: risk.rules, days: risk.days, lastMatched: now - 6_300),
            Risk1.SourceWord(
                name: "us-wa", title: ["en": "WA Notify", "de": "WA Notify (Washington)"], state: .outdated,
                sentence: "In English, for technicians.",
                rules: Risk1.Rules(model: .dailySummaries, unit: .weightedSeconds, fallback: nil, version: 3),
                days: [
                    Risk1.Day(
                        day: today - 5, verdict: .init(score: 900, increasedFrom: 600, level: .increased), encounters: nil)
                ],
                unjudged: 1, lastMatched: now - 230_000, takenBack: [Risk1.TakenBack(day: today - 2, learned: now - 6_000)]),
            Risk1.SourceWord(name: "cwa-de", title: ["en": "Corona-Warn-App"], state: .off, sentence: "In English."),
        ]
        return risk
    }

    /// Returns `risk` after an authority has taken back the warning for the day before yesterday.
    public static func withTakenBack(_ risk: Risk1.Risk) -> Risk1.Risk {
        var risk = risk
        risk.news = true
        risk.takenBack = [Risk1.TakenBack(day: today - 2, learned: now - 6_000)]
        return risk
    }

    /// The parts of one day's verdict: two that count, one that is too short, and one that is filtered out because of its
    /// level.
    public static let contributions: [Risk1.Contribution] = [
        contribution(seconds: [720, 600, 240], score: 41.2, .counted, .high),
        contribution(seconds: [300, 300, 0], score: 16.4, .counted, .standard),
        contribution(seconds: [0, 60, 120], score: 0, .tooShort, .standard),
        contribution(seconds: [0, 0, 600], score: 0, .levelFiltered, Risk1.Infectiousness.none),
    ]

    private static func contribution(
        seconds: [Int], score: Double, _ outcome: Risk1.Outcome, _ infectiousness: Risk1.Infectiousness
    ) -> Risk1.Contribution {
        Risk1.Contribution(
            day: today - 3,
            bands: [
                Risk1.Band(from: nil, below: 63, seconds: seconds[0], weight: 0.8),
                Risk1.Band(from: 63, below: 73, seconds: seconds[1], weight: 1),
                Risk1.Band(from: 73, below: nil, seconds: seconds[2], weight: 0),
            ], reportType: .confirmedTest, infectiousness: infectiousness, transmissionRiskLevel: 6, factor: 1.4,
            estimatedDistance: 1.3,
            score: score, level: .increased, outcome: outcome, calibrationConfidence: .medium)
    }

    /// The hours of 14 days up to the present one, oldest first, without some nights and a day during which the device was
    /// off.
    public static let evidence: [Device1.EvidenceHour] = (0..<(14 * 24)).compactMap { index in
        let start = (now / 3_600 - Int64(14 * 24 - 1 - index)) * 3_600
        let hour = Int(start / 3_600 % 24)
        let day = Int(start / 86_400)
        if day == today - 8 || (day % 3 == 0 && hour < 7) { return nil }
        let heard = UInt64((hour >= 8 && hour <= 20 ? 40 : 4) + (index * 37) % 23)
        return Device1.EvidenceHour(
            start: start, scanCount: UInt64(11 + index % 3), quietScanCount: hour < 6 ? 8 : 0, reportCount: heard * 30,
            exposureNotificationCount: heard * 9,
            storedSenderCount: heard, rotationCount: 5, secondsOnAir: 3_540, troubleCount: index % 97 == 0 ? 1 : 0)
    }

    /// Returns the state of a working radio; with `trouble`, of one whose controller does not answer.
    public static func radio(trouble: Bool = false) -> Device1.Radio {
        Device1.Radio(
            onAir: !trouble, scanning: !trouble, controller: trouble ? nil : "Infineon CYW43455, Bluetooth 5.0",
            transport: "HCI user channel hci0",
            transportProblem: trouble ? "The controller does not answer; check the cable." : nil, timeSlices: false,
            secondsToRotation: trouble ? nil : 431,
            worstRotationLateness: 212, rotationCount: 4_211, scanCount: 1_204, quietScanCount: 96, reportCount: 81_233,
            exposureNotificationCount: 20_111,
            lastScanSenderCount: 7, lostScanCount: 0,
            rssiHistogram: [
                0, 0, 12, 240, 800, 1_800, 2_900, 3_600, 3_100, 2_700, 2_000, 1_400, 800, 400, 220, 90, 30, 12, 6, 1,
            ],
            ladder: trouble ? ["resetController": 4, "reopenTransport": 2] : [:],
            lastTrouble: trouble ? "The controller refused to advertise (0x0C); it was reset." : nil)
    }

    /// Returns one source with fresh keys; with `trouble`, one whose server has been refused for two days.
    public static func freshness(trouble: Bool = false) -> Sync1.Freshness {
        Sync1.Freshness(
            sources: [
                Sync1.Source(
                    name: "national", kind: .cwa, lastAttempt: now - 1_200,
                    lastSuccess: trouble ? now - 200_000 : now - 1_200,
                    newestEnd: trouble ? now - 210_000 : now - 4_800, missingCount: trouble ? 3 : 0,
                    problem: trouble
                        ? "The server's certificate is not of the authority; the packages were not fetched." : nil,
                    faults: trouble ? ["certificate": 14, "timeout": 2] : [:], packageCount: 318, byteCount: 12_400_000)
            ], running: false, secondsToNext: 2_400, wakeWindow: 900, clockOffset: 1)
    }

    /// Returns a test that was entered 25 hours before ``now``, by telephone if that fits its state. With `remainder` it
    /// has the rest of a day, from 06:00 to 16:50 UTC on the day of ``now``. `warning`, `refusal`, `remainder` and
    /// `visits`, the number of visits in the warning, are `nil` for none.
    public static func test(
        _ state: Diagnosis1.State, warning: Diagnosis1.Warning? = nil, kind: Diagnosis1.Kind = .pcr, news: Bool = false,
        number: Int = 3, refusal: Diagnosis1.Refusal? = nil, remainder: Diagnosis1.Remainder? = nil, visits: Int? = nil
    ) -> Diagnosis1.Test {
        Diagnosis1.Test(
            number: number, kind: kind, byTelephone: refusal == .expired || state == .registering, entered: now - 90_000,
            state: state,
            warning: warning, sentence: nil, news: news, refusal: refusal, remainder: remainder,
            remainderFrom: remainder.map { _ in now - 30_000 }, remainderTo: remainder.map { _ in now + 9_000 },
            visits: visits)
    }

    /// Returns four entries of an audit log, one of a kind that pages do not know and with a caller whose name contains
    /// HTML.
    public static func audit(isIntact: Bool = true) -> Device1.AuditReply {
        Device1.AuditReply(
            entries: [
                Device1.AuditEntry(
                    sequence: 41, time: nil, kind: "enabled", actor: "web", details: ["presence": "session"]),
                Device1.AuditEntry(
                    sequence: 42, time: now - 400_000, kind: "filesMatched", actor: "sync",
                    details: ["files": "3", "keys": "1204"]),
                Device1.AuditEntry(
                    sequence: 43, time: now - 90_000, kind: "consentGiven", actor: "web",
                    details: ["purpose": "releaseKeys"]),
                Device1.AuditEntry(
                    sequence: 44, time: now - 600, kind: "somethingOfTomorrow", actor: "<b>plugin</b>", details: [:]),
            ], intact: isIntact, droppedCount: 12)
    }

    /// Returns six processes of a board; with `trouble`, of a board in safe mode, on a low battery, and with a plugin in
    /// quarantine.
    public static func processes(trouble: Bool = false) -> Technician1.ProcessesReply {
        Technician1.ProcessesReply(
            version: "0.9.0", safeMode: trouble,
            problems: trouble ? ["grants.json: plugins.hello.calls: org.vigil.exposure1 has no method GetStatsu"] : [],
            battery: trouble
                ? Technician1.Battery(
                    percent: 11, voltage: 3_412, powered: false, power: 640, secondsLeft: 5_100, low: true, stopPercent: 5)
                : nil,
            processes: [
                process("core", nil, .running), process("egress", nil, .running), process("sync", "Sync", .waiting),
                process("diagnosis", "Tests and warnings", trouble ? .quarantined : .running),
                process("wake", "Wake", trouble ? .backingOff : .running),
                process("hello", "Hello <script>alert(1)</script>", .disabled),
            ])
    }

    static func process(_ name: String, _ title: String?, _ state: Technician1.ProcessState) -> Technician1.Process {
        Technician1.Process(
            name: name, title: title, version: title == nil ? nil : "1.0.0", state: state,
            reason: state == .quarantined
                ? "It ended five times within ten minutes. Mend the cause, then restart it." : nil, sinceSeconds: 40_000,
            restarts: state == .quarantined ? 5 : 0, memory: state == .running ? 11_400_000 : nil,
            lastExit: state == .quarantined ? "killed by signal 9" : nil,
            confinement: [
                Technician1.Confinement(
                    primitive: "landlock", state: "verified", detail: "Files outside of its folder were tried and refused."),
                Technician1.Confinement(
                    primitive: "cgroup", state: state == .quarantined ? "missing" : "applied",
                    detail: "The kernel has no memory controller."),
            ])
    }

    /// A plugin with one granted and one refused wish, and settings of every kind that a schema can have.
    public static let plugin = Technician1.PluginReply(
        title: "Sync", description: "Fetches published warnings and hands them to the core.", version: "1.0.0",
        enabled: true,
        items: [
            Technician1.Item(
                asks: "call \(Exposure1.Method.provideDiagnosisKeys.path)", granted: true, gets: "core",
                why: "To have keys compared."),
            Technician1.Item(
                asks: "endpoint keys", granted: false, gets: "Nothing was granted.", why: "To fetch packages."),
        ],
        schema: #"""
            {"type":"object","required":["name"],"properties":{"name":{"type":"string","title":"Name","description":"As it is shown.","maxLength":20},
            "interval":{"type":"integer","title":"Interval","description":"In minutes.","minimum":5,"maximum":1440,"default":60},
            "share":{"type":"number","title":"Share","default":0.5},"metered":{"type":"boolean","title":"Also when it costs money"},
            "kind":{"type":"string","title":"Kind","enum":["cwa","index"]},"token":{"type":"string","title":"Token","writeOnly":true},
            "times":{"type":"array","title":"Hours","items":{"type":"integer"}},
            "sources":{"type":"array","title":"Sources","items":{"type":"object","properties":{"name":{"type":"string","title":"Name"},"port":{"type":"integer","title":"Port"}}}}}}
            """#,
        settings: #"{"name":"national","times":[6,18],"sources":[{"name":"one","port":443}]}"#, secretsSet: ["token"])

    /// Two lines of a log, one of which contains HTML.
    public static let log: [Technician1.LogLine] = [
        Technician1.LogLine(
            number: 1, time: now * 1_000 - 900_000, process: "core", level: "info", text: "Identifier changed, 212 ms late."
        ),
        Technician1.LogLine(
            number: 2, time: now * 1_000 - 500_000, process: "sync", level: "warning",
            text: "<img src=x onerror=alert(1)> timed out; tried again in 60 s."),
    ]

    /// Returns two network interfaces, one of which is set by hand; with `pending`, the change is undone in 97 seconds
    /// unless it is confirmed.
    public static func network(pending: Bool) -> Technician1.NetworkReply {
        Technician1.NetworkReply(
            problem: nil,
            networks: [
                Technician1.Network(
                    interface: "eth0", method: .manual, addresses: ["192.0.2.7/24"], gateway: "192.0.2.1",
                    nameServers: ["192.0.2.1", "192.0.2.2"]),
                Technician1.Network(
                    interface: "usb0", method: .automatic, addresses: ["198.51.100.9/28"], gateway: nil, nameServers: []),
            ], secondsToRollBack: pending ? 97 : nil)
    }

    /// Two access tokens: one that was used a minute ago, and one that was created when the time was not known.
    public static let tokens = [
        Access1.Token(name: "monitoring", role: .technicianReadOnly, made: now - 900_000, lastUsed: now - 60),
        Access1.Token(name: "night job", role: .technician, made: nil, lastUsed: nil),
    ]

    /// The texts of a health authority in English: recommendations, three hotlines, and a link.
    public static let content = AuthorityContent(
        version: 3,
        editions: [
            .english: AuthorityContent.Edition(
                publisher: "Example Health Authority",
                recommendations: [
                    "increased": [
                        "Stay at home for the next ten days.", "Have a test on day five after the encounter.",
                        "Call your doctor if you feel ill.",
                    ]
                ],
                hotlines: [
                    AuthorityContent.Hotline(
                        topic: "health", number: "+49 30 5550123", hours: "Every day, 8 to 20", note: "Free of charge"),
                    AuthorityContent.Hotline(topic: "verification", number: "+49 30 5550124", hours: "Day and night"),
                    AuthorityContent.Hotline(
                        topic: "technical", number: "+49 30 5550125", hours: "Monday to Friday, 8 to 18"),
                ],
                links: [AuthorityContent.WebLink(title: "About the illness", address: "https://health.example/illness")],
                publication: ["Example Health Authority", "1 Example Street", "12345 Example", "contact@health.example"])
        ])

    /// Returns the facts that the self-check examines, of a healthy board; with `trouble`, of a board on which nearly
    /// everything is wrong.
    public static func checks(trouble: Bool) -> CheckInputs {
        CheckInputs(
            status: status(trouble ? .radioTrouble : .active), radio: radio(trouble: trouble),
            time: Device1.Time(
                state: trouble ? .plausible : .authenticated, sentence: "The authority confirmed the time two hours ago.",
                now: now * 1_000, uncertainty: 2),
            freshness: freshness(trouble: trouble), rulesVersion: 12, processes: processes(trouble: trouble),
            storage: Device1.Storage(
                dayCount: 14, writtenByteCount: 912_000,
                findings: trouble ? ["A page of 2026-11-19 did not fit its checksum; it was set aside."] : [], problem: nil),
            auditIsIntact: !trouble, secondsToRollBack: trouble ? 97 : nil,
            configuration: trouble
                ? Trust1.ConfigurationReply(
                    version: 7, trial: nil, secondsLeft: nil, takenBack: 8,
                    reason: "within its time the board was not reached again as before")
                : Trust1.ConfigurationReply(version: 7, trial: nil, secondsLeft: nil, takenBack: nil, reason: nil),
            now: now)
    }
}
