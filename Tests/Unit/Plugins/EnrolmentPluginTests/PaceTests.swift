// SPDX-License-Identifier: Apache-2.0

import Enrolment
import Testing

@testable import EnrolmentPlugin

struct PaceTests {
    private let names = (0..<200).compactMap { BoardName("vg-\($0)") }

    private func waits(_ error: EnrolmentError, _ failures: Int) -> [Int64] {
        names.map { EnrolmentPace.wait(after: error, failures: failures, name: $0) }
    }

    /// It doubles up to an hour, and a fleet that lost its authority at once does not come back at once.
    @Test func failuresAreFurtherAndFurtherApartAndEachBoardHasItsMoment() {
        for failures in [1, 2, 3, 6, 7, 8, 1_000, .max] {
            let waits = waits(EnrolmentError(.unreachable), failures)
            let longest: Int64 = min(3_600, 60 << Int64(min(failures - 1, 6)))
            #expect(waits.allSatisfy { (longest / 2...longest).contains($0) }, "\(failures)")
            #expect(Set(waits).count > min(100, Int(longest) / 4), "\(failures)")
        }
        // The same board has another place in the next round.
        #expect(waits(EnrolmentError(.unreachable), 8) != waits(EnrolmentError(.unreachable), 9))
    }

    @Test func whatTheServerAsksForIsTheLeast() {
        #expect(waits(EnrolmentError(.pending, retryAfter: 600), 1).allSatisfy { (600...660).contains($0) })
        #expect(waits(EnrolmentError(.serverFailed, retryAfter: .max), 1).allSatisfy { (86_400...95_040).contains($0) })
        #expect(waits(EnrolmentError(.pending, retryAfter: -5), 1) == names.map { _ in 1 })
    }

    @Test func whatSomebodyHasToMendIsAskedOnceADay() {
        for code in EnrolmentError.Code.allCases where !EnrolmentError(code).isTemporary {
            #expect(waits(EnrolmentError(code, retryAfter: 5), 1).allSatisfy { (86_400...95_040).contains($0) }, "\(code)")
        }
    }

    @Test func aRestHasAnEnd() {
        #expect(EnrolmentPace.rest(until: 1_000, now: 400) == 600)
        #expect(EnrolmentPace.rest(until: 400, now: 1_000) == 1)
        #expect(EnrolmentPace.rest(until: .max / 2, now: 0) == 86_400)
    }
}
