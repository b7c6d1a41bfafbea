// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
public import Power
import SelfCheck

/// The battery, and how long one would last.
extension ControlSession {
    /// The assumptions that an estimate of running time is made of.
    public struct RuntimeInputs: Sendable {
        /// The current that the board draws in each state, by its profile.
        public var figures: PowerFigures
        /// The work that its profile asks of the radio and the processor.
        public var duty: Duty
        /// The name of the board profile whose current draw is taken, such as `token`.
        public var profile: String
        /// The energy that the battery holds when it is full, in mWh, above 0; not checked here.
        public var milliwattHours: Int
        /// The part of the battery that is used before the board stops, in percent, 1 to 100; not checked here.
        public var usablePercent: Int

        /// Creates assumptions with these values. Nothing is checked here.
        ///
        /// - Parameters:
        ///   - profile: The profile's name.
        ///   - milliwattHours: The battery's energy when full.
        ///   - usablePercent: The part of the charge that is used before the board stops, in percent.
        public init(figures: PowerFigures, duty: Duty, profile: String, milliwattHours: Int, usablePercent: Int) {
            self.figures = figures
            self.duty = duty
            self.profile = profile
            self.milliwattHours = milliwattHours
            self.usablePercent = usablePercent
        }
    }

    /// Shows what the gauge says now, and the estimate, if there is something to make it of. With `inputs` a board that
    /// does not answer is no failure: the estimate is shown alone.
    ///
    /// - Parameters:
    ///   - inputs: The assumptions of the estimate; `nil` for none.
    ///   - missing: The missing data for an estimate, in a sentence, shown to people without `inputs`; `nil` for nothing to
    ///     say.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, the
    ///   person declines, the input or a file cannot be used, or the answer cannot be shown.
    public func power(_ inputs: RuntimeInputs?, missing: String?) throws(ControlFailure) {
        let battery: Technician1.Battery?
        var failure: ControlFailure?
        do throws(ControlFailure) {
            battery = try link.askPages(Technician1.Method.getProcesses, list: "processes").read(
                Technician1.ProcessesReply.self
            )
            .battery
        } catch {
            guard inputs != nil else { throw error }
            battery = nil
            failure = error
        }
        if isJSON { return try showJSON(Self.json(battery, inputs)) }
        if let battery {
            try show(screen.paragraph("Battery: " + BatteryWords.sentence(battery), battery.low ? .attention : nil))
        } else {
            try show(
                screen.paragraph(
                    failure.map { "The board was not asked: \($0)" } ?? "This board has no battery that the kernel knows."))
        }
        if let inputs {
            try show(PowerView.estimate(inputs, screen))
        } else if let missing {
            try show(screen.paragraph(missing))
        }
    }

    private static func json(_ battery: Technician1.Battery?, _ inputs: RuntimeInputs?) throws(ControlFailure) -> JSON {
        var object = JSON.Object()
        if let battery {
            do throws(JSONError) { object["battery"] = try JSON(encoding: battery) } catch {
                throw ControlFailure(.notUnderstood, "\(error)")
            }
        }
        if let inputs {
            let estimate = PowerEstimate(
                inputs.figures, inputs.duty, milliwattHours: inputs.milliwattHours, usablePercent: inputs.usablePercent)
            object["estimate"] = [
                "seconds": .int(Int64(estimate.hours * 3_600)), "milliwatts": .int(Int64(estimate.milliwatts)),
                "profile": .string(inputs.profile), "milliwattHours": .int(Int64(inputs.milliwattHours)),
                "usablePercent": .int(Int64(inputs.usablePercent)),
                "microamps": [
                    "idle": .int(Int64(estimate.idle)), "waking": .int(Int64(estimate.waking)),
                    "receiving": .int(Int64(estimate.receiving)), "sending": .int(Int64(estimate.sending)),
                ],
                "source": .string(inputs.figures.source), "confidence": .string(inputs.figures.confidence.rawValue),
            ]
        }
        return .object(object)
    }
}
