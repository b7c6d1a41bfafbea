// SPDX-License-Identifier: Apache-2.0

import Core
import Interfaces
import Ledger

/// Everything of a device that an answer may have been about.
struct ServiceSnapshot: Equatable {
    /// What files of keys brought.
    struct Findings: Equatable {
        var matches: Int
        var files: Int
        var isDated: Bool
        /// Of the windows, in an order of their own; `nil` on a device that stands in a place.
        var windows: [String]?
    }

    var isEnabled: Bool
    var findings: Findings
    var role: Exposure1.Role
    var mapping: Exposure1.DiagnosisKeysDataMapping
    var audit: [String]
    var attempts: Int
    var openTickets: Int
    var isChainWhole: Bool
    /// Version of the rules; 0 without any.
    var rules: Int64

    init(_ board: ServiceBoard) throws {
        let service = board.service
        let status = try service.status(for: board.caller, at: board.now)
        isEnabled = status.enabled
        var windows: [String]?
        if status.role == .person {
            windows = try service.windows(at: board.now).map { window in
                var still = window
                // A mapping is judged by itself.
                still.infectiousness = .none
                return "\(still)"
            }.sorted()
        }
        findings = Findings(
            matches: status.matchCount ?? -1, files: status.matchedFileCount, isDated: status.lastMatched != nil,
            windows: windows
        )
        role = status.role
        mapping = try service.mapping(at: board.now).mapping
        let (records, verdict) = try service.audit(after: nil)
        audit = records.map(\.kind)
        isChainWhole = verdict.firstBroken == nil
        attempts = status.limit.used
        rules = service.warnings.rules(at: board.now).version
        openTickets = try board.ledger.openTicketCount(at: board.stage.start)
    }

    /// What is wrong with this after a life that had answered as much as `before` shows, and may have done what `after` shows.
    func problem(between before: ServiceSnapshot, and after: ServiceSnapshot, act: ServiceAct) -> String? {
        if !isChainWhole { return "the audit chain is broken" }
        guard [before.isEnabled, after.isEnabled].contains(isEnabled) else { return "enabled: \(isEnabled)" }
        guard [before.role, after.role].contains(role) else { return "role: \(role)" }
        guard [before.mapping, after.mapping].contains(mapping) else { return "the mapping is another" }
        guard [before.findings, after.findings].contains(findings) else {
            return "found \(findings.matches) matches in \(findings.files) files: neither before nor after"
        }
        guard (before.attempts...max(before.attempts, after.attempts)).contains(attempts) else {
            return "\(attempts) attempts, \(before.attempts) to \(after.attempts) were made"
        }
        guard
            (min(before.openTickets, after.openTickets)...max(before.openTickets, after.openTickets)).contains(openTickets)
        else { return "\(openTickets) open consents" }
        // Another role is another life: its log begins anew, or is still the one before.
        let isLog =
            before.role == after.role
            ? audit.starts(with: before.audit) && after.audit.starts(with: audit)
            : [before.audit, after.audit].contains(audit)
        guard isLog else {
            return "the audit log says \(audit.joined(separator: ", "))"
        }
        // What is found and the record of it are one transaction.
        if before.findings != after.findings, before.audit != after.audit,
            (findings == after.findings) != (audit == after.audit)
        {
            return "half of a result is there"
        }
        if before.role != after.role, (role == after.role) != (audit == after.audit) { return "a role without its record" }
        if before.mapping != after.mapping, (mapping == after.mapping) != (audit == after.audit) {
            return "a mapping without its record"
        }
        guard [before.rules, after.rules].contains(rules) else { return "rules of version \(rules)" }
        if before.rules != after.rules, (rules == after.rules) != (audit == after.audit) {
            return "rules without their record"
        }
        // Nothing goes on air without a record of why.
        if !before.isEnabled, isEnabled, audit != after.audit { return "enabled without a record" }
        return nil
    }

    /// What is wrong with this at the end of an act that was interrupted once, if it is to be as `reference`; `lost` is a kind of record
    /// that may be there once less.
    func problem(atEndOf reference: ServiceSnapshot, lost: String? = nil) -> String? {
        if !isChainWhole { return "the audit chain is broken" }
        guard isEnabled == reference.isEnabled else { return "at the end, enabled: \(isEnabled)" }
        guard role == reference.role else { return "at the end, role: \(role)" }
        guard mapping == reference.mapping else { return "at the end, the mapping is another" }
        guard rules == reference.rules else { return "at the end, rules of version \(rules)" }
        guard findings == reference.findings else {
            return "at the end, \(findings.matches) matches in \(findings.files) files"
        }
        // An attempt, or a consent, that was not answered is made again, and both are on record.
        guard (reference.attempts...(reference.attempts + 1)).contains(attempts) else {
            return "at the end, \(attempts) attempts"
        }
        for kind in Set(reference.audit) {
            let expected = reference.audit.count { $0 == kind }
            let found = audit.count { $0 == kind }
            guard ((kind == lost ? expected - 1 : expected)...(expected + 1)).contains(found) else {
                return "at the end, \(found) records of \(kind)"
            }
        }
        return Set(audit) == Set(reference.audit) ? nil : "at the end, other records"
    }
}
