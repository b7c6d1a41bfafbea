// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HTTPService

/// A running authority: it answers boards, takes keys, publishes when an hour is over or an operator's file changed, and
/// wakes boards. Use one instance on one thread at a time; its two servers have threads of their own.
public final class AuthorityService {
    private let authority: HealthAuthority
    private let clock: AuthorityClock
    private let publishesAtOnce: Bool
    private let log: (String) -> Void
    private let publicServer: HTTPServer
    private let adminServer: HTTPServer

    private var publishedHour: Int64?
    private var seenConfiguration: [[Int64]] = []
    private var seenFault: String?
    private var quietUntil: Int64 = 0
    private var nextWake: Int64 = 0
    private var wakeFault: String?

    /// Opens the database and both sockets. From now until the object is released, boards and local programs are answered
    /// on the servers' threads. Nothing is published before ``run(signals:)``. With `publishesAtOnce` (for demonstrations)
    /// keys become public within seconds of being handed in. `log` gets one line at a time, never with a key in it, on the
    /// thread of ``run(signals:)``.
    ///
    /// Throws `listenFailed` when an address cannot be listened on; `invalidRiskConfiguration` or `invalidConfiguration` as
    /// ``HealthAuthority/requireFittingRules()`` does; `stateUnusable` when a token or the time key cannot be read;
    /// `cryptography` when that key is no P-256 key; and `stateUnusable`, `stateTooNew`, `stateDamaged`, `inUse` or `full`
    /// when the database cannot be opened.
    public init(
        folder: StateFolder, settings: AuthoritySettings, clock: AuthorityClock, publishesAtOnce: Bool,
        log: @escaping (String) -> Void
    ) throws(AuthorityError) {
        authority = try HealthAuthority(folder: folder, settings: settings)
        try authority.requireFittingRules()
        self.clock = clock
        self.publishesAtOnce = publishesAtOnce
        self.log = log
        let time = try TimeService(folder: folder, settings: settings, clock: clock)
        let registration =
            settings.swissCovid == nil ? nil : RegistrationRoute(try HealthAuthority(folder: folder, settings: settings))
        publicServer = try HTTPServer(
            address: settings.http.address, port: settings.http.port, clock: clock,
            handler: PublicHandler(folder: folder, time: time, clock: clock, registration: registration))
        let admin = try HealthAuthority(folder: folder, settings: settings)
        adminServer = try HTTPServer(
            address: "127.0.0.1", port: settings.http.adminPort, clock: clock,
            handler: try AdminHandler(authority: admin, clock: clock))
    }

    /// The port on which boards are answered, above 0: the one in the settings, or the free one that was taken for 0.
    public var port: UInt16 { publicServer.port }
    /// The port of 127.0.0.1 on which keys are handed in, above 0: the one in the settings, or the free one that was taken
    /// for 0.
    public var adminPort: UInt16 { adminServer.port }

    /// Publishes and wakes boards until `signals` (a descriptor of `vigil_signal_descriptor`) delivers a signal
    /// other than SIGHUP; blocks the calling thread until then. It looks for work every second; SIGHUP makes it
    /// publish at once. A failure is logged, once if it repeats, and the work is tried again after a minute; a
    /// broker that fails is tried again after 30 seconds, without holding up publication. Cannot fail.
    public func run(signals: Int32) {
        turn()
        while true {
            var entry = pollfd(fd: signals, events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, 1_000)
            while case let number = vigil_signal_take(signals), number != 0 {
                guard number == SIGHUP else { return }
                publishedHour = nil
                quietUntil = 0
            }
            turn()
        }
    }

    /// Does what is due. After a fault nothing is tried for a minute.
    func turn() {
        let now = clock.seconds()
        guard now >= quietUntil else { return }
        do throws(AuthorityError) {
            try publishIfDue(now: now)
            try wakeIfDue(now: now)
            if seenFault != nil { log("works again") }
            seenFault = nil
        } catch {
            quietUntil = now + 60
            if seenFault != "\(error)" { log("\(error)") }
            seenFault = "\(error)"
        }
    }

    private func publishIfDue(now: Int64) throws(AuthorityError) {
        let hour = Hour.containing(now - authority.settings.publishing.delaySeconds)
        let configuration = configurationStamp()
        let isEarly = publishesAtOnce ? try authority.hasKeysToPublishEarly(now: now) : false
        guard hour != publishedHour || configuration != seenConfiguration || isEarly else { return }
        let report = try authority.publish(now: now, early: isEarly)
        publishedHour = hour
        seenConfiguration = configuration
        for fault in report.configurationFaults { log("\(fault)") }
        for package in report.packages { log("published \(package.path): \(package.keys) keys, \(package.bytes) bytes") }
        if report.isChanged, report.packages.isEmpty { log("published the configuration or lists anew") }
    }

    private func wakeIfDue(now: Int64) throws(AuthorityError) {
        guard authority.settings.wake != nil, now >= nextWake else { return }
        // A broker that is down is asked every half minute, and must not keep keys from being published.
        nextWake = now + 1
        do throws(AuthorityError) {
            for region in try authority.sendWakes(now: now) { log("woke \(region)") }
            wakeFault = nil
        } catch  where error.code == .brokerFailed {
            nextWake = now + 30
            if wakeFault != "\(error)" { log("\(error)") }
            wakeFault = "\(error)"
        }
    }

    /// Changes when one of the operator's files does.
    private func configurationStamp() -> [[Int64]] {
        let folder = authority.folder
        return [folder.configurationFile, folder.riskFile, folder.contentFile, folder.donationFile].map { path in
            var information = stat()
            guard stat(path, &information) == 0 else { return [] }
            return [
                Int64(information.st_ino), Int64(information.st_size), Int64(information.st_mtim.tv_sec),
                Int64(information.st_mtim.tv_nsec),
            ]
        }
    }
}
