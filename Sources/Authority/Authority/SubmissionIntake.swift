// SPDX-License-Identifier: Apache-2.0

public import Verification

/// Gives what boards submit to the authority, for publication in all of its regions. Padding and the audit are the
/// authority's. One thread at a time.
public final class SubmissionIntake: KeyTaking {
    private let authority: HealthAuthority

    /// An intake for `authority`, which is not thread-safe: the caller uses both on one thread. Cannot fail.
    public init(authority: HealthAuthority) { self.authority = authority }

    /// Hands keys and check-ins to the authority for all of its regions, whatever countries were visited and whether or not somebody consents to
    /// federation; gives the numbers of those that were new. Keys that are known or break a rule are not counted. `now` is in Unix seconds; `warning`
    /// is `nil` for keys that nobody is to find again. Throws `intakeFailed` with the authority's code; then none was taken.
    public func take(
        _ accepted: SubmissionRules.Accepted, warning: WarningHandle?, now: Int64
    ) throws(VerificationError) -> TakenSubmission {
        do throws(AuthorityError) {
            let report = try authority.accept(
                accepted.keys.map { SubmittedKey($0) }, checkIns: accepted.checkIns, source: "submission", warning: warning,
                now: now)
            return TakenSubmission(
                keys: report.accepted, checkIns: report.checkIns,
                filteredCheckIns: report.filteredCheckIns.values.reduce(0, +))
        } catch {
            throw VerificationError(.intakeFailed, error.code.rawValue)
        }
    }
}
