// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc
import RandomValues
import Synchronization
import TestKit
import Testing

/// A real mosquitto on loopback, with an authority of its own: TLS with client certificates, TLS with passwords, and without anything
/// for the test itself.
final class Broker {
    let folder: TemporaryFolder
    let certificatePort: UInt16
    let passwordPort: UInt16
    let plainPort: UInt16
    private var process: pid_t = 0

    /// - Parameter serverDays: How long the broker's certificate is good; negative: it is expired.
    init(serverDays: Int = 10) throws {
        folder = try TemporaryFolder()
        (certificatePort, passwordPort, plainPort) = (try Unique.port(), try Unique.port(), try Unique.port())
        try authority("ca")
        try certificate("server", by: "ca", days: serverDays, name: "localhost")
        try certificate("board", by: "ca", days: 10, name: "board")
        try Command.run("mosquitto_passwd", ["-b", "-c", folder.file("passwords"), "board", "secret"])
        chmod(folder.file("passwords"), 0o644)
        let tls = """
            cafile \(folder.path)/ca.pem
            certfile \(folder.path)/server.pem
            keyfile \(folder.path)/server.key
            """
        try folder.write(
            """
            per_listener_settings true
            log_dest file \(folder.path)/log
            log_type all
            \(getuid() == 0 ? "user root" : "")
            listener \(certificatePort) 127.0.0.1
            \(tls)
            require_certificate true
            use_identity_as_username true
            listener \(passwordPort) 127.0.0.1
            \(tls)
            allow_anonymous false
            password_file \(folder.path)/passwords
            acl_file \(folder.path)/access
            listener \(plainPort) 127.0.0.1
            allow_anonymous true

            """, to: "conf")
        try folder.write("user board\ntopic read vigil/de/wake\ntopic write vigil/de/status\n", to: "access")
        try start()
    }

    deinit { stop() }

    func start() throws {
        process = try Command.start("mosquitto", ["-c", folder.file("conf")], output: folder.file("output"))
        let port = plainPort
        try #require(
            eventually { Client.canConnect(port) },
            "mosquitto does not start: \(folder.read("output")) \(folder.read("log"))")
    }

    func stop() {
        guard process > 0 else { return }
        kill(process, SIGTERM)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        process = 0
    }

    var log: String { folder.read("log") }

    func authority(_ name: String) throws {
        try openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "10", "-subj",
            "/CN=\(name)",
            "-keyout", folder.file("\(name).key"), "-out", folder.file("\(name).pem"),
        ])
    }

    func certificate(_ file: String, by authority: String, days: Int, name: String) throws {
        try openssl([
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(name)", "-keyout",
            folder.file("\(file).key"), "-out", folder.file("\(file).csr"),
        ])
        try folder.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n", to: "\(file).ext")
        var arguments = [
            "x509", "-req", "-in", folder.file("\(file).csr"), "-CA", folder.file("\(authority).pem"), "-CAkey",
            folder.file("\(authority).key"), "-CAcreateserial", "-out", folder.file("\(file).pem"), "-days", "\(days)",
        ]
        if file == "server" { arguments += ["-extfile", folder.file("\(file).ext")] }
        try openssl(arguments)
        chmod(folder.file("\(file).key"), 0o644)
    }

    private func openssl(_ arguments: [String]) throws {
        try Command.run("openssl", arguments, output: folder.file("openssl.log"))
    }
}

/// A client of the test's own, without anything of the firmware's: publishes, and hears what is said on a topic.
final class Client {
    struct Heard: Equatable {
        let text: String
        let isRetained: Bool
    }

    private let handle: OpaquePointer
    private(set) var heard: [Heard] = []
    private var isGranted = false

    init(_ port: UInt16, topic: String? = nil) throws {
        mosquitto_lib_init()
        handle = try #require(mosquitto_new(nil, true, nil))
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        mosquitto_message_callback_set(handle) { _, owner, message in
            guard let owner, let message = message?.pointee else { return }
            let bytes = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
            Unmanaged<Client>.fromOpaque(owner).takeUnretainedValue().heard.append(
                Heard(text: String(decoding: bytes, as: UTF8.self), isRetained: message.retain))
        }
        mosquitto_subscribe_callback_set(handle) { _, owner, _, _, _ in
            guard let owner else { return }
            Unmanaged<Client>.fromOpaque(owner).takeUnretainedValue().isGranted = true
        }
        try #require(mosquitto_connect(handle, "127.0.0.1", Int32(port), 60) == 0)
        guard let topic else { return }
        mosquitto_subscribe(handle, nil, topic, 1)
        var problem: String?
        _ = eventually {
            problem = step(20)
            return isGranted || problem != nil
        }
        try #require(isGranted, "the broker does not grant \(topic): \(problem ?? "no answer")")
    }

    deinit { mosquitto_destroy(handle) }

    static func canConnect(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(port)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        } == 0
    }

    func say(_ topic: String, _ payload: [UInt8] = [], retained: Bool = false, quality: Int32 = 1) {
        mosquitto_publish(handle, nil, topic, Int32(payload.count), payload, quality, retained)
        while mosquitto_want_write(handle), step(10) == nil {}
        listen(0.05)
    }

    /// Hears for so long.
    func listen(_ seconds: Double) {
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end { step(10) }
    }

    func hears(_ text: String, _ seconds: Double = 60) -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        repeat {
            if heard.contains(where: { $0.text == text }) { return true }
            step(10)
        } while ContinuousClock.now < end
        return false
    }

    /// Waits for the broker, but not longer, and does what there is to do; what went wrong, if anything did.
    ///
    /// Not `mosquitto_loop`: it selects, and refuses descriptors of 1,024 and more, which one of hundreds of tests in
    /// one process may well be given.
    @discardableResult private func step(_ milliseconds: Int32) -> String? {
        let descriptor = mosquitto_socket(handle)
        guard descriptor >= 0 else {
            usleep(UInt32(milliseconds) * 1000)
            return "not connected"
        }
        let events = Int16(POLLIN) | (mosquitto_want_write(handle) ? Int16(POLLOUT) : 0)
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        poll(&entry, 1, milliseconds)
        var code = Int32(MOSQ_ERR_SUCCESS.rawValue)
        if entry.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 { code = mosquitto_loop_read(handle, 1) }
        if code == 0, mosquitto_want_write(handle) { code = mosquitto_loop_write(handle, 1) }
        if code == 0 { code = mosquitto_loop_misc(handle) }
        return code == 0 ? nil : String(cString: mosquitto_strerror(code))
    }
}
