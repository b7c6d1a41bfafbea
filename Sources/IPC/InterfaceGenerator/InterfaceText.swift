// SPDX-License-Identifier: Apache-2.0

/// A file with an interface's text.
public struct InterfaceText: Sendable {
    /// Where the file is, for messages.
    public let path: String
    public let text: String

    public init(path: String, text: String) {
        self.path = path
        self.text = text
    }
}
