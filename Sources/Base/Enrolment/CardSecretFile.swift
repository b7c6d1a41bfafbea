// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import JSON

/// The two files of a card with a secret that its device file has the hash of: `first-secrets`, `{"wearer":"CODE"}`, and `enrolment-claim`, a line.
public enum CardSecretFile {
    /// The longest file of either kind in bytes; our own bound.
    public static let maximumByteCount = 4_096

    /// The role that the one code in `first-secrets` is for, such as `wearer`. `nil` if there is not exactly one.
    public static func role(_ file: SecretBytes) -> String? {
        file.withBytes { bytes -> String? in
            guard bytes.count <= maximumByteCount else { return nil }
            let codes = (try? JSON(parsing: Array(bytes)))?.object?.members ?? []
            return codes.count == 1 ? codes.first?.name : nil
        }
    }

    /// The hash of the one secret in a file, as inventories write it: of its characters without dashes. `nil` if there is not exactly one.
    public static func digest(_ file: SecretBytes) -> String? {
        file.withBytes { bytes in
            guard bytes.count <= maximumByteCount else { return nil }
            var text = Array(bytes)
            defer { for index in text.indices { text[index] = 0 } }
            if text.first == UInt8(ascii: "{") {
                let codes = (try? JSON(parsing: text))?.object?.members ?? []
                guard codes.count == 1, let code = codes.first?.value.string else { return nil }
                return DeviceFile.hash(code.utf8.filter { $0 != UInt8(ascii: "-") })
            }
            if text.last == 10 { text.removeLast() }
            if text.last == 13 { text.removeLast() }
            guard !text.contains(10), !text.isEmpty else { return nil }
            return DeviceFile.hash(text.filter { $0 != UInt8(ascii: "-") })
        }
    }
}
