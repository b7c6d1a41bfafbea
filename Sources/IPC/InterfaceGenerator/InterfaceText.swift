// SPDX-License-Identifier: Apache-2.0

/// A file with the text of an interface.
public struct InterfaceText: Sendable {
    /// The path of the file, for messages.
    public let path: String
    /// The text in the Varlink interface language; not checked yet.
    public let text: String

    /// Creates an interface text. `path` is used in messages only; nothing is parsed yet.
    public init(path: String, text: String) {
        self.path = path
        self.text = text
    }
}
