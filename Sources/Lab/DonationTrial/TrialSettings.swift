// SPDX-License-Identifier: Apache-2.0

/// What is played: how many boards for how long, what an adversary sees of them, and what is broken on purpose.
package struct DonationTrialSettings: Sendable, Hashable {
    /// What the servers and the network see of where a board is.
    package enum Addresses: String, Sendable, CaseIterable {
        /// All boards stand behind one address, that of a relay or of a provider.
        case shared
        /// There are no addresses.
        case none
        /// Each board has its own.
        case own
    }

    /// A fault that is made on purpose, in the laboratory only: an adversary must win against each.
    package enum Flaw: String, Sendable, CaseIterable {
        /// The issuer gives each device a token key of its own, out of ``DonationTrialSettings/deviceKeys`` a day.
        case deviceKey = "device-key"
        /// A board offers one TLS session to both servers.
        case session
        /// A token is asked for and donated within the same minute.
        case atOnce = "at-once"
    }

    /// The boards, 1 to 100,000.
    package var boards: Int
    /// The days, 1 to 200.
    package var days: Int
    /// Everything that is drawn follows from it, except for keys and what the servers draw for their files.
    package var seed: UInt64
    /// What is seen of where a board is.
    package var addresses: Addresses
    /// The fault; `nil` for the software as it ships.
    package var flaw: Flaw?
    /// Whether boards meet people and donate that.
    package var hasEncounters: Bool
    /// The share of wearers who agree, 0 to 1.
    package var consenting = 1.0
    /// The share of wearers who take part in a survey, whether they donate or not, 0 to 1; not with the flaws ``Flaw/deviceKey`` and ``Flaw/atOnce``, which know no surveys.
    package var surveying = 0.0
    var hasSurvey: Bool { surveying > 0 && flaw != .deviceKey && flaw != .atOnce }
    /// The days, from the first one, within which wearers agree; at least 1.
    package var consentDays = 10
    /// The token keys of each day with the flaw `deviceKey`, 1 to 128: a device shares its own with so many of a whole fleet.
    package var deviceKeys = 64
    /// The days between two documents about donations.
    package var termsEvery = 5
    /// The probability with which the answer of a server gets lost.
    package var loss = 0.005

    /// Creates settings; numbers out of their ranges are moved into them.
    package init(
        boards: Int, days: Int, seed: UInt64, addresses: Addresses = .shared, flaw: Flaw? = nil, hasEncounters: Bool = false
    ) {
        self.boards = min(max(boards, 1), 100_000)
        self.days = min(max(days, 1), 200)
        self.seed = seed
        self.addresses = addresses
        self.flaw = flaw
        self.hasEncounters = hasEncounters
    }

    /// The fewest devices before the issuer signs, 2 or more; `nil`: 50 as in the guide for operators, and fewer in a small trial.
    package var minimumFleet: Int?
    var fleet: Int { max(2, minimumFleet ?? min(50, boards / 10)) }

    /// The address that a board is seen with.
    func address(_ board: Int) -> String {
        switch addresses {
        case .shared: "198.51.100.7"
        case .none: ""
        case .own: "10.\(board >> 16 & 255).\(board >> 8 & 255).\(board & 255)"
        }
    }
}
