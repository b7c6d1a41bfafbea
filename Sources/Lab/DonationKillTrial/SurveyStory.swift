// SPDX-License-Identifier: Apache-2.0

import Donation

/// What the judge knows of a wearer's surveys.
struct SurveyStory {
    /// Which survey of which server a consent is for.
    struct Offer: Equatable {
        let origin: String
        /// Counted from 1.
        let number: Int64

        /// The days for which a password is good, the day of its arrival among them.
        var days: Int64 { 3 + number % 3 }
    }

    /// A password that a page has shown as good.
    struct Shown {
        /// As the wearer types it.
        let text: String
        let offer: Offer
        /// The last day on which it is good, as the page said.
        let lastDay: Int64
    }

    /// The survey that the authority asks about; 0 for none.
    var number: Int64 = 1
    /// The surveys that there were.
    var count: Int64 = 1
    /// The survey that was agreed to; `nil` without a consent.
    var consent: Offer?
    var entries = DonorLook.Entries()
    /// The state in which the wearer wants the consent back; `nil` if they do not.
    var wish: DonationState?
    /// The day on which wearer and authority had their turn last.
    var turnDay: Int64 = 0
    /// Until when no answer about a digest reaches the board, Unix seconds.
    var awayUntil: Int64 = 0
    /// Whether answers have stayed away for days since the consent.
    var wasAway = false

    /// By the byte with which a request names a key of the document that holds: the first day of its month.
    var monthNames: [UInt8: Int64] = [:]
    /// By the name of a key: the first day of its month.
    var monthKeys: [[UInt8]: Int64] = [:]

    /// By month: what left the board.
    var messages: [Int64: Set<[UInt8]>] = [:]
    var nonces: [Int64: Set<[UInt8]>] = [:]
    /// By the nonce of a token: the digests that left with it.
    var digests: [[UInt8]: Set<[UInt8]>] = [:]
    /// By digest: the nonces with which it left.
    var tokens: [[UInt8]: Set<[UInt8]>] = [:]
    /// By digest: the first and the last day on which it left, and for which survey.
    var sent: [[UInt8]: (days: ClosedRange<Int64>, offer: Offer)] = [:]
    /// The digests that the server has said it has.
    var taken: Set<[UInt8]> = []
    /// By digest: passwords that a page has shown.
    var shown: [[UInt8]: Shown] = [:]
    /// The digests of passwords that were redeemed.
    var redeemed: Set<[UInt8]> = []
    /// The digest whose redemption was not answered.
    var open: [UInt8]?

    var hasConsent: Bool { consent != nil }

    /// A consent is there, new or for another survey.
    mutating func given(to offer: Offer) {
        (consent, wasAway, awayUntil) = (offer, false, 0)
        entries.given += 1
    }

    /// The consent is taken back.
    mutating func takenBack() {
        consent = nil
        entries.withdrawn += 1
    }
}
