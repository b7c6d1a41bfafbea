// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Varlink

/// What the person was told, as it is kept. An exposure is announced once; a warning that is taken back is said to be.
struct RiskRecord: Codable, Equatable {
    static let setting = "risk"

    /// What has changed, for logs and whoever is told.
    enum Transition: String, Equatable {
        /// A day is increased that was not before.
        case increased
        /// A day the person was warned of is not increased any more: a publication was revoked, or the rules changed.
        case withdrawn
        /// Any other change of the state.
        case changed
    }

    /// As it was told last.
    var state = Risk1.State.unknown
    /// Days the person was told are increased.
    var announced: Set<UInt32> = []
    /// Whether something has changed that nobody has acknowledged.
    var news = false
    /// Whether the person was told that somebody was met whom the rules cannot judge; absent in records of before.
    var isUnjudged: Bool?
    /// When the days were judged last, Unix seconds.
    var assessed: Int64?

    /// Changes that somebody should look at; the others are the course of things.
    private static let newsworthy: Set<Risk1.State> = [.outdated, .paused, .ended]

    /// Takes a new state. `increased`: the days that are increased now; `nil` while nothing is judged, which takes no warning back.
    /// `isUnjudged`: somebody was met whom the rules cannot judge, which is news. `oldest`: days before it are over, without a word.
    mutating func note(
        _ state: Risk1.State, increased: Set<UInt32>?, isUnjudged: Bool = false, oldest: UInt32
    ) -> [Transition] {
        var transitions: [Transition] = []
        let isNewlyUnjudged = isUnjudged && self.isUnjudged != true
        self.isUnjudged = isUnjudged ? true : increased == nil ? self.isUnjudged : nil
        announced = announced.filter { $0 >= oldest }
        if let increased {
            if !increased.isSubset(of: announced) { transitions.append(.increased) }
            if increased.isEmpty, !announced.isEmpty { transitions.append(.withdrawn) }
            announced = increased
        }
        if state != self.state, transitions.isEmpty { transitions.append(.changed) }
        if isNewlyUnjudged || transitions.contains(where: { $0 != .changed })
            || state != self.state && Self.newsworthy.contains(state)
        {
            news = true
        }
        self.state = state
        return transitions
    }

    init() {}

    init?(_ bytes: [UInt8]) {
        guard let json = try? JSON(parsing: bytes), let record = try? json.decode(Self.self) else { return nil }
        self = record
    }

    func bytes() throws -> [UInt8] { try JSON(encoding: self).bytes }
}
