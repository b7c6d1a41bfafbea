// SPDX-License-Identifier: Apache-2.0

import Varlink

/// A small generator with a seed: a test that fails fails again.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

extension [UInt8] {
    /// A message of that text, with its NUL.
    init(message text: String) { self = Array(text.utf8) + [0] }
}

/// A service to call.
enum Example {
    static let text = """
        # What a board does.
        interface org.example.board1

        # How loud something is.
        type Level (quiet, loud)

        type File (
          # Where it lies.
          name: string,
          size: int
        )

        # Says it back.
        method Echo(word: string, level: ?Level, files: ?[]File) -> (word: string, level: ?Level)

        # What happens.
        # [Requires 'more' flag]
        method Watch() -> (event: string)

        # All there are.
        # [Supports 'more' flag]
        method List() -> (name: string)

        method Secret() -> ()

        # It is too late.
        error TooLate (by: int)
        """

    static func service() throws -> ServiceDescription {
        try ServiceDescription(
            vendor: "Vendor", product: "Product", version: "1", url: "https://example.org",
            interfaces: [
                InterfaceDescription(parsing: text),
                InterfaceDescription(parsing: "interface org.example.other\nmethod Nothing() -> ()"),
            ])
    }
}
