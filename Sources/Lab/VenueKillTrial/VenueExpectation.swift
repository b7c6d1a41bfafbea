// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// What a device has to have at the end of an act, whenever its power failed.
struct VenueExpectation {
    struct Visit: Equatable {
        var arrival = VenueStage.arrival
        var departure = VenueStage.departure
        var isOpen = false
        var warns = true
        var isPublished = false
        var isHidden = false
    }

    /// By place.
    private(set) var visits: [VenuePlace: Visit] = [:]
    /// Level, advice or message, by place.
    private(set) var notices: [VenuePlace: String] = [:]
    /// Notices that may be there already.
    private(set) var early: Set<VenuePlace> = []
    /// Whether the wearer has seen all that must be there.
    private(set) var isSeen = false

    /// - Parameter hides: Whether the wearer has chosen that places are hidden.
    init(after act: VenueStage.Act, hides: Bool = false) {
        for place in VenuePlace.allCases {
            var visit = Visit()
            switch place {
            case .hall: visit.departure = act == .arriving ? visit.arrival + 240 * 60 : VenueStage.departure
            case .clinic, .pub: visit.departure = act == .arriving ? visit.arrival + 12 * 3_600 : VenueStage.departure
            case .cafe, .door, .secret, .mistake: visit.departure = visit.arrival + 3_600
            }
            visit.isOpen = act == .arriving
            visit.isHidden = hides && place == .clinic
            if act != .arriving {
                if place == .mistake { continue }
                if place == .cafe { (visit.arrival, visit.departure) = VenueStage.changed }
                visit.warns = place != .secret
            }
            visit.isPublished = act == .published && [.hall, .cafe, .door].contains(place)
            visits[place] = visit
        }
        guard act.rawValue >= VenueStage.Act.warned.rawValue else { return }
        isSeen = true
        notices = [.clinic: "Stay at home"]
        if act == .warned { early = [.pub] }
        notices[.pub] = "bookATest"
        // What was published meets no warning any more.
        guard act != .published else { return }
        notices[.hall] = "low"
        notices[.cafe] = "increased"
        if act == .warning { notices[.door] = "low" }
    }

    /// What is wrong, if anything is. `seen` is the last notice that the wearer has acknowledged.
    func problem(_ visits: [Checkin1.Visit], _ notices: [Checkin1.Notice], seen: Int) -> String? {
        problem(visits) ?? problem(notices, seen: seen)
    }

    private func problem(_ found: [Checkin1.Visit]) -> String? {
        for place in VenuePlace.allCases {
            let here = found.filter { $0.name == place.name }
            if here.count > 1 { return "twice: \(here.count) visits to the \(place)" }
            guard let expected = visits[place] else {
                if !here.isEmpty { return "lost: that the visit to the \(place) was deleted" }
                continue
            }
            guard let visit = here.first else { return "lost: the visit to the \(place)" }
            let actual = Visit(
                arrival: visit.arrival, departure: visit.departure, isOpen: visit.open, warns: visit.warns,
                isPublished: visit.published, isHidden: visit.hidden == true)
            if actual != expected { return "lost: what was changed of the visit to the \(place), which is \(actual)" }
        }
        let count = found.count
        return count == visits.count ? nil : "there are \(count) visits to \(visits.count) places"
    }

    private func problem(_ found: [Checkin1.Notice], seen: Int) -> String? {
        for place in VenuePlace.allCases {
            let here = found.filter { $0.name == place.name }
            if here.count > 1 { return "told twice: there are \(here.count) notices about the \(place)" }
            guard let expected = notices[place] else {
                if !here.isEmpty { return "told: a notice about the \(place), of which there is no warning" }
                continue
            }
            guard let notice = here.first else {
                if early.contains(place) { continue }
                return "lost: the notice about the \(place)"
            }
            let said = notice.level?.rawValue ?? notice.advice?.rawValue ?? notice.message ?? "nothing"
            if said != expected { return "counted twice or lost: the notice about the \(place) says \(said)" }
            if notice.news, notice.number <= seen { return "told twice: the notice about the \(place) is news again" }
        }
        // Numbers are never used again: one that was told twice would have made another.
        let most = VenuePlace.allCases.filter { VenueExpectation(after: .warning).notices[$0] != nil }.count
        let numbers = Set(found.map(\.number))
        if numbers.count != found.count || numbers.contains(where: { $0 > most }) {
            return "told twice: the notices have the numbers \(numbers.sorted())"
        }
        return nil
    }
}
