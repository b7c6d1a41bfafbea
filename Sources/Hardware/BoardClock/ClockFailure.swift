// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The reason why a clock, or a time that a person has set, cannot be used. Two failures are equal if their codes are. The
/// text says what happened, why, and what to do.
public struct ClockFailure: CodedError {
    /// The kinds of failure. Raw values are stable, because they appear in logs and on the status page.
    public enum Code: String, Sendable, CaseIterable {
        // What a person typed.
        /// The text is not a time in any accepted form.
        case malformedTime
        /// The time is outside 2020 to 9999, its date or hour does not exist, or `now` was used while the system
        /// clock is not set.
        case timeOutOfRange
        // The file that carries it.
        /// The run folder does not exist or cannot be used.
        case noRunFolder
        /// The time could not be written to the run folder, for lack of permission or space.
        case notWritten
        /// The file with the time exists but cannot be read.
        case notReadable
        /// The file could not be removed from the run folder, so its time was not used.
        case notRemovable
        /// The file is a link, has a second name, or is not an ordinary file.
        case notARegularFile
        /// The file was written by a user other than root and the core's own.
        case wrongOwner
        /// The file is larger than 4,096 bytes; one with a set time has less than 100.
        case tooLarge
        /// The content of the file does not have the expected form, or states a time outside 2020 to 9999 or a
        /// moment that is still to come in this boot.
        case malformedFile
        /// The file was written in another boot, whose moments mean nothing in this one.
        case anotherBoot
        // Clocks of the machine.
        /// The time of the board's clock chip cannot be read.
        case clockChipUnreadable
        /// The kernel does not reveal the state of its clock: adjtimex(2) is forbidden or fails.
        case kernelClockUnreadable
    }

    /// The kind of failure; the only part that counts in comparisons.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    private let detail: String

    init(_ code: Code, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.detail = detail
    }

    /// A text for logs, the command line and the status page: what happened, what to do, and the stable code in brackets.
    /// Contains no text from outside, except that of the system.
    public var description: String {
        let (what, advice) = Self.sentences(code)
        return "\(what)\(detail.isEmpty ? "" : ": \(detail)"). \(advice). [\(code.rawValue)]"
    }

    private static func sentences(_ code: Code) -> (String, String) {
        let again = "Run `vigil time set` again"
        return switch code {
        case .malformedTime:
            (
                "this is not a time",
                "Write UTC as 2026-11-21T10:00:00Z or \"2026-11-21 10:00\", Unix seconds, or now; offsets and names of time zones"
                    + " are not known"
            )
        case .timeOutOfRange:
            (
                "this time cannot be now",
                "Times lie between 2020 and 9999, hours are 0 to 23; `now` needs a system clock that is set"
            )
        case .noRunFolder:
            ("the run folder cannot be used", "Start the core, which makes it, or name another with --run")
        case .notWritten: ("the time could not be handed over", "Run the command as root or as the core's user")
        case .notReadable:
            ("the time that was set cannot be read", "Check the run folder's owner and mode, then set the time again")
        case .notRemovable:
            (
                "the time that was set could not be taken out of the run folder, so it was not used",
                "Check the folder's owner and mode"
            )
        case .notARegularFile:
            ("what lies in the place of the set time is a link or no plain file, and was not used", again)
        case .wrongOwner:
            ("the time was set by a user who may not", "\(again) as root or as the core's user")
        case .tooLarge: ("the file with the set time is too large", again)
        case .malformedFile: ("the file with the set time is damaged", again)
        case .anotherBoot: ("the time was set before the board was started anew", again)
        case .clockChipUnreadable:
            ("the clock chip gives no time", "Its battery may be empty: replace it, or set the time by hand")
        case .kernelClockUnreadable:
            (
                "the kernel does not say whether its clock is synchronised",
                "Allow adjtimex to this service (ProtectClock=no)"
            )
        }
    }
}
