// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Donation

@testable import DonationService

/// A store that fails where it is told to.
final class FailingStore: IssuerStoring {
    enum Place { case before, after }

    let store: IssuerStore
    var place: Place?

    init(_ store: IssuerStore) { self.store = store }

    func device(keyID: [UInt8]) throws(DonationServiceError) -> FleetDevice? { try store.device(keyID: keyID) }
    func saw(keyID: [UInt8], on day: UTCDay) throws(DonationServiceError) { try store.saw(keyID: keyID, on: day) }
    func fleet(since day: UTCDay, isAtLeast count: Int) throws(DonationServiceError) -> Bool {
        try store.fleet(since: day, isAtLeast: count)
    }
    func noteFleet(isLarge: Bool, today: UTCDay) throws(DonationServiceError) -> UTCDay? {
        try store.noteFleet(isLarge: isLarge, today: today)
    }
    func tryWriting(day: UTCDay) throws(DonationServiceError) {
        if place != nil { throw DonationServiceError(.full) }
        try store.tryWriting(day: day)
    }
    func count(_ events: [IssuerEvent: Int], on day: UTCDay) throws(DonationServiceError) {
        try store.count(events, on: day)
    }
    func clean(today: UTCDay) throws(DonationServiceError) { try store.clean(today: today) }
    func enter(
        digest: [UInt8], keyID: [UInt8], key: [UInt8], day: UTCDay, rule: IssuanceRule
    ) throws(DonationServiceError) -> IssuanceRule.Answer {
        if place == .before { throw DonationServiceError(.full) }
        let answer = try store.enter(digest: digest, keyID: keyID, key: key, day: day, rule: rule)
        if place == .after { throw DonationServiceError(.storageUnusable) }
        return answer
    }
}
