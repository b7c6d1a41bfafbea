// SPDX-License-Identifier: Apache-2.0

/// The messages of `org.vigil.door1`. The interface's text explains each of them.
public enum Door1 {
    /// The interface's name in every call and error, before the last dot; its last digit is the version.
    public static let name = "org.vigil.door1"

    /// A code that a place broadcasts between two moments.
    public struct Showing: Codable, Sendable, Equatable {
        /// The bytes to broadcast, in Base64: 1 to 662 bytes.
        public var content: String
        /// The beginning, in Unix seconds; may be past.
        public var from: Int64
        /// The end, in Unix seconds: after ``from``, and at most four hours after the call.
        public var until: Int64

        /// Creates a part of the parameters of `Broadcast`. Nothing is checked here: the core checks the values when the
        /// call arrives.
        public init(content: String, from: Int64, until: Int64) {
            self.content = content
            self.from = from
            self.until = until
        }
    }

    /// Parameters of `Broadcast`: all codes to broadcast from now on. Refused with `WrongRole` on a person's device,
    /// and with `TimeUnknown` while the time is not known.
    public struct BroadcastCall: Codable, Sendable, Equatable {
        /// The codes, at most 8. Of several at the same time the first counts.
        public var showings: [Showing]

        /// Creates the parameters of a call of `Broadcast`. Nothing is checked here: the core checks the values when the
        /// call arrives.
        public init(showings: [Showing]) { self.showings = showings }
    }

    /// Reply of `TakeCode`: the code that waits, which is given once.
    public struct CodeReply: Codable, Sendable, Equatable {
        /// The number of the hold in which the code was collected; `nil` if none waits.
        public var number: Int64?
        /// The bytes that were broadcast, in Base64; `nil` if none waits. They are of unknown origin.
        public var content: String?

        /// Creates the reply of the core to `TakeCode`. No value is checked.
        public init(number: Int64? = nil, content: String? = nil) {
            self.number = number
            self.content = content
        }
    }

    /// Parameters of `NoteVisit`: what became of a code that was taken. A number that is not that of the last hold, or
    /// comes later than half a minute after it, has no effect.
    public struct NoteCall: Codable, Sendable, Equatable {
        /// The number of the hold, from `TakeCode`.
        public var number: Int64
        /// Whether the visit is in the diary.
        public var kept: Bool

        /// Creates the parameters of a call of `NoteVisit`. Nothing is checked here.
        public init(number: Int64, kept: Bool) {
            self.number = number
            self.kept = kept
        }
    }
}
