// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import Interfaces
import PluginManifest
import ProcessLink
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

    /// Messages taken from one process in a second; none needs more than a few.
    static let messagesPerSecond = 64

    static let mostCertificates = 8
    /// Unix seconds that a certificate's date can be: some 35,000 years either way.
    private static let moments: ClosedRange<Int64> = -(1 << 40)...(1 << 40)

    let name: String
    let kind: Kind
    var state: State = .waiting
    /// Why it is in that state, for people; empty if there is nothing to say.
    var reason = ""
    var since: Duration
    var policy: ProcessPolicy
    var watch: Watch?

    // What it is; `nil` for the board's own.
    var manifest: Manifest?
    var effectiveGrants: EffectiveGrants?
    var folder = ""
    /// Changes when the plugin has to be started anew to be what is installed and granted.
    var identity = ""
    var user: UInt32?

    /// Its parts in the supervisor's loop.
    var places: [EventLoop.Source] = []

    // What runs.
    var child: SandboxedProcess?
    var control: ControlSocket?
    var log: LogPipe?
    /// How much of what it says is taken.
    var pace = Pace(ManagedProcess.messagesPerSecond, at: .zero)
    var socks: Int32?
    var report: SandboxReport?
    var controlGroup: ControlGroup?
    /// What it might have when it was started last.
    var lastQuotas: Quotas?
    /// What became of the kernel's limit on what it has on the disk, at its last start.
    var diskQuota: Confinement?
    /// What became of the encryption of its state folder.
    var stateEncryption: Confinement?
    var lastExit: String?
    /// Why it is being ended, once that is decided.
    var fault: String?
    /// Whether it is to be started again at once when it has stopped.
    var startsAgain = false
    /// When its schedule or its own wish starts it.
    var startAt: Duration?
    /// What it wished for when it said IDLE, until it ends.
    var wishedPause: Duration?
    var malformedCount = 0
    /// Certificates of which it has said, in this life or the last, from when to when they are good, Unix seconds. At most ``mostCertificates``.
    var certificates: [String: ClosedRange<Int64>] = [:]
    var memory: UInt64 = 0
    var listeners: [String: NetworkListener] = [:]
    var listenerPlaces: [String: String] = [:]

    init(_ name: String, _ kind: Kind, rules: ProcessPolicy.Rules, at now: Duration) {
        self.name = name
        self.kind = kind
        since = now
        policy = ProcessPolicy(rules)
    }

    deinit { if let socks { close(socks) } }

    var isResident: Bool { kind != .plugin || manifest?.start == .resident }

    var isAlive: Bool { child != nil }

    /// When its supervisor has to look at it at the latest; `nil` while nothing in its state ends with time.
    ///
    /// - Parameter isStopping: The board stops: nothing is started any more.
    func due(isStopping: Bool) -> Duration? {
        switch state {
        case .starting, .running: watch?.due
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
        certificates = [:]
        malformedCount = 0
        lastExit = nil
        policy.forgetRestarts()
    }

    /// It has a certificate, says a message; false when that makes no sense.
    func takeCertificate(_ values: [String: String]) -> Bool {
        guard let name = values["name"], (1...24).contains(name.utf8.count),
            name.utf8.allSatisfy({ (97...122).contains($0) || $0 == 45 })
        else { return false }
        guard values["from"] != nil || values["until"] != nil else {
            certificates[name] = nil
            return true
        }
        guard let from = values["from"].flatMap({ Int64($0) }), let until = values["until"].flatMap({ Int64($0) }),
            from <= until, Self.moments.contains(from), Self.moments.contains(until),
            certificates[name] != nil || certificates.count < Self.mostCertificates
        else { return false }
        certificates[name] = from...until
        return true
    }

    /// What ran is gone.
    func clear() {
        child = nil
        control = nil
        log = nil
        watch = nil
        wishedPause = nil
        memory = 0
        // What it left behind, where no process namespace ended it already.
        controlGroup?.killAll()
        controlGroup?.remove()
        controlGroup = nil
        if let socks { close(socks) }
        socks = nil
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
