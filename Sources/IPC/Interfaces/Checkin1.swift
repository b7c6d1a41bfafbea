// SPDX-License-Identifier: Apache-2.0

/// What travels over `org.vigil.checkin1`; the interface's text says what each part means.
public enum Checkin1 {
    public static let name = "org.vigil.checkin1"

    public struct RegistrationFactsReply: Codable, Sendable, Equatable {
        public var hasCheckIns: Bool
        public var inIsolation: Bool

        public init(hasCheckIns: Bool, inIsolation: Bool) {
            self.hasCheckIns = hasCheckIns
            self.inIsolation = inIsolation
        }
    }
}
