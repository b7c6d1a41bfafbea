// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A ``VirtualAir`` for hosts in other processes: each connection to a UNIX socket gets a controller of its own. Use it on
/// one thread.
public final class AirServer {
    /// The settings of a server: sockets, time, randomness and the model of the controllers.
    public struct Configuration: Sendable {
        /// The path of the socket for hosts, 1 to 107 bytes without NUL.
        public var socket: String
        /// The path of the control socket, 1 to 107 bytes without NUL; `nil` for none. Its lines are those of
        /// docs/virtual-air.md, 65,536 bytes at most.
        public var control: String?
        /// The seed of everything random, 1 unless set. Hosts in other processes still connect and send at times of their
        /// own.
        public var seed: UInt64 = 1
        /// The virtual seconds per real second, 0.001 to 1,000,000; 1 unless set. ``AirServer/init(_:)`` checks it.
        public var speed = 1.0
        /// Whether time stands still until the control socket says `resume` or `advance`; `false` unless set.
        public var isPaused = false
        /// The model of every controller that hosts get.
        public var model = ControllerModel()
        /// The phones, places and faults; `nil` for an empty room.
        public var scenario: Scenario?
        /// The civil time at virtual time zero in Unix seconds, not checked; the epoch of ``scenario`` replaces it if there
        /// is one.
        public var epoch: Int64

        /// Creates settings for a server in real time at `socket` (a path), without a control socket and without a
        /// scenario. `epoch` is in Unix seconds.
        public init(socket: String, epoch: Int64) {
            self.socket = socket
            self.epoch = epoch
        }
    }

    /// Real time that one turn spends on the air before sockets are looked at again.
    private static let turn = Duration.milliseconds(20)
    /// A control line of more bytes is refused.
    private static let lineLimit = 65_536
    /// A host that leaves so much unread is not read from, either.
    private static let backlogLimit = 262_144
    /// `advance` is faster than any radio, so it waits this long for a host that has not read everything; then the host is slow
    /// and loses reports.
    private static let timeout = Duration.seconds(1)

    let air: VirtualAir
    private let configuration: Configuration
    private let hostListener: UnixListener
    private let controlListener: UnixListener?
    private let stop: Int32
    private var clock: LiveClock
    private var hosts: [(connection: StreamConnection, id: NodeID, peer: pid_t)] = []
    private var controls: [StreamConnection] = []
    /// Controllers whose host may come back: after a power cycle, or with a fault at work.
    private var waiting: [(peer: pid_t, id: NodeID)] = []
    private var advances: [(connection: StreamConnection, target: Duration)] = []
    private var isQuitting = false
    /// Since when `advance` has been waiting for hosts to read.
    private var stalledSince: Duration?

    /// Listens on the sockets and puts the scenario into the air. From now on SIGTERM and SIGINT end ``run()``, and the
    /// process may open as many descriptors as the system allows. Throws `invalidRequest` when the speed is out of range,
    /// `pathInUse` when another process listens at a path, `pathNotUsable` when a path is no socket or has a wrong length,
    /// and `system` when the system refuses a call.
    public init(_ configuration: Configuration) throws(VirtualAirError) {
        self.configuration = configuration
        guard Limits.speed.range.contains(configuration.speed) else {
            throw VirtualAirError(.invalidRequest, "speed takes 0.001 to 1,000,000")
        }
        air = VirtualAir(seed: configuration.seed)
        air.epoch = configuration.epoch
        configuration.scenario?.begin(in: air)
        hostListener = try UnixListener(path: configuration.socket)
        var controlListener: UnixListener?
        if let path = configuration.control { controlListener = try UnixListener(path: path) }
        self.controlListener = controlListener
        stop = try StopSignal.install()
        clock = LiveClock(speed: configuration.speed, isPaused: configuration.isPaused)
        // Hundreds of hosts: the soft limit of most systems is 1024 descriptors.
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            limit.rlim_cur = limit.rlim_max
            _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
    }

    /// Serves hosts until a signal or the control socket ends it; blocks until then.
    public func run() {
        clock.jump(to: air.now)
        while !isQuitting {
            let isBehind = passTime()
            writeToHosts()
            closeEnded()
            poll(isBehind: isBehind)
        }
        for connection in controls { connection.flush() }
    }

    // MARK: Time

    /// Whether there is more to do at once.
    private func passTime() -> Bool {
        if isWaitingForHosts() { return true }
        let deadline = LiveClock.monotonic() + Self.turn
        // In the air's own resolution: the rest of a microsecond would never be reached.
        let target = Duration.microseconds((advances.first?.target ?? clock.now).microseconds)
        while air.now < target {
            air.advance(to: min(target, air.now + .milliseconds(100)))
            // While nobody scans, long stretches are one step.
            if air.scanners.isEmpty, let next = air.nextEvent, next > air.now { air.advance(to: min(target, next)) }
            if air.scanners.isEmpty, air.nextEvent == nil { air.advance(to: target) }
            // Hosts hear of it before time goes on, and may answer: in a fast air, too, they live by virtual time.
            if writeToHosts() || LiveClock.monotonic() >= deadline { break }
        }
        guard air.now >= target else { return true }
        // Events of this very moment that a command has caused.
        air.advance(to: target)
        if let done = advances.first {
            advances.removeFirst()
            clock.jump(to: air.now)
            var reply = ControlReply()
            reply.now = air.now.inSeconds
            done.connection.send(reply.line)
            done.connection.isWaiting = false
            performLines(of: done.connection)
        }
        return !advances.isEmpty
    }

    private func isWaitingForHosts() -> Bool {
        guard !advances.isEmpty, hosts.contains(where: { $0.connection.pending > 0 }) else {
            stalledSince = nil
            return false
        }
        let since = stalledSince ?? LiveClock.monotonic()
        stalledSince = since
        return LiveClock.monotonic() - since < Self.timeout
    }

    private func timeout(isBehind: Bool) -> Int32 {
        // A host that reads wakes the poll; until then there is nothing to do.
        if isBehind { return stalledSince == nil ? 0 : 5 }
        guard let next = air.nextEvent, let wait = clock.wait(until: next) else { return -1 }
        return Int32(min(60_000, (wait.inSeconds * 1_000).rounded(.up)))
    }

    // MARK: Sockets

    private func poll(isBehind: Bool) {
        var entries = [pollfd(fd: stop, events: Int16(POLLIN), revents: 0)]
        entries.append(pollfd(fd: hostListener.descriptor, events: Int16(POLLIN), revents: 0))
        entries.append(pollfd(fd: controlListener?.descriptor ?? -1, events: Int16(POLLIN), revents: 0))
        let (hosts, controls) = (hosts, controls)
        for connection in hosts.map(\.connection) + controls {
            var events = connection.pending > 0 ? Int16(POLLOUT) : 0
            if connection.pending < Self.backlogLimit, !connection.isWaiting { events |= Int16(POLLIN) }
            entries.append(pollfd(fd: connection.descriptor, events: events, revents: 0))
        }
        let count = Glibc.poll(&entries, nfds_t(entries.count), timeout(isBehind: isBehind))
        guard count > 0 else { return }
        // What the hosts say belongs to the moment at which they said it.
        if advances.isEmpty { _ = passTime() }
        if entries[0].revents != 0 { isQuitting = true }
        for (index, host) in hosts.enumerated() where entries[3 + index].revents != 0 {
            host.connection.flush()
            if entries[3 + index].revents & ~Int16(POLLOUT) != 0 { read(host.connection, of: host.id) }
        }
        for (index, control) in controls.enumerated() where entries[3 + hosts.count + index].revents != 0 {
            control.flush()
            let isReadable = entries[3 + hosts.count + index].revents & Int16(POLLIN) != 0
            let isGone = entries[3 + hosts.count + index].revents & Int16(POLLERR | POLLNVAL) != 0
            if isGone || (isReadable && !control.isWaiting) { read(control) }
            if entries[3 + hosts.count + index].revents & Int16(POLLHUP) != 0, !isReadable { control.isEnding = true }
        }
        if entries[1].revents != 0 { acceptHosts() }
        if entries[2].revents != 0 {
            while let descriptor = controlListener?.accept() { self.controls.append(StreamConnection(descriptor)) }
        }
    }

    private func acceptHosts() {
        while let descriptor = hostListener.accept() {
            let connection = StreamConnection(descriptor)
            let peer = UnixListener.peer(of: descriptor)
            // The process that lost its controller, or one that was started in its place, gets the same one back.
            let place =
                waiting.firstIndex { $0.peer == peer }
                ?? waiting.firstIndex { kill($0.peer, 0) != 0 && errno == ESRCH }
            if let place {
                let id = waiting[place].id
                guard air.contains(id) else {
                    waiting.remove(at: place)
                    hosts.append((connection, attach(), peer))
                    continue
                }
                // Away: closed again at once.
                guard air.reattach(id) else {
                    waiting[place].peer = peer
                    continue
                }
                waiting.remove(at: place)
                hosts.append((connection, id, peer))
            } else {
                hosts.append((connection, attach(), peer))
            }
        }
    }

    private func attach() -> NodeID {
        let id = air.attach(configuration.model)
        configuration.scenario?.place(id, in: air)
        return id
    }

    private func read(_ connection: StreamConnection, of id: NodeID) {
        guard let bytes = connection.receive() else {
            connection.isEnding = true
            return air.detach(id)
        }
        air.write(bytes, to: id)
    }

    /// Whether there was anything.
    @discardableResult
    private func writeToHosts() -> Bool {
        var isAnything = false
        for host in hosts {
            // What a slow host has not taken stays with its controller, which drops reports and never answers.
            guard host.connection.pending < Self.backlogLimit / 4 else { continue }
            let bytes = air.takeOutput(of: host.id)
            guard !bytes.isEmpty else { continue }
            host.connection.send(bytes)
            isAnything = true
        }
        return isAnything
    }

    private func closeEnded() {
        hosts.removeAll { host in
            guard host.connection.isBroken || host.connection.isEnding || !air.isConnected(host.id) else { return false }
            let isHostsOwnDoing = host.connection.isBroken || host.connection.isEnding
            air.detach(host.id)
            if !air.contains(host.id) { return true }
            if isHostsOwnDoing, air.faults(of: host.id).isEmpty {
                air.remove(host.id)
            } else {
                waiting.append((host.peer, host.id))
            }
            return true
        }
        controls.removeAll { $0.isBroken || ($0.isEnding && $0.pending == 0) }
        advances.removeAll { advance in advance.connection.isBroken || advance.connection.isEnding }
    }
}

// MARK: - Control

extension AirServer {
    private func read(_ connection: StreamConnection) {
        guard let bytes = connection.receive() else {
            connection.isEnding = true
            return
        }
        connection.input += bytes
        performLines(of: connection)
    }

    private func performLines(of connection: StreamConnection) {
        var start = 0
        while !connection.isEnding, !connection.isWaiting {
            let rest = connection.input[start...]
            guard let end = rest.firstIndex(of: 0x0A), end - start <= Self.lineLimit else {
                if rest.count > Self.lineLimit {
                    let error = VirtualAirError(.invalidRequest, "a line has at most \(Self.lineLimit) bytes")
                    connection.send(ControlReply(refusing: error).line)
                    connection.isEnding = true
                }
                break
            }
            start = end + 1
            perform(Array(rest[..<end]), for: connection)
        }
        connection.input.removeFirst(start)
    }

    private func perform(_ line: [UInt8], for connection: StreamConnection) {
        var reply = ControlReply()
        do {
            switch try ControlOperations(air: air).perform(line) {
            case .reply(let answer): reply = answer
            case .speed(let speed): clock.set(speed: speed)
            case .pause(let isPaused): clock.set(isPaused: isPaused)
            case .advance(let target):
                connection.isWaiting = true
                return advances.append((connection, target))
            case .statistics: reply = statistics()
            case .quit: isQuitting = true
            }
        } catch {
            reply = ControlReply(refusing: error)
        }
        connection.send(reply.line)
    }

    private func statistics() -> ControlReply {
        let statistics = air.statistics
        var reply = ControlReply()
        reply.now = air.now.inSeconds
        reply.speed = clock.speed
        reply.paused = clock.isPaused
        reply.sent = statistics.transmitted
        reply.delivered = statistics.delivered
        reply.dropped = statistics.droppedReports
        reply.devices = statistics.devices
        reply.scanners = statistics.scanners
        reply.connections = hosts.count
        return reply
    }
}
