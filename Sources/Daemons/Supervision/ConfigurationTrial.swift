// SPDX-License-Identifier: Apache-2.0

/// A fleet's configuration on trial: it is kept if a program brings it once more, over the network as it is then, and the board can still do what it could
/// do before, or if a person says so; otherwise it is taken back. Pure: the caller carries out each ``Act``. What was on trial when the power failed is taken back at the next start, which
/// is the caller's part.
public struct ConfigurationTrial: Sendable, Equatable {
    /// One step that the caller carries out.
    public enum Act: Sendable, Equatable {
        /// Take the configuration back, for this reason: an English sentence.
        case takeBack(String)
    }

    /// What became of a configuration that was brought again.
    public enum Answer: Sendable, Equatable {
        /// It is kept.
        case kept
        /// It is not counted: the change is so new that an older connection may have brought it, or the system still reads its network files. Later it counts.
        case tooSoon
        /// It is not counted: a person brought it, which shows nothing of the network.
        case byPerson
        /// It is not kept yet: the board lacks something that it had. An English clause.
        case lacks(String)
    }

    /// The seconds after which something that is brought shows that the board is reachable: connections of before are gone by then. Our choice.
    public static let settling = Duration.seconds(20)

    private struct Trying: Sendable, Equatable {
        let version: Int64
        let until: Duration
        /// `nil` until the system has read its network files.
        var countsFrom: Duration?
    }
    private var trying: Trying?

    /// Creates a settled trial.
    public init() {}

    /// The version on trial; `nil` if none is.
    public var version: Int64? { trying?.version }
    /// When it is taken back unless it is kept before, on the clock of the calls; `nil` if none is on trial. ``advance(to:)`` has nothing to do before.
    public var due: Duration? { trying?.until }

    /// Begins a trial of `seconds`; a version that was on trial before is forgotten. The time runs from `now`, however long the system takes to apply it.
    /// `waitsForNetwork` is whether ``didReload(well:at:)`` will be called.
    public mutating func begin(version: Int64, seconds: Int64, waitsForNetwork: Bool, at now: Duration) {
        trying = Trying(
            version: version, until: now + .seconds(seconds), countsFrom: waitsForNetwork ? nil : now + Self.settling)
    }

    /// Notes whether the system could read its network files.
    public mutating func didReload(well: Bool, at now: Duration) -> [Act] {
        guard trying != nil else { return [] }
        guard well else {
            trying = nil
            return [.takeBack("the system did not take the network's settings")]
        }
        trying?.countsFrom = now + Self.settling
        return []
    }

    /// Notes that the version on trial was brought once more, by a program that fetched it or by a person. `lacks` is what the board had before and has not now;
    /// `nil` if nothing.
    public mutating func broughtAgain(isByPerson: Bool, lacks: String?, at now: Duration) -> Answer {
        guard !isByPerson else { return .byPerson }
        guard let from = trying?.countsFrom, now >= from else { return .tooSoon }
        return kept(lacks)
    }

    /// Notes that a person wants the version on trial to be kept; whether it can come again is theirs to judge. Not before the system has read its network files.
    public mutating func keep(lacks: String?) -> Answer { trying?.countsFrom == nil ? .tooSoon : kept(lacks) }

    private mutating func kept(_ lacks: String?) -> Answer {
        if let lacks { return .lacks(lacks) }
        trying = nil
        return .kept
    }

    /// Returns what is due at `now`: to take back what nobody brought again; empty if nothing is.
    public mutating func advance(to now: Duration) -> [Act] {
        guard let until = trying?.until, now >= until else { return [] }
        trying = nil
        return [.takeBack("within its time the board was not reached again as before")]
    }
}
