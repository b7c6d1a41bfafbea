// SPDX-License-Identifier: Apache-2.0

import Testing
import TimeTrust

@testable import Core

@Suite struct WorkWindowTests {
    private static let now = BootInstant(nanoseconds: 10_000_000_000)

    @Test func withoutAnIdentifierEverythingMayBegin() {
        let window = WorkWindow(rotationDue: nil)
        #expect(window.isOpen(for: .seconds(100), at: Self.now))
        #expect(window.next(for: .seconds(100), at: Self.now) == Self.now)
    }

    @Test(arguments: [(1_001, true), (1_000, false), (0, false), (-5, false)])
    func workMustEndBeforeTheIdentifierIsDue(_ milliseconds: Int, _ isOpen: Bool) {
        let window = WorkWindow(rotationDue: Self.now.duration + .milliseconds(milliseconds))
        #expect(window.isOpen(for: .seconds(1), at: Self.now) == isOpen)
    }

    @Test func workThatDoesNotFitWaitsForTheNextIdentifier() {
        let due = Self.now.duration + .milliseconds(500)
        let window = WorkWindow(rotationDue: due)
        #expect(window.next(for: .seconds(1), at: Self.now).duration == due + RadioPriority.lead)
        #expect(window.next(for: .milliseconds(100), at: Self.now) == Self.now)
    }
}
