// SPDX-License-Identifier: Apache-2.0

import DonationKillTrial
import Glibc
import TestKit
import Testing

/// A share of `vigil-lab prove donation-kills`: real processes that are killed, and the faults that the judge must find.
@Suite(.serialized) struct DonationKillTrialTests {
    private static let folder = Result { try TemporaryFolder() }
    /// Making the issuer's keys takes time, so the tests share them.
    private static let trial = Result { try KilledDonations(program: program, folder: folder.get().path, quota: 2) }

    private static var program: String {
        let own = CommandLine.arguments[0].split(separator: "/", omittingEmptySubsequences: false)
        let places = [own.dropLast().joined(separator: "/"), own.dropLast(4).joined(separator: "/")]
        return "\(places.first { access("\($0)/vigil-lab", X_OK) == 0 } ?? ".build/debug")/vigil-lab"
    }

    @Test func nothingIsDoubledOrLost() throws {
        let verdict = try Self.trial.get().story(seed: 1, isShort: true)
        #expect(verdict.problem == nil)
        #expect(verdict.total >= 10 && verdict.cuts.count >= 6, "\(verdict.cuts)")
        #expect(verdict.donations > 0 && verdict.days > 5)
    }

    /// Whatever does not find a fault that is there finds none that is not.
    @Test(arguments: [DonationFault.seedAfterRequest, .frozenAfterSending, .oldKey, .monthSeedAfterRequest, .passwordAnew])
    func aFaultOnPurposeIsFound(fault: DonationFault) throws {
        var problem: String?
        for seed: UInt64 in 1...40 where problem == nil {
            problem = try Self.trial.get().story(seed: seed, fault: fault, isShort: true).problem
        }
        #expect(problem?.contains(fault.word) == true, "\(problem ?? "nothing")")
    }
}
