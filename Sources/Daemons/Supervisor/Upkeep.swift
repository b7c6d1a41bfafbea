// SPDX-License-Identifier: Apache-2.0

import GPIOLines
import HCITransport
import Sandbox

/// When the supervisor looks after what nobody asks for: memory of processes, folders of plugins, its own pages.
struct Upkeep {
    /// When the processes' memory and time are looked at next.
    var measureAt: Duration
    /// When the plugins' folders are looked at, because something was written there.
    var lookAt: Duration?
    /// When pages that only the start needed were given back; `nil` before the first time.
    var releasedPagesAt: Duration?
    /// Tells when something is written in a plugin's folders; `nil` where the system has no such thing.
    let alarm = FolderAlarm()
}

/// What the log was told, so that it is told once.
struct Said {
    /// Parts of the confinement that this machine lacks.
    var missing: Set<Primitive> = []
    var radioProblem: TransportFailure?
    var lineProblem: LineFailure?
}

/// Whether `state.json` is behind what is.
struct StateFreshness {
    private(set) var hasChanged = true
    private var written: Duration?

    mutating func change() { hasChanged = true }

    mutating func write(at now: Duration) {
        hasChanged = false
        written = now
    }

    /// When it has to be written; `nil` while it is true. Not sooner than `pause` after the last time.
    func due(after pause: Duration) -> Duration? { hasChanged ? written.map { $0 + pause } ?? .zero : nil }
}
