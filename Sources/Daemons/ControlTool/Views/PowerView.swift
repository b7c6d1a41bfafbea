// SPDX-License-Identifier: Apache-2.0

import Power

/// An estimate with everything it is made of, for people.
enum PowerView {
    static func estimate(_ inputs: ControlSession.RuntimeInputs, _ screen: Screen) -> String {
        let figures = inputs.figures
        let estimate = PowerEstimate(
            figures, inputs.duty, milliwattHours: inputs.milliwattHours, usablePercent: inputs.usablePercent)
        let known =
            switch figures.confidence {
            case .estimated: "An estimate from estimates: none of the board's figures was measured on such a board by us."
            case .dataSheet: "The board's figures are from data sheets, not measured."
            case .measured: "The board's figures were measured."
            }
        return "\n"
            + screen.paragraph(
                "A full battery of \(inputs.milliwattHours) mWh would last about \(hours(estimate.hours)) with the profile \(inputs.profile)."
            )
            + screen.list([
                ("idle", "\(milliamps(estimate.idle)) mA all the time"),
                (
                    "processor",
                    "\(milliamps(estimate.waking)) mA: \(number(inputs.duty.wakesPerSecond)) wake-ups a second, each \(figures.wakeMicroseconds) µs at \(milliamps(Double(figures.awakeMicroamps))) mA more"
                ),
                (
                    "receiver",
                    "\(milliamps(estimate.receiving)) mA: on for \(number(inputs.duty.receiving * 100)) % of the time (\(number(inputs.duty.scanMilliseconds / 1_000)) s in \(number(inputs.duty.scanPeriodMilliseconds / 1_000)) s) at \(milliamps(Double(figures.receiveMicroamps))) mA more"
                ),
                (
                    "sender",
                    "\(milliamps(estimate.sending)) mA: on for \(number(inputs.duty.sending * 100)) % of the time (every \(number(inputs.duty.advertisingMilliseconds)) ms) at \(milliamps(Double(figures.transmitMicroamps))) mA more"
                ),
                (
                    "together",
                    "\(milliamps(estimate.microamps)) mA at \(figures.millivolts) mV; \(number(estimate.milliwatts)) mW from the battery, of whose energy \(figures.converterPercent) % arrives"
                ),
                ("used", "\(inputs.usablePercent) % of the battery, then the board stops"),
                ("figures", figures.source),
            ]) + screen.paragraph(known, .attention)
    }

    private static func hours(_ hours: Double) -> String {
        hours < 72 ? "\(number(hours)) hours" : "\(number(hours / 24)) days"
    }

    private static func milliamps(_ microamps: Double) -> String { number(microamps / 1_000) }

    /// Three digits that count.
    private static func number(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e9 else { return "?" }
        let places: Double = value >= 100 ? 1 : value >= 10 ? 10 : value >= 1 ? 100 : 1_000
        let text = "\((value * places).rounded() / places)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
