// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Glibc
import Interfaces

extension ControlSession {
    /// How often the core is asked how far it is, in microseconds.
    private static let look: UInt32 = 500_000
    /// How often one orientation is measured again.
    private static let mostRepeats = 2
    /// Measurements that a plan may take without somebody's decision: changes of identifier cost one now and then.
    private static let mostChances = 5

    /// Guides a technician through a calibration: twelve orientations at 1 m, each started with the Enter key. Shows what it comes
    /// to, and sets this board's correction after asking. Before that nothing changes, whenever it is interrupted.
    ///
    /// - Parameter isAgreed: Whether the person has agreed already (`--yes`) that it measures, and that the correction is set.
    /// - Throws: ``ControlFailure``, whose codes ``ControlSession`` lists, if the core cannot be asked or refuses, nobody is at the
    ///   terminal, the person gives up or declines (`declined`), the result is not good enough (`declined`), or the answer
    ///   cannot be shown.
    public func calibrate(_ plan: CalibrationPlan, isAgreed: Bool) throws(ControlFailure) {
        guard person.isThere else {
            throw ControlFailure(
                .badUsage,
                "Somebody has to turn the board and press Enter twelve times, and nobody is at the terminal.")
        }
        let before = try link.ask(Device1.Method.getMeasurement).read(Device1.MeasurementReply.self).correction
        try person.agree(to: CalibrationView.introduction(plan), isAgreed: isAgreed)
        var readings: [OrientationReading] = []
        for index in 0..<CalibrationEstimate.orientationCount {
            readings.append(try orientation(index, plan, isBack: false))
        }
        try repeatFarOff(&readings, plan)
        let lateness = try link.ask(Device1.Method.getRadio).read(Device1.RadioReply.self).radio.worstRotationLateness
        let result: CalibrationResult
        do throws(CalibrationEstimate.Problem) {
            result = try CalibrationResult(plan, readings, before: before, lateness: Int(clamping: lateness))
        } catch { throw ControlFailure(.declined, CalibrationView.sentence(error, plan)) }
        if !isJSON { try show(result.text(screen)) }
        let isSet = try set(result, isAgreed: isAgreed)
        if isJSON { try showJSON(result.json(isSet: isSet)) }
    }

    /// Asks, and sets the correction of a receiver.
    private func set(_ result: CalibrationResult, isAgreed: Bool) throws(ControlFailure) -> Bool {
        guard case .receiver = result.plan.subject, !result.plan.isDryRun else {
            if !isJSON { try say("Nothing was set.") }
            return false
        }
        guard isAgreed || person.confirms("Set the correction of this board to \(result.value) dB?") else {
            if !isJSON { try say("Nothing was set.") }
            return false
        }
        _ = try link.ask(Device1.Method.setCorrection, Device1.SetCorrectionCall(correction: result.value))
        if !isJSON { try say("Set. It holds for what is heard from now on.") }
        return true
    }

    /// Measures those that lie far off all others again: what was chance goes, what is the antenna's stays.
    private func repeatFarOff(_ readings: inout [OrientationReading], _ plan: CalibrationPlan) throws(ControlFailure) {
        let far = CalibrationEstimate.farOff(readings.map(\.median))
        // More than a quarter is no exception: the spread says so.
        guard far.count <= readings.count / 4 else { return }
        for index in far {
            for _ in 0..<Self.mostRepeats {
                let again = try orientation(index, plan, isBack: true)
                let isSame = abs(again.median - readings[index].median) <= OrientationReading.sameAgain
                readings[index] = again
                if isSame || !CalibrationEstimate.farOff(readings.map(\.median)).contains(index) { break }
            }
        }
    }

    /// One orientation that can be used, after as many tries as the person wants to make, two more at most.
    private func orientation(
        _ index: Int, _ plan: CalibrationPlan, isBack: Bool
    ) throws(ControlFailure) -> OrientationReading {
        var (repeats, chances) = (0, 0)
        try wait(for: CalibrationView.request(index, plan, isBack: isBack))
        while true {
            let problem: OrientationReading.Problem
            let heard = try measured(index, plan)
            do throws(OrientationReading.Failure) {
                let reading = try OrientationReading(heard)
                tell(CalibrationView.done(index, reading))
                return reading
            } catch { problem = error.problem }
            let sentence = CalibrationView.sentence(problem)
            if problem.isChance, chances < Self.mostChances {
                chances += 1
                tell(sentence + "\n")
                continue
            }
            guard repeats < Self.mostRepeats else {
                throw ControlFailure(.declined, "\(sentence) Nothing was changed.")
            }
            repeats += 1
            try wait(for: "\(sentence)\nThen press Enter to measure this orientation again, or type q to give up. ")
        }
    }

    /// What the core heard in one measurement. Shows how far it is.
    private func measured(_ index: Int, _ plan: CalibrationPlan) throws(ControlFailure) -> Device1.Neighbours {
        let call = Device1.MeasureNeighboursCall(seconds: plan.seconds)
        _ = try afterPress { () throws(ControlFailure) in try link.ask(Device1.Method.measureNeighbours, call) }
        while true {
            let reply = try link.ask(Device1.Method.getNeighbours).read(Device1.NeighboursReply.self)
            guard let heard = reply.neighbours else {
                throw ControlFailure(
                    .refused, "The core knows of no measurement: it was started anew. Begin again; nothing was changed.")
            }
            guard heard.running else {
                tell("\r\u{1B}[K")
                return heard
            }
            tell("\r\u{1B}[K" + CalibrationView.progress(index, heard))
            // The person watches the numbers come in; the core announces neither these nor the end.
            usleep(Self.look)
        }
    }

    private func wait(for request: String) throws(ControlFailure) {
        guard let line = person.ask(request), !["q", "Q"].contains(line) else {
            throw ControlFailure(.declined, "Given up. Nothing was changed.")
        }
    }

    /// On the terminal, beside the answer.
    private func tell(_ text: String) { Terminal.error(text) }
}
