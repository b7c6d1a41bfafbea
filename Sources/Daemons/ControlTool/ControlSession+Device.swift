// SPDX-License-Identifier: Apache-2.0

public import Interfaces
import JSON

extension ControlSession {
    /// Shows the state of exposure notification, as the core tells the wearer.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func status() throws(ControlFailure) {
        try show(link.ask(Exposure1.Method.getStatus), as: Exposure1.StatusReply.self) {
            StateView.text($0.status, screen, now: now())
        }
    }

    /// Switches exposure notification on: that is the wearer's consent.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func enable() throws(ControlFailure) {
        let reply = try link.ask(Device1.Method.enable)
        try say("Switched on: this device sends and listens as soon as it knows the time.", reply)
    }

    /// Switches exposure notification off, after explaining what follows and asking.
    /// - Parameter isAgreed: Whether the person has agreed already (`--yes`) and is not asked again.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func disable(isAgreed: Bool) throws(ControlFailure) {
        try person.agree(
            to: """
                This device will neither send nor listen until it is switched on again: whom you meet meanwhile you cannot warn, and \
                nobody can warn you. What was heard stays until it is 14 days old.
                """, isAgreed: isAgreed)
        let reply = try link.ask(Device1.Method.disable)
        try say("Switched off: nothing is sent and nothing is listened to.", reply)
    }

    /// Shows whether light and buzzer tell that there is news.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func showNotify() throws(ControlFailure) {
        let preferences = try link.ask(Device1.Method.getPreferences).read(Device1.PreferencesMessage.self).preferences
        try sayNotify(preferences.notifications)
    }

    /// Sets whether light and buzzer tell that there is news; what else the wearer has chosen stays.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func notify(_ isWanted: Bool) throws(ControlFailure) {
        var message = try link.ask(Device1.Method.getPreferences).read(Device1.PreferencesMessage.self)
        message.preferences.notifications = isWanted
        _ = try link.ask(Device1.Method.setPreferences, message)
        try sayNotify(isWanted)
    }

    private func sayNotify(_ isWanted: Bool) throws(ControlFailure) {
        try say(
            isWanted
                ? "Light and buzzer tell that there is news, if the device has them. They never tell what it is."
                : "Light and buzzer stay quiet about news: it is on the device's page, and in `vigil ctl risk` and `vigil ctl tests`.",
            ["notify": .bool(isWanted)])
    }

    /// Shows whether the device stands for a person or a place.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func showRole() throws(ControlFailure) {
        let role = try presentRole()
        try say("This device stands for a \(role.rawValue).", ["role": .string(role.rawValue)])
    }

    /// Changes whether the device stands for a person or a place. Asks first, unless it stands for that already.
    /// - Parameter isAgreed: Whether the person has agreed already (`--yes`) and is not asked again.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func setRole(_ role: Exposure1.Role, isAgreed: Bool) throws(ControlFailure) {
        guard try presentRole() != role else { return try say("This device stands for a \(role.rawValue) already.") }
        let consequence =
            role == .place
            ? "A place keeps nothing of a person: every match, everything that was heard and all own keys are destroyed for good, and so are what plugins keep, the wearer's secret and the log of what was done."
            : "A person begins as with a new device: what plugins keep and the log of what was done are destroyed for good."
        try person.agree(to: consequence, isAgreed: isAgreed)
        let reply = try link.ask(Device1.Method.setRole, Device1.RoleCall(role: role))
        try say("This device stands for a \(role.rawValue) from now on. It starts anew.", reply)
    }

    private func presentRole() throws(ControlFailure) -> Exposure1.Role {
        try link.ask(Exposure1.Method.getStatus).read(Exposure1.StatusReply.self).status.role
    }

    /// Shows what the controller does: sending, scans, and the problems that it had.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func radio() throws(ControlFailure) {
        let reply = try link.ask(Device1.Method.getRadio)
        try show(reply, as: Device1.RadioReply.self) {
            // Whoever may not ask for the role is shown the rest.
            RadioView.text($0.radio, screen, isPlace: !$0.radio.onAir && (try? presentRole()) == .place)
        }
    }

    /// Shows what the board did on air and heard in the last `days` UTC days, 1 to 15 (other numbers are limited to that
    /// range), today included; for people a row for each day, or with `byHour` for each hour.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func evidence(days: Int, byHour: Bool) throws(ControlFailure) {
        let now = now()
        let since = max(0, (now / 86_400 - Int64(min(max(days, 1), 15)) + 1) * 86_400)
        let reply = try link.askPages(Device1.Method.getEvidence, list: "hours", Device1.EvidenceCall(since: since))
        try show(reply, as: Device1.EvidenceReply.self) {
            EvidenceView($0.hours, days: days, now: now).text(screen, byHour: byHour)
        }
    }

    /// Shows what the core believes the time to be, and why.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func showTime() throws(ControlFailure) {
        try show(link.ask(Device1.Method.getTime), as: Device1.TimeReply.self) { DeviceViews.time($0.time, screen) }
    }

    /// Tells the core the time that the operator knows, and shows what the core then knows about the time.
    /// - Parameter milliseconds: Unix milliseconds at the moment of the call.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func setTime(_ milliseconds: Int64) throws(ControlFailure) {
        let reply = try link.ask(Device1.Method.setTime, Device1.SetTimeCall(now: milliseconds))
        try show(reply, as: Device1.TimeReply.self) { DeviceViews.time($0.time, screen) }
    }

    /// Shows the audit log: entries with a higher number than `after`, all if it is `nil`, and whether the log is intact.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func audit(after: Int64?) throws(ControlFailure) {
        let reply = try link.askPages(Device1.Method.getAudit, list: "entries", Device1.AuditCall(after: after))
        try show(reply, as: Device1.AuditReply.self) { AuditView.text($0, screen) }
    }

    /// Shows what the core keeps on its disk, and how much is free.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func storage() throws(ControlFailure) {
        try show(link.ask(Device1.Method.getStorage), as: Device1.StorageReply.self) {
            DeviceViews.storage($0.storage, screen)
        }
    }

    /// Shows one line for each event, until the person or the core ends it.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func watch() throws(ControlFailure) {
        try link.follow(Exposure1.Method.watch, Nothing(), .endless) { reply in
            if isJSON {
                try showJSON(reply)
            } else {
                try show(StateView.line(reply.read(Exposure1.WatchReply.self), screen, now: now()))
            }
            return true
        }
    }
}
