// SPDX-License-Identifier: Apache-2.0

/// What a technician wants to calibrate, and against what.
public struct CalibrationPlan: Sendable, Equatable {
    /// What is measured, each with what must be known beforehand.
    public enum Subject: Sendable, Equatable {
        /// The receiver of this board. `power` is the calibrated transmit power of the phone, or second board, in dBm.
        case receiver(power: Int)
        /// The sender of a second board, heard by this one, whose receiver is calibrated.
        case otherBoard
    }

    /// The lengths of one orientation in seconds that the core takes. A phone sends four times a second, so less than 10 s is
    /// for senders that send more often.
    public static let lengths = 2...60
    /// The transmit powers that a board profile permits, in dBm.
    public static let powers = -50...20

    /// What is calibrated.
    public var subject: Subject
    /// The length of one orientation in seconds, of ``lengths``.
    public var seconds: Int
    /// Whether nothing is set in the end.
    public var isDryRun: Bool

    /// Creates a plan. Nothing is checked here.
    public init(_ subject: Subject, seconds: Int = 30, isDryRun: Bool = false) {
        self.subject = subject
        self.seconds = seconds
        self.isDryRun = isDryRun
    }
}
