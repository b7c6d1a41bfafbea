// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.checkin1`; the interface's text says what each part means.
public enum Checkin1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.checkin1"

    /// Reply of `GetRegistrationFacts`: two facts of the wearer's that decide whether pushes are of use (docs/wake.md).
    public struct RegistrationFactsReply: Codable, Sendable, Equatable {
        /// Whether any check-in is still kept.
        public var hasCheckIns: Bool
        /// Whether the wearer is in isolation and has warned others.
        public var inIsolation: Bool

        /// Made by the plugin to answer `GetRegistrationFacts`. No value is checked.
        public init(hasCheckIns: Bool, inIsolation: Bool) {
            self.hasCheckIns = hasCheckIns
            self.inIsolation = inIsolation
        }
    }
}
