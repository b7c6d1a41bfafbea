// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// Reports what has happened in the exposure service, after it has happened. It is made before the service, so that nothing
/// in the service has to be set from outside later. Used on the thread that owns the service; a listener may ask the
/// service, but must not change it.
public final class Announcer {
    /// One piece of news for the callers that watch the core.
    public enum News: Equatable {
        /// An event happened that callers may watch.
        case event(Exposure1.Event)
        /// There is news about risk, or the person has seen it.
        case risk
        /// The scene for lights and buzzer has changed; read ``ExposureService/scene(at:)`` at once, because the program
        /// may end before another chance.
        case scene
        /// A code that was collected while the button was held waits to be taken; or, in a place, what is to be broadcast has to
        /// be said anew, because the time has changed; or the time has become known.
        case doorCode
        /// Sessions may have ended early.
        case sessionsEnded
    }

    private let onStep: (String) -> Void
    private var listeners: [(News) -> Void] = []

    /// Creates an announcer without listeners. Cannot fail.
    ///
    /// - Parameter onStep: Called at each of ``ExposureService/steps``, for tests that kill the process there.
    public init(onStep: @escaping (String) -> Void = { _ in }) { self.onStep = onStep }

    /// Calls `listener` for all news from now on, after earlier listeners. Cannot fail.
    public func listen(_ listener: @escaping (News) -> Void) { listeners.append(listener) }

    func tell(_ news: News) {
        for listener in listeners { listener(news) }
    }

    /// A durable change is done, or about to be.
    func step(_ name: String) { onStep(name) }
}
