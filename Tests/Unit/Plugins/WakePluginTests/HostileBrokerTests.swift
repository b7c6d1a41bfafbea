// SPDX-License-Identifier: Apache-2.0

import Glibc
import Interfaces
import JSON
import RandomValues
import TestKit
import Testing

/// Brokers that say what no broker should, byte by byte, without TLS.
@Suite(.serialized) struct HostileBrokerTests {
    /// Listens on loopback and answers each packet it gets with the next of its answers, then keeps silent.
    final class FalseBroker: Sendable {
        let port: UInt16
        private let listener: Int32

        init(_ answers: [[UInt8]]) throws {
            let (listener, port) = try listen()
            self.listener = listener
            self.port = port
            onThread {
                while true {
                    let connection = accept(listener, nil, nil)
                    guard connection >= 0 else { return }
                    onThread {
                        var buffer = [UInt8](repeating: 0, count: 4096)
                        for answer in answers {
                            guard recv(connection, &buffer, buffer.count, 0) > 0 else { break }
                            _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
                        }
                        while recv(connection, &buffer, buffer.count, 0) > 0 {}
                        close(connection)
                    }
                }
            }
        }

        deinit {
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
        }
    }

    private static let letIn: [UInt8] = [0x20, 3, 0, 0, 0]
    /// libmosquitto numbers its packets from 1.
    private static func granted(_ reason: UInt8) -> [UInt8] { [0x90, 4, 0, 1, 0, reason] }

    private func scene(_ broker: FalseBroker, _ more: [String: JSON] = [:]) throws -> Scene {
        try Scene(
            ["tls": false, "mqtt": "5", "port": .int(Int64(broker.port))].merging(more) { $1 },
            allow: "localhost:\(broker.port)!")
    }

    @Test(arguments: [
        ([letIn, granted(0x87)], "topicRefused"), ([letIn, granted(0x80)], "topicRefused"),
        ([[0x20, 3, 0, 0x84, 0]], "notMQTT"), ([[0x20, 3, 0, 0x89, 0]], "busy"), ([[0x20, 3, 0, 0x86, 0]], "loginRefused"),
        ([Array(("HTTP/1.1 400 Bad Request\r\n" + String(repeating: "X: y\r\n", count: 40)).utf8)], "notMQTT"),
        ([[0x20, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]], "notMQTT"),
    ])
    func isUnderstood(answers: [[UInt8]], code: String) throws {
        let broker = try FalseBroker(answers)
        let scene = try scene(broker)
        #expect(
            try eventually { try scene.look().problem?.contains("[\(code)]") == true }, "\(code): \(scene.lines.all)")
        #expect(try !scene.look().connected)
    }

    /// In 3.1.1, the default: of version 5, properties that nobody knows make libmosquitto end the process (docs/wake.md).
    @Test func randomBytesDoNothing() throws {
        var generator = SeededGenerator(seed: 1)
        for round in 0..<40 {
            let noise = generator.bytes(200)
            let length = UInt8.random(in: 0...127, using: &generator)
            let opening: [[UInt8]] = [[0x20, 2, 0, 0], [0x90, 3, 0, 1, 1] + [0x30, length] + noise]
            let broker = try FalseBroker(round % 2 == 0 ? [noise] : opening)
            let scene = try scene(broker, ["mqtt": "3.1.1"])
            usleep(200_000)
            #expect(try scene.look().counters.syncCount <= 1)
        }
    }

    /// A message of 40 MiB ends the process by its quota of memory. That it connects is on the disk before, so that the third process in a row waits
    /// longer than the supervisor's patience lasts.
    @Test(arguments: [nil, 1, 2]) func aProcessThatABrokerMayEndIsCountedBefore(lives: Int?) throws {
        let broker = try FalseBroker([Self.letIn, Self.granted(1)])
        let scene = try Scene(
            ["tls": false, "mqtt": "5", "port": .int(Int64(broker.port))], allow: "localhost:\(broker.port)!", lives: lives)
        try #require(try scene.isConnected(), "\(scene.lines.all)")
        #expect(try scene.lives() == (lives ?? 0) + 1)
        #expect(scene.lines.all.contains { $0.contains("connects less often") } == (lives == 2))
        // Who is told to stop was ended by nobody.
        scene.say("STOP")
        #expect(eventually { scene.status == 0 })
        #expect(try scene.lives() == nil)
    }

    /// A message on another topic than ours, and one of 256 MiB that is only announced.
    @Test func whatIsNotForUsIsNotHeard() throws {
        let other: [UInt8] = [0x30, 8, 0, 5] + Array("other".utf8) + [0]
        let huge: [UInt8] = [0x30, 0xFF, 0xFF, 0xFF, 0x7F, 0, 5]
        let broker = try FalseBroker([Self.letIn, Self.granted(1) + other + huge])
        let scene = try scene(broker)
        try #require(try scene.isConnected(), "\(scene.lines.all)")
        usleep(300_000)
        #expect(try scene.look().counters.messageCount == 0)
        #expect(scene.syncs == [])
    }
}
