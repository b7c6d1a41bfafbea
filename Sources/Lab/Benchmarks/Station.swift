// SPDX-License-Identifier: Apache-2.0

import BoardClock
import Glibc
import TimeTrust
import VirtualAir

/// Controllers on a UNIX socket that write down when their hosts put something on air or began to listen. One thread, real time.
final class Station {
    /// What one host did, in nanoseconds of the boot clock. A host that comes back after its connection ended is a new one.
    final class Host {
        let node: NodeID
        let process: pid_t
        fileprivate let connection: StreamConnection
        /// When advertising was switched on, each with the data that was on air then.
        fileprivate(set) var onAir: [(moment: Int64, data: [UInt8])] = []
        fileprivate(set) var scans: [Int64] = []
        private var input: [UInt8] = []
        private var data: [UInt8] = []

        fileprivate init(_ connection: StreamConnection, node: NodeID, process: pid_t) {
            self.connection = connection
            self.node = node
            self.process = process
        }

        /// Looks for the commands that count (Core Specification, Vol 4 Part E 7.8.7, 7.8.9, 7.8.11).
        fileprivate func note(_ bytes: [UInt8], at moment: Int64) {
            input += bytes
            while input.count >= 4, input.count >= 4 + Int(input[3]) {
                let parameters = Array(input[4..<(4 + Int(input[3]))])
                switch UInt16(input[1]) | UInt16(input[2]) << 8 {
                case 0x2008: data = parameters
                case 0x200A where parameters.first == 1: onAir.append((moment, data))
                case 0x200C where parameters.first == 1: scans.append(moment)
                default: break
                }
                input.removeFirst(4 + parameters.count)
            }
        }
    }

    let air = VirtualAir(seed: 1)
    let socket: String
    /// Hosts that are there, and those that are gone.
    private(set) var hosts: [Host] = []
    /// How late this process itself was woken, nanoseconds: what the hosts' figures can be trusted to.
    private(set) var ownLateness: [Int64] = []
    /// Called for each new host, to put its controller somewhere or to afflict it.
    var arrival: ((NodeID) -> Void)?

    private let listener: UnixListener
    private let begin = Station.now
    private var live: [Host] = []

    static var now: Int64 { BoardClock.boot().nanoseconds }

    init(socket: String) throws {
        self.socket = socket
        listener = try UnixListener(path: socket)
    }

    /// The host that a process is, if it has connected.
    func host(of process: pid_t) -> Host? { hosts.last { $0.process == process } }

    /// Serves for `seconds`, or until `isOver`.
    func serve(seconds: Double, until isOver: () -> Bool = { false }) {
        let end = Self.now + Int64(seconds * 1e9)
        while !isOver(), Self.now < end { turn(until: end) }
    }

    private func passTime() {
        air.advance(to: .nanoseconds(Self.now - begin))
        for host in live where host.connection.pending == 0 { host.connection.send(air.takeOutput(of: host.node)) }
    }

    private func turn(until end: Int64) {
        passTime()
        live.removeAll { host in
            guard host.connection.isBroken || host.connection.isEnding || !air.isConnected(host.node) else { return false }
            air.remove(host.node)
            return true
        }
        var entries = [pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)]
        for host in live {
            let events = host.connection.pending > 0 ? POLLIN | POLLOUT : POLLIN
            entries.append(pollfd(fd: host.connection.descriptor, events: Int16(events), revents: 0))
        }
        var due = end
        if let next = air.nextEvent { due = min(due, begin + Int64(next.seconds * 1e9)) }
        let wait = max(0, (due - Self.now + 999_999) / 1_000_000)
        let planned = Self.now + wait * 1_000_000
        let count = poll(&entries, nfds_t(entries.count), Int32(clamping: wait))
        let moment = Self.now
        if count == 0, wait > 0 { ownLateness.append(max(0, moment - planned)) }
        passTime()
        for (index, host) in live.enumerated() where entries[1 + index].revents != 0 {
            host.connection.flush()
            guard entries[1 + index].revents & ~Int16(POLLOUT) != 0 else { continue }
            guard let bytes = host.connection.receive() else {
                host.connection.isEnding = true
                continue
            }
            host.note(bytes, at: moment)
            air.write(bytes, to: host.node)
            if host.connection.pending == 0 { host.connection.send(air.takeOutput(of: host.node)) }
        }
        while let descriptor = listener.accept() {
            // What a socket holds back for a slow host: some hundred reports, like a controller, and not thousands.
            var size: Int32 = 16_384
            setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
            let host = Host(
                StreamConnection(descriptor), node: air.attach(ControllerModel()),
                process: UnixListener.peer(of: descriptor))
            arrival?(host.node)
            live.append(host)
            hosts.append(host)
        }
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
