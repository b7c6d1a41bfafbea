// SPDX-License-Identifier: Apache-2.0

/// The tables. Each has a tag, the order it was written in, and the sealed content; what they are called and how many rows they have is all
/// that shows.
enum LedgerTable: String, CaseIterable {
    /// What the ledger knows of itself.
    case meta
    case setting
    case match
    /// Two rows per file: by its signatures and by its content.
    case file
    case attempt
    case ticket
    case evidence
    case paired
    /// Its tag is its sequence number.
    case audit
}
