// SPDX-License-Identifier: Apache-2.0

/// The course of lights and buzzer: it takes each scene, and determines the light and sound of each moment and the
/// time of the next change. Times are in milliseconds on a monotonic clock, and must not go back from call to call.
public struct Show: Sendable {
    /// The state of lights and buzzer at one moment.
    public struct Look: Sendable, Hashable {
        /// The colour of the light; `nil` while it is dark.
        public var colour: Colour?
        /// Whether the buzzer sounds; it does so only while the light is on.
        public var sounds: Bool

        /// The state without light and sound.
        public static let dark = Look(colour: nil, sounds: false)
    }

    /// A rhythm that is played for some time, or without an end.
    struct Cue: Sendable, Hashable {
        var rhythm: Rhythm
        var colour: Colour
        var start: Int
        /// `nil` for the last one.
        var end: Int?
        var sounds: Bool
    }

    /// Dark time between two rhythms: longer than any gap within a group.
    static let pause = 1_000
    /// What is told is told twice: who missed the beginning has the second one.
    static let repeats = 2

    private var scene = Scene(signals: [.onAir])
    private var isFirst = true
    /// In the order of time; the last one has no end. Empty is dark.
    private(set) var cues: [Cue] = []
    /// What holds and was announced, or held from the start.
    private var said: Set<Signal> = []
    /// When each signal was announced with a sound last.
    private var announced: [Signal: Int] = [:]
    /// What holds again within this time is not announced again: a radio that comes and goes must not beep all night. News are always said.
    static let quiet = 3_600_000

    /// Creates a show that is dark, with nothing to announce.
    public init() {}

    /// Takes a new scene; one that is equal to the last has no effect. A button that is not idle is shown before
    /// everything else; then come an act that was carried out, an act that was cancelled, and a press, which shows
    /// all signals twice; then signals that are new, once each, with sound. The first scene after the start
    /// announces nothing, because it was announced before the restart. Counts that are lower than before belong to
    /// a restarted core, and announce nothing. A signal that was announced less than an hour ago (our choice) is
    /// not announced again, except ``Signal/news``.
    /// - Parameter now: The time in milliseconds on a monotonic clock.
    public mutating func see(_ next: Scene, at now: Int) {
        let last = scene
        let wasFirst = isFirst
        isFirst = false
        scene = next
        guard wasFirst || next != last else { return }
        said.formIntersection(next.told)
        if wasFirst { said = Set(next.told) }
        if next.button != .idle {
            if next.button != last.button || wasFirst { perform(next.button, at: now) }
            return
        }
        if !wasFirst, next.done > last.done { return play(.done, then: takeFresh(at: now), at: now) }
        if !wasFirst, next.cancelled > last.cancelled { return play(.cancelled, then: takeFresh(at: now), at: now) }
        if !wasFirst, next.presses > last.presses {
            _ = takeFresh(at: now)
            return tell(next.told, at: now)
        }
        let fresh = takeFresh(at: now)
        if !fresh.isEmpty { return tell(fresh, at: now, repeats: 1) }
        // What is being told is finished, unless it was the button's.
        if wasFirst || next.shown != last.shown || last.button != .idle { background(from: isTelling(at: now) ? nil : now) }
    }

    /// What has begun to hold, of what is told, and is said by this: each state is announced, so that who does not see the light hears it.
    private mutating func takeFresh(at now: Int) -> [Signal] {
        let fresh = scene.told.filter { signal in
            guard !said.contains(signal) else { return false }
            guard signal != .news, let before = announced[signal] else { return true }
            return now - before >= Self.quiet
        }
        for signal in fresh { announced[signal] = now }
        said.formUnion(scene.told)
        return fresh
    }

    /// Returns the state of lights and buzzer at `now`, in milliseconds on the clock of ``see(_:at:)``. Cannot fail.
    public func look(at now: Int) -> Look {
        guard let cue = cue(at: now), cue.rhythm.isLit(at: now - cue.start) else { return .dark }
        return Look(colour: cue.colour, sounds: cue.sounds)
    }

    /// Returns the next time after `now` to look again, in milliseconds on the same clock: the state does not change
    /// before, and need not change then. `nil` if it stays until the next scene.
    public func change(after now: Int) -> Int? {
        for cue in cues {
            if let end = cue.end, end <= now { continue }
            if cue.start > now { return cue.start }
            // A flash that reaches into the pause behind it would be cut: cues end with whole groups, so it does not.
            let change = cue.start + cue.rhythm.change(after: now - cue.start)
            if let end = cue.end { return min(change, end) }
            return change
        }
        return nil
    }

    private func cue(at now: Int) -> Cue? {
        cues.first { $0.start <= now && ($0.end.map { now < $0 } ?? true) }
    }

    private func isTelling(at now: Int) -> Bool { cues.contains { $0.end.map { $0 > now } ?? false } }

    // MARK: What follows what

    private mutating func perform(_ button: Scene.Button, at now: Int) {
        let act: Act? =
            switch button {
            case .idle: nil
            case .consentWanted: .consentWanted
            case .collecting: .collecting
            case .countdown(let count): Act(count: count)
            case .release: .release
            case .confirmWanted: .confirmWanted
            }
        guard let act else { return background(from: now) }
        // The call for a consent, or to hold on, is a sound of a second or two, not a minute of noise; the warning before a reset is heard as long as it holds.
        guard button == .consentWanted || button == .collecting else {
            cues = [Cue(rhythm: act.rhythm, colour: act.colour, start: now, end: nil, sounds: true)]
            return
        }
        let first = now + act.rhythm.period * 4
        cues = [
            Cue(rhythm: act.rhythm, colour: act.colour, start: now, end: first, sounds: true),
            Cue(rhythm: act.rhythm, colour: act.colour, start: first, end: nil, sounds: false),
        ]
    }

    private mutating func play(_ act: Act, then signals: [Signal], at now: Int) {
        let start = now + Rhythm.gap
        let end = start + act.rhythm.length
        cues = [Cue(rhythm: act.rhythm, colour: act.colour, start: start, end: end, sounds: true)]
        append(signals, from: end + Self.pause * 2, repeats: 1)
        background(from: nil)
    }

    private mutating func tell(_ signals: [Signal], at now: Int, repeats: Int = Show.repeats) {
        cues = []
        append(signals, from: now + Self.pause / 2, repeats: repeats)
        background(from: nil)
    }

    private mutating func append(_ signals: [Signal], from first: Int, repeats: Int) {
        var start = first
        for signal in signals {
            // Told faster than it blinks: what takes six seconds to be seen would take half a minute to be told.
            let rhythm = Rhythm(
                flashes: signal.rhythm.flashes, gap: signal.rhythm.gap, period: signal.rhythm.length + Self.pause)
            let count = signal == .updating ? 4 : repeats
            let told = signal == .updating ? signal.rhythm : rhythm
            let end = start + told.period * (count - 1) + told.length
            cues.append(Cue(rhythm: told, colour: signal.colour, start: start, end: end, sounds: true))
            start = end + Self.pause * 2
        }
    }

    /// The rhythm of what holds, from then on, or behind what is being told.
    private mutating func background(from now: Int?) {
        if now == nil { cues.removeAll { $0.end == nil } } else { cues = [] }
        guard let signal = scene.shown else { return }
        let start = now ?? (cues.last?.end ?? 0)
        cues.append(
            Cue(rhythm: signal.rhythm, colour: signal.colour, start: start + Self.pause * 2, end: nil, sounds: false))
    }
}
