// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import KeyArchive
import KeyExport
public import Trust

/// Key files that were fetched, and then read and verified as the core's intake does. They are read once for all boards
/// that fetch the same files.
public struct Delivery: Sendable {
    struct File: Sendable {
        let export: VerifiedExport
        let keys: [ExportedKey]
        let signatureListDigest: [UInt8]
    }

    let files: [File]

    /// Reads and verifies `packages`, each the bytes of a zip file. Throws the reader's error about the first file that
    /// does not verify at `time` (Unix seconds).
    public init(_ packages: [[UInt8]], trust: TrustStore, at time: Int64) throws {
        try self.init(packages, authorities: [ExportAuthority(trust: trust, policy: .namedKeys)], at: time)
    }

    /// The same for a board that follows several authorities. With a name in `wanted` the files were fetched for that one, and it must have
    /// signed them.
    init(_ packages: [[UInt8]], authorities: [ExportAuthority], wanted: String? = nil, at time: Int64) throws {
        files = try packages.map { bytes in
            let reader = try KeyFileReader(bytes: bytes)
            let digest = SHA256.digest(of: reader.signatureBytes)
            var keys: [ExportedKey] = []
            let export = try reader.read(authorities: authorities, wanted: wanted, time: time) { keys += $0 }
            return File(export: export, keys: keys, signatureListDigest: digest)
        }
    }

    /// Every key by its secret; the last file's word counts.
    var published: [Block: ExportedKey] {
        Dictionary(files.flatMap(\.keys).map { ($0.data, $0) }) { $1 }
    }
}
