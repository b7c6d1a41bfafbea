// SPDX-License-Identifier: Apache-2.0

extension Donation1 {
    /// The version of the consent text that the console and the pages show now; ``SetConsentCall/text`` says it. It rises by one whenever the meaning of the
    /// text changes.
    public static let consentTextVersion: Int64 = 9
    /// The version of the consent text about error logs.
    public static let logTextVersion: Int64 = 6
    /// The version of the consent text about surveys.
    public static let surveyTextVersion: Int64 = 6
}

extension Donation1.PreviewReply {
    /// In how many of 10,000 donations the answer about the risk is the opposite, 0 to 10,000; rounded up, so that what may be false never looks certain.
    public var oppositesInTenThousand: Int {
        10_000 - Int(((truth.isFinite ? min(max(truth, 0), 1) : 0) * 10_000).rounded(.down))
    }

    /// Whether fewer than 5 in 100 answers are the opposite, our own choice: people are told then that chance hardly protects them.
    public var isAnswerAlmostCertain: Bool { oppositesInTenThousand < 500 }
}
