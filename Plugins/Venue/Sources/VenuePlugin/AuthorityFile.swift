// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The operator's certificate authorities as the file that libcurl wants.
enum AuthorityFile {
    /// The path of the file, in `folder`. Throws `Fault` when it cannot be written.
    static func store(_ text: String, in folder: String) throws(VenueSettings.Fault) -> String {
        let path = folder + "/authorities.pem"
        unlink(path)
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw VenueSettings.Fault(description: "\(path) cannot be written; free space in it") }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard write(file, bytes, bytes.count) == bytes.count else {
            throw VenueSettings.Fault(description: "\(path) cannot be written; free space in it")
        }
        return path
    }
}
