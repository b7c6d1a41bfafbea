// SPDX-License-Identifier: Apache-2.0

public import Verification

/// Hands the keys and check-ins that boards submit to an authority, which publishes them in all of its regions,
/// adds random ones and keeps the audit. Use it on one thread at a time.
public final class SubmissionIntake: KeyTaking, VenueHoursTaking {
    private let authority: HealthAuthority

    /// Creates an intake for `authority`, which is not thread-safe: use both on the same thread. Cannot fail.
    public init(authority: HealthAuthority) { self.authority = authority }

    /// Hands the keys and check-ins to the authority for all of its regions, and returns how many of each were new,
    /// and how many check-ins are not published. Known keys and keys that break a rule are not counted.
    /// `visitedCountries` and `consentsToFederation` are ignored; `now` is in Unix seconds; `warning` is `nil` for
    /// keys that cannot be taken back by a code. Throws `intakeFailed` with the code of the authority's error as
    /// detail; then nothing was taken.
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

    /// Hands the hours to the authority, and returns how many were new. `now` is in Unix seconds; with `nil` as `warning` the
    /// same hours of another person count as the same. Throws `intakeFailed` with the code of the authority's error as
    /// detail; then nothing was taken.
    public func take(
        _ hours: VenueHours, warning: WarningHandle?, now: Int64
    ) throws(VerificationError) -> Int {
        do throws(AuthorityError) {
            return try authority.accept(hours.entries, source: "submission", warning: warning, now: now).accepted
        } catch {
            throw VerificationError(.intakeFailed, error.code.rawValue)
        }
    }
}
