// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// A sequence of acts of a device during which it may be killed. Raw values are words of the command line.
public enum ServiceAct: String, CaseIterable, Sendable {
    /// Key files are provided, some of them twice.
    case intake
    /// The wearer consents and withdraws the consent, and role and mapping change.
    case consent
    /// Own keys are released, and then requested again with the used ticket.
    case release
    /// Own keys are released, and after midnight those of the rest of that day, with the same consent.
    case remainder
    /// Rules are taken that turn an encounter into a warning, and then newer rules.
    case rules
    /// The wearer resets the device, which erases everything about the wearer.
    case reset
    /// A store of release 0.2.0 is opened and gets a ledger.
    case migration
    /// The ledger's key is replaced.
    case renewal
    /// A damaged ledger is set aside.
    case aside

    /// One thing done, with one answer.
    enum Move: Equatable {
        case enable, disable, reset, renew, release, releaseAgain, pass
        /// The first ten minutes of the next UTC day are over; nothing where they are.
        case tomorrow
        case remainder, remainderAgain
        case rules(Int)
        case role(Exposure1.Role)
        case mapping
        case ticket(Device1.Purpose)
        case provide([String])
    }

    /// Whether the device takes part before.
    var isEnabledBefore: Bool { self != .consent }

    /// The number of variants of the act, 1 or 2; a variant is named by its number, from 0.
    public var variants: Int { self == .intake || self == .consent ? 2 : 1 }

    /// Whether a life that had so many moves answered may have seen the next day.
    func isTomorrow(after done: Int, variant: Int) -> Bool {
        moves(variant).firstIndex(of: .tomorrow).map { done >= $0 } ?? false
    }

    func moves(_ variant: Int) -> [Move] {
        switch (self, variant) {
        case (.intake, 0): [.provide(["a.zip"]), .provide(["a.zip"]), .provide(["a.zip", "b.zip"])]
        case (.intake, _): [.provide(["b.zip", "a.zip"]), .provide(["b.zip"])]
        case (.consent, 0): [.enable, .ticket(.pair), .disable, .enable, .ticket(.reset), .disable]
        case (.consent, _): [.enable, .mapping, .role(.place), .disable, .role(.person), .enable]
        case (.release, _):
            [.ticket(.releaseKeys), .release, .releaseAgain, .pass, .ticket(.releaseKeys), .release, .pass]
        case (.remainder, _):
            [.ticket(.releaseKeys), .release, .pass, .tomorrow, .remainder, .remainderAgain, .pass]
        case (.rules, _): [.rules(1), .provide(["a.zip"]), .pass, .rules(2), .pass]
        case (.reset, _): [.ticket(.reset), .reset]
        case (.migration, _): [.pass, .ticket(.pair), .mapping]
        case (.renewal, _): [.renew, .ticket(.pair), .renew]
        case (.aside, _): [.ticket(.pair), .disable]
        }
    }
}
