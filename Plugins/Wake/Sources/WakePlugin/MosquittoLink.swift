// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc
import WakePlan

/// One connection to a broker, from its first byte to its last; for the next there is another. The only Swift that talks to libmosquitto.
///
/// No thread: its owner polls ``descriptor`` and calls ``serve(readable:writable:)``. A random client identifier, made for this
/// connection, and a clean session: the broker keeps nothing of it, and cannot tell two connections of one board from two boards.
final class MosquittoLink {
    enum Event {
        /// The broker has let us in and gives us the topic.
        case open
        case message(WakeEngine.Message)
    }

    /// What a broker of version 5 is told not to exceed.
    private static let packetLimit: UInt32 = 65_536
    /// A message with the number of the one before, so soon after it, is that one.
    private static let repeatSpan = 60
    /// Sockets and memory of libmosquitto, once.
    private static let isReady: Bool = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

    private let handle: OpaquePointer
    private let settings: WakeSettings
    private var events: [Event] = []
    private var failure: LinkFailure?
    private var tls = ""
    private(set) var isOpen = false
    private var lastNumber: (number: Int32, time: time_t)?

    /// Starts connecting, through the way out. Throws what is known at once.
    init(_ settings: WakeSettings, files: KeyFiles, through socks: SocksAddress) throws(LinkFailure) {
        var random = SystemRandomNumberGenerator()
        let name = "v" + String(UInt64.random(in: .min ... .max, using: &random), radix: 36)
        guard Self.isReady, let handle = mosquitto_new(name, true, nil) else { throw LinkFailure(.unusableSettings) }
        self.handle = handle
        self.settings = settings
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        setCallbacks()
        try configure(files, socks)
        let result = connect()
        guard result == MOSQ_ERR_SUCCESS.rawValue else { throw LinkFailure(result, tls: tls, wasOpen: false) }
    }

    deinit { mosquitto_destroy(handle) }

    /// What to poll; `nil` when the connection is over.
    var descriptor: Int32? {
        let descriptor = mosquitto_socket(handle)
        return descriptor >= 0 ? descriptor : nil
    }

    var wantsToWrite: Bool { mosquitto_want_write(handle) }

    /// Does what the descriptor is ready for, and what is due by the clock. Throws when the connection is over.
    func serve(readable: Bool, writable: Bool) throws(LinkFailure) -> [Event] {
        var result = MOSQ_ERR_SUCCESS.rawValue
        let good = result
        if readable { result = numeric(mosquitto_loop_read(handle, 1)) }
        if result == good, writable { result = numeric(mosquitto_loop_write(handle, 1)) }
        if result == good { result = numeric(mosquitto_loop_misc(handle)) }
        if let failure { throw failure }
        guard result == good, descriptor != nil else { throw LinkFailure(Int32(result), tls: tls, wasOpen: isOpen) }
        defer { events = [] }
        return events
    }

    /// Says good-bye: the broker does not send the last will then, so the same is said before.
    func leave() {
        if isOpen { say("gone") }
        mosquitto_disconnect(handle)
        _ = mosquitto_loop_write(handle, 8)
    }

    private func numeric(_ result: Int32) -> mosq_err_t.RawValue { mosq_err_t.RawValue(truncatingIfNeeded: result) }

    private func configure(_ files: KeyFiles, _ socks: SocksAddress) throws(LinkFailure) {
        var results: [Int32] = []
        let version = settings.mqtt == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        results.append(mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, version))
        results.append(mosquitto_socks5_set(handle, socks.host, socks.port, socks.user, socks.password))
        if settings.tls {
            let folder = files.authorities == nil ? "/etc/ssl/certs" : nil
            results.append(
                mosquitto_tls_set(handle, files.authorities, folder, files.certificate, files.key, nil))
            // 1: the broker must prove who it is. TLS 1.2 at least.
            results.append(mosquitto_tls_opts_set(handle, 1, "tlsv1.2", nil))
        }
        if !settings.user.isEmpty {
            results.append(
                mosquitto_username_pw_set(handle, settings.user, settings.password.isEmpty ? nil : settings.password))
        }
        if settings.status {
            let word = Array("gone".utf8)
            // Not retained: a retained message would be that of one board, the last one.
            results.append(mosquitto_will_set(handle, settings.statusTopic, Int32(word.count), word, 0, false))
        }
        guard results.allSatisfy({ $0 == MOSQ_ERR_SUCCESS.rawValue }) else { throw LinkFailure(.unusableSettings) }
    }

    /// To the way out, which is on this machine: nothing that could take long.
    private func connect() -> Int32 {
        let (host, port, keepAlive) = (settings.host, Int32(settings.port), Int32(settings.keepAliveSeconds))
        guard settings.mqtt == .v5 else { return mosquitto_connect_bind_async(handle, host, port, keepAlive, nil) }
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), Self.packetLimit)
        return mosquitto_connect_bind_v5(handle, host, port, keepAlive, nil, properties)
    }

    private func say(_ word: String) {
        guard settings.status else { return }
        let bytes = Array(word.utf8)
        mosquitto_publish(handle, nil, settings.statusTopic, Int32(bytes.count), bytes, 0, false)
    }

    // MARK: What libmosquitto tells

    private func setCallbacks() {
        mosquitto_connect_v5_callback_set(handle) { _, owner, answer, _, _ in
            MosquittoLink.from(owner)?.wasAnswered(answer)
        }
        mosquitto_subscribe_callback_set(handle) { _, owner, _, count, granted in
            MosquittoLink.from(owner)?.wasGranted(count > 0 ? granted?.pointee : nil)
        }
        mosquitto_message_callback_set(handle) { _, owner, message in
            guard let message else { return }
            MosquittoLink.from(owner)?.hear(message.pointee)
        }
        mosquitto_log_callback_set(handle) { _, owner, level, text in
            guard level == MOSQ_LOG_ERR, let text else { return }
            MosquittoLink.from(owner)?.note(String(cString: text))
        }
    }

    private static func from(_ owner: UnsafeMutableRawPointer?) -> MosquittoLink? {
        owner.map { Unmanaged<MosquittoLink>.fromOpaque($0).takeUnretainedValue() }
    }

    private func wasAnswered(_ answer: Int32) {
        guard answer == 0 else { return failure = LinkFailure(answer: answer) }
        let result = mosquitto_subscribe(handle, nil, settings.wakeTopic, 1)
        if result != MOSQ_ERR_SUCCESS.rawValue { failure = LinkFailure(.lost) }
    }

    private func wasGranted(_ quality: Int32?) {
        guard let quality, quality < 0x80 else { return failure = LinkFailure(.topicRefused) }
        isOpen = true
        events.append(.open)
        say("here")
    }

    private func hear(_ message: mosquitto_message) {
        guard let topic = message.topic, strcmp(topic, settings.wakeTopic) == 0 else { return }
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let isRepeated =
            message.qos > 0
            && lastNumber.map { $0.number == message.mid && now.tv_sec - $0.time < Self.repeatSpan } ?? false
        if message.qos > 0 { lastNumber = (message.mid, now.tv_sec) }
        events.append(
            .message(
                WakeEngine.Message(
                    isRetained: message.retain, isRepeated: isRepeated, payloadByteCount: Int(message.payloadlen))))
    }

    /// Only TLS complains here, in OpenSSL's words. What it says decides what we say; it goes no further.
    private func note(_ text: String) {
        if tls.utf8.count < 4096 { tls += text + "\n" }
    }
}
