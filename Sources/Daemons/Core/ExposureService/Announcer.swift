// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// Tells whoever listens what has happened in the exposure service, after it happened. Made before the service, so that nothing of the service
/// is set from outside once it stands. Used from the thread that owns the service; a listener may ask the service, and changes nothing in it.
public final class Announcer {
    /// One piece of news for those who watch the core.
    public enum News: Equatable {
        /// Something happened that callers may watch by the interface of the core.
        case event(Exposure1.Event)
        /// There is news about risk, or the person has seen them.
        case risk
        /// The scene for lights and buzzer has changed, and will not be asked for again.
        case scene
        /// Sessions may have ended before their time.
        case sessionsEnded
    }

    private let onStep: (String) -> Void
    private var listeners: [(News) -> Void] = []

    /// An announcer that nobody listens to yet. Cannot fail.
    ///
    /// - Parameter onStep: Called at each of ``ExposureService/steps``, for proofs that kill the process there.
    public init(onStep: @escaping (String) -> Void = { _ in }) { self.onStep = onStep }

    /// Has `listener` told of everything from now on, after those that came before it. Cannot fail.
    public func listen(_ listener: @escaping (News) -> Void) { listeners.append(listener) }

    func tell(_ news: News) {
        for listener in listeners { listener(news) }
    }

    /// A durable change is done, or about to be.
    func step(_ name: String) { onStep(name) }
}
