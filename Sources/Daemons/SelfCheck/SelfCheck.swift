// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Interfaces

/// The self-check: derives findings from the board's answers.
public enum SelfCheck {
    /// The age in seconds above which keys are a serious finding: a day, our choice. Risk is reported as outdated
    /// after another day.
    public static let oldKeys: Int64 = UTCDay.seconds
    /// The age in seconds above which keys are a serious finding if their server publishes a file every 4 to 24
    /// hours (exposure-notifications-server), some hours after its end: 36 hours, our choice.
    public static let oldFiles: Int64 = 129_600
    /// The delay of an identifier's change from which it is a finding, in milliseconds: a minute, our choice, a tenth of
    /// the shortest time for which an identifier is sent.
    public static let lateRotation: Int64 = 60_000
    /// The difference between a server's clock and the board's from which it is a finding, in seconds: two hours, the
    /// tolerance within which a sighting counts.
    public static let clockOffset: Int64 = 7_200

    /// The difference between the system's clock and the believed time from which it is a finding, in seconds: ten minutes,
    /// the most that signed time may be wrong by.
    public static let systemOffset: Int64 = 600
    /// The divisor of the disk's size below which free space is a finding: 10, so a tenth; our choice.
    public static let roomShare: UInt64 = 10

    /// The number of seconds before its expiry from which a certificate is a finding: three weeks, our choice, which leaves
    /// time to send a new one.
    public static let certificateSeconds: Int64 = 21 * UTCDay.seconds

    /// Returns the findings about the board, the most serious first, in the catalogue's order among equals; empty if there
    /// are none. Pure: it makes no calls, may be used on any thread, and cannot fail.
    public static func run(_ inputs: CheckInputs) -> [Found] {
        let found =
            device(inputs) + radio(inputs) + time(inputs) + keys(inputs) + processes(inputs) + certificates(inputs)
            + battery(inputs) + rest(inputs)
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
            // A place sends nothing: that nothing is on air is no fault of it.
            if !radio.onAir, status.role == .person { found.append(Found(.radioSilent, detail: radio.lastTrouble)) }
            // The second identifier is ten minutes after the first; no profile listens less often than that.
            if radio.scanCount == 0, !radio.scanning, radio.rotationCount > 1 {
                found.append(Found(.radioDeaf, detail: radio.lastTrouble))
            }
        }
        // Nine of ten; what was heard is counted, because it may be none of ten.
        let heard = radio.scanCount - min(radio.quietScanCount, radio.scanCount)
        if radio.scanCount >= 20, heard <= radio.scanCount / 10 { found.append(Found(.quietScans)) }
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
        // Offsets and times come from plugins and servers: any number.
        if let offset = inputs.time?.systemOffset, offset.magnitude >= systemOffset.magnitude {
            found.append(
                Found(.systemClockOff, detail: "It is \(offset.magnitude) seconds \(offset > 0 ? "ahead" : "behind")."))
        }
        if let refused = inputs.time?.refused { found.append(Found(.timeRefused, detail: refused)) }
        if let offset = inputs.freshness?.clockOffset, offset.magnitude >= clockOffset.magnitude {
            found.append(Found(.clockOffset))
        }
        return found
    }

    private static func keys(_ inputs: CheckInputs) -> [Found] {
        var found: [Found] = []
        // A place compares no keys, so their age is of no concern there. Its time comes from a source all the same.
        let compares = inputs.status?.role != .place
        if inputs.rulesVersion == 0, compares { found.append(Found(.noRules)) }
        guard let freshness = inputs.freshness else { return found }
        if freshness.sources.isEmpty, compares { found.append(Found(.noSources)) }
        for source in freshness.sources {
            if let problem = source.problem { found.append(Found(.sourceProblem, name: source.name, detail: problem)) }
            guard compares else { continue }
            if source.missingCount > 0 { found.append(Found(.packagesMissing, name: source.name)) }
            if let end = source.newestEnd {
                let limit = source.kind == .index ? oldFiles : oldKeys
                if let now = inputs.now, isOlder(end, at: now, than: limit) {
                    found.append(Found(.keysOld, name: source.name))
                }
            } else if source.lastSuccess != nil, source.missingCount == 0, source.problem == nil, source.packageCount == 0 {
                found.append(Found(.sourceEmpty, name: source.name))
            } else {
                found.append(Found(.neverCompared, name: source.name))
            }
        }
        return found
    }

    private static func isOlder(_ time: Int64, at now: Int64, than limit: Int64) -> Bool {
        let (age, isBeyond) = now.subtractingReportingOverflow(time)
        return isBeyond ? time < now : age > limit
    }

    private static func processes(_ inputs: CheckInputs) -> [Found] {
        guard let reply = inputs.processes else { return [] }
        var found: [Found] = reply.safeMode ? [Found(.safeMode)] : []
        switch reply.lastEnd {
        case "killed": found.append(Found(.endedUnexpectedly))
        case "powerLost": found.append(Found(.powerLost))
        default: break
        }
        found += partitions(reply.partitions ?? [:])
        if !reply.problems.isEmpty {
            found.append(Found(.configurationProblems, detail: reply.problems.joined(separator: "\n")))
        }
        for process in reply.processes {
            switch process.state {
            case .quarantined: found.append(Found(.pluginQuarantined, name: process.name, detail: process.reason))
            case .disabled: found.append(Found(.pluginDisabled, name: process.name))
            default:
                if ownParts.contains(process.name) {
                    if process.restarts > 0 {
                        found.append(Found(.partRestarted, name: process.name, detail: process.lastExit))
                    }
                } else if process.restarts >= 3 {
                    found.append(Found(.pluginRestarts, name: process.name, detail: process.lastExit))
                }
            }
            for part in process.confinement where !Self.holds(part.state) {
                found.append(Found(.weakConfinement, name: process.name, detail: part.detail))
            }
        }
        return found
    }

    /// Processes that are no plugins: nobody ends them on purpose.
    private static let ownParts: Set<String> = ["core", "egress"]

    /// Only with the time known; that a certificate is not good yet, only with the time confirmed: a clock that is behind is no fault of it.
    private static func certificates(_ inputs: CheckInputs) -> [Found] {
        guard let now = inputs.now, let processes = inputs.processes?.processes else { return [] }
        let isConfirmed = inputs.time?.state == .authenticated
        return processes.flatMap { process in
            (process.certificates ?? []).compactMap { certificate -> Found? in
                let detail: String
                if certificate.notAfter < now {
                    detail =
                        "Its certificate (\(certificate.name)) ended on \(UTCDay(containing: certificate.notAfter).date.isoText)."
                } else if certificate.notAfter - now < certificateSeconds {
                    let days = (certificate.notAfter - now) / UTCDay.seconds
                    detail =
                        "Its certificate (\(certificate.name)) ends on \(UTCDay(containing: certificate.notAfter).date.isoText), in \(days) \(days == 1 ? "day" : "days")."
                } else if isConfirmed, certificate.notBefore > now {
                    detail =
                        "Its certificate (\(certificate.name)) is good from \(UTCDay(containing: certificate.notBefore).date.isoText) on."
                } else {
                    return nil
                }
                return Found(.certificateExpiring, name: process.name, detail: detail)
            }
        }
    }

    private static func battery(_ inputs: CheckInputs) -> [Found] {
        guard let battery = inputs.processes?.battery, battery.low else { return [] }
        return [Found(.batteryLow, detail: BatteryWords.sentence(battery))]
    }

    /// What the system's first words about a partition mean (docs/image.md). What it may say one day that is not known here is no finding.
    private static func partitions(_ words: [String: String]) -> [Found] {
        words.sorted { $0.key < $1.key }.compactMap { name, words in
            let state = words.split(separator: ":", maxSplits: 1).first.map(String.init) ?? ""
            switch state {
            case "missing", "broken": return Found(.partitionInMemory, name: name, detail: words)
            case "made anew": return Found(.partitionAnew, name: name, detail: words)
            case "mended": return Found(.partitionMended, name: name)
            default: return nil
            }
        }
    }

    /// Returns whether a part of a confinement is in force, tried or not: `true` for the supervisor's states `verified` and
    /// `applied`, `false` for any other text.
    public static func holds(_ state: String) -> Bool { state == "verified" || state == "applied" }

    private static func rest(_ inputs: CheckInputs) -> [Found] {
        var found: [Found] = []
        if let free = inputs.storage?.freeByteCount, let size = inputs.storage?.byteCount, free < size / roomShare {
            found.append(Found(.diskNearlyFull, detail: "\(free >> 20) of \(size >> 20) MiB are free."))
        }
        if let problem = inputs.storage?.problem { found.append(Found(.storageProblem, detail: problem)) }
        if let findings = inputs.storage?.findings, !findings.isEmpty {
            found.append(Found(.storageFindings, detail: findings.joined(separator: "\n")))
        }
        if inputs.auditIsIntact == false { found.append(Found(.auditBroken)) }
        if inputs.secondsToRollBack != nil { found.append(Found(.networkUnconfirmed)) }
        return found + configuration(inputs)
    }

    /// What was taken back or refused is no finding any more once a newer one is tried or holds.
    private static func configuration(_ inputs: CheckInputs) -> [Found] {
        guard let state = inputs.configuration else { return [] }
        if let version = state.trial {
            return [Found(.configurationOnTrial, detail: "Version \(version); \(state.secondsLeft ?? 0) s are left.")]
        }
        if let version = state.takenBack, version > state.version ?? 0 {
            let reason = state.reason ?? "it did not hold"
            return [Found(.configurationTakenBack, detail: "Version \(version) was taken back: \(reason).")]
        }
        guard let reason = state.refusedReason else { return [] }
        return [Found(.configurationRefused, detail: (state.refused.map { "Version \($0): " } ?? "") + reason)]
    }
}
