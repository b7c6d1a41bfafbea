// SPDX-License-Identifier: Apache-2.0

/// The meaning of `lastKeyBundleTag` to DP-3T's key servers (spec rules-and-nhs 7; `GaenV2Controller`): the tag is the end
/// of the last whole bucket of time whose keys are known, in milliseconds.
public enum KeyBundleTag {
    /// The answer of a server to a tag, by its HTTP status.
    public enum Answer: Hashable, Sendable {
        /// Status 400: the tag is no multiple of the bucket.
        case notMultiple
        /// Status 404: the tag lies ahead of the server's time.
        case future
        /// Status 200, or 204 where there is nothing: what was released since. `nextTag` is the tag to ask with next time, in milliseconds since
        /// 1970; `mayHaveNew` is `false` if no bucket has ended since the tag that was asked with.
        case keys(nextTag: Int64, mayHaveNew: Bool)
    }

    /// The answer of a server whose clock shows `now`; without a tag, everything that is kept. All are milliseconds since
    /// 1970, except `bucket`, a length above 0 in milliseconds (a precondition).
    public static func answer(to tag: Int64?, now: Int64, bucket: Int64) -> Answer {
        let current = now - now % bucket
        guard let tag else { return .keys(nextTag: current, mayHaveNew: true) }
        guard tag >= 0, tag % bucket == 0 else { return .notMultiple }
        guard tag <= now else { return .future }
        return .keys(nextTag: current, mayHaveNew: tag < current)
    }
}
