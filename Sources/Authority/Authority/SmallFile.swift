// SPDX-License-Identifier: Apache-2.0

/// Files a person names on the command line.
public enum SmallFile {
    /// The bytes of an ordinary file of at most `limit` bytes. Throws `submissionTooLarge` for a larger one and
    /// `unreadableSubmission` for one that cannot be read.
    public static func read(_ path: String, limit: Int) throws(AuthorityError) -> [UInt8] {
        do throws(AuthorityError) {
            return try FileWork.read(path, limit: limit, tooLong: .submissionTooLarge)
        } catch  where error.code == .stateUnusable {
            throw AuthorityError(.unreadableSubmission, error.detail)
        }
    }
}
