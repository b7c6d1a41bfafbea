// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HTTPService

/// The authority at work: answers boards, takes keys, publishes when an hour is over or the configuration changed, wakes
/// boards. One thread at a time.
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

    /// Opens database and sockets; boards and programs are answered from now on, on threads of the servers, until the object goes. Nothing is
    /// published before ``run(signals:)``. `publishesAtOnce` (for demonstrations) makes keys public within seconds of being handed in. `log` gets
    /// one line at a time, never with a key in it, on the thread of ``run(signals:)``.
    ///
    /// Throws `listenFailed`, the operator's files' faults when no board could read what is published (``HealthAuthority/requireFittingRules()``),
    /// and what the state folder refuses.
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
        publicServer = try HTTPServer(
            address: settings.http.address, port: settings.http.port, clock: clock,
            handler: PublicHandler(folder: folder, time: time))
        let admin = try HealthAuthority(folder: folder, settings: settings)
        adminServer = try HTTPServer(
            address: "127.0.0.1", port: settings.http.adminPort, clock: clock,
            handler: try AdminHandler(authority: admin, clock: clock))
    }

    /// The port that boards are answered on, also where the settings asked for any free one.
    public var port: UInt16 { publicServer.port }
    /// The port that keys are handed in on, at 127.0.0.1, also where the settings asked for any free one.
    public var adminPort: UInt16 { adminServer.port }

    /// Works until `signals` (a descriptor of `vigil_signal_descriptor`) gives another signal than SIGHUP; blocks the calling thread until then.
    /// SIGHUP publishes what is due at once. What fails is logged, and tried again after a minute. Cannot fail.
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
        return [folder.configurationFile, folder.riskFile, folder.contentFile].map { path in
            var information = stat()
            guard stat(path, &information) == 0 else { return [] }
            return [
                Int64(information.st_ino), Int64(information.st_size), Int64(information.st_mtim.tv_sec),
                Int64(information.st_mtim.tv_nsec),
            ]
        }
    }
}
