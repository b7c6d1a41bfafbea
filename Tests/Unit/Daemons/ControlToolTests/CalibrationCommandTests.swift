// SPDX-License-Identifier: Apache-2.0

import Core
import Interfaces
import JSON
import Simulation
import Testing
import VirtualAir

@testable import ControlTool

/// A calibration from the first question to the last, with the core that ships on the virtual air: the right number, or the right sentence.
@Suite struct CalibrationCommandTests {
    private static let plan = CalibrationPlan(.receiver(power: Int(CalibrationScene.power)))

    /// What came of it: the text that was shown, or the failure; and what was asked.
    private struct Outcome {
        var shown = ""
        var failure: ControlFailure?
        var questions: [String] = []
    }

    /// - Parameters:
    ///   - agrees: The answer to whether it is to be set.
    ///   - end: After so many times of Enter the terminal is gone.
    private func calibrate(
        _ scene: CalibrationScene, _ plan: CalibrationPlan = plan, json: Bool = false, agrees: String = "y",
        end: Int = .max, isThere: Bool = true
    ) throws -> Outcome {
        let core = try TestCore { scene.answer($0, $1) }
        defer { core.end() }
        var outcome = Outcome()
        let person = Person(
            answer: !isThere
                ? nil
                : { question in
                    outcome.questions.append(question)
                    if question.hasPrefix("Set the correction") { return agrees }
                    if question.contains("Go on?") { return "y" }
                    let presses = outcome.questions.filter { $0.contains("press Enter") || $0.contains("Press Enter") }
                    guard presses.count <= end else { return nil }
                    // To where the question says.
                    let number = question.split(separator: " ").dropFirst().first.flatMap { Int($0) }
                    scene.turn(to: question.hasPrefix("Orientation") ? (number ?? 1) - 1 : 0)
                    return ""
                })
        let session = ControlSession(
            socket: core.socket, isJSON: json, screen: Screen(width: 100), person: person, output: { outcome.shown += $0 })
        do throws(ControlFailure) { try session.calibrate(plan, isAgreed: false) } catch { outcome.failure = error }
        #expect(core.unsendable == 0)
        return outcome
    }

    /// Deaf by some decibels, with directions in which the antenna is deafer still; identifiers change meanwhile, on both sides.
    @Test(arguments: [(1, 4.0), (2, -5.0), (3, 0.0), (4, 7.0)] as [(UInt64, Double)])
    func theNumberIsRight(seed: UInt64, deaf: Double) throws {
        let scene = try CalibrationScene(seed: seed, deaf: deaf)
        scene.pattern = [0, -1, 1, 2, 0, 13, -2, -1, 0, 1, 11, 0]
        let before = try scene.radio()
        let outcome = try calibrate(scene)
        #expect(outcome.failure == nil, "\(String(describing: outcome.failure))")
        let correction = try scene.correction()
        #expect(abs(Double(correction) - deaf) <= 2, "\(correction) for \(deaf)")
        #expect(outcome.shown.contains("Set. It holds for what is heard from now on."))
        #expect(outcome.shown.contains("until now 0 dB") && outcome.shown.contains("low at most, for this board"))
        #expect(isHarmless(outcome.shown))
        // The two deaf directions were measured again, once each: they are the antenna's.
        let again = outcome.questions.filter { $0.contains("again, it lies far off") }
        #expect(again.count == 2 && again[0].contains("to 150 degrees") && again[1].contains("to 300 degrees"))
        // Afterwards the rhythm is what it was: four to six scans in 20 minutes.
        let after = try scene.radio()
        #expect(after.worstRotationLateness <= 1 && after.onAir && after.ladder.isEmpty)
        #expect(after.scanCount > before.scanCount + 80)
        scene.run(for: .seconds(1_200))
        #expect(try (4...7).contains(scene.radio().scanCount - after.scanCount))
    }

    @Test func whoSaysNoOrOnlyTriesChangesNothing() throws {
        let declined = try CalibrationScene(seed: 5, deaf: 4)
        var outcome = try calibrate(declined, agrees: "n")
        #expect(outcome.failure == nil && outcome.shown.contains("Nothing was set."))
        #expect(try declined.correction() == 0)
        let dry = try CalibrationScene(seed: 6, deaf: 4)
        outcome = try calibrate(dry, CalibrationPlan(.receiver(power: -12), isDryRun: true), json: true)
        #expect(!outcome.questions.contains { $0.hasPrefix("Set") })
        let answer = json(outcome.shown)
        #expect(try dry.correction() == 0)
        #expect(answer["isSet"] == false && answer["before"] == 0 && answer["orientations"]?.array?.count == 12)
        #expect((2...6).contains(answer["correction"]?.int ?? 0) && answer["confidence"] == "low")
    }

    /// The terminal goes in the middle, or somebody gives up: nothing has changed.
    @Test(arguments: [0, 5, 11]) func interruptedNothingHasChanged(end: Int) throws {
        let scene = try CalibrationScene(seed: 7, deaf: 4)
        let outcome = try calibrate(scene, end: end)
        #expect(outcome.failure?.code == .declined && outcome.shown.isEmpty)
        #expect(try scene.correction() == 0)
        let after = try scene.radio().scanCount
        scene.run(for: .seconds(1_200))
        #expect(try (4...7).contains(scene.radio().scanCount - after))
    }

    @Test func aSecondPhoneAtOneMetreIsNamed() throws {
        let scene = try CalibrationScene(seed: 8)
        scene.air.addPhone(path: MotionPath(x: 0, y: 1))
        let outcome = try calibrate(scene)
        #expect(outcome.failure?.code == .declined)
        #expect(outcome.failure?.description.contains("Another device is as near") == true)
        // Three tries, of which two were asked for.
        #expect(outcome.questions.filter { $0.contains("q to give up") }.count == 2)
    }

    /// A second phone that is taken away when it was named does no harm.
    @Test func whatIsMendedIsMeasuredAgain() throws {
        let scene = try CalibrationScene(seed: 9, deaf: 3)
        let other = scene.air.addPhone(path: MotionPath(x: 0, y: 1))
        scene.turned = { scene, count in if count == 2 { scene.air.remove(other) } }
        let outcome = try calibrate(scene)
        #expect(outcome.failure == nil, "\(String(describing: outcome.failure))")
        #expect(try abs(scene.correction() - 3) <= 2)
    }

    @Test func aPhoneThatIsOffIsNamed() throws {
        let scene = try CalibrationScene(seed: 10)
        scene.air.remove(scene.phone)
        let outcome = try calibrate(scene)
        #expect(outcome.failure?.description.contains("Is Exposure Notification switched on") == true)
    }

    /// Nobody can tell a deaf receiver from a phone that lies too far off: so it is said.
    @Test func aPhoneAtFourMetresIsDoubted() throws {
        let scene = try CalibrationScene(seed: 11, metres: 4)
        let outcome = try calibrate(scene, agrees: "n")
        #expect(outcome.failure == nil && outcome.shown.contains("At 4 m instead of 1 m it looks so, too"))
        #expect(try scene.correction() == 0)
        // At 12 m it is refused.
        let far = try calibrate(CalibrationScene(seed: 12, metres: 12))
        #expect(far.failure?.description.contains("Look at the distance") == true)
    }

    @Test func aPowerFromTheWrongLineIsRefused() throws {
        let outcome = try calibrate(CalibrationScene(seed: 13), CalibrationPlan(.receiver(power: 12)))
        #expect(outcome.failure?.description.contains("more than 20 has another cause") == true)
        #expect(outcome.failure?.description.contains("12 dBm, the column tx") == true)
    }

    /// As near as the phone for some seconds, he does not become what is measured; who stays is named.
    @Test(arguments: [2, 20]) func whoPassesByChangesNoNumber(seconds: Int64) throws {
        let scene = try CalibrationScene(seed: 14, deaf: 4)
        scene.turned = { scene, count in if count == 3 { scene.passBy(standing: seconds) } }
        let outcome = try calibrate(scene)
        #expect(outcome.failure == nil, "\(String(describing: outcome.failure))")
        #expect(try abs(scene.correction() - 4) <= 2)
        #expect(outcome.questions.contains { $0.contains("Another device is as near") } == (seconds > 10))
    }

    @Test func aRoomThatReflectsIsRefused() throws {
        let scene = try CalibrationScene(seed: 15)
        scene.pattern = [0, 9, 1, 10, 2, 9, 0, 11, 1, 8, 2, 9]
        let outcome = try calibrate(scene)
        #expect(outcome.failure?.description.contains("This room reflects") == true)
    }

    @Test func aBoardThatIsSwitchedOffDoesNotListen() throws {
        let scene = try CalibrationScene(seed: 16)
        try scene.board.ask {
            try $0.disable(by: .init(name: "ctl", reading: .windows, spool: nil, presence: "console"), at: $1)
        }
        let outcome = try calibrate(scene)
        #expect(outcome.failure?.description.contains("The radio did not listen") == true)
    }

    @Test func theWearerPressesOnce() throws {
        let scene = try CalibrationScene(seed: 17, deaf: 2, hasButton: true)
        let outcome = try calibrate(scene)
        #expect(scene.isAsked && outcome.failure == nil)
        #expect(try abs(scene.correction() - 2) <= 2)
        let kinds = try scene.board.ask { service, _ in try service.audit(after: nil).records.map(\.kind) }
        #expect(kinds.filter { $0 == "calibrationBegun" }.count == 1 && kinds.contains("correctionSet"))
    }

    /// The same at a calibrated board tells how loud the other one is, and sets nothing here.
    @Test func theOtherBoardsPowerIsTold() throws {
        let scene = try CalibrationScene(seed: 18, deaf: 6)
        let console = Caller(name: "ctl", reading: .windows, spool: nil, presence: "console")
        #expect(try scene.board.ask { try $0.setCorrection(6, by: console, at: $1) })
        let outcome = try calibrate(scene, CalibrationPlan(.otherBoard))
        #expect(outcome.failure == nil && outcome.shown.contains("Nothing was set."))
        #expect(try scene.correction() == 6)
        let power = (-14 ... -10).contains { outcome.shown.contains(#""transmitPower": \#($0), "confidence": "low""#) }
        #expect(power, "\(outcome.shown)")
    }

    @Test func withoutAnybodyItDoesNotBegin() throws {
        let outcome = try calibrate(CalibrationScene(seed: 19), isThere: false)
        #expect(outcome.failure?.code == .badUsage)
    }
}
