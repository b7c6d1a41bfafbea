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

    var hasNewsOfPlugins: Bool { !newsOfPlugins.isEmpty }

    mutating func note(news: Bool, of name: String) {
        if news { newsOfPlugins.insert(name) } else { newsOfPlugins.remove(name) }
    }

    /// What to show in `state`, in the order of the interface. `hasNews` is what the wearer wants to hear of and has not seen.
    func signals(in state: Exposure1.State, hasProblem: Bool, hasNews: Bool) -> [Indicator1.Signal] {
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
        return Indicator1.Signal.allCases.filter(signals.contains)
    }
}
