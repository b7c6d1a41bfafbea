// SPDX-License-Identifier: Apache-2.0

import Core
import Cryptography
import GAEN
import Matching
import Simulation
import TimeTrust
import VirtualAir

/// How files come to boards, and what is looked at on the way.
extension EncounterSimulation {
    /// One call in so many is cut short.
    private static let callsPerInterruption: UInt64 = 6
    /// Operations on the disks that such a call gets at most; a whole one does some 30.
    private static let mostOperations = 40
    /// Until a board whose call was cut short is started again.
    private static let interruption = Duration.seconds(5)

    private struct Change {
        let publication: Publication
        let type: ReportType
    }

    func publish(_ day: Int) throws {
        let changes = acceptChanges(day)
        let start = air.epoch + Int64(day) * 86_400
        let isLast = day == scenario.days - 1
        let file = try authority.publish(start: start, end: start + 86_400)
        lastFile = file ?? lastFile
        var interrupted: [(Participant, Answers?)] = []
        for participant in participants {
            if let file { participant.pending.append(file) }
            if isLast { wake(participant) }
            guard participant.board.isRunning, !participant.pending.isEmpty else { continue }
            if participant.isPlace {
                knock(participant)
                continue
            }
            let before = changes.isEmpty ? nil : try answers(of: participant)
            if chance.next() % Self.callsPerInterruption == 0 {
                interrupt(participant)
                interrupted.append((participant, before))
                continue
            }
            try give(participant, changes, before)
        }
        if !interrupted.isEmpty { room.run(until: air.now + Self.interruption) }
        for (participant, before) in interrupted {
            wake(participant)
            try give(participant, changes, before)
        }
        if day == dayOfMapping {
            for participant in participants where participant.board.isRunning { try readAnew(participant) }
        }
    }

    func wake(_ participant: Participant) {
        participant.board.start()
        participant.note(at: now)
    }

    private func acceptChanges(_ day: Int) -> [Change] {
        publications.flatMap { publication in
            publication.diagnosis.changes.filter { $0.day == day }.map { change in
                authority.accept(
                    publication.keys.map { key in
                        var key = key
                        key.reportType = change.type
                        return key
                    }, areRevised: true)
                return Change(publication: publication, type: change.type)
            }
        }
    }

    private func give(_ participant: Participant, _ changes: [Change], _ before: Answers?) throws {
        let files = participant.pending
        participant.pending = []
        if !judgement.wasTampered { try tamper(files, participant) }
        try checking.provide(files, to: participant.board)
        judgement.filesGiven += files.count
        try reference?.provide(files, to: participant.board)
        try compare(participant)
        if let before { judge(changes, participant, before, try answers(of: participant)) }
    }

    /// The call is made, and before it is answered, or right after, the power is cut or the process killed. Whether the board
    /// has the files then, only its disk knows: the application gives them again.
    private func interrupt(_ participant: Participant) {
        judgement.interruptedCalls += 1
        let board = participant.board
        board.failPower(after: .random(in: 0..<Self.mostOperations, using: &chance))
        _ = try? checking.provide(participant.pending, to: board)
        if Bool.random(using: &chance) {
            board.cutPower()
        } else {
            board.kill()
            board.restorePower()
        }
        participant.note(at: now)
    }

    /// One bit of a file is changed before anybody gets the real one.
    private func tamper(_ files: [SimulatedAuthority.File], _ participant: Participant) throws {
        guard let file = files.last else { return }
        judgement.wasTampered = true
        let before = try answers(of: participant)
        var bytes = file.exportBin
        bytes[bytes.count / 2] ^= 1
        let forged = SimulatedAuthority.File(exportBin: bytes, exportSig: file.exportSig)
        let wasRefused = (try? checking.provide(files.dropLast() + [forged], to: participant.board)) == nil
        let after = try answers(of: participant)
        judgement.add(
            "a file with one bit changed is refused and has no effect",
            wasRefused && after.matches == before.matches && after.windows == before.windows ? nil : "it was taken")
    }

    /// A board that stands for a place is asked all the same.
    private func knock(_ participant: Participant) {
        let (board, files) = (participant.board, participant.pending)
        participant.pending = []
        func isRefused(_ question: () throws -> Void) -> Bool {
            do { try question() } catch { return (error as? Refusal)?.name == "WrongRole" }
            return false
        }
        let refusals = [
            isRefused { try checking.provide(files, to: board) }, isRefused { _ = try checking.windows(of: board) },
            isRefused { _ = try CoreChecking.releaseKeys(of: board) },
        ]
        judgement.placeCalls += refusals.count
        judgement.placeAnswers += refusals.filter { !$0 }.count
    }

    // MARK: Answers

    func answers(of participant: Participant) throws -> Answers {
        let day = participant.board.clock(at: air.now).day - Int64(MatchingRules.keyRetentionDays)
        return Answers(
            matches: try checking.matches(of: participant.board),
            windows: WindowBag(try checking.windows(of: participant.board)), oldestDay: UInt32(clamping: day))
    }

    /// What a wearer would be told of these matches.
    func windows(of matches: [Match], _ participant: Participant, from oldest: UInt32) -> WindowBag {
        WindowBag(
            matches.flatMap { $0.exposureWindows(under: participant.mapping) }.filter { $0.day >= oldest }.map(\.asAnswer))
    }

    func compare(_ participant: Participant) throws {
        guard let reference else { return }
        judgement.comparisons += 1
        let answer = WindowBag(try checking.windows(of: participant.board))
        let expected = WindowBag(reference.windows(of: participant.board))
        if answer != expected {
            judgement.differences.append(
                "person \(participant.member.id) is told of \(answer.count) windows, and there are \(expected.count)")
        }
    }

    private func judge(_ changes: [Change], _ participant: Participant, _ before: Answers, _ after: Answers) {
        func windows(_ matches: [Match]) -> WindowBag { self.windows(of: matches, participant, from: after.oldestDay) }
        func isOf(_ publication: Publication) -> (Match) -> Bool {
            { [owners] in owners[$0.key.data]?.participant == publication.participant }
        }
        let known = Set(before.matches.map(\.key.data))
        func isChanged(_ match: Match) -> Bool { changes.contains { isOf($0.publication)(match) } }
        // What it was told, without what changed, with what that became, and with what is new.
        var expected = before.windows.without(windows(before.matches.filter(isChanged)))
        expected?.add(windows(after.matches.filter { isChanged($0) || !known.contains($0.key.data) }))
        for change in changes {
            let was = windows(before.matches.filter(isOf(change.publication))).count
            guard was > 0 else { continue }
            let matches = after.matches.filter(isOf(change.publication))
            judgement.changes.append(
                Judgement.Change(
                    person: change.publication.diagnosis.person, type: change.type, windowsBefore: was,
                    windowsAfter: windows(matches).count,
                    ofNewType: matches.flatMap { $0.exposureWindows(under: participant.mapping) }.filter {
                        $0.day >= after.oldestDay && $0.reportType == change.type
                    }.count, isAllThatChanged: expected == after.windows))
        }
    }
}
