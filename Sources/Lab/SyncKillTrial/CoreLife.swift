// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import JSON
import Varlink
import VarlinkSocket

/// `vigil core` with its files, its sockets and the sync plugin as a caller.
final class CoreLife {
    private let places: KillPlaces
    let child: Child

    /// Starts it, and waits until it takes files. `tracer` are words before the program's, if it is to be followed.
    init(_ places: KillPlaces, tracer: [String] = []) throws {
        self.places = places
        for name in ["ctl.sock", "sync.sock"] { unlink("\(places.run)/\(name)") }
        let arguments =
            tracer + [
                "\(places.programs)/vigil", "core", "--enable", "--transport", "h4:unix:\(places.air)", "--data",
                places.data,
                "--keys", places.keys, "--run", places.run, "--verify", "262-v1=\(places.publicKey)",
                "--config-key", "262-v1=\(places.publicKey)", "--callers",
                places.callers, "--level", "warning",
            ]
        child = try Child(
            arguments[0], Array(arguments.dropFirst()), environment: [:], log: "\(places.folder)/core.log")
        let isReady = Child.waits(seconds: 20) {
            guard child.ended == nil else { return true }
            guard access("\(places.run)/sync.sock", F_OK) == 0, let status = try? self.status() else { return false }
            return status.enabled && status.timeState != .untrusted
        }
        guard child.ended == nil else {
            throw TrialFailure("the core ended before it could be asked; see \(places.folder)/core.log")
        }
        guard isReady else { throw TrialFailure("the core does not come to take files; see \(places.folder)/core.log") }
    }

    /// Stops it in order; whether it did.
    func stops() -> Bool {
        // A tracer has it as its only child.
        var ids = KillPlaces.read("/proc/\(child.process)/task/\(child.process)/children").split(separator: 0x20)
            .compactMap { pid_t(String(decoding: $0, as: UTF8.self)) }
        if ids.isEmpty { ids = [child.process] }
        for id in ids { kill(id, SIGTERM) }
        return child.waits(seconds: 10)
    }

    func status(as caller: String = "ctl") throws -> Exposure1.Status {
        try VarlinkClient(path: "\(places.run)/\(caller).sock", timeout: .seconds(20))
            .call(Exposure1.Method.getStatus.path, JSON.empty, as: Exposure1.StatusReply.self).status
    }

    /// Everything that files of keys brought.
    func findings() throws -> KillFindings {
        var findings = KillFindings()
        let status = try status()
        findings.matches = status.matchCount ?? -1
        findings.files = status.matchedFileCount
        findings.calls = try self.status(as: "sync").limit.used
        let client = try VarlinkClient(path: "\(places.run)/ctl.sock", timeout: .seconds(20))
        findings.contentVersion =
            try client.call(Content1.Method.getContent.path, JSON.empty, as: Content1.ContentReply.self).version
        try client.callMore(Exposure1.Method.getExposureWindows.path) { reply in
            findings.windows += (reply["windows"]?.array ?? []).map(\.description)
            return true
        }
        findings.windows.sort()
        let audit = try VarlinkClient(path: "\(places.run)/ctl.sock", timeout: .seconds(20))
        try audit.callMore(Device1.Method.getAudit.path) { reply in
            if reply["intact"]?.bool != true { findings.isAuditIntact = false }
            for entry in reply["entries"]?.array ?? [] where entry["kind"]?.string == "filesMatched" {
                findings.committedFiles += Int(entry["details"]?["files"]?.string ?? "") ?? 0
                findings.committedKeys += Int(entry["details"]?["keys"]?.string ?? "") ?? 0
            }
            return true
        }
        return findings
    }
}

/// What a core has of files of keys.
struct KillFindings: Equatable {
    /// People met.
    var matches = 0
    /// Contents it remembers, by their sum.
    var files = 0
    var windows: [String] = []
    /// By the audit log, which has an entry for each commit: files and keys in all of them.
    var committedFiles = 0
    var committedKeys = 0
    var isAuditIntact = true
    /// Of the health authority's content.
    var contentVersion: Int64 = 0
    /// Calls of the plugin.
    var calls = 0

    /// What is wrong with this where `whole` is right. `keyCount` were published.
    func problem(against whole: KillFindings) -> String? {
        if !isAuditIntact { return "the audit log is not whole" }
        if files < whole.files { return "lost: \(files) of \(whole.files) packages are with the core" }
        if matches < whole.matches { return "lost: \(matches) of \(whole.matches) people were found" }
        if committedFiles > whole.committedFiles || files > whole.files || committedKeys > whole.committedKeys {
            return
                "matched twice: \(committedFiles) packages with \(committedKeys) keys were committed, \(whole.committedFiles) with \(whole.committedKeys) are right"
        }
        if committedFiles < whole.committedFiles || committedKeys < whole.committedKeys {
            return
                "committed \(committedFiles) packages with \(committedKeys) keys, of \(whole.committedFiles) with \(whole.committedKeys)"
        }
        if matches != whole.matches || windows != whole.windows {
            return "found \(matches) people in \(windows.count) windows, not as always"
        }
        if contentVersion != whole.contentVersion { return "the content is of version \(contentVersion)" }
        return nil
    }
}
