// SPDX-License-Identifier: Apache-2.0

import Interfaces
import LabKit
import Ledger
import Radio
import Testing

@testable import Core

@Suite struct RoleStateTests {
    private let ledger: Ledger

    init() throws { ledger = try Ledger(path: nil, keys: MemoryLedgerKeys()) }

    @Test func theProfileDecidesUntilARoleIsSet() throws {
        let roles = RoleState(ledger, profile: .place)
        #expect(roles.role == .place && !roles.isStored)
        try ledger.write { try roles.store(.person, $0) }
        #expect(roles.role == .person && roles.isStored)
        #expect(RoleState(ledger, profile: .place).isPerson, "it is kept")
    }

    @Test func whatIsAssumedCountsOnlyWhileNothingIsStored() throws {
        let roles = RoleState(ledger, profile: .place)
        roles.assume(.person)
        #expect(roles.isPerson)
        try ledger.write { try roles.store(.place, $0) }
        #expect(roles.role == .place)
    }

    @Test func aStoredRoleThatIsNoneIsNoRole() throws {
        try ledger.write { try $0.set("role", Array("tree".utf8)) }
        #expect(RoleState(ledger, profile: .person).role == .person)
    }
}
