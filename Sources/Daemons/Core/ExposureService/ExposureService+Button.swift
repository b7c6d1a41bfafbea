// SPDX-License-Identifier: Apache-2.0

public import Interfaces
import Ledger
import Logging
import Radio
public import TimeTrust

/// The button on the board, which nobody but the core reads: no plugin can press it (docs/decisions/0025).
extension ExposureService {
    /// Connects a button, whose level at `now` is `isPressed` (`true` for held). Acts of an earlier button do not count any
    /// more. Cannot fail.
    public func connectButton(isPressed: Bool, at now: BootInstant) {
        button.connect(isPressed: isPressed, at: now.duration)
    }

    /// Notes that the button's line was lost: nothing that it did before counts any more. Cannot fail.
    public func disconnectButton() { button.disconnect() }

    /// Notes that the button's line changed to this level (`true` for held) at the time `age` before `now`. Cannot fail.
    public func moveButton(isPressed: Bool, before age: Duration, at now: BootInstant) {
        button.line(isPressed: isPressed, before: age, at: now.duration)
    }

    /// The time at which ``advanceButton(to:)`` next has something to do, on the boot clock; it may be past. `nil` if
    /// nothing is due at a time.
    public var buttonDeadline: BootInstant? {
        [button.deadline, doorHold.deadline(button.watch)].compactMap { $0 }.min().map { BootInstant($0) }
    }

    /// Carries out everything of the button that is due by `now`. Erases everything if the button has confirmed a reset; an
    /// error of that is logged, never thrown.
    public func advanceButton(to now: BootInstant) {
        button.advance(to: now.duration)
        tendDoorHold(at: now)
        guard !wasReset, button.takeReset() else { return }
        // Whoever shows it says so before the end.
        announcer.tell(.scene)
        do throws(Refusal) { try resetByButton(at: now) } catch {
            log.error("the button was to erase everything, and could not: \(error.parameters.reason)")
        }
    }

    /// Presence shown by the button on the board.
    static let byButton = "button"

    private func resetByButton(at now: BootInstant) throws(Refusal) {
        let caller = Caller(name: Self.byButton, reading: .nothing, spool: nil, presence: Self.byButton)
        let ticket = try giveConsent(.reset, by: caller, at: now).ticket
        try reset(ticket: ticket, by: caller, at: now)
    }

    /// How presence was shown for agreeing to `purpose`; throws where the board has a button and `caller` needs a press of it that was not made.
    ///
    /// By kind of caller: the operator's console never needs one. Everybody else does for warning others, whether somebody has signed in or not.
    /// For what touches this device alone the wearer's or a technician's secret is enough; a program for which nobody signs in shows nobody's
    /// presence, and no press helps it: a short press means one thing only.
    func presence(
        for purpose: Device1.Purpose, by caller: Caller, at now: BootInstant
    ) throws(Refusal) -> String {
        guard beacon.profile.hasConsentButton, caller.presence != Caller.console else { return caller.presence }
        guard purpose == .releaseKeys else {
            if caller.session == nil, purpose != .reset || caller.presence != Self.byButton {
                throw .buttonNeeded(
                    "This device has a button: a program for which nobody has signed in agrees to nothing on it but by a press to warn others. Sign in, or use `vigil ctl`."
                )
            }
            return caller.presence
        }
        let requester = ButtonDesk.Requester(name: caller.name, digest: caller.session?.digest)
        if button.take(requester, at: now.duration) { return Self.byButton }
        guard button.watch != nil else {
            throw .buttonNeeded(
                "This device has a button for it, and it cannot be heard: see its log. `vigil ctl` can agree in its place.")
        }
        guard button.ask(requester, at: now.duration) else {
            throw .buttonNeeded("Somebody else was asked to press the button. Try again in a minute.")
        }
        throw .buttonNeeded(
            "This device has a button for it: press it within a minute, then agree again. A page alone cannot.")
    }

    /// Returns the scene that a device without a screen may show at `now`: signals, the button's countdown, and how its
    /// presses ended. Cannot fail.
    public func scene(at now: BootInstant) -> Indicator1.Scene {
        let hasNews = wantsNews && (warnings.hasNews || hasPluginNews)
        let hasProblem = beacon.storage.trouble != nil || button.isStuck
        let signals = attention.signals(
            in: state(at: now), hasProblem: hasProblem, hasNews: hasNews, reminds: wantsNews && remindsNow(at: now))
        return Indicator1.Scene(
            signals: signals, button: button.shown,
            count: button.count.map { Int64($0) }, presses: button.presses, done: button.done,
            cancelled: button.cancelled, collecting: doorHold.isShown ? true : nil)
    }

    /// Notes whether the plugin `name` (its caller's name, not checked) has something for the wearer to look at, such as a
    /// test's result. The next ``scene(at:)`` shows it on a person's device whose wearer wants to be notified, without
    /// revealing which plugin it was. It is kept only in memory and in no log, so a plugin says it again after a start.
    /// Cannot fail.
    public func say(news: Bool, of name: String) {
        attention.note(news: news, of: name)
    }

    /// Notes when the plugin `name` wants the wearer to be reminded of something, in place of what it said before, likewise
    /// in memory only. Returns `false`, and changes nothing, for more than eight times or one that is over before it begins.
    public func say(reminders: [Indicator1.Reminder], of name: String) -> Bool {
        attention.note(reminders: reminders, of: name)
    }

    /// The time at which ``scene(at:)`` changes by a reminder that begins or ends; `nil` if none does, or the time is not
    /// known.
    public func reminderDeadline(at now: BootInstant) -> BootInstant? {
        guard role == .person, let time = beacon.present(at: now).time?.seconds,
            let next = attention.nextReminder(after: time)
        else { return nil }
        // A day at most: the time may be set meanwhile, and with that comes another look.
        return now.advanced(by: .seconds(min(next - time, 86_400)))
    }

    private func remindsNow(at now: BootInstant) -> Bool {
        guard role == .person, let time = beacon.present(at: now).time?.seconds else { return false }
        return attention.reminds(at: time)
    }

    /// Notes whether the battery is low, as the supervisor reported; the next ``scene(at:)`` shows it. It is kept only in
    /// memory. Cannot fail.
    public func noteBattery(isLow: Bool) { attention.isBatteryLow = isLow }

    /// A device in a place has no wearer.
    private var hasPluginNews: Bool { role == .person && attention.hasNewsOfPlugins }

    /// Whether the wearer wants to be notified; read once and after each change, because scenes are asked for often.
    private var wantsNews: Bool {
        if let wanted = attention.wantsNews { return wanted }
        let caller = Caller(name: Self.byButton, reading: .nothing, spool: nil, presence: Self.byButton)
        // What cannot be read may have been a no; it is looked at again.
        guard let wanted = try? preferences(for: caller).notifications else { return false }
        attention.wantsNews = wanted
        return wanted
    }
}
