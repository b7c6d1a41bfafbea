// SPDX-License-Identifier: Apache-2.0

import JSON

/// The region's own signed document (`/version/v1/vigil_config`): what the Corona-Warn-App's configuration has no field for.
///
/// `export.bin` is JSON: `{"vigilConfig": 1, "version": 7, "wakeWindowSeconds": 600}`. Unknown members are for later versions.
public struct VigilConfiguration: Sendable, Hashable {
    /// The maximum size of a document in bytes, inclusive; 64 KiB. The number is this project's own.
    public static let maximumByteCount = 65_536

    /// The version of the document, 0 or more. It rises with every change. This type does not compare versions; its
    /// user refuses an older one.
    public let version: Int64
    /// The number of seconds over which the boards spread their requests after a wake-up, 0 to 86,400 (a day; the
    /// limit is this project's own); `nil` when the document does not state it, or states null.
    public let wakeWindowSeconds: Int64?

    /// Reads the JSON of an export.bin whose signature has been verified. Returns `nil` if it is longer than
    /// ``maximumByteCount``, is not JSON with `vigilConfig` 1 and a whole `version` of 0 or more, or has a
    /// `wakeWindowSeconds` that is neither null nor a whole number from 0 to 86,400.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.maximumByteCount, let json = try? JSON(parsing: bytes), json["vigilConfig"]?.int == 1,
            let version = json["version"]?.int, version >= 0
        else { return nil }
        self.version = version
        switch json["wakeWindowSeconds"] {
        case nil, .null?: wakeWindowSeconds = nil
        case let value?:
            guard let seconds = value.int, (0...86_400).contains(seconds) else { return nil }
            wakeWindowSeconds = seconds
        }
    }
}
