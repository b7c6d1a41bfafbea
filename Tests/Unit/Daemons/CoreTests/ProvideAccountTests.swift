// SPDX-License-Identifier: Apache-2.0

import Interfaces
import LabKit
import Ledger
import Testing

@testable import Core

@Suite struct ProvideAccountTests {
    private static let noon = ExposureServiceBench.noon
    private static let midnight = (noon / 86_400 + 1) * 86_400

    private let ledger: Ledger
    private let account: ProvideAccount

    init() throws {
        ledger = try Ledger(path: nil, keys: MemoryLedgerKeys())
        account = ProvideAccount(ledger)
    }

    @Test func whoReadsWindowsMayProvideSixTimesADay() throws {
        let caller = ExposureServiceBench.caller(.windows)
        for used in 0..<6 {
            #expect(try account.limit(for: caller, at: Self.noon).used == used)
            try account.recordAttempt(by: caller, at: Self.noon)
        }
        #expect(throws: Refusal.self) { try account.recordAttempt(by: caller, at: Self.noon) }
        let limit = try ProvideAccount(ledger).limit(for: caller, at: Self.noon)
        #expect(limit.used == 6 && limit.nextPermitted == Self.midnight, "it is on disk")
        try account.recordAttempt(by: caller, at: Self.midnight)
    }

    @Test func whoReadsNothingIsBoundByRefusedFilesOnly() throws {
        let caller = ExposureServiceBench.caller(.nothing)
        for _ in 0..<50 { try account.recordAttempt(by: caller, at: Self.noon) }
        for _ in 0..<ProvideLimit.refusedPerDay { try account.recordRefused(by: caller, at: Self.noon) }
        #expect(try account.limit(for: caller, at: Self.noon).nextPermitted == Self.midnight)
        #expect(throws: Refusal.self) { try account.recordAttempt(by: caller, at: Self.noon) }
    }

    @Test func withoutATimeNothingIsKnown() throws {
        let limit = try account.limit(for: ExposureServiceBench.caller(.summaries), at: nil)
        #expect(limit.perDay == 20 && limit.used == 0 && limit.nextPermitted == nil)
    }
}
