// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// Power cuts in every state of data donation (docs/donation.md): a board with the core's code on real files, an issuer and a donation server with theirs,
/// each in a process that is killed at its steps or at any moment, and a judge outside. Used by one thread.
package struct KilledDonations {
    let program: String
    let folder: String
    let signer: P256.SigningKey
    /// The cuts in each state of a story after which others have the turn.
    let quota: Int

    var board: String { "\(folder)/board" }
    var issuer: String { "\(folder)/issuer" }
    var server: String { "\(folder)/server" }
    var look: String { "\(folder)/look" }
    var before: String { "\(folder)/before" }
    var scratch: String { "\(folder)/scratch" }

    /// The cuts in one state.
    package struct Cuts: Sendable, Hashable {
        /// Those of the board, and those of the server that it had asked.
        package var board = 0, servers = 0
        /// None yet.
        package init() {}

        /// Both.
        package var total: Int { board + servers }
    }

    /// What came of a story.
    package struct Verdict: Sendable {
        /// What is wrong, in English; `nil` if nothing is.
        package var problem: String?
        /// The cuts by state.
        package var cuts: [DonationState: Cuts] = [:]
        /// The days of virtual time, and the donations, error logs and digests of surveys that were taken in them, and the passwords that were redeemed.
        package var days: Int64 = 0, donations = 0, logs = 0, digests = 0, redeemed = 0
        /// All cuts.
        package var total: Int { cuts.values.reduce(0) { $0 + $1.total } }
    }

    /// Makes a trial in `folder`, which must exist and be empty, and the issuer's keys; blocks for some seconds. `program` is the path of `vigil-lab`, which plays
    /// the processes. Throws ``KilledDonationsFailure``, or what the cryptographic libraries refuse.
    package init(program: String, folder: String, quota: Int = 3) throws {
        self.program = program
        self.folder = folder
        self.quota = quota
        signer = try P256.SigningKey.generate()
        try DonationFiles.write(signer.verificationKey.subjectPublicKeyInfo, "\(folder)/signer")
        try DonationPool.make("\(folder)/pool")
    }

    /// Plays the story of `seed`, with a fault on purpose or without. The seed decides what the wearer does, what is lost, and where processes die; secrets
    /// and the times of donations are the core's own. A short story has one withdrawal, and no change of the server. Blocks. Throws ``KilledDonationsFailure`` if something fails that is not tested.
    package func story(seed: UInt64, fault: DonationFault? = nil, isShort: Bool = false) throws -> Verdict {
        let story = DonationStory(self, seed: seed, fault: fault)
        try story.play(isShort: isShort)
        return story.verdict
    }
}
