// SPDX-License-Identifier: Apache-2.0

extension Donation1 {
    /// The version of the consent text that the console and the pages show now; ``SetConsentCall/text`` says it. It rises by one whenever the meaning of the
    /// text changes.
    public static let consentTextVersion: Int64 = 3
}
