// SPDX-License-Identifier: Apache-2.0

public import CodedError

/// The reason why the diary refused a change. Two errors are equal if their codes are. Texts never name a place.
public struct DiaryError: CodedError {
    /// The rules for the diary that can be broken. Raw values are stable: they appear in interfaces and logs.
    public enum Code: String, Sendable, CaseIterable {
        /// The text is not the code of a venue, or the code belongs to a system that this device does not follow.
        case notAVenueCode
        /// The code belongs to a followed system, but is broken, revoked, not valid now or not signed, or is too
        /// long to be read; the detail is that system's sentence.
        case codeRefused
        /// There is no visit with this number.
        case unknownVisit
        /// The visit has ended already.
        case alreadyOver
        /// The visit would end before it begins, has not ended yet, is longer than 31 days, or is not in the years
        /// 1970 to 9999; or the numbers of visits are used up.
        case invalidTimes
        /// There are ``VisitDiary/maximumVisits`` visits already.
        case tooManyVisits
        /// The visit is hidden: what is to be done needs the wearer's secret.
        case hiddenVisit
        /// The secret is not the one that the visit was hidden with.
        case wrongSecret
        /// The secret is shorter or longer than one can be.
        case unfitSecret
        /// The places of visits cannot be hidden: the operator has not set whose key is needed, or a part of the arithmetic failed.
        case cannotHide
        /// The text by which a check-in is known again is too short, too long, or has other characters than it may.
        case unfitAttempt
        /// It is not known any more whether places are to be hidden, since what was kept was damaged.
        case choiceLost
        /// The stored diary cannot be read.
        case damagedDiary
    }

    /// The rule that was broken; the only part that counts when two errors are compared.
    public let code: Code
    /// The file and line in the source that made the error; for developers, never compared.
    public let origin: ErrorOrigin
    /// The sentence of the system that refused the code; for other errors, numbers of the case, or empty.
    public let detail: String

    /// Creates an error of this code; it equals every other error of the code. `detail` is described at the property; empty
    /// for none.
    public init(_ code: Code, _ detail: String = "", file: StaticString = #fileID, line: UInt = #line) {
        self.code = code
        origin = ErrorOrigin(file: file, line: line)
        self.detail = detail
    }

    /// An English sentence for the wearer with the detail and, in brackets, the code; it names no place.
    public var description: String {
        let more = detail.isEmpty ? "" : ": \(detail)"
        return "\(Self.sentence(code))\(more) [\(code.rawValue)]"
    }

    private static func sentence(_ code: Code) -> String {
        switch code {
        case .notAVenueCode: "this is not the code of a venue; scan the code at the door"
        case .codeRefused: "the code was refused"
        case .unknownVisit: "there is no such visit here; it may have been deleted"
        case .alreadyOver: "this visit is over already"
        case .invalidTimes: "a visit begins before it ends, has ended by now and lasts 31 days at most"
        case .tooManyVisits: "there are as many visits here as fit; delete some"
        case .hiddenVisit: "the place of this visit is hidden; enter your secret with what you want to change"
        case .wrongSecret: "this is not the secret that the place was hidden with; type it again"
        case .unfitSecret: "a secret has 12 to 256 bytes; choose such a one"
        case .cannotHide:
            "the place cannot be hidden now, and was not written down; ask the operator to set swissCovidKey, or show places again"
        case .unfitAttempt:
            "a check-in is known again by a random text of 22 to 64 letters, digits, - and _; send such a one, or none"
        case .choiceLost:
            "it is not known any more whether this place is to be hidden, because what was kept was damaged, so the visit was not written down; say on the page of visits, or by `vigil ctl visits hide`, whether places are hidden, and check in again"
        case .damagedDiary: "what was kept of visits cannot be read"
        }
    }
}
