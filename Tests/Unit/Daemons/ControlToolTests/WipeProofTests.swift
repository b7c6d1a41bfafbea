// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import RandomValues
import Testing

@testable import ControlTool

/// A device is called ready for the next person only when everything says so.
@Suite struct WipeProofTests {
    private func proof(
        life: Int64? = 2, handedOn: Bool? = true, days: Int = 0, enabled: Bool = false, left: [String]? = [],
        wifi: Bool? = false
    ) -> ControlSession.WipeProof {
        ControlSession.WipeProof(
            Device1.Storage(
                dayCount: days, writtenByteCount: 0, findings: [], problem: nil, life: life, erased: 1_800_000_000,
                handedOn: handedOn),
            left: left, roles: [.technician],
            status: Exposure1.Status(
                enabled: enabled, state: enabled ? .active : .disabled, sentence: "", role: .person, timeState: .plausible,
                matchCount: nil, matchedFileCount: 0, lastMatched: nil, matching: false,
                limit: .init(perDay: nil, used: 0, nextPermitted: nil)), wifi: wifi)
    }

    @Test func onlyWhatWasErasedToBeHandedOnAndIsUnusedIsReady() {
        #expect(proof().ready && proof().reasons.isEmpty && !proof().hasWearersSecret)
        for other in [
            proof(life: 1, handedOn: nil), proof(life: nil), proof(handedOn: false), proof(handedOn: nil), proof(days: 1),
            proof(enabled: true), proof(left: ["venue"]), proof(left: nil),
        ] { #expect(!other.ready && !other.reasons.isEmpty, "\(other)") }
        #expect(proof(left: ["venue"]).reasons.contains { $0.contains("venue") })
        #expect(proof(enabled: true, left: ["venue"]).reasons.count == 2)
    }

    /// Whose network it is, the desk knows: it may be its own.
    @Test func aNetworkThatIsLeftIsSaidAndStopsNobody() throws {
        #expect(proof(wifi: true).ready && proof(wifi: true).wifi == true && proof(wifi: nil).wifi == nil)
        let path = "/tmp/vigil-wiped-\(Unique.name())"
        defer { unlink(path) }
        #expect(ControlSession.hasNetwork(at: path) == false && ControlSession.hasNetwork(at: "\(path)/wifi") == false)
        let file = open(path, O_WRONLY | O_CREAT, 0o600)
        #expect(close(file) == 0)
        #expect(ControlSession.hasNetwork(at: path) == true && ControlSession.hasNetwork(at: "\(path)/wifi") == false)
    }
}
