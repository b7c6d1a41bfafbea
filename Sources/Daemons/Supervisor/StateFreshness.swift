// SPDX-License-Identifier: Apache-2.0

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
