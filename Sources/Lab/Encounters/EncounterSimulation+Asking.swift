// SPDX-License-Identifier: Apache-2.0

import Core
import GAEN
import Interfaces
import Matching
import Simulation

/// What boards say at the end, and what they refuse.
extension EncounterSimulation {
    /// A mapping binds for seven days; one more, because clocks and starts of boards are not to the second.
    private static let daysOfMapping = 8
    /// Calls with files that an application that gets windows may make per UTC day (gaen-core section 10).
    private static let callsPerDay = 6

    /// The day on which the authority changes the mapping, so that it may do so once more at the end; `nil` in a short simulation.
    var dayOfMapping: Int? { scenario.days > Self.daysOfMapping ? scenario.days - 1 - Self.daysOfMapping : nil }

    private static func mapping(_ level: Infectiousness) -> DiagnosisKeyMapping {
        DiagnosisKeyMapping(infectiousness: Array(repeating: level, count: 29), whenOnsetMissing: level) ?? .standard
    }

    /// The same matches are read in another way from now on.
    func readAnew(_ participant: Participant) throws {
        guard !participant.isPlace, participant.mapping == .standard else { return }
        let before = try checking.windows(of: participant.board)
        let high = Self.mapping(.high)
        try checking.setMapping(high, of: participant.board)
        reference?.setMapping(high, of: participant.board)
        participant.mapping = high
        let after = try checking.windows(of: participant.board)
        let same = before.map { window in
            var window = window
            window.infectiousness = .high
            return window
        }
        judgement.remapped += before.count
        if WindowBag(after) != WindowBag(same) {
            judgement.mappingProblems.append(
                "person \(participant.member.id): \(before.count) windows became \(after.count)")
        }
        try compare(participant)
    }

    /// Every board is asked a last time, and what must be refused is tried.
    func askEverybody() throws {
        let people = participants.filter { !$0.isPlace }
        for participant in people {
            wake(participant)
            let isBound = participant.mapping == .standard
            try readAnew(participant)
            participant.answers = try answers(of: participant)
            try compare(participant)
            try judgeNextMapping(participant, isBound: isBound)
        }
        if let participant = people.first { judgeLimit(participant) }
    }

    private func judgeNextMapping(_ participant: Participant, isBound: Bool) throws {
        let name = "person \(participant.member.id)"
        if !isBound {
            try checking.setMapping(Self.mapping(.none), of: participant.board)
            let left = try checking.windows(of: participant.board).count
            if left > 0 { judgement.mappingProblems.append("\(name): \(left) windows of no infectiousness") }
        }
        let before = WindowBag(try checking.windows(of: participant.board))
        do {
            try checking.setMapping(.standard, of: participant.board)
            judgement.mappingProblems.append("\(name): a second change within seven days was taken")
        } catch let refusal as Refusal where refusal.name == "LimitReached" {
            judgement.refusedMappings += 1
        }
        if WindowBag(try checking.windows(of: participant.board)) != before {
            judgement.mappingProblems.append("\(name): a refused change had an effect")
        }
    }

    private func judgeLimit(_ participant: Participant) {
        guard let file = lastFile else { return }
        var refusal: Refusal?
        for _ in 0...Self.callsPerDay where refusal == nil {
            do { try checking.provide([file], to: participant.board) } catch { refusal = error as? Refusal }
        }
        judgement.add(
            "an application may provide files \(Self.callsPerDay) times a day",
            refusal?.name == "LimitReached" ? nil : "the call after the last was not refused")
    }
}
