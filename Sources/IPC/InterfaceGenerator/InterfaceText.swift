// SPDX-License-Identifier: Apache-2.0

/// A file with the text of an interface.
public struct InterfaceText: Sendable {
    /// Path of the file, for messages.
    public let path: String
    /// The text itself, in Varlink's interface language; not checked yet.
    public let text: String

    /// An interface's text, and the path of its file for messages; nothing is parsed yet.
    public init(path: String, text: String) {
        self.path = path
        self.text = text
    }
}
