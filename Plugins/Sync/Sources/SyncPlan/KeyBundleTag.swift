// SPDX-License-Identifier: Apache-2.0

/// The meaning of `lastKeyBundleTag` for DP-3T's key servers (spec rules-and-nhs 7; `GaenV2Controller`): the tag is the end
/// of the last whole time bucket whose keys are known, in milliseconds since 1970.
public enum KeyBundleTag {
    /// The answer of a server to a tag, by its HTTP status.
    public enum Answer: Hashable, Sendable {
        /// Status 400: the tag is not a multiple of the bucket.
        case notMultiple
        /// Status 404: the tag is later than the server's time.
        case future
        /// Status 200, or 204 if there are no keys: the keys that were released since the tag. `nextTag` is the tag for the
        /// next request, in milliseconds since 1970; `mayHaveNew` is `false` if no bucket has ended since the tag of this
        /// request.
        case keys(nextTag: Int64, mayHaveNew: Bool)
    }

    /// Returns the answer of a server whose clock shows `now`; without a tag, it answers with all keys that it has. All
    /// values are milliseconds since 1970, except `bucket`, a length in milliseconds, which must be above 0.
    public static func answer(to tag: Int64?, now: Int64, bucket: Int64) -> Answer {
        let current = now - now % bucket
        guard let tag else { return .keys(nextTag: current, mayHaveNew: true) }
        guard tag >= 0, tag % bucket == 0 else { return .notMultiple }
        guard tag <= now else { return .future }
        return .keys(nextTag: current, mayHaveNew: tag < current)
    }
}
