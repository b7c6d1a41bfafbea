// SPDX-License-Identifier: Apache-2.0

/// What travels over `org.vigil.content1`; the interface's text says what each part means.
public enum Content1 {
    public static let name = "org.vigil.content1"

    public struct TakeContentCall: Codable, Sendable {
        public var document: String
        public var approvals: String

        public init(document: String, approvals: String) {
            self.document = document
            self.approvals = approvals
        }
    }

    public struct TakeContentReply: Codable, Sendable {
        public var version: Int64
        public var changed: Bool

        public init(version: Int64, changed: Bool) {
            self.version = version
            self.changed = changed
        }
    }

    public struct ContentReply: Codable, Sendable {
        public var version: Int64
        public var content: String?

        public init(version: Int64, content: String?) {
            self.version = version
            self.content = content
        }
    }
}
