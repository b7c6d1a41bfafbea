// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// What a device without a screen draws attention to. In memory only: a plugin says its news again when it is started, the supervisor says how
/// the battery is, and what the wearer chose is in the ledger.
struct Attention {
    /// Whether the battery is low, as the supervisor says, who alone sees it.
    var isBatteryLow = false
    /// Whether the wearer wants to be notified; `nil` until that was read.
    var wantsNews: Bool?
    /// Names of plugins that have something for the wearer to look at.
    private var newsOfPlugins: Set<String> = []

    /// When plugins want the wearer to be reminded, in Unix seconds, by their names.
    private var reminders: [String: [Range<Int64>]] = [:]

    /// Of one plugin: our choice.
    static let mostReminders = 8

    var hasNewsOfPlugins: Bool { !newsOfPlugins.isEmpty }

    /// Whether the wearer is to be reminded of something at `time`, Unix seconds.
    func reminds(at time: Int64) -> Bool { reminders.values.contains { $0.contains { $0.contains(time) } } }

    /// When that changes next, after `time`; both in Unix seconds. `nil` if it does not.
    func nextReminder(after time: Int64) -> Int64? {
        reminders.values.joined().flatMap { [$0.lowerBound, $0.upperBound] }.filter { $0 > time }.min()
    }

    /// In place of what that plugin said before. False, and nothing is changed, if it is more than a light can be asked for.
    mutating func note(reminders times: [Indicator1.Reminder], of name: String) -> Bool {
        guard times.count <= Self.mostReminders, times.allSatisfy({ $0.from < $0.until }) else { return false }
        reminders[name] = times.isEmpty ? nil : times.map { $0.from..<$0.until }
        return true
    }

    mutating func note(news: Bool, of name: String) {
        if news { newsOfPlugins.insert(name) } else { newsOfPlugins.remove(name) }
    }

    /// What to show in `state`, in the order of the interface. `hasNews` is what the wearer wants to hear of and has not seen, `reminds` whether
    /// it is time to remind of something.
    func signals(
        in state: Exposure1.State, hasProblem: Bool, hasNews: Bool, reminds: Bool = false
    )
        -> [Indicator1.Signal]
    {
        var signals: Set<Indicator1.Signal> = []
        switch state {
        case .active: signals.insert(.onAir)
        case .disabled: signals.insert(.off)
        case .timeUnknown: signals.insert(.timeUntrusted)
        case .radioTrouble: signals.insert(.problem)
        // The last seconds: what was said holds.
        case .stopping: break
        }
        if hasProblem { signals.insert(.problem) }
        if isBatteryLow { signals.insert(.batteryLow) }
        if hasNews { signals.insert(.news) }
        if reminds { signals.insert(.reminder) }
        return Indicator1.Signal.allCases.filter(signals.contains)
    }
}
