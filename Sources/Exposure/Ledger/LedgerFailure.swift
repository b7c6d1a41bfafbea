// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The reason why the ledger did not do what it was asked. Nothing of a transaction that failed is kept.
public struct LedgerFailure: CodedError {
    /// The class of the failure, by what a caller can do about it.
    public enum Code: String, Sendable, CaseIterable {
        /// No space left on the disk, or the ledger reached its largest size, 16 MiB.
        case full
        /// The ledger cannot be written to, for its disk or because it was closed; what is there can be read. Or there is none on such a disk.
        case readOnly
        /// The file is not one that a ledger writes, or the ledger was closed.
        case damaged
        /// A newer release wrote the ledger; this one must not touch it.
        case tooNew
        /// Another process has the ledger open.
        case inUse
        /// The data that was handed in cannot be kept: too long, or a value outside its range.
        case invalid
        /// There are as many as may be of what the detail names.
        case tooMany
        /// No such ticket: never made, cleaned up, of another device, or its id is malformed.
        case ticketUnknown
        /// The ticket was redeemed before.
        case ticketSpent
        /// The ticket's time is over, or the clock is more than ``Ledger/ticketClockSlack`` before it was made.
        case ticketExpired
        /// The ticket was made for another purpose.
        case ticketPurpose
        /// Anything else: the disk or the database refused, there is no key, or a transaction was used within another or after its end.
        case failed
    }

    /// The class of the failure, by what a caller can do about it.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The detail of the failure, such as the operation with the database's reason, or the wrong length; printable, perhaps
    /// empty. Never holds content of rows.
    public let detail: String

    /// A failure of this code, made at `file` and `line`; `detail` must hold no content of rows.
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
