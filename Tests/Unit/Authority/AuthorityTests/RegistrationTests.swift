// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import HTTPService
import JSON
import TestKit
import Testing
import Verification
import WakePlan

@testable import Authority

/// Devices that tell SwissCovid's server that they hear wakes: they are counted, bounded and forgotten.
@Suite struct RegistrationTests {
    private static let now = Scene.start

    private static func scene() throws -> Scene { try Scene { $0.swissCovid = .init() } }

    @Test func theOldestRegistrationsGoFirst() throws {
        let scene = try Self.scene()
        let (now, day) = (Self.now, Scene.day)
        func message(_ device: String) throws -> PushRegistrationMessage {
            let bytes = PushRegistration(pushToken: "token of \(device)", pushType: .ios, deviceId: device).encoded
            return try #require(PushRegistrationMessage(decoding: bytes))
        }
        for (number, device) in ["a", "b", "c", "d"].enumerated() {
            try scene.authority.register(message(device), now: now + Int64(number) * day)
        }
        try scene.authority.forgetRegistrations(now: now + 4 * day, keeping: 4)
        #expect(try scene.authority.registrationCount() == 4)
        try scene.authority.forgetRegistrations(now: now + 4 * day, keeping: 2)
        // The last two are there: they are replaced, and do not become more.
        for device in ["c", "d"] { try scene.authority.register(message(device), now: now + 4 * day) }
        #expect(try scene.authority.registrationCount() == 2)
        try scene.authority.forgetRegistrations(now: now + 31 * day)
        #expect(try scene.authority.registrationCount() == 2)
        try scene.authority.forgetRegistrations(now: now + 32 * day)
        #expect(try scene.authority.registrationCount() == 0)
    }

    /// Writing waits for the disk and for whoever else writes, so it is not done on the thread that answers everybody; and who registers proves nothing,
    /// so it is bounded between two publications, too.
    @Test func aRegistrationIsNotWrittenWhereEverybodyIsAnswered() throws {
        let scene = try Self.scene()
        let clock = AuthorityClock(startingAt: Self.now)
        let time = try TimeService(folder: scene.folder, settings: scene.settings, clock: clock)
        let handler = PublicHandler(
            folder: scene.folder, time: time, clock: clock,
            registration: RegistrationRoute(
                try HealthAuthority(folder: scene.folder, settings: scene.settings), keeping: 5, every: 10))
        func work(_ device: String) -> HTTPCalculation? {
            let body = PushRegistration(pushToken: "token of \(device)", pushType: .ios, deviceId: device).encoded
            let request = HTTPRequest(method: "POST", path: RegistrationRoute.path, body: body)
            guard case .calculation(let work) = handler.outcome(of: request) else { return nil }
            return work
        }
        let begun = MonotonicClock.milliseconds()
        let first = try #require(work("a"))
        #expect(try scene.authority.registrationCount() == 0)
        first.calculate()
        #expect(try scene.authority.registrationCount() == 1)
        let answer = first.finish(true)
        #expect(answer.status == 200)
        // What is left of the slot: nothing where the disk took longer.
        #expect(
            answer.delayMilliseconds + MonotonicClock.milliseconds() - begun >= RegistrationRoute.slotMilliseconds - 0.001)
        // Where nothing was calculated nothing is there.
        let second = try #require(work("b"))
        #expect(second.finish(false).status == 503)
        // What is no registration waits for nobody, and takes as long.
        let request = HTTPRequest(method: "POST", path: RegistrationRoute.path, body: [0xFF])
        guard case .answer(let refused) = handler.outcome(of: request) else {
            Issue.record("it is calculated")
            return
        }
        #expect(refused.status == 400 && refused.delayMilliseconds == RegistrationRoute.slotMilliseconds)
        // So many wait, and no more; then there is room again.
        let waiting = (0..<RegistrationRoute.waitingLimit).compactMap { work("waiting \($0)") }
        #expect(waiting.count == RegistrationRoute.waitingLimit && work("one more") == nil)
        for work in waiting { _ = work.finish(false) }
        for number in 0..<30 {
            let work = try #require(work("device \(number)"))
            work.calculate()
            #expect(work.finish(true).status == 200)
            #expect(try scene.authority.registrationCount() <= 15)
        }
        // One that is kept is not told as failed because older ones could not be forgotten; the next one tries that again.
        try scene.tamper("CREATE TRIGGER broken BEFORE DELETE ON push_registration BEGIN SELECT RAISE(ABORT, 'x'); END")
        let before = try scene.authority.registrationCount()
        for number in 0..<10 {
            let work = try #require(work("kept \(number)"))
            work.calculate()
            #expect(work.finish(true).status == 200)
        }
        #expect(try scene.authority.registrationCount() == before + 10)
        try scene.tamper("DROP TRIGGER broken")
        try #require(work("the next one")).calculate()
        #expect(try scene.authority.registrationCount() == 5)
    }

    /// By the message that a board sends.
    @Test func devicesAreCountedAndForgotten() throws {
        let scene = try Self.scene()
        try Data(scene.settings.json.bytes).write(to: URL(filePath: scene.folder.settingsFile))
        let service = try ServiceTests.Service(scene, ["--now", "\(Self.now)"])
        let file = scene.path + "/message"
        func post(_ body: [UInt8], _ options: [String] = ["-H", "Content-Type: application/x-protobuf"]) throws -> Int {
            try Data(body).write(to: URL(filePath: file))
            let answer = try service.get("/v3/register", ["--data-binary", "@\(file)"] + options)
            #expect(answer.status >= 405 || answer.body.isEmpty && answer.headers["cache-control"] == "no-store")
            return answer.status
        }
        func message(_ device: String, _ token: String) -> PushRegistration {
            PushRegistration(pushToken: token, pushType: .android, deviceId: device)
        }
        func registered() throws -> Double {
            let address = "http://127.0.0.1:\(service.adminPort)/metrics"
            let text = String(decoding: try ServiceTests.Service.curl(address).body, as: UTF8.self)
            let line = text.split(separator: "\n").first { $0.hasPrefix("vigil_push_registrations ") }
            return try #require(line?.split(separator: " ").last.flatMap { Double($0) }, "\(text)")
        }
        for (device, token) in [("a", "1"), ("b", "2"), ("a", "3"), ("name-of-a-device", "2"), ("x", "9"), ("x", "")] {
            #expect(try post(message(device, token).encoded) == 200)
        }
        // An unknown one is taken back all the same.
        #expect(try post(message("nobody", "").encoded) == 200)
        var next = message("a", "4")
        next.version = 2
        let wrong: [[UInt8]] = [
            [], [0x08], [0xFF, 0xFF], next.encoded, message("", "4").encoded,
            message(String(repeating: "x", count: 256), "4").encoded,
            message("d", String(repeating: "x", count: 101)).encoded,
            message("a", "4").encoded + [0x18, 3], [UInt8](repeating: 0, count: 5_000),
        ]
        for body in wrong { #expect(try post(body) == 400, "\(body.prefix(20))") }
        #expect(try post(message("a", "4").encoded, ["-H", "Content-Type: text/plain"]) == 415)
        #expect(try service.get("/v3/register").status == 405)
        // "a" with its last token, and the one that has the token of "b". Told by the hour, first when somebody asks.
        #expect(try registered() == 2)
        #expect(service.program.stop() == 0)
        // Names are not kept.
        for file in ["authority.db", "authority.db-wal"] {
            let bytes = FileManager.default.contents(atPath: "\(scene.path)/\(file)") ?? Data()
            #expect(bytes.firstRange(of: Data("name-of-a-device".utf8)) == nil)
        }
        try scene.publish(Self.now + 28 * Scene.day)
        let again = try ServiceTests.Service(scene, ["--now", "\(Self.now + 28 * Scene.day)"])
        let address = "http://127.0.0.1:\(again.adminPort)/metrics"
        let text = String(decoding: try ServiceTests.Service.curl(address).body, as: UTF8.self)
        #expect(text.contains("\nvigil_push_registrations 0\n"))
        #expect(again.program.stop() == 0)
    }
}
