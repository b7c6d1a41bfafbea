// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Interfaces
import PluginManifest
import Sandbox
import Supervision

/// One process of the board: what it is, what it may have, and what became of it. Its supervisor decides; this only remembers.
final class ManagedProcess {
    enum Kind { case core, egress, plugin }

    /// The stable words of `supervisor.json` are the names of these cases.
    enum State: Equatable {
        /// On demand: nobody needs it now.
        case waiting
        /// Started; it has not said READY.
        case starting
        case running
        /// Told to stop; killed at that moment.
        case stopping(by: Duration)
        case backingOff(until: Duration)
        case quarantined
        case disabled
        /// Something about it is wrong; the reason says what.
        case refused
        /// Installed and allowed, not started because of safe mode.
        case safeMode
    }

    let name: String
    let kind: Kind
    var state: State = .waiting
    /// Why it is in that state, for people; empty if there is nothing to say.
    var reason = ""
    var since: Duration
    var policy: ProcessPolicy

    // What it is; `nil` for the board's own.
    var manifest: Manifest?
    var effectiveGrants: EffectiveGrants?
    var folder = ""
    /// Changes when the plugin has to be started anew to be what is installed and granted.
    var identity = ""
    var user: UInt32?

    /// Its parts in the supervisor's loop.
    var places: [EventLoop.Source] = []

    /// `nil` while it does not run.
    private(set) var run: ProcessRun?
    /// How it is confined, by its own word of this run or the last.
    var report: SandboxReport?
    /// What it might have when it was started last.
    var lastQuotas: Quotas?
    /// What became of the kernel's limit on what it has on the disk, at its last start.
    var diskQuota: Confinement?
    /// What became of the encryption of its state folder.
    var stateEncryption: Confinement?
    var lastExit: String?
    /// Whether it is to be started again at once when it has stopped.
    var startsAgain = false
    /// When its schedule or its own wish starts it.
    var startAt: Duration?
    /// Whether it has said READY since this supervisor began: one that never did proves nothing by not doing it later.
    var hasBeenReady = false
    var malformedCount = 0
    /// Of this run or the last.
    var certificates = SaidCertificates()
    /// By the name in its manifest. A socket is kept over a restart: who connects meanwhile waits.
    var listeners: [String: NetworkListener] = [:]

    init(_ name: String, _ kind: Kind, rules: ProcessPolicy.Rules, at now: Duration) {
        self.name = name
        self.kind = kind
        since = now
        policy = ProcessPolicy(rules)
    }

    var isResident: Bool { kind != .plugin || manifest?.start == .resident }

    var isAlive: Bool { run != nil }

    /// When its supervisor has to look at it at the latest; `nil` while nothing in its state ends with time.
    ///
    /// - Parameter isStopping: The board stops: nothing is started any more.
    func due(isStopping: Bool) -> Duration? {
        switch state {
        case .starting, .running: run?.watch?.due
        case .stopping(let end): end
        case .backingOff(let end): isStopping ? nil : end
        case .waiting: isStopping ? nil : startAt
        // A start that was planned before waits until it may run again.
        case .quarantined, .disabled, .refused, .safeMode: nil
        }
    }

    func become(_ state: State, _ reason: String = "", at now: Duration) {
        self.state = state
        self.reason = reason
        since = now
    }

    /// What it said and did in a life before is nobody's business in the next.
    func forgetFormerLife() {
        certificates = SaidCertificates()
        malformedCount = 0
        lastExit = nil
        policy.forgetRestarts()
    }

    /// It runs. What it said in the run before, it says anew.
    func begin(_ run: ProcessRun) {
        self.run = run
        certificates = SaidCertificates()
        report = nil
    }

    /// What ran is gone.
    func clear() {
        run?.close()
        run = nil
    }

    /// The word for ``state`` in `supervisor.json` and for people.
    var stateWord: Technician1.ProcessState {
        switch state {
        case .waiting: .waiting
        case .starting: .starting
        case .running: .running
        case .stopping: .stopping
        case .backingOff: .backingOff
        case .quarantined: .quarantined
        case .disabled: .disabled
        case .refused: .refused
        case .safeMode: .safeMode
        }
    }
}
