// SPDX-License-Identifier: Apache-2.0

import FleetTrial
import Glibc
import TestKit
import Testing

/// A share of `vigil-lab prove fleet`: real processes that are killed, and the faults that the judge must find.
@Suite(.serialized) struct FleetTrialTests {
    private static var program: String {
        let own = CommandLine.arguments[0].split(separator: "/", omittingEmptySubsequences: false)
        let places = [own.dropLast().joined(separator: "/"), own.dropLast(4).joined(separator: "/")]
        return "\(places.first { access("\($0)/vigil-lab", X_OK) == 0 } ?? ".build/debug")/vigil-lab"
    }

    private func verdict(_ boards: Int, seed: UInt64 = 1, _ fault: FleetFault? = nil) throws -> FleetTrial.Verdict {
        let folder = try TemporaryFolder()
        return try FleetTrial(program: Self.program, folder: folder.path).play(
            .init(boards: boards, seed: seed), fault: fault)
    }

    @Test func nothingIsDoubledOrLost() throws {
        let verdict = try verdict(30)
        #expect(verdict.problem == nil)
        #expect(verdict.total >= 8 && verdict.kills.keys.contains { $0.hasPrefix("registry") }, "\(verdict.kills)")
        #expect(verdict.wave?.parts.reduce(0, +) == 30)
    }

    /// Whatever does not find a fault that is there finds none that is not.
    @Test(arguments: [FleetFault.claimBurntEarly, .newKeyAtStart, .answeredBeforeCommit, .answeredAnew])
    func aFaultOnPurposeIsFound(fault: FleetFault) throws {
        var problem: String?
        for seed: UInt64 in 1...8 where problem == nil { problem = try verdict(30, seed: seed, fault).problem }
        #expect(problem?.contains(fault.word) == true, "\(problem ?? "nothing")")
    }

    @Test func renewalsAtOneMomentAreFound() throws {
        let verdict = try verdict(160, .sameMoment)
        #expect(verdict.problem?.contains(FleetFault.sameMoment.word) == true, "\(verdict.problem ?? "nothing")")
    }
}
