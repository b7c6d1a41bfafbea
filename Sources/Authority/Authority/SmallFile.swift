// SPDX-License-Identifier: Apache-2.0

/// Files a person names on the command line.
public enum SmallFile {
    /// The bytes of the ordinary file at `path`, of at most `limit` bytes. Throws `submissionTooLarge` for a larger one, `unreadableSubmission` for
    /// one that cannot be read or is no ordinary file.
    public static func read(_ path: String, limit: Int) throws(AuthorityError) -> [UInt8] {
        do throws(AuthorityError) {
            return try FileWork.read(path, limit: limit, tooLong: .submissionTooLarge)
        } catch  where error.code == .stateUnusable {
            throw AuthorityError(.unreadableSubmission, error.detail)
        }
    }
}
