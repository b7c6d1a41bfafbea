// SPDX-License-Identifier: Apache-2.0

public import KeyExport
public import Verification

/// Gives what boards submit to the authority, for publication in all of its regions. Padding and the audit are the
/// authority's. One thread at a time.
public final class SubmissionIntake: KeyTaking {
    private let authority: HealthAuthority

    /// An intake for `authority`, which is not thread-safe: the caller uses both on one thread. Cannot fail.
    public init(authority: HealthAuthority) { self.authority = authority }

    /// Hands the keys to the authority for all of its regions, whatever countries were visited and whether or not somebody consents to federation;
    /// gives the number of those that were new, 0 or more. Keys that are known or break a rule are not counted. `now` is in Unix seconds; `warning`
    /// is `nil` for keys that nobody is to find again. Throws `intakeFailed` with the authority's code; then none was taken.
    public func take(
        _ keys: [ExportedKey], visitedCountries: [String], consentsToFederation: Bool, warning: WarningHandle?, now: Int64
    ) throws(VerificationError) -> Int {
        do throws(AuthorityError) {
            return try authority.accept(keys.map { SubmittedKey($0) }, source: "submission", warning: warning, now: now)
                .accepted
        } catch {
            throw VerificationError(.intakeFailed, error.code.rawValue)
        }
    }
}
