// SPDX-License-Identifier: Apache-2.0

import Authority
import CMosquitto
import FoundationEssentials
import Glibc
import RandomValues
import TestKit
import Testing

/// Wake messages through a real mosquitto: TLS, with a client's certificate and with a password.
@Suite(.serialized) struct WakeTests {
    private struct Message: Hashable {
        let topic: String
        let byteCount: Int
        let quality: Int32
        let isRetained: Bool
    }

    /// Listens as a board does.
    private final class Subscriber {
        final class Inbox {
            var messages: [Message] = []
            var isReady = false
        }
        private let client: OpaquePointer
        private let inbox = Inbox()

        init(port: Int, certificates: Certificates) throws {
            mosquitto_lib_init()
            client = try #require(mosquitto_new("board", true, Unmanaged.passUnretained(inbox).toOpaque()))
            mosquitto_tls_set(
                client, certificates.authority, nil, certificates.folder + "/client.pem",
                certificates.folder + "/client.key", nil)
            mosquitto_subscribe_callback_set(client) { _, context, _, _, _ in
                if let context { Unmanaged<Inbox>.fromOpaque(context).takeUnretainedValue().isReady = true }
            }
            mosquitto_message_callback_set(client) { _, context, message in
                guard let context, let message = message?.pointee else { return }
                Unmanaged<Inbox>.fromOpaque(context).takeUnretainedValue().messages.append(
                    Message(
                        topic: String(cString: message.topic), byteCount: Int(message.payloadlen), quality: message.qos,
                        isRetained: message.retain))
            }
            try #require(mosquitto_connect(client, "localhost", Int32(port), 30) == 0)
            mosquitto_subscribe(client, nil, "vigil/+/wake", 1)
            try #require(messages(until: { $0.isReady }) != nil)
        }

        deinit { mosquitto_destroy(client) }

        func messages(until condition: (Inbox) -> Bool) -> [Message]? {
            let isMet = eventually {
                mosquitto_loop(client, 50, 1)
                return condition(inbox)
            }
            return isMet ? inbox.messages : nil
        }

        /// What comes within half a second.
        func rest() -> [Message] {
            for _ in 0..<10 { mosquitto_loop(client, 50, 1) }
            return inbox.messages
        }
    }

    private struct Broker {
        let program: Program
        let certificatePort: Int
        let passwordPort: Int
        let certificates: Certificates

        init(_ scene: Scene) throws {
            certificates = try Certificates(in: scene.path)
            (certificatePort, passwordPort) = (Int(try Unique.port()), Int(try Unique.port()))
            let folder = scene.path
            try #require(
                try Program.run("mosquitto_passwd", ["-c", "-b", folder + "/passwords", "authority", "secret"]).status == 0)
            let tls = "cafile \(folder)/ca.pem\ncertfile \(folder)/server.pem\nkeyfile \(folder)/server.key"
            let text = """
                per_listener_settings true
                user root
                listener \(certificatePort) 127.0.0.1
                \(tls)
                require_certificate true
                use_identity_as_username true
                listener \(passwordPort) 127.0.0.1
                \(tls)
                password_file \(folder)/passwords
                allow_anonymous false

                """
            try #require(FileManager.default.createFile(atPath: folder + "/mosquitto.conf", contents: Data(text.utf8)))
            let path = access("/usr/sbin/mosquitto", X_OK) == 0 ? "/usr/sbin/mosquitto" : "mosquitto"
            program = try Program(path, ["-c", folder + "/mosquitto.conf"])
            let program = program
            try #require(
                eventually { (program.errors + program.output).contains("running") }, "\(program.errors)")
        }
    }

    private func rules(_ broker: Broker, password: String?) throws -> AuthoritySettings.WakeRules {
        var rules = AuthoritySettings.WakeRules()
        rules.host = "localhost"
        rules.caFile = broker.certificates.authority
        if let password {
            rules.port = UInt16(broker.passwordPort)
            rules.username = "authority"
            rules.passwordFile = broker.certificates.folder + "/password"
            try #require(
                FileManager.default.createFile(
                    atPath: broker.certificates.folder + "/password", contents: Data((password + "\n").utf8),
                    attributes: [.posixPermissions: 0o600]))
        } else {
            rules.port = UInt16(broker.certificatePort)
            rules.certificateFile = broker.certificates.folder + "/client.pem"
            rules.keyFile = broker.certificates.folder + "/client.key"
        }
        return rules
    }

    @Test(arguments: [nil, "secret"])
    func boardsAreWokenOnceForKeysOfTheirRegion(_ password: String?) throws {
        let now = Scene.start
        let scene = try Scene()
        let broker = try Broker(scene)
        let rules = try rules(broker, password: password)
        try scene.reopen { $0.wake = rules }
        let board = try Subscriber(port: broker.certificatePort, certificates: broker.certificates)
        try scene.publish(now)
        _ = try scene.accept([Scene.key(0)], regions: ["DE"], now: now)
        #expect(try scene.publish(now + Scene.hour).regionsToWake == ["DE"])
        #expect(try scene.authority.sendWakes(now: now + Scene.hour) == ["DE"])
        let messages = try #require(board.messages { !$0.messages.isEmpty })
        #expect(messages == [Message(topic: "vigil/DE/wake", byteCount: 0, quality: 1, isRetained: false)])
        // Nothing new, nothing sent; an hour without keys wakes nobody.
        #expect(try scene.authority.sendWakes(now: now + Scene.hour).isEmpty)
        try scene.publish(now + 2 * Scene.hour)
        #expect(try scene.authority.sendWakes(now: now + 2 * Scene.hour).isEmpty)
        #expect(board.rest().count == 1)
        #expect(try scene.authority.audit().events.contains { $0.event == "wake-sent" })
    }

    @Test func aBrokerThatRefusesOrIsDownIsToldAndTriedAgain() throws {
        let now = Scene.start
        let scene = try Scene()
        let broker = try Broker(scene)
        var wrong = try rules(broker, password: "wrong")
        try scene.reopen { $0.wake = wrong }
        try scene.publish(now)
        _ = try scene.accept([Scene.key(0)], now: now)
        try scene.publish(now + Scene.hour)
        #expect(throws: AuthorityError(.brokerFailed)) { try scene.authority.sendWakes(now: now + Scene.hour) }
        wrong.port = try Unique.port()
        try scene.reopen { $0.wake = wrong }
        let down = #expect(throws: AuthorityError.self) { try scene.authority.sendWakes(now: now + Scene.hour) }
        // At once, and not after twenty seconds in which a processor did nothing but ask.
        #expect(down?.code == .brokerFailed && down?.detail.contains("in time") == false, "\(String(describing: down))")
        // A certificate of an authority that is not ours.
        let other = try Scene()
        _ = try Certificates(in: other.path)
        var stranger = try rules(broker, password: nil)
        stranger.caFile = other.path + "/ca.pem"
        try scene.reopen { $0.wake = stranger }
        #expect(throws: AuthorityError(.brokerFailed)) { try scene.authority.sendWakes(now: now + Scene.hour) }
        // The wish was kept, also by another process.
        let right = try rules(broker, password: nil)
        try scene.reopen { $0.wake = right }
        #expect(try scene.authority.sendWakes(now: now + Scene.hour + 60) == ["DE", "EUR"])
    }

    @Test func aWakeThatIsTooLateIsNotSent() throws {
        let scene = try Scene { settings in
            settings.wake = .init()
            settings.wake?.host = "localhost"
            settings.wake?.port = 1
        }
        try scene.publish(Scene.start)
        _ = try scene.accept([Scene.key(0)], now: Scene.start)
        #expect(try scene.publish(Scene.start + Scene.hour).regionsToWake == ["DE", "EUR"])
        #expect(try scene.publish(Scene.start + 3 * Scene.hour).regionsToWake == [])
    }
}
