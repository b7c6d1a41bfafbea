// SPDX-License-Identifier: Apache-2.0

import HCI

extension Radio {
    /// Something that must work did not: one step up the ladder.
    mutating func trouble(_ trouble: Trouble, at now: Duration) {
        let (rung, alsoAskForPower) = ladder.climb(at: now)
        climb(to: rung, because: trouble, at: now)
        guard alsoAskForPower else { return }
        count(.askForPowerCycle)
        actions.append(.event(.climbed(to: .askForPowerCycle, because: trouble)))
        actions.append(.askForPowerCycle)
    }

    /// Takes one step, whatever the ladder says.
    mutating func climb(to rung: Rung, because trouble: Trouble, at now: Duration) {
        count(rung)
        actions.append(.event(.climbed(to: rung, because: trouble)))
        switch rung {
        case .proveAlive, .restartScan, .askForPowerCycle: break
        case .resetController: setUp(at: now)
        case .reopenTransport:
            controllerForgot(at: now)
            phase = .closed
            actions.append(.reopenTransport(after: ladder.reopenDelay))
        }
    }
}

/// Tells a receiver that has gone deaf from a room that has gone quiet.
///
/// A controller can answer everything and hear nothing; a room can be empty. What tells them apart is what was heard before: a room
/// with at least three advertisers in each of the last scans does not empty from one scan to the next and stay empty. So only a
/// silence after that is examined: two more scans soon, a reset, a reopening, each followed by a scan; then it is accepted. A room
/// that was quiet, or emptied one by one, is never examined. At most one examination an hour.
struct SilenceWatch: Sendable, Equatable {
    /// What to do after a scan.
    enum Verdict: Sendable, Equatable {
        case nothing
        /// Scan again after this time.
        case confirm(after: Duration)
        /// Take this rung and scan at once.
        case climb(Rung)
        /// Take it for a quiet room.
        case accept
    }

    /// Advertisers that each scan before must have heard: fewer may leave together.
    static let crowd = 3
    static let scansRemembered = 4
    static let pause: Duration = .seconds(3_600)
    /// Both together with four scans of 4 s and a reopening stay below half of the 120 s within which a deaf receiver must recover.
    static let confirmations: [Duration] = [.seconds(5), .seconds(15)]

    private var history: [Int] = []
    private var stage = 0
    private var pausedUntil: Duration?

    mutating func scanFinished(_ summary: ScanSummary, at now: Duration) -> Verdict {
        guard summary.isQuiet else {
            stage = 0
            history = Array((history + [summary.advertisers]).suffix(Self.scansRemembered))
            return .nothing
        }
        if stage == 0 {
            let wasCrowd = history.count >= 2 && history.allSatisfy { $0 >= Self.crowd }
            guard wasCrowd, pausedUntil.map({ now >= $0 }) ?? true else {
                history.removeAll()
                return .nothing
            }
        }
        stage += 1
        switch stage {
        case 1, 2: return .confirm(after: Self.confirmations[stage - 1])
        case 3: return .climb(.resetController)
        case 4: return .climb(.reopenTransport)
        default:
            stage = 0
            history.removeAll()
            pausedUntil = now + Self.pause
            return .accept
        }
    }
}
