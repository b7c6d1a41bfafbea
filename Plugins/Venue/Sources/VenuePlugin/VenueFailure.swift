// SPDX-License-Identifier: Apache-2.0

import Interfaces
import PluginKit
import VarlinkSocket
import VenuePlan

/// The errors of `org.vigil.checkin1`. None says where anybody was.
enum VenueFailure {
    static let notSignedIn = CallFailure("\(Checkin1.name).NotSignedIn")
    static let noSuchNumber = CallFailure("\(Checkin1.name).NoSuchNumber")

    static let coreSilent = notPossible("The core of this device does not answer now; try again in a minute.")
    static let busy = notPossible(
        "So many changes of visits are on their way that no further one is taken, and nothing was changed; try again in a minute."
    )
    static let changedMeanwhile = notPossible(
        "This visit, or whether places are hidden, was changed meanwhile by somebody else, so nothing was changed now; try again."
    )
    static let timeUnknown = notPossible(
        "The device does not know what time it is, so it cannot say when a visit or an event is; connect it or set its time."
    )
    static let nothingMade = notPossible(
        "Codes for events can be made for the Corona-Warn-App only, and this device does not follow it; import a code that was made elsewhere."
    )
    static let impossibleReports = refused(
        "impossibleReports",
        "At most 15 levels of 1 to 8 can be stated, and at most 32 reports be asked for; ask again with such numbers.")
    static let impossibleName = refused(
        "impossibleName",
        "Visits of a warning are called by a number of 1 to \(ReportBatch.names.upperBound) that no others have; ask again with another one."
    )
    static let tooManyWarnings = refused(
        "tooManyWarnings",
        "\(VisitDiary.maximumBatches) warnings with visits are not over, so no visit goes along with another; send them or take one back."
    )
    static let warningsUnknown = notPossible(
        "It is not known which earlier warnings were sent, or it could not be noted, so no visit goes along with this one: it could be published twice. Try again; if that does not help, a technician looks whether the disk is full, and whether this plugin may call GetPublished of the one for tests."
    )
    static let invalidHours = refused(
        "invalidHours", "The hours are two different minutes of a day, 0 to 1439, or none for the whole day.")
    static let tooLongToBroadcast = refused(
        "codeTooLong", "The code at this door is too long for a broadcast; shorten the place's name and street.")
    static let otherPlace = notPossible(
        "Another place of this device was chosen meanwhile, so nothing was changed; look at the page of that place.")
    static let isPlace = CallFailure(
        "\(Checkin1.name).WrongRole",
        ["reason": "This device stands for a place, which visits nothing. A technician can make it a person's."])
    static let isPerson = CallFailure(
        "\(Checkin1.name).WrongRole",
        ["reason": "This device is a person's, which has no codes of its own. A technician can make it a place's."])

    /// What a caller is told of an error; `nil` for what is nobody's business.
    static func of(_ error: any Error) -> CallFailure? {
        switch error {
        case let failure as CallFailure: failure
        case let error as DiaryError:
            switch error.code {
            case .unknownVisit: noSuchNumber
            case .notAVenueCode, .codeRefused, .invalidTimes, .hiddenVisit, .wrongSecret, .unfitSecret,
                .unfitAttempt:
                refused(error.code.rawValue, "\(error)")
            case .alreadyOver, .tooManyVisits, .damagedDiary, .cannotHide, .choiceLost:
                notPossible("\(error)")
            }
        case let error as PlaceError:
            switch error.code {
            case .unknownPlace, .unknownCode: noSuchNumber
            case .tooManyPlaces, .tooManyCodes, .alreadyThere, .notAnEvent, .alreadyOver, .damagedPlaces:
                notPossible("\(error)")
            case .invalidName, .invalidStreet, .invalidStay, .invalidTimes, .codeTooLong:
                refused(error.code.rawValue, "\(error)")
            }
        case is TooManyJobs: busy
        case let error as StorageError:
            notPossible(
                error.code == .full
                    ? "There is no room for it on this device; delete what is not needed any more."
                    : "It cannot be written down now, so nothing was changed; try again.")
        default: nil
        }
    }

    private static func notPossible(_ reason: String) -> CallFailure {
        CallFailure("\(Checkin1.name).NotPossible", ["reason": .string(reason)])
    }

    private static func refused(_ rule: String, _ reason: String) -> CallFailure {
        CallFailure("\(Checkin1.name).Refused", ["rule": .string(rule), "reason": .string(reason)])
    }
}
