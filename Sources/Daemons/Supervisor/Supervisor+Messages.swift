// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import Logging
import PluginManifest
import ProcessLink
import Sandbox
import Supervision

/// What processes say: a few fixed words, and what the trampoline found before it became them.
extension Supervisor {
    func takeMessages(of process: ManagedProcess, at moment: Duration) {
        // A bounded number in one turn: whoever floods waits for the next one.
        for _ in 0..<16 {
            guard let run = process.run, let control = run.control else { return }
            run.pace.take(1, at: moment)
            switch control.receive() {
            case .nothing: return
            case .closed:
                // What the end of the process means is known when it is known how it ended.
                run.control = nil
                return
            case .malformed: process.malformedCount += 1
            // Without a descriptor: this end takes none.
            case .message(let message, _): take(message, from: process, at: moment)
            }
        }
    }

    private func take(_ message: ControlMessage, from process: ManagedProcess, at moment: Duration) {
        switch message.verb {
        case "READY":
            guard process.state == .starting else { return }
            process.run?.watch?.didBecomeReady(at: moment)
            process.hasBeenReady = true
            process.become(.running, at: moment)
            noteChange()
            // Again: only now it has a session of its own.
            prefer(process)
            if process.kind == .core { forgetFormerLife(at: moment) }
            if process.kind == .core, !hasTheCoreBeenReady {
                hasTheCoreBeenReady = true
                systemd.tell("READY=1")
            }
        case "ALIVE": process.run?.watch?.didGiveSign(at: moment)
        case "IDLE":
            process.run?.watch?.didGiveSign(at: moment)
            // The plugin's own schedule; what it may not say is bounded, not refused: it is a plugin's wish, no more.
            process.run?.wishedPause = message.values["after"].flatMap { Int64($0) }.map {
                .seconds(min(max($0, 1), 31 * 86_400))
            }
            process.run?.fetchesTaken = message.values["fetched"].flatMap { Int($0) } ?? 0
        case "CERTIFICATE" where process.kind == .plugin:
            guard process.certificates.take(message.values) else { return process.malformedCount += 1 }
            noteChange()
        case "ON-AIR" where process.kind == .core:
            radio.coreDidReport(
                secondsOnAir: message.values["seconds"].flatMap { Int($0) } ?? 0,
                isWanted: message.values["wanted"] != "0", at: moment)
        case "RADIO-LOST" where process.kind == .core: radio.wasLost(at: moment)
        case "FETCH" where process.kind == .core: haveFetched(at: moment)
        case SupervisorRequest.verb where process.kind == .core:
            guard let order = SupervisorRequest(message) else { return process.malformedCount += 1 }
            obey(order, at: moment)
        default: process.malformedCount += 1
        }
    }

    /// The core has a code for whoever was granted to take it: a plugin that rests is started, one that runs is told. One that is about to end
    /// does not hear of it, and is started again (``ProcessRun/missedAFetch``).
    private func haveFetched(at moment: Duration) {
        guard stopBegan == nil else { return }
        for plugin in plugins where plugin.effectiveGrants?.edges.contains(where: { $0.interface == Door1.name }) == true {
            if let run = plugin.run {
                run.fetch()
            } else if plugin.state == .waiting, mayStart {
                start(plugin)
            }
        }
    }

    func takeReport(of process: ManagedProcess, at moment: Duration) {
        guard let run = process.run else { return }
        while let news = run.child.takeNews() {
            switch news {
            case .confined(let confined):
                var report = run.controlGroup.map { confined.adding(missing: $0) } ?? confined
                for part in [process.diskQuota, process.stateEncryption].compactMap(\.self) { report = report.adding(part) }
                process.report = report
                if let socks = run.child.takeSocksListener() {
                    run.take(socks: socks)
                    tellEgress(of: process)
                }
                for part in report.missing where said.missing.insert(part.primitive).inserted {
                    log.notice(
                        "not to be had here: \(part.reason)", metadata: ["confinement": "\(part.primitive.rawValue)"])
                }
            case .running: break
            case .refused(let report):
                process.report = report
                run.fail(report.refusal ?? "it could not be confined")
            case .notExecutable(let reason): run.fail("its program cannot be started: \(reason)")
            case .broken(let reason): run.fail(reason)
            }
            noteChange()
        }
    }
}
