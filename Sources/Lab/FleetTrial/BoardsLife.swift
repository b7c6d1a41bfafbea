// SPDX-License-Identifier: Apache-2.0

import BoardEnrolment
import Enrolment
import Glibc
import SystemCalls

/// A process that is one board after the other, as the plan has them, until it is killed; started again it goes on with the same board.
package struct BoardsLife {
    private let folder: String
    private let count: Int
    private let seed: UInt64
    private let fault: FleetFault?

    /// How long a board goes on asking a registry that does not answer, in seconds: the judge starts it again within one.
    private static let patience: Int64 = 120

    /// Describes a life in the trial's folder. Nothing happens before ``play()``.
    package init(folder: String, count: Int, seed: UInt64, fault: FleetFault?) {
        (self.folder, self.count, self.seed, self.fault) = (folder, count, seed, fault)
    }

    /// Plays what is left of the plan. Blocks. Throws ``FleetTrialFailure`` when the registry is silent for too long.
    package func play() throws {
        let page = try SharedPage("\(folder)/page")
        let fleet = try TrialFleet(folder: folder, count: count, seed: seed)
        let turns = try TurnPlan.read("\(folder)/plan")
        while page.progress < turns.count {
            let turn = turns[Int(page.progress)]
            page.clock = turn.now
            try start(turn.number, now: turn.now, fleet, page)
            page.progress += 1
        }
    }

    /// One board, from its start to what it rests at. What stops it for good is written down: the judge will see what it has.
    private func start(_ number: Int, now: Int64, _ fleet: TrialFleet, _ page: SharedPage) throws {
        let state = "\(fleet.place(number))/state"
        if fault == .newKeyAtStart, access("\(state)/certificate.pem", F_OK) != 0 { unlink("\(state)/key.pem") }
        var carrier = FleetWeb(page: page)
        if fault == .claimBurntEarly { carrier.burnt = fleet.claimFile(number) }
        let start = time(nil)
        while true {
            do {
                _ = try fleet.board(number).run(now: now, carrier: carrier)
                return
            } catch let error as EnrolmentError {
                guard [.unreachable, .serverFailed].contains(error.code) else {
                    return try note("\(try fleet.name(number)): \(error.code)")
                }
                guard Int64(time(nil) - start) < Self.patience else {
                    throw FleetTrialFailure("the registry is silent: \(error)")
                }
                // The judge is starting the registry; a socket that is not there yet tells nobody when it will be.
                usleep(2_000)
            }
        }
    }

    private func note(_ text: String) throws {
        let known = (try? WholeFile.read("\(folder)/troubles", limit: 1 << 20)) ?? []
        guard known.count < 1 << 16 else { return }
        try WholeFile.replace("\(folder)/troubles", with: known + Array("\(text)\n".utf8), mode: 0o600)
    }
}
