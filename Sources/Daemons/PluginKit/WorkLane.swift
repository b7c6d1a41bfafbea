// SPDX-License-Identifier: Apache-2.0

/// Which of a plugin's two worker threads does a job (``PluginHost/work(_:_:then:)``).
public enum WorkLane: Sendable, CaseIterable {
    /// For jobs that may take minutes, such as downloads.
    case background
    /// For jobs of seconds that a caller waits for. They never wait for a job of the other lane.
    case prompt

    /// The most jobs that wait or run in ``prompt``: 16, our choice. Callers get an answer to each, and whoever asks for more of them is refused and not queued.
    public static let mostPrompt = 16
}

/// As many jobs wait as may wait: ``WorkLane/mostPrompt``. Nothing was done; the caller may ask again later.
public struct TooManyJobs: Error, Sendable, Equatable {
    /// Creates the error.
    public init() {}
}
