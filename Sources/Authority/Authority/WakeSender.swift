// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc

/// Tells a broker to wake the boards of regions: an empty message per region, QoS 1, never retained, over one connection that is made
/// for it and closed again. The only Swift here that talks to libmosquitto. Blocks.
struct WakeSender {
    private let rules: AuthoritySettings.WakeRules
    private let password: String?
    /// For everything together.
    private static let timeout: Duration = .seconds(20)

    init(_ rules: AuthoritySettings.WakeRules) throws(AuthorityError) {
        self.rules = rules
        guard let file = rules.passwordFile else {
            password = nil
            return
        }
        try FileWork.requirePrivate(file)
        let bytes = try FileWork.read(file, limit: 4_096)
        password = String(decoding: bytes.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
    }

    func topic(_ region: String) -> String { "\(rules.topicPrefix)/\(region)/wake" }

    /// What the callbacks note; they run within `mosquitto_loop`, on this thread.
    private final class Progress {
        var connection: Int32?
        var confirmed: Set<Int32> = []
    }

    /// Publishes to the topics of `regions`; throws `brokerFailed` unless the broker confirmed all of them.
    func send(to regions: [String]) throws(AuthorityError) {
        _ = Self.isLibraryReady
        let progress = Progress()
        let context = Unmanaged.passUnretained(progress).toOpaque()
        guard let client = mosquitto_new(rules.clientIdentifier, true, context) else {
            throw AuthorityError(.brokerFailed, "the client identifier \(rules.clientIdentifier) cannot be used")
        }
        defer {
            mosquitto_destroy(client)
            withExtendedLifetime(progress) {}
        }
        try prepare(client)
        mosquitto_connect_callback_set(client) { _, context, code in
            guard let context else { return }
            Unmanaged<Progress>.fromOpaque(context).takeUnretainedValue().connection = code
        }
        mosquitto_publish_callback_set(client) { _, context, message in
            guard let context else { return }
            Unmanaged<Progress>.fromOpaque(context).takeUnretainedValue().confirmed.insert(message)
        }
        // Without waiting: an address that swallows everything would hold the service up for minutes.
        try check(
            mosquitto_connect_async(client, rules.host, Int32(rules.port), 30), "connect to \(rules.host):\(rules.port)")
        let deadline = ContinuousClock().now + Self.timeout
        func turn(_ action: String) throws(AuthorityError) {
            guard ContinuousClock().now < deadline else {
                throw AuthorityError(.brokerFailed, "\(action): no answer in time")
            }
            try check(mosquitto_loop(client, 200, 1), action)
            if progress.connection == nil { try checkConnection(client, action) }
        }
        while progress.connection == nil { try turn("be let in") }
        if let code = progress.connection, code != 0 {
            throw AuthorityError(.brokerFailed, "refused: \(String(cString: mosquitto_connack_string(code)))")
        }
        var messages: Set<Int32> = []
        for region in regions {
            var message: Int32 = 0
            try check(mosquitto_publish(client, &message, topic(region), 0, nil, 1, false), "publish")
            messages.insert(message)
        }
        while !messages.isSubset(of: progress.confirmed) { try turn("have the message confirmed") }
        mosquitto_disconnect(client)
    }

    private func prepare(_ client: OpaquePointer) throws(AuthorityError) {
        if rules.username != nil || password != nil {
            try check(
                mosquitto_username_pw_set(client, rules.username ?? rules.clientIdentifier, password), "set the password")
        }
        if let authorities = rules.caFile {
            try check(
                mosquitto_tls_set(client, authorities, nil, rules.certificateFile, rules.keyFile, nil),
                "read the certificates")
            try check(mosquitto_tls_opts_set(client, 1, "tlsv1.2", nil), "set up TLS")
        }
    }

    /// libmosquitto 2.0 takes a connection over TLS that was refused or reset for one that is being made, and asks again without a pause.
    private func checkConnection(_ client: OpaquePointer, _ action: String) throws(AuthorityError) {
        var socket = pollfd(fd: mosquitto_socket(client), events: 0, revents: 0)
        guard poll(&socket, 1, 0) == 1, socket.revents & Int16(POLLHUP | POLLERR) != 0 else { return }
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket.fd, SOL_SOCKET, SO_ERROR, &error, &length)
        // Whoever looked at the error before took it away.
        let reason = error == 0 ? nil : strerror(error).map { String(cString: $0) }
        throw AuthorityError(
            .brokerFailed, "cannot \(action): \(reason ?? "\(rules.host):\(rules.port) refused or closed the connection")")
    }

    private func check(_ status: Int32, _ action: String) throws(AuthorityError) {
        let number = errno
        guard status != Int32(MOSQ_ERR_SUCCESS.rawValue) else { return }
        let reason =
            status == Int32(MOSQ_ERR_ERRNO.rawValue)
            ? strerror(number).map { String(cString: $0) } : mosquitto_strerror(status).map { String(cString: $0) }
        throw AuthorityError(.brokerFailed, "cannot \(action): \(reason ?? "status \(status)")")
    }

    // The library asks for one call before all others.
    private static let isLibraryReady: Bool = mosquitto_lib_init() == 0
}

extension HealthAuthority {
    /// Wakes the boards of every region that waits for it at `now` (Unix seconds). Returns the names of these regions,
    /// sorted; empty without a broker. Blocks for up to 20 seconds.
    ///
    /// Throws `brokerFailed` when the broker is not reached or does not confirm every message; the regions then stay noted
    /// for an hour. Throws `stateUnusable` when the password file cannot be read or can be read by others than its owner,
    /// and `stateUnusable`, `stateDamaged`, `inUse` or `full` when the database fails.
    public func sendWakes(now: Int64) throws(AuthorityError) -> [String] {
        guard let rules = settings.wake else { return [] }
        let regions = try pendingWakes()
        guard !regions.isEmpty else { return [] }
        let sender = try WakeSender(rules)
        try sender.send(to: regions)
        for region in regions { try noteWake(region, topic: sender.topic(region), now: now) }
        return regions
    }
}
