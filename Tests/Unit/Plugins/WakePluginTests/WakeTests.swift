// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import JSON
import Synchronization
import TestKit
import Testing
import WakePlan
import WakePlugin

/// The plugin against a real broker, through a real egress.
@Suite(.serialized) struct WakeTests {
    private let topic = "vigil/de/wake"

    private func certificates(_ broker: Broker, _ name: String = "board", by authority: String = "ca") -> [String: JSON] {
        [
            "mqtt": "5", "port": .int(Int64(broker.certificatePort)),
            "authorities": .string(broker.folder.read("\(authority).pem")),
            "certificate": .string(broker.folder.read("\(name).pem")),
            "certificateKey": .string(broker.folder.read("\(name).key")),
        ]
    }

    private func password(_ broker: Broker, _ password: String = "secret") -> [String: JSON] {
        [
            "port": .int(Int64(broker.passwordPort)), "authorities": .string(broker.folder.read("ca.pem")),
            "user": "board", "password": .string(password), "mqtt": "3.1.1",
        ]
    }

    private func allow(_ port: UInt16) -> String { "localhost:\(port)!" }

    @Test func aWakeIsOneSync() throws {
        let broker = try Broker()
        let scene = try Scene(certificates(broker), allow: allow(broker.certificatePort))
        // Client certificate and authorities are said first.
        #expect(scene.heard() == "CERTIFICATE" && scene.heard() == "CERTIFICATE")
        #expect(scene.heard() == "READY")
        try #require(try scene.isConnected(), "\(scene.lines.all)")
        // All is fresh: connecting alone leads to nothing.
        #expect(try eventually { try scene.look().counters.freshCount == 1 })
        let client = try Client(broker.plainPort)
        client.say(topic)
        #expect(eventually { scene.syncs.count == 1 })
        // Warnings about venues are looked for, too.
        #expect(eventually { scene.neighbours.state.withLock { $0.lookCount } == 1 })
        usleep(300_000)
        #expect(scene.syncs.count == 1)
        let state = try scene.look()
        #expect(state.counters.messageCount == 1 && state.counters.syncCount == 1 && state.problem == nil && state.wanted)
        #expect(eventually { scene.heard() == "ALIVE" })
        scene.say("STOP")
        #expect(eventually { scene.status == 0 })
    }

    @Test func theSameWithAPasswordAndTheOlderProtocol() throws {
        let broker = try Broker()
        let scene = try Scene(password(broker), allow: allow(broker.passwordPort))
        try #require(try scene.isConnected(), "\(scene.lines.all)")
        try Client(broker.plainPort).say(topic, Array("sync now! device 7".utf8))
        #expect(eventually { scene.syncs.count == 1 })
        #expect(try scene.look().counters.nonEmptyCount == 1)
        #expect(broker.log.contains("(p2, c1, k240, u'board')"))
    }

    @Test func aFloodIsOneSyncAndOneAfterTheGap() throws {
        let broker = try Broker()
        let scene = try Scene(
            certificates(broker).merging(["gapSeconds": 5]) { $1 }, allow: allow(broker.certificatePort))
        try #require(try scene.isConnected())
        let client = try Client(broker.plainPort)
        let began = now()
        for _ in 0..<30 { client.say(topic, quality: 0) }
        #expect(try eventually { try scene.look().counters.messageCount == 30 })
        // All of them came within the gap, or this proves nothing.
        try #require(scene.syncs.count == 1)
        #expect(eventually { scene.syncs.count == 2 })
        // Nothing comes after that, however long one waits.
        usleep(500_000)
        let syncs = scene.syncs
        #expect(syncs.count == 2)
        // Since before the first was asked for: when it was heard, a busy machine decides.
        #expect(syncs.last.map { $0 - began >= .seconds(5) } == true)
        #expect(try scene.look().counters.mergedCount == 28)
    }

    @Test func aRetainedWakeCountsOnlyWhenThingsAreOld() throws {
        let broker = try Broker()
        try Client(broker.plainPort).say(topic, Array("old".utf8), retained: true)
        let fresh = try Scene(certificates(broker), allow: allow(broker.certificatePort))
        #expect(try eventually { try fresh.look().counters.retainedCount == 1 })
        usleep(300_000)
        #expect(fresh.syncs == [])
        let old = try Scene(certificates(broker), allow: allow(broker.certificatePort)) { $0.age = 6 * 3600 }
        #expect(eventually { old.syncs.count == 1 })
        usleep(300_000)
        #expect(old.syncs.count == 1)
        #expect(try old.look().counters.retainedCount == 1)
    }

    @Test func theRegionsWindowIsKept() throws {
        let broker = try Broker()
        let scene = try Scene(certificates(broker), allow: allow(broker.certificatePort)) { $0.window = 3 }
        try #require(try scene.isConnected())
        let began = now()
        let client = try Client(broker.plainPort)
        for _ in 0..<5 { client.say(topic) }
        #expect(eventually { scene.syncs.count == 1 })
        #expect(now() - began < .seconds(20))
        // Five wakes do not ask for the window five times; how often depends on when they come.
        #expect((1...4).contains(scene.neighbours.state.withLock { $0.freshnessCount }))
    }

    @Test func theBrokerMayRestart() throws {
        let broker = try Broker()
        let scene = try Scene(certificates(broker), allow: allow(broker.certificatePort))
        try #require(try scene.isConnected())
        broker.stop()
        #expect(try eventually { try scene.look().problem?.contains("[lost]") == true })
        #expect(try !scene.look().connected)
        #expect(try eventually { try scene.look().problem?.contains("[unreachable]") == true })
        // What is missed meanwhile is caught up with if it is old.
        scene.neighbours.state.withLock { $0.age = 6 * 3600 }
        try broker.start()
        try #require(try scene.isConnected())
        #expect(eventually { scene.syncs.count == 1 })
        #expect(try scene.look().counters.connectionCount == 2)
        // Each connection had a name of its own, and a clean session.
        let names = broker.log.split(separator: "\n").filter { $0.contains("u'board')") }.compactMap { line in
            line.split(separator: " as ").last?.split(separator: " ").first
        }
        #expect(names.count == 2 && Set(names).count == 2)
        #expect(broker.log.contains("(p5, c1, k240, u'board')"))
    }

    @Test func aCableMayBeCut() throws {
        let broker = try Broker()
        let cable = try Cable(to: broker.certificatePort)
        // Before the plugin is there, so that nothing of what it says is missed.
        let watcher = try Client(broker.plainPort, topic: "vigil/de/status")
        let scene = try Scene(
            certificates(broker).merging(["port": .int(Int64(cable.port))]) { $1 }, allow: allow(cable.port))
        try #require(try scene.isConnected())
        #expect(watcher.hears("here"))
        cable.cut()
        // The last will, which names nobody and is kept by nobody.
        #expect(watcher.hears("gone"))
        #expect(try eventually { try scene.look().problem != nil })
        cable.mend()
        #expect(watcher.hears("here"))
        try #require(try scene.isConnected())
        try Client(broker.plainPort).say(topic)
        #expect(eventually { scene.syncs.count == 1 })
        scene.say("STOP")
        #expect(
            eventually {
                watcher.listen(0.05)
                return watcher.heard.count >= 4
            })
        #expect(watcher.heard.map(\.text) == ["here", "gone", "here", "gone"])
        #expect(try Client(broker.plainPort, topic: "vigil/#").heard == [])
    }

    @Test func whoTheBrokerIsMatters() throws {
        let broker = try Broker()
        try broker.authority("other")
        let cases: [([String: JSON], UInt16, String)] = [
            (certificates(broker, by: "other"), broker.certificatePort, "brokerNotTrusted"),
            // Good for localhost and 127.0.0.1 only.
            (certificates(broker).merging(["host": "broker.example"]) { $1 }, broker.certificatePort, "brokerNotTrusted"),
            (
                certificates(broker).merging(["port": .int(Int64(broker.plainPort))]) { $1 }, broker.plainPort,
                "brokerNotTrusted"
            ),
            (password(broker, "wrong"), broker.passwordPort, "loginRefused"),
            (password(broker).merging(["mqtt": "5", "user": "nobody"]) { $1 }, broker.passwordPort, "loginRefused"),
            (
                certificates(broker).merging(["certificateKey": "nonsense"]) { $1 }, broker.certificatePort,
                "unusableSettings"
            ),
            (certificates(broker), broker.passwordPort, "notGranted"),
        ]
        for (settings, port, code) in cases {
            let host = settings["host"]?.string ?? "localhost"
            let scene = try Scene(settings, allow: "\(host):\(port)!")
            #expect(
                try eventually { try scene.look().problem?.contains("[\(code)]") == true },
                "\(code): \(scene.lines.all)")
            #expect(!scene.lines.all.joined().contains("secret"))
            #expect(scene.lines.all.count { $0.contains("[\(code)]") } == 1, "said once, not with each try")
        }
    }

    @Test func certificatesMayExpire() throws {
        let expired = try Broker(serverDays: -1)
        let scene = try Scene(certificates(expired), allow: allow(expired.certificatePort))
        #expect(try eventually { try scene.look().problem?.contains("[brokerNotTrusted]") == true })

        let broker = try Broker()
        try broker.certificate("late", by: "ca", days: -1, name: "late")
        try broker.authority("other")
        try broker.certificate("foreign", by: "other", days: 10, name: "board")
        for name in ["late", "foreign"] {
            let scene = try Scene(certificates(broker, name), allow: allow(broker.certificatePort))
            #expect(
                try eventually { try scene.look().problem?.contains("[certificateRefused]") == true },
                "\(name): \(scene.lines.all)")
        }
    }

    /// Sync does not wait for the check-ins, and a wake that they do not hear of counts.
    @Test func checkInsThatDoNotAnswerChangeNothing() throws {
        let broker = try Broker()
        let scene = try Scene(certificates(broker), allow: allow(broker.certificatePort)) { $0.areCheckInsSilent = true }
        try #require(try scene.isConnected())
        try Client(broker.plainPort).say(topic)
        #expect(eventually { scene.syncs.count == 1 })
        #expect(try scene.look().counters.failureCount == 0 && scene.look().secondsToSync == nil)
    }

    @Test func aSyncThatIsNotThereIsAskedAgain() throws {
        let broker = try Broker()
        let scene = try Scene(certificates(broker), allow: allow(broker.certificatePort)) { $0.isSyncBroken = true }
        try #require(try scene.isConnected())
        try Client(broker.plainPort).say(topic)
        #expect(try eventually { try scene.look().counters.failureCount == 1 })
        #expect(try scene.look().secondsToSync.map { (20...30).contains($0) } == true)
    }

    @Test func settingsMayChange() throws {
        let broker = try Broker()
        let scene = try Scene(certificates(broker), allow: allow(broker.certificatePort))
        try #require(try scene.isConnected())
        try scene.write(certificates(broker).merging(["region": "fr"]) { $1 })
        scene.say("SETTINGS")
        #expect(try eventually { try scene.look().counters.connectionCount == 2 })
        let client = try Client(broker.plainPort)
        client.say(topic)
        client.say("vigil/fr/wake")
        #expect(eventually { scene.syncs.count == 1 })
        #expect(try scene.look().counters.messageCount == 1)
        // Those that make no sense change nothing.
        try scene.write(["region": "+"])
        scene.say("SETTINGS")
        #expect(eventually { scene.lines.all.contains { $0.contains("new settings are not used") } })
        #expect(try scene.look().connected)
    }

    /// The message itself, to a server that takes it, through egress.
    @Test func registrationsTravelOverHTTP() throws {
        let (listener, port) = try listen()
        let body = Received()
        onThread {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = recv(connection, &buffer, buffer.count, 0)
                guard count > 0 else { break }
                if body.add(buffer[..<count]) {
                    let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
                    _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
                }
            }
            close(connection)
        }
        defer { close(listener) }
        let settings: [String: JSON] = [
            "profile": "checkIns", "registrationURL": .string("http://pt1.example:\(port)/v3/register"),
        ]
        let scene = try Scene(settings, allow: "pt1.example:\(port)!", isHTTP: true)
        #expect(try eventually { try scene.look().registered }, "\(scene.lines.all)")
        let request = body.text
        #expect(request.hasPrefix("POST /v3/register HTTP/1.1\r\n"))
        #expect(request.lowercased().contains("content-type: application/x-protobuf\r\n"))
        #expect(request.lowercased().contains("content-length: 108\r\n"))
    }

    @Test func onlyWhoNeedsItIsRegistered() throws {
        let broker = try Broker()
        let settings = certificates(broker).merging([
            "profile": "checkIns", "factsSeconds": 1, "registrationURL": "https://pt1.example/v3/register",
        ]) { $1 }
        let scene = try Scene(settings, allow: allow(broker.certificatePort)) { $0.hasCheckIns = false }
        usleep(1_500_000)
        #expect(try !scene.look().wanted && !scene.look().connected)
        #expect(scene.registry.sent.withLock { $0 } == [])
        // The first check-in.
        scene.neighbours.state.withLock { $0.hasCheckIns = true }
        try #require(try scene.isConnected())
        #expect(eventually { scene.registry.sent.withLock { $0.count } == 1 })
        let first = try #require(scene.registry.sent.withLock { $0.first })
        #expect(first.pushToken.utf8.count == 64)
        #expect(try scene.look().registered)
        #expect(scene.folder.read("state/store").contains(first.deviceId))
        // The broker never hears the token, and no log has it.
        #expect(!broker.log.contains(first.deviceId) && !scene.lines.all.joined().contains(first.deviceId))
        // Exposure notification goes on while the server is away: taken back as soon as it answers.
        scene.registry.isUp.withLock { $0 = false }
        scene.neighbours.state.withLock { $0.enActive = true }
        #expect(try eventually { try !scene.look().wanted && !scene.look().connected })
        #expect(try scene.look().registered)
        #expect(eventually { scene.lines.all.contains { $0.contains("deregistration failed") } })
    }
}

/// A request, as it comes.
private final class Received: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    /// Whether the message is complete: two bytes, two times two bytes before text, 64 and 36 characters.
    func add(_ more: some Collection<UInt8>) -> Bool {
        bytes.withLock { bytes in
            bytes += more
            guard let end = String(decoding: bytes, as: UTF8.self).range(ofEnd: "\r\n\r\n") else { return false }
            return bytes.count - end >= 108
        }
    }

    var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
}

extension String {
    /// How many bytes come before the end of the first such text.
    fileprivate func range(ofEnd text: String) -> Int? {
        let (whole, part) = (Array(utf8), Array(text.utf8))
        return whole.indices.first { whole[$0...].starts(with: part) }.map { $0 + part.count }
    }
}
