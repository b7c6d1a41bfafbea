// SPDX-License-Identifier: Apache-2.0

/// Reads files that a person names on the command line.
public enum SmallFile {
    /// Returns the bytes of the ordinary file at `path`. Throws `submissionTooLarge` for a file of more than `limit` bytes,
    /// and `unreadableSubmission` for one that cannot be read or is not an ordinary file.
    public static func read(_ path: String, limit: Int) throws(AuthorityError) -> [UInt8] {
        do throws(AuthorityError) {
            return try FileWork.read(path, limit: limit, tooLong: .submissionTooLarge)
        } catch  where error.code == .stateUnusable {
            throw AuthorityError(.unreadableSubmission, error.detail)
        }
    }
}
