// SPDX-License-Identifier: Apache-2.0

import Varlink

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
