// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// Visits, and what warnings say about them.
enum VisitViews {
    static func list(_ visits: [Checkin1.Visit], _ screen: Screen, now: Int64) -> String {
        guard !visits.isEmpty else {
            return screen.paragraph("No visit is kept here. `vigil ctl visits check-in` takes the text of a code.")
        }
        var table = TextTable("#Visit", "Where", "From", "To", "When you warn others")
        for visit in visits {
            table.add(
                [
                    "\(visit.number)",
                    visit.hidden == true && visit.name.isEmpty
                        ? "hidden" : [visit.name, visit.street].compactMap { $0 }.joined(separator: ", "),
                    isBlurred(visit) ? Words.day(Int(visit.arrival / 86_400)) : Words.moment(visit.arrival),
                    isBlurred(visit)
                        ? Words.day(Int(visit.departure / 86_400))
                        : visit.open
                            ? "there now; ends by itself \(Words.age(of: visit.departure, at: now))"
                            : Words.moment(visit.departure),
                    visit.hidden == true
                        ? "is never published"
                        : visit.published ? "was published" : visit.warns ? "may be published" : "is never published",
                ], visit.open ? .attention : nil)
        }
        return table.text(screen) + reminders(visits, screen, now: now)
    }

    /// What of hiding places is not as the wearer wants it; nothing if all is.
    static func hiding(_ reply: Checkin1.VisitsReply, _ screen: Screen) -> String {
        var text = ""
        if reply.choiceLost == true {
            text += screen.paragraph(
                "What was kept was damaged, so it is not known any more whether places are to be hidden, and no code of SwissCovid is taken. Choose: `vigil ctl visits hide`, or `vigil ctl visits hide --off`.",
                .attention)
        }
        if let count = reply.unhidden {
            text += screen.paragraph(
                "Earlier visits that are to be hidden and are not yet: \(count). The device does that by itself, and goes on after a power cut. If it does not end, look at the plugin's log.",
                .attention)
        }
        return text
    }

    /// Of visits that end by themselves soon.
    private static func reminders(_ visits: [Checkin1.Visit], _ screen: Screen, now: Int64) -> String {
        visits.filter { visit in visit.open && visit.remindFrom.map { $0 <= now } ?? false && now < visit.departure }.map {
            screen.paragraph(
                "Visit \($0.number) ends by itself at \(Words.moment($0.departure)). If you have left, check out now: `vigil ctl visits check-out \($0.number)`. If you stay longer, change its times when you have left.",
                .attention)
        }.joined()
    }

    /// Whether of its times only the days are known: it is hidden.
    private static func isBlurred(_ visit: Checkin1.Visit) -> Bool {
        visit.hidden == true && !visit.open && visit.arrival % 86_400 == 0 && visit.departure % 86_400 == 86_399
    }

    static func length(_ visit: Checkin1.Visit) -> String {
        Words.duration(max(0, visit.departure - min(visit.arrival, visit.departure)))
    }

    /// What visits add to the risk; nothing if there is no warning about one.
    static func share(_ visits: VisitWarnings, _ screen: Screen) -> String {
        let more = "`vigil ctl visits notices` says more."
        if visits.news == .unknown {
            return screen.paragraph(
                "It is not known whether there are warnings about visits: the plugin that keeps them did not answer. \(more)",
                .attention)
        }
        let days = visits.days.sorted { $0.key < $1.key }.map { day, level in
            "\(Words.day(day)) \(level == .unknown ? "cannot be judged" : level.rawValue)"
        }
        var text = ""
        if visits.isBehind {
            text += screen.paragraph(
                "Not all warnings about visits could be looked at for two days, so one may be missing. \(more)", .attention)
        }
        if visits.isLost {
            text += screen.paragraph(
                "The list of visits was damaged, so it is not known whether there were warnings about earlier visits. \(more)",
                .attention)
        }
        if !days.isEmpty {
            text += screen.paragraph(
                "Visits to places with a warning: \(days.joined(separator: ", ")). For each day the higher risk counts. \(more)",
                visits.increasedDay == nil ? nil : .bad)
        }
        if visits.isCut { text += screen.paragraph("There are more warnings than could be read. \(more)", .attention) }
        // One of a system without levels is not among the days.
        if visits.news == .news || visits.news == .kept && visits.days.values.allSatisfy({ $0 == .low }) {
            text += screen.paragraph("There is a warning about a visit. \(more)", .attention)
        }
        return text
    }

    static func notices(_ reply: Checkin1.NoticesReply, _ screen: Screen, now: Int64) -> String {
        var text = ""
        if reply.lost {
            text += screen.paragraph(
                "The list of visits was damaged, so a new one was begun: earlier visits are lost, and no warning about them comes. `--seen` ends this message.",
                .attention)
        }
        for notice in reply.notices {
            text += screen.paragraph(
                "\(Words.day(notice.day)), visit \(notice.visit)\(notice.name.isEmpty ? "" : ", \(notice.name)"): \(said(notice))",
                notice.news ? .attention : nil)
        }
        // That nothing is known says nothing while not all is.
        if reply.followed.contains(where: { $0.problem != nil || $0.behind }) {
            text += screen.paragraph("Not all warnings could be looked at, so one may be missing here.", .attention)
        } else if reply.notices.isEmpty {
            text += screen.paragraph("No warning is known about your visits.")
        }
        for system in reply.followed {
            let checked =
                system.checked.map { "warnings were complete \(Words.age(of: $0, at: now))" }
                ?? "no warnings were looked at"
            text += screen.paragraph(
                "\(name(system.system)): \(checked).\(system.problem.map { " \($0)" } ?? "")",
                system.problem == nil ? .quiet : .attention)
        }
        if reply.followed.isEmpty {
            text += screen.paragraph("This device follows no system of check-ins: an operator sets `systems`.", .quiet)
        }
        return text
    }

    static func name(_ system: Checkin1.System) -> String {
        switch system {
        case .coronaWarnApp: "Corona-Warn-App"
        case .swissCovid: "SwissCovid"
        case .nhs: "NHS COVID-19"
        }
    }

    private static func said(_ notice: Checkin1.Notice) -> String {
        if let level = notice.level {
            return switch level {
            case .low: "somebody who was there tested positive; your risk of that day is low."
            case .increased:
                "somebody who was there tested positive; your risk of that day is increased. Have a test made, and keep away from others until then."
            case .unknown:
                "somebody who was there tested positive; the health authority's rules do not say how high the risk is. Take it for increased."
            }
        }
        if let advice = notice.advice {
            return switch advice {
            case .inform: "the health authority warns of the place. Watch for symptoms."
            case .bookATest: "the health authority warns of the place. Have a test made."
            }
        }
        return notice.message.map { "the health authority says: \($0)" }
            ?? "the health authority warns those who were there."
    }
}
