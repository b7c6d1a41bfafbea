// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Interfaces
import JSON

/// The wearer's visits at venues, as the plugin that serves `org.vigil.checkin1` keeps them.
extension ControlSession {
    private var venues: CoreLink { plugin(Checkin1.name) }

    /// Shows all visits, open ones included. With `isOpened` the person is asked for the secret that opens hidden ones.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func listVisits(isOpened: Bool = false) throws(ControlFailure) {
        try show(
            parts(Checkin1.Method.getVisits, "visits", secret: isOpened ? hidingSecret() : nil),
            as: Checkin1.VisitsReply.self
        ) {
            VisitViews.list($0.visits, screen, now: now()) + VisitViews.hiding($0, screen)
        }
    }

    /// Checks in by a code's text, a URL that the plugin checks. Without `text` the person is asked for it, so that it
    /// stands in no history. A visit that goes on there already is shown instead.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown; `badUsage` if somebody has to
    ///   be asked and nobody is there.
    public func checkIn(_ text: String?) throws(ControlFailure) {
        guard let text = text ?? person.ask("The text of the code at the door: ") else {
            throw ControlFailure(
                .badUsage, "Nobody is at the terminal to type a code. A script gives it as an argument.")
        }
        var random = SystemRandomNumberGenerator()
        let call = Checkin1.CheckInCall(code: text, attempt: RandomUUID.text(using: &random))
        let reply = try askTwice(Checkin1.Method.checkIn, call)
        try show(reply, as: Checkin1.CheckInReply.self) { reply in
            let visit = reply.visit
            let end = Words.age(of: visit.departure, at: now())
            return screen.paragraph(
                reply.began
                    ? "Checked in at \(visit.name). This is visit \(visit.number); it ends by itself \(end), or by `vigil ctl visits check-out \(visit.number)`."
                    : "You are checked in at \(visit.name) already. This is visit \(visit.number); it ends by itself \(end)."
            )
        }
    }

    /// Asks once more if the plugin went before it answered: it starts again with the next call, and knows by the call's own text whether it was done.
    private func askTwice(_ method: Checkin1.Method, _ call: Checkin1.CheckInCall) throws(ControlFailure) -> JSON {
        do throws(ControlFailure) { return try venues.ask(method, call) } catch {
            // One that is not allowed to ask is told so as quickly a second time.
            guard error.reply == nil, [.notUnderstood, .notPermitted].contains(error.code) else { throw error }
            return try venues.ask(method, call)
        }
    }

    /// Ends a visit now.
    /// - Parameter number: The visit's number, as ``listVisits()`` shows it; `refused` if there is none.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func checkOut(_ number: Int) throws(ControlFailure) {
        let reply = try venues.ask(Checkin1.Method.checkOut, Checkin1.NumberCall(number: number))
        try show(reply, as: Checkin1.VisitReply.self) {
            screen.paragraph(
                $0.visit.hidden == true
                    ? "Checked out of a hidden place."
                    : "Checked out of \($0.visit.name), after \(VisitViews.length($0.visit)).")
        }
    }

    /// Changes the times of the visit with this number, which must be over; a time that is `nil` stays. Times are
    /// in Unix seconds, and the plugin checks them.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown; `badUsage` if both are `nil`,
    ///   `refused` if there is no such visit.
    public func editVisit(_ number: Int, arrival: Int64?, departure: Int64?) throws(ControlFailure) {
        let link = venues
        guard arrival != nil || departure != nil else {
            throw ControlFailure(.badUsage, "Say --arrival, --departure or both.")
        }
        let all = try parts(Checkin1.Method.getVisits, "visits").read(Checkin1.VisitsReply.self).visits
        guard let visit = all.first(where: { $0.number == number }) else {
            throw ControlFailure(.refused, "There is no visit \(number) here; it may have been deleted.")
        }
        let isHidden = visit.hidden == true
        guard !isHidden || arrival != nil && departure != nil else {
            throw ControlFailure(
                .badUsage, "Visit \(number) is hidden, so its times are not known: say --arrival and --departure.")
        }
        let call = Checkin1.EditCall(
            number: number, arrival: arrival ?? visit.arrival, departure: departure ?? visit.departure,
            secret: isHidden ? try hidingSecret() : nil)
        try show(link.ask(Checkin1.Method.editVisit, call), as: Checkin1.VisitReply.self) {
            screen.paragraph(
                "Visit \(number) was from \(Words.moment($0.visit.arrival)) to \(Words.moment($0.visit.departure)).")
        }
    }

    /// Has the places of SwissCovid's visits hidden, after asking for the secret that is to open them, or new ones shown again. With `isAnew` the secret may be another
    /// one than before. A new one is asked for twice: nobody could mend it.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   input cannot be used, or the answer cannot be shown; `badUsage` if somebody has to be asked and nobody is there, or the two are not the same.
    public func hideVisits(_ isOn: Bool, isAnew: Bool) throws(ControlFailure) {
        let link = venues
        try link.reach()
        var secret: String?
        if isOn {
            let isNew = isAnew ? true : try !hasChosenSecret()
            secret = try isNew ? newHidingSecret() : hidingSecret()
        }
        let call = Checkin1.HidingCall(on: isOn, secret: secret, anew: isAnew ? true : nil)
        try show(link.ask(Checkin1.Method.setHiding, call), as: Checkin1.HidingReply.self) { reply in
            let rest = reply.unhidden.map {
                " Earlier visits that are not hidden yet: \($0); the device does that now, and goes on after a power cut. `vigil ctl visits` says when it is done."
            }
            return screen.paragraph(
                isOn
                    ? "Places of SwissCovid's codes are hidden from now on; hidden visits: \(reply.hidden).\(rest ?? "") Only that secret shows them: `vigil ctl visits list --open`. Places of the Corona-Warn-App and of the NHS cannot be hidden."
                    : "Places of new visits are not hidden any more; still hidden: \(reply.hidden).")
        }
    }

    /// Whether the wearer has chosen a secret before.
    private func hasChosenSecret() throws(ControlFailure) -> Bool {
        let reply = try venues.ask(Checkin1.Method.getVisits, Checkin1.VisitsCall())
        return try reply.read(Checkin1.VisitsReply.self).hidingIsSet == true
    }

    private func newHidingSecret() throws(ControlFailure) -> String {
        let secret = try hidingSecret("A new secret for hidden places, 12 bytes or more: ")
        guard try hidingSecret("The same once more: ") == secret else {
            throw ControlFailure(
                .badUsage, "The two secrets are not the same, so nothing was changed. Run the command again.")
        }
        return secret
    }

    private func hidingSecret(_ question: String = "The secret for hidden places: ") throws(ControlFailure) -> String {
        guard let secret = person.askSecret(question) else {
            throw ControlFailure(
                .badUsage,
                "Nobody is at the terminal to type the secret. It is not taken as an argument, which others could read.")
        }
        return secret
    }

    /// Deletes a visit, after asking.
    /// - Parameters:
    ///   - number: The visit's number, as ``listVisits()`` shows it; `refused` if there is none.
    ///   - isAgreed: Whether the person has agreed already (`--yes`) and is not asked again.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func deleteVisit(_ number: Int, isAgreed: Bool) throws(ControlFailure) {
        let link = venues
        try link.reach()
        try person.agree(
            to: "Visit \(number) is going to be deleted: you are not warned of it any more, and warn nobody of it.",
            isAgreed: isAgreed)
        _ = try link.ask(Checkin1.Method.deleteVisit, Checkin1.NumberCall(number: number))
        try say("Deleted.")
    }

    /// Sets whether the visit with this number may be published when the wearer warns others.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown; `refused` if there is no such
    ///   visit.
    public func setWarning(_ number: Int, to warns: Bool) throws(ControlFailure) {
        let reply = try venues.ask(
            Checkin1.Method.setWarning, Checkin1.SetWarningCall(number: number, warns: warns))
        try show(reply, as: Checkin1.VisitReply.self) {
            screen.paragraph(
                $0.visit.warns
                    ? "Visit \(number) may be published when you warn others."
                    : "Visit \(number) is never published.")
        }
    }

    /// Shows the warnings about visits, and whether all of them were looked at.
    /// - Parameter isSeen: Whether the notices that are shown are acknowledged, so that they are no longer news.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func showNotices(isSeen: Bool) throws(ControlFailure) {
        let json = try parts(Checkin1.Method.getNotices, "notices")
        if isSeen {
            let reply = try json.read(Checkin1.NoticesReply.self)
            let last = reply.notices.last?.number ?? 0
            if last > 0 || reply.lost {
                _ = try venues.ask(Checkin1.Method.acknowledge, Checkin1.NumberCall(number: last))
            }
        }
        try show(json, as: Checkin1.NoticesReply.self) { VisitViews.notices($0, screen, now: now()) }
    }

    /// Writes all visits as comma-separated values, for a doctor; with JSON they are one text, in the field `text`. With `isOpened` the person is asked for
    /// the secret that opens hidden ones; otherwise these have no place.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func exportVisits(isOpened: Bool = false) throws(ControlFailure) {
        let link = venues
        let secret = isOpened ? try hidingSecret() : nil
        var text = ""
        var after: Int?
        repeat {
            let part = try link.ask(Checkin1.Method.exportVisits, Checkin1.VisitsCall(after: after, secret: secret))
                .read(Checkin1.ExportReply.self)
            text += part.text
            // One that does not go on would never end.
            guard part.next.map({ $0 > after ?? 0 }) ?? true else {
                throw ControlFailure(.notUnderstood, "The list of visits does not end. Look at the plugin's log.")
            }
            after = part.next
        } while after != nil
        if isJSON { try showJSON(["text": .string(text)]) } else { try show(text) }
    }

    /// All parts of a list as one answer.
    func parts(_ method: Checkin1.Method, _ list: String, secret: String? = nil) throws(ControlFailure) -> JSON {
        let link = venues
        var all: [JSON] = []
        var after: Int?
        while true {
            // Without a secret the parameters of all lists are the same.
            let reply = try link.ask(method, Checkin1.VisitsCall(after: after, secret: secret))
            guard var object = reply.object, let part = reply[list]?.array else {
                throw ControlFailure(
                    .notUnderstood, "The plugin's answer has no list \(list). It may be of another version.")
            }
            all += part
            let last = part.last?["number"]?.int.map { Int(clamping: $0) }
            guard reply["more"]?.bool == true, let last, last > after ?? 0 else {
                object[list] = .array(all)
                object["more"] = false
                return .object(object)
            }
            after = last
        }
    }
}
