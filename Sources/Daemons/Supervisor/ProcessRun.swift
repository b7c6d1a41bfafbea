// SPDX-License-Identifier: Apache-2.0

import Glibc
import ProcessLink
import Sandbox
import Supervision

/// One run of a process, from its start until its end was taken: its descriptors, its limits, and what is expected of it.
final class ProcessRun {
    /// Messages taken from one process in a second; none needs more than a few.
    static let messagesPerSecond = 64

    let child: SandboxedProcess
    /// `nil` once the process has closed its end.
    var control: ControlSocket?
    /// `nil` once nobody can write there any more.
    var log: LogPipe?
    /// How much of what it says is taken.
    var pace: Pace
    /// The listener of its way out, which was made where only the process can reach it; `nil` for one without.
    private(set) var socks: Int32?
    /// `nil` for the board's own processes.
    private(set) var controlGroup: ControlGroup?
    /// `nil` once it is being ended: nothing else is expected of it then.
    var watch: Watch?
    /// Why it is being ended, once that is decided.
    private(set) var fault: String?
    /// The pause that it wished for when it said IDLE.
    var wishedPause: Duration?
    /// How often it was told, or was to be told, that the core has something for it.
    private(set) var fetchesSent = 0
    /// How many of these it had taken when it said IDLE.
    var fetchesTaken = 0
    /// Bytes, as last measured; 0 before.
    var memory: UInt64 = 0

    /// - Parameter start: When it started, on the supervisor's clock.
    init(
        _ child: SandboxedProcess, control: ControlSocket, log: LogPipe, group: ControlGroup?, watch: Watch,
        at start: Duration
    ) {
        self.child = child
        self.control = control
        self.log = log
        self.watch = watch
        controlGroup = group
        pace = Pace(Self.messagesPerSecond, at: start)
    }

    deinit { close() }

    /// Tells it that the core has something for it. What does not reach it counts, too.
    func fetch() {
        fetchesSent += 1
        control?.send("FETCH")
    }

    /// Whether it was told of something that it had not taken when it ended.
    var missedAFetch: Bool { fetchesTaken < fetchesSent }

    /// The last word counts: what it could not be started for comes after what it was ended for.
    func fail(_ fault: String) { self.fault = fault }

    /// The listener, which is this run's from now on, in place of the one before.
    func take(socks descriptor: Int32) {
        if let socks { Glibc.close(socks) }
        socks = descriptor
    }

    /// Ends whatever the process left behind, where no process namespace ended it already. Must come before the process is started again:
    /// the next group has the same name.
    func close() {
        controlGroup?.end()
        controlGroup = nil
        if let socks { Glibc.close(socks) }
        socks = nil
    }
}

extension ControlGroup {
    /// Kills everything in it and removes it.
    func end() {
        killAll()
        remove()
    }
}
