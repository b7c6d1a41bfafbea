// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// What a board has of its enrolment: everything that the next step depends on. A board that stops anywhere finds this again, and goes on.
public struct EnrolmentState: Sendable {
    /// A certificate that was stored, and the claim by which it was got.
    public struct Stored: Sendable, Hashable {
        /// The certificate.
        public let certificate: DeviceCertificate
        /// ``EnrolmentClaim/digest`` of that claim.
        public let claimDigest: String

        /// Pairs both.
        public init(_ certificate: DeviceCertificate, claimDigest: String) {
            (self.certificate, self.claimDigest) = (certificate, claimDigest)
        }
    }

    /// The board's name, by its device file.
    public var name: BoardName
    /// ``EnrolmentClaim/digest`` of the claim that is on the board; `nil` if it is erased.
    public var claimDigest: String?
    /// The public half of the key that was made on the board; `nil` if none was made yet.
    public var key: P256.VerificationKey?
    /// What is stored; `nil` if nothing is.
    public var stored: Stored?
    /// The time in Unix seconds if it can be trusted.
    public var now: Int64?

    /// Describes a board.
    public init(
        name: BoardName, claimDigest: String? = nil, key: P256.VerificationKey? = nil, stored: Stored? = nil,
        now: Int64? = nil
    ) {
        (self.name, self.claimDigest, self.key, self.stored, self.now) = (name, claimDigest, key, stored, now)
    }

    /// The next thing to do.
    public enum Step: Sendable, Hashable {
        /// Make the key, and store it so that it outlasts a power cut.
        case makeKey
        /// Wait until the time can be trusted: certificates mean nothing before.
        case waitForTime
        /// Ask for a certificate by the claim, and store it with the claim's digest.
        case enrol
        /// Overwrite the claim, and delete it: a certificate that it has brought is stored.
        case eraseClaim
        /// Ask for a new certificate by the one that is stored, and replace that.
        case renew
        /// Nothing until this moment in Unix seconds: the board is enrolled.
        case rest(until: Int64)
    }

    /// The next step. Throws `noClaim` when there is neither a certificate nor a claim.
    ///
    /// A claim other than the one that has brought the certificate comes with a new card for this board: it enrols anew, with the same key.
    public func next() throws(EnrolmentError) -> Step {
        if let key, let stored, stored.certificate.key == key, stored.certificate.name == name {
            if claimDigest == stored.claimDigest { return .eraseClaim }
            if claimDigest == nil {
                guard let now else { return .waitForTime }
                let due = RenewalRule.due(stored.certificate.validity, name)
                return now < due ? .rest(until: due) : .renew
            }
        }
        guard claimDigest != nil else { throw EnrolmentError(.noClaim) }
        guard key != nil else { return .makeKey }
        return now == nil ? .waitForTime : .enrol
    }
}
