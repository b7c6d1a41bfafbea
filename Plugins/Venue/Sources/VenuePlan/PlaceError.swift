// SPDX-License-Identifier: Apache-2.0

/// The reason why a place or its codes were not changed. Two errors are equal if their codes are.
public struct PlaceError: Error, Hashable, CustomStringConvertible {
    /// The rules for places and their codes that can be broken. Raw values are stable: they appear in interfaces.
    public enum Code: String, Sendable, CaseIterable {
        /// A name is not one line of 1 to 255 UTF-16 units.
        case invalidName
        /// The street and town are not one line of 1 to 255 UTF-16 units.
        case invalidStreet
        /// The usual stay is not 15 to 1,425 minutes.
        case invalidStay
        /// The event would end before it begins, has ended already, is longer than 31 days, or is not in the years 1970 to 9999.
        case invalidTimes
        /// The text of the code would have more than ``VenueCode/maximumBytes`` bytes.
        case codeTooLong
        /// There are ``PlaceBook/maximumPlaces`` places already, or the numbers of places are used up.
        case tooManyPlaces
        /// The place has ``PlaceBook/maximumCodes`` codes already, none of which is revoked or, as far as the time
        /// is known, has ended; or the numbers of codes are used up.
        case tooManyCodes
        /// A code with this text, which is not revoked but may have ended, is at a place here already.
        case alreadyThere
        /// There is no place with this number.
        case unknownPlace
        /// There is no code with this number.
        case unknownCode
        /// The code does not belong to an event that was made here.
        case notAnEvent
        /// The code is revoked, or its event has ended.
        case alreadyOver
        /// The stored places cannot be read.
        case damagedPlaces
    }

    /// The rule that was broken.
    public let code: Code

    /// Creates an error of this code. Cannot fail.
    public init(_ code: Code) { self.code = code }

    /// An English sentence for the host with the code in brackets; it names no place.
    public var description: String { "\(Self.sentence(code)) [\(code.rawValue)]" }

    private static func sentence(_ code: Code) -> String {
        switch code {
        case .invalidName: "a name is one line of 1 to 255 characters"
        case .invalidStreet: "street and town are one line of 1 to 255 characters"
        case .invalidStay: "visitors stay 15 to 1,425 minutes; choose a number between"
        case .invalidTimes: "an event ends after it begins, has not ended yet and lasts 31 days at most"
        case .codeTooLong: "name and street are too long for a code; shorten them"
        case .tooManyPlaces: "there are \(PlaceBook.maximumPlaces) places here, and no more fit; forget one first"
        case .tooManyCodes: "the place has \(PlaceBook.maximumCodes) codes at its door, and no more fit; revoke one first"
        case .alreadyThere: "this code is at the door already"
        case .unknownPlace: "there is no such place here; it may have been forgotten"
        case .unknownCode: "there is no such code here; it may have been forgotten"
        case .notAnEvent: "only an event can be ended; revoke this code instead"
        case .alreadyOver: "this code is not at the door any more"
        case .damagedPlaces: "what was kept of places cannot be read"
        }
    }
}
