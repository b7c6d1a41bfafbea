// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Interfaces
import JSON

/// What is kept on disk about who may sign in: no secret, and nothing from which one could be had but by trying.
struct AccessRecords: Codable, Equatable {
    /// Of a role's secret.
    struct Secret: Codable, Equatable {
        /// Whether it was made here: then it may be typed with dashes, blanks and small letters.
        var isMade: Bool
        /// Hexadecimal.
        var salt: String
        var iterations: UInt32
        /// PBKDF2-HMAC-SHA256 of it, hexadecimal.
        var hash: String
    }

    struct Token: Codable, Equatable {
        var name: String
        var role: Access1.Role
        /// SHA-256 of it, hexadecimal: 256 random bits need no slow hash.
        var digest: String
        var made: Int64?
        var lastUsed: Int64?
    }

    /// The reset that was begun last. It stands here because this file outlasts one; what is done about it is done once the life is another.
    struct Reset: Codable, Equatable {
        /// The life of the device that it was to end.
        var life: String
        /// Whether that life began with a reset itself.
        var wasLater: Bool
        /// Whether the wearer's secret ends with that life.
        var takesWearers: Bool
        /// The number of the life that follows, 2 or more; `nil` where it is not known how many there were.
        var next: Int64?
        /// When it was begun, in Unix seconds; `nil` where the time was not known.
        var time: Int64?
        /// Whether the device was handed on; stays when the secret has ended. `nil` in records of before.
        var handsOn: Bool?
    }

    /// Of this format.
    var schema = 1
    /// By role.
    var secrets: [String: Secret] = [:]
    var tokens: [Token] = []
    var reset: Reset?

    static let mostTokens = 16

    // MARK: The form on disk

    /// JSON, and the SHA-256 of it on a line of its own: a bit that has turned over is found, not taken for a wrong secret.
    func bytes() throws -> [UInt8] {
        let json = try JSON(encoding: self).bytes
        return json + [10] + Array(Hex.string(SHA256.digest(of: json)).utf8) + [10]
    }

    init() {}

    init?(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        guard lines.count == 3, lines[2].isEmpty,
            Hex.string(SHA256.digest(of: lines[0])).utf8.elementsEqual(lines[1]),
            let json = try? JSON(parsing: Array(lines[0])), let records = try? json.decode(Self.self), records.schema == 1,
            records.secrets.values.allSatisfy({
                Hex.bytes($0.salt) != nil && Hex.bytes($0.hash)?.count == SHA256.byteCount
                    && (1...10_000_000).contains($0.iterations)
            })
        else { return nil }
        self = records
    }
}
