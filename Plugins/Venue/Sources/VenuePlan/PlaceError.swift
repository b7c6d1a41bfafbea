// SPDX-License-Identifier: Apache-2.0

/// Why a place or its codes were not changed. Equal by code.
public struct PlaceError: Error, Hashable, CustomStringConvertible {
    /// Raw values are stable: they appear in interfaces.
    public enum Code: String, Sendable, CaseIterable {
        case invalidName
        case invalidStreet
        case invalidStay
        case invalidTimes
        case codeTooLong
        case tooManyPlaces
        case tooManyCodes
        case alreadyThere
        case unknownPlace
        case unknownCode
        case notAnEvent
        case alreadyOver
        case damagedPlaces
    }

    public let code: Code

    public init(_ code: Code) { self.code = code }

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
