// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

enum Base64 {
    static func bytes(_ text: String) -> [UInt8]? { Data(base64Encoded: text).map { [UInt8]($0) } }
    static func string(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
