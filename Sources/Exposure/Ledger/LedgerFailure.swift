// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The reason why an operation of the ledger failed. Nothing of a failed transaction is kept.
public struct LedgerFailure: CodedError {
    /// The class of a failure, by what a caller can do about it.
    public enum Code: String, Sendable, CaseIterable {
        /// No space is left on the disk, or the ledger has reached its maximum size, 16 MiB.
        case full
        /// The ledger cannot be written to, because of its disk or because it was closed, but it can be read; or
        /// there is none, and the disk cannot be written to.
        case readOnly
        /// The file is not a ledger, or the ledger was closed.
        case damaged
        /// A newer release wrote the ledger; this one must not touch it.
        case tooNew
        /// Another process has the ledger open.
        case inUse
        /// The value cannot be stored, because it is too long or outside its range.
        case invalid
        /// The maximum number of what the detail names is reached.
        case tooMany
        /// There is no such ticket: it was never made, was removed, belongs to another device, or its id is
        /// malformed.
        case ticketUnknown
        /// The ticket was redeemed before.
        case ticketSpent
        /// The ticket's time is over, or the clock is more than ``Ledger/ticketClockSlack`` before it was made.
        case ticketExpired
        /// The ticket was made for another purpose.
        case ticketPurpose
        /// Another failure: the disk or the database refused, there is no key, or a transaction was used within
        /// another or after its end.
        case failed
    }

    /// The class of the failure, by what a caller can do about it.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The detail, such as the operation with the database's reason, or the wrong length; printable, may be empty. It
    /// never has content of rows.
    public let detail: String

    /// Creates a failure that was found at `file` and `line`; `detail` must have no content of rows.
    public init(_ code: Code, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.detail = detail
    }

    /// A text for logs and technicians: what is wrong and what to do, with the detail; no content of rows.
    public var description: String {
        let text =
            switch code {
            case .full: "the ledger has no space left; free some, or let older days be forgotten"
            case .readOnly: "the disk of the ledger cannot be written to; check whether the card fails"
            case .damaged: "the ledger is damaged; it is set aside at the next start and begun anew"
            case .tooNew: "a newer release wrote the ledger; install that release again, or reset the device"
            case .inUse: "another process uses the ledger; stop it"
            case .invalid: "this cannot be kept in the ledger; correct the values"
            case .tooMany: "the ledger holds as many as it may; remove one first"
            case .ticketUnknown: "there is no such ticket; ask for consent again"
            case .ticketSpent: "the ticket was used before; ask for consent again"
            case .ticketExpired: "the ticket is no longer valid; ask for consent again"
            case .ticketPurpose: "the ticket was given for something else; ask for consent to this"
            case .failed: "the ledger could not be used; try again, and restart if it stays so"
            }
        return detail.isEmpty ? text : "\(text) (\(detail))"
    }
}
