// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// How much a finding matters.
public enum Severity: String, Sendable, CaseIterable, Comparable {
    /// People are not warned, or not protected, until it is mended.
    case serious
    /// It works, but not for long, or not well.
    case attention
    /// Good to know.
    case hint

    public static func < (one: Severity, other: Severity) -> Bool {
        allCases.firstIndex(of: one) ?? 0 < allCases.firstIndex(of: other) ?? 0
    }
}

/// Everything the self-check can find. Identifiers are stable; what each means, and what helps, is in the texts.
public enum Finding: String, Sendable, CaseIterable {
    case switchedOff = "switched-off"
    case noController = "no-controller"
    case transportProblem = "transport-problem"
    case radioSilent = "radio-silent"
    case radioDeaf = "radio-deaf"
    case quietScans = "quiet-scans"
    case lateRotation = "late-rotation"
    case lostScans = "lost-scans"
    case ladderClimbed = "ladder-climbed"
    case timeUntrusted = "time-untrusted"
    case timePlausible = "time-plausible"
    case clockOffset = "clock-offset"
    case noSources = "no-sources"
    case sourceProblem = "source-problem"
    case keysOld = "keys-old"
    case packagesMissing = "packages-missing"
    case neverCompared = "never-compared"
    case noRules = "no-rules"
    case pluginQuarantined = "plugin-quarantined"
    case pluginDisabled = "plugin-disabled"
    case pluginRestarts = "plugin-restarts"
    case weakConfinement = "weak-confinement"
    case safeMode = "safe-mode"
    case configurationProblems = "configuration-problems"
    case storageProblem = "storage-problem"
    case storageFindings = "storage-findings"
    case auditBroken = "audit-broken"
    case networkUnconfirmed = "network-unconfirmed"

    public var severity: Severity {
        switch self {
        case .noController, .transportProblem, .radioSilent, .radioDeaf, .timeUntrusted, .keysOld, .noSources, .safeMode,
            .storageProblem,
            .auditBroken, .noRules:
            .serious
        case .switchedOff, .lateRotation, .lostScans, .ladderClimbed, .clockOffset, .sourceProblem, .packagesMissing,
            .neverCompared,
            .pluginQuarantined, .weakConfinement, .configurationProblems, .storageFindings, .networkUnconfirmed,
            .quietScans:
            .attention
        case .timePlausible, .pluginDisabled, .pluginRestarts: .hint
        }
    }

    /// Where it is seen and mended.
    var area: TechnicianArea {
        switch self {
        case .switchedOff: .overview
        case .noController, .transportProblem, .radioSilent, .radioDeaf, .quietScans, .lateRotation, .lostScans,
            .ladderClimbed:
            .radio
        case .timeUntrusted, .timePlausible, .clockOffset: .time
        case .noSources, .sourceProblem, .keysOld, .packagesMissing, .neverCompared, .noRules: .sync
        case .pluginQuarantined, .pluginDisabled, .pluginRestarts, .weakConfinement, .safeMode, .configurationProblems:
            .plugins
        case .storageProblem, .storageFindings: .storage
        case .auditBroken: .audit
        case .networkUnconfirmed: .network
        }
    }

    /// What a button can do about it at once.
    func fix(about name: String?) -> (action: FormAction, path: [String])? {
        switch self {
        case .sourceProblem, .keysOld, .packagesMissing, .neverCompared: (.syncNow, ["tech", "sync"])
        case .pluginQuarantined: name.map { (.restartPlugin, ["tech", "plugins", $0]) }
        case .pluginDisabled: name.map { (.enablePlugin, ["tech", "plugins", $0]) }
        case .safeMode: (.reboot, ["tech", "reboot"])
        case .networkUnconfirmed: (.confirmNetwork, ["tech", "network"])
        default: nil
        }
    }
}

/// What the self-check looks at. What is absent was not asked, or did not answer, and gives no finding.
public struct CheckInputs: Sendable {
    public var status: Exposure1.Status?
    public var radio: Device1.Radio?
    public var time: Device1.Time?
    public var freshness: Sync1.Freshness?
    /// Version of the authority's rules; 0 without any.
    public var rulesVersion: Int64?
    public var processes: Keeper1.ProcessesReply?
    public var storage: Device1.Storage?
    public var auditIsIntact: Bool?
    public var secondsToRollBack: Int64?
    /// Unix seconds; absent while the time is not known.
    public var now: Int64?

    public init(
        status: Exposure1.Status? = nil, radio: Device1.Radio? = nil, time: Device1.Time? = nil,
        freshness: Sync1.Freshness? = nil,
        rulesVersion: Int64? = nil, processes: Keeper1.ProcessesReply? = nil, storage: Device1.Storage? = nil,
        auditIsIntact: Bool? = nil, secondsToRollBack: Int64? = nil, now: Int64? = nil
    ) {
        self.status = status
        self.radio = radio
        self.time = time
        self.freshness = freshness
        self.rulesVersion = rulesVersion
        self.processes = processes
        self.storage = storage
        self.auditIsIntact = auditIsIntact
        self.secondsToRollBack = secondsToRollBack
        self.now = now
    }
}

/// Something that was found.
public struct Found: Sendable, Equatable {
    public var finding: Finding
    /// What it is about: a plugin's or source's name.
    public var name: String?
    /// The board's own English sentence about it.
    public var detail: String?

    public init(_ finding: Finding, name: String? = nil, detail: String? = nil) {
        self.finding = finding
        self.name = name
        self.detail = detail
    }
}

/// The self-check: from what the board says, what is wrong with it.
public enum SelfCheck {
    /// Keys this old, in seconds, are a serious finding: risk is then told as outdated after as long again.
    public static let oldKeys: Int64 = 86_400
    /// An identifier changed this much later than it should, in milliseconds, is worth a look.
    public static let lateRotation: Int64 = 60_000
    /// Seconds by which a server's clock may differ.
    public static let clockOffset: Int64 = 7_200

    /// The weightiest first, in the catalogue's order among equals.
    public static func run(_ inputs: CheckInputs) -> [Found] {
        let found = device(inputs) + radio(inputs) + time(inputs) + keys(inputs) + processes(inputs) + rest(inputs)
        let order = Dictionary(uniqueKeysWithValues: Finding.allCases.enumerated().map { ($1, $0) })
        return found.enumerated().sorted { one, other in
            let first = one.element.finding
            let second = other.element.finding
            if first.severity != second.severity { return first.severity < second.severity }
            if first != second { return order[first] ?? 0 < order[second] ?? 0 }
            return one.offset < other.offset
        }.map(\.element)
    }

    private static func device(_ inputs: CheckInputs) -> [Found] {
        inputs.status?.state == .disabled ? [Found(.switchedOff)] : []
    }

    private static func radio(_ inputs: CheckInputs) -> [Found] {
        guard let radio = inputs.radio else { return [] }
        var found: [Found] = []
        if let problem = radio.transportProblem { found.append(Found(.transportProblem, detail: problem)) }
        if radio.controller == nil { found.append(Found(.noController, detail: radio.lastTrouble)) }
        if radio.controller != nil, let status = inputs.status, status.enabled, status.timeState != .untrusted {
            if !radio.onAir { found.append(Found(.radioSilent, detail: radio.lastTrouble)) }
            if radio.scanCount == 0 { found.append(Found(.radioDeaf, detail: radio.lastTrouble)) }
        }
        if radio.scanCount >= 20, radio.quietScanCount >= radio.scanCount / 10 * 9 { found.append(Found(.quietScans)) }
        if radio.worstRotationLateness >= lateRotation { found.append(Found(.lateRotation)) }
        if radio.lostScanCount > 0 { found.append(Found(.lostScans)) }
        if radio.ladder.values.contains(where: { $0 > 0 }) {
            found.append(Found(.ladderClimbed, detail: radio.lastTrouble))
        }
        return found
    }

    private static func time(_ inputs: CheckInputs) -> [Found] {
        var found: [Found] = []
        switch inputs.time?.state {
        case .untrusted: found.append(Found(.timeUntrusted, detail: inputs.time?.sentence))
        case .plausible: found.append(Found(.timePlausible, detail: inputs.time?.sentence))
        case .authenticated, nil: break
        }
        if let offset = inputs.freshness?.clockOffset, abs(offset) >= clockOffset { found.append(Found(.clockOffset)) }
        return found
    }

    private static func keys(_ inputs: CheckInputs) -> [Found] {
        var found: [Found] = []
        if inputs.rulesVersion == 0, inputs.status?.role != .place { found.append(Found(.noRules)) }
        guard let freshness = inputs.freshness else { return found }
        if freshness.sources.isEmpty { found.append(Found(.noSources)) }
        for source in freshness.sources {
            if let problem = source.problem { found.append(Found(.sourceProblem, name: source.name, detail: problem)) }
            if source.missingCount > 0 { found.append(Found(.packagesMissing, name: source.name)) }
            if let end = source.newestEnd {
                if let now = inputs.now, now - end > oldKeys { found.append(Found(.keysOld, name: source.name)) }
            } else {
                found.append(Found(.neverCompared, name: source.name))
            }
        }
        return found
    }

    private static func processes(_ inputs: CheckInputs) -> [Found] {
        guard let reply = inputs.processes else { return [] }
        var found: [Found] = reply.safeMode ? [Found(.safeMode)] : []
        if !reply.problems.isEmpty {
            found.append(Found(.configurationProblems, detail: reply.problems.joined(separator: "\n")))
        }
        for process in reply.processes {
            switch process.state {
            case "quarantined": found.append(Found(.pluginQuarantined, name: process.name, detail: process.reason))
            case "disabled": found.append(Found(.pluginDisabled, name: process.name))
            default:
                if process.restarts >= 3 {
                    found.append(Found(.pluginRestarts, name: process.name, detail: process.lastExit))
                }
            }
            for part in process.confinement where !Self.holds(part.state) {
                found.append(Found(.weakConfinement, name: process.name, detail: part.detail))
            }
        }
        return found
    }

    /// Whether a part of a confinement is in force, tried or not.
    static func holds(_ state: String) -> Bool { state == "verified" || state == "applied" }

    private static func rest(_ inputs: CheckInputs) -> [Found] {
        var found: [Found] = []
        if let problem = inputs.storage?.problem { found.append(Found(.storageProblem, detail: problem)) }
        if let findings = inputs.storage?.findings, !findings.isEmpty {
            found.append(Found(.storageFindings, detail: findings.joined(separator: "\n")))
        }
        if inputs.auditIsIntact == false { found.append(Found(.auditBroken)) }
        if inputs.secondsToRollBack != nil { found.append(Found(.networkUnconfirmed)) }
        return found
    }
}
