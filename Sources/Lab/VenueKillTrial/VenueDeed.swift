// SPDX-License-Identifier: Apache-2.0

/// What a wearer does, or waits for. One that the power ended is done again.
enum VenueDeed: Hashable {
    case checkIn(VenuePlace)
    /// Chooses that places are hidden, or that new ones are not any more.
    case hide, show
    /// Holds the button beside the door.
    case hold(VenuePlace)
    case checkOut(VenuePlace)
    case changeTimes(VenuePlace)
    case exclude(VenuePlace)
    case delete(VenuePlace)
    /// Waits until all warnings were looked at in this act.
    case waitForRun
    case acknowledge
    /// Agrees to warn others: Diagnosis takes the reports of the visits.
    case warn
    /// Looks at everything, and compares it with what has to be there.
    case look

    /// What is to be done in an act. What has no order has a random one; where the wearer hides places, that may be before or after the visit is entered.
    static func all(
        of act: VenueStage.Act, hides: Bool, using random: inout some RandomNumberGenerator
    ) -> [VenueDeed] {
        switch act {
        case .arriving:
            let ways: [VenueDeed] = VenuePlace.allCases.map { $0 == .door ? .hold($0) : .checkIn($0) }
            return (ways + (hides ? [.hide] : [])).shuffled(using: &random) + [.look]
        case .leaving:
            let ways: [VenueDeed] = [
                .checkOut(.hall), .checkOut(.clinic), .checkOut(.pub), .changeTimes(.cafe), .exclude(.secret),
                .delete(.mistake),
            ]
            return ways.shuffled(using: &random) + [.look]
        case .warned: return [.waitForRun, .acknowledge, .look]
        case .warning: return [.waitForRun, .warn].shuffled(using: &random) + [.acknowledge, .look]
        case .published: return (hides ? [.show] : []) + [.waitForRun, .warn, .look]
        }
    }
}
