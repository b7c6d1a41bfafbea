// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import Socks
import SystemCalls

/// One connection of a caller, from its greeting to its end. It watches its descriptors itself; its service calls it when its ``deadline`` has
/// come.
final class Session {
    enum Stage {
        /// It says where to.
        case asking
        /// A name is being looked up.
        case resolving
        /// Addresses are being tried.
        case dialing
        /// A proxy is being talked to.
        case proxying
        case relaying
        /// It was refused and is given the time to read so.
        case parting
        case closed
    }

    let caller: Caller
    unowned let service: EgressService
    private let client: Int32
    private var clientWatch: EventLoop.Watch?
    var peer: Int32 = -1
    var peerWatch: EventLoop.Watch?

    var stage = Stage.asking
    /// When something is to be done though no descriptor is ready.
    private(set) var deadline: Duration
    private var server: SocksServer
    /// What let it through; `nil` before.
    private(set) var rule: AllowRule?
    var dial: Dial?
    /// Until when an address must have answered, and the proxy.
    var dialEnd = Duration.zero
    var handshake: ProxyHandshake?
    /// What the destination said behind a proxy's last word.
    var early: [UInt8] = []
    private var up = Flow()
    private var down = Flow()

    init(_ client: Int32, of caller: Caller, in service: EgressService, at now: Duration) {
        self.client = client
        self.caller = caller
        self.service = service
        server = SocksServer(credentials: caller.credentials)
        deadline = now + service.limits.request
        caller.unserved += 1
        clientWatch = service.loop.watch(client, for: .reading, rank: .callers) { [self] _ in
            clientIsReady(at: service.loop.now)
        }
    }

    /// The destination it was let through to.
    var destination: Destination? { rule?.destination }

    // MARK: Events

    /// Its client is ready.
    func clientIsReady(at now: Duration) {
        switch stage {
        case .asking: ask(at: now)
        case .relaying: relay(at: now)
        case .parting: part(at: now)
        default: break
        }
    }

    /// The other side, or one of the addresses tried, is ready.
    func peerIsReady(_ descriptor: Int32, at now: Duration) {
        switch stage {
        case .dialing: attemptEnded(descriptor, at: now)
        case .proxying: talkToProxy(at: now)
        case .relaying: relay(at: now)
        default: break
        }
    }

    /// Its name has been looked up.
    func resolved(_ result: Result<[Candidate], Refusal>, at now: Duration) {
        guard stage == .resolving, let rule else { return }
        switch result {
        case .success(let candidates): startDialing(candidates, at: now)
        case .failure(let refusal): refuse(Refusal(refusal.rule, rule.destination), at: now)
        }
    }

    /// Does what is due.
    func tick(at now: Duration) {
        guard now >= deadline else { return }
        switch stage {
        case .asking: refuse(Refusal(.slowRequest), at: now)
        case .resolving: refuse(Refusal(.resolverTimeout, destination), at: now)
        case .dialing:
            if let dial, now < dialEnd { tryNext(dial, at: now) } else { failDial(.connectTimeout, at: now) }
        case .proxying: refuse(Refusal(.proxyFailed, destination), at: now)
        case .relaying, .parting: close()
        case .closed: break
        }
    }

    /// Ends it in the middle, for a reason of the operator's.
    func cut(_ rule: Refusal.Rule?, at now: Duration) {
        guard stage != .closed else { return }
        if let rule { service.note(Refusal(rule, destination), of: caller, at: now) }
        close()
    }

    // MARK: Where to

    private func ask(at now: Duration) {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let outcome = bytes.withUnsafeMutableBytes { Socket.receive(client, $0) }
        guard outcome != .wait else { return }
        guard case .done(let count) = outcome, count > 0 else { return close() }
        let taken = server.receive(bytes[..<count])
        down.hold(server.takeOutput())
        sendToClient()
        guard stage == .asking, let outcome = server.outcome else { return }
        // What a client sends without waiting for the answer is the destination's.
        up.hold(bytes[taken..<count])
        switch outcome {
        case .refused(let refusal): refuse(refusal, at: now)
        case .request(let destination):
            do throws(Refusal) {
                try start(to: destination, at: now)
            } catch {
                refuse(error, at: now)
            }
        }
    }

    private func start(to destination: Destination, at now: Duration) throws(Refusal) {
        let rule = try caller.allowed.rule(for: destination)
        self.rule = rule
        if service.isMetered, !caller.mayUseMetered { throw Refusal(.metered, destination) }
        guard caller.open < service.limits.connectionsPerCaller else {
            throw Refusal(.tooManyConnections, destination)
        }
        if case .address(let address) = destination.host { try rule.judge(address) }
        caller.unserved -= 1
        caller.open += 1
        stage = .resolving
        // Nothing more is read from the client until there is somewhere for it to go.
        clientWatch?.interest = []
        let first: Host
        switch service.proxy {
        case .none: first = destination.host
        case .unusable: return refuse(Refusal(.proxyFailed, destination), at: now)
        case .through(let proxy):
            handshake = proxy.handshake(to: destination)
            first = proxy.destination.host
        }
        switch first {
        case .address(let address): startDialing([Candidate(address)], at: now)
        case .name(let name):
            set(deadline: now + service.limits.resolution)
            guard service.resolver.ask(name, for: self) else {
                return refuse(Refusal(.resolverFailed, destination), at: now)
            }
        }
    }

    // MARK: Back and forth

    func startRelaying(at now: Duration) {
        guard let destination else { return }
        stage = .relaying
        caller.countConnection(to: destination)
        caller.count(sent: up.heldCount, received: early.count, at: destination)
        server.answer(.succeeded)
        down.hold(server.takeOutput() + early)
        early = []
        handshake = nil
        lastProgress = now
        relay(at: now)
    }

    private var lastProgress = Duration.zero

    private func relay(at now: Duration) {
        let sent = up.pump(from: client, to: peer, through: service.buffer)
        let received = down.pump(from: peer, to: client, through: service.buffer)
        if let destination { caller.count(sent: sent.read, received: received.read, at: destination) }
        guard !sent.isBroken, !received.isBroken, !(up.isFinished && down.isFinished) else { return close() }
        if sent.isAny || received.isAny { lastProgress = now }
        clientWatch?.interest = Self.interest(reading: up.wantsInput, writing: down.isBlocked)
        peerWatch?.interest = Self.interest(reading: down.wantsInput, writing: up.isBlocked)
        let limits = service.limits
        let timeout =
            up.isBlocked || down.isBlocked
            ? limits.stall : up.inputEnded || down.inputEnded ? limits.halfClosed : limits.idle
        set(deadline: lastProgress + timeout)
    }

    private static func interest(reading: Bool, writing: Bool) -> EventLoop.Interest {
        (reading ? .reading : EventLoop.Interest()).union(writing ? .writing : [])
    }

    // MARK: The end

    func refuse(_ refusal: Refusal, at now: Duration) {
        service.note(refusal, of: caller, at: now)
        endDial()
        service.resolver.forget(self)
        dropPeer()
        if let reply = refusal.reply { server.answer(reply) }
        down.hold(server.takeOutput())
        leaveOpen()
        stage = .parting
        set(deadline: now + service.limits.farewell)
        sendToClient()
        guard stage == .parting else { return }
        // The end is said, and what still comes is read: closing with bytes unread would take the refusal back.
        shutdown(client, Int32(SHUT_WR))
        clientWatch?.interest = .reading
        part(at: now)
    }

    private func part(at now: Duration) {
        for _ in 0..<4 {
            switch Socket.receive(client, service.buffer) {
            case .wait: return
            case .failed, .done(0): return close()
            case .done: continue
            }
        }
    }

    /// Sends what the server's side has to say; a few bytes that always fit unless the client is gone or does not read.
    private func sendToClient() {
        var progress = Flow.Progress()
        down.flush(to: client, &progress)
        if progress.isBroken || down.isBlocked { close() }
    }

    private func leaveOpen() {
        guard stage != .asking, stage != .parting else { return }
        caller.open -= 1
        caller.unserved += 1
    }

    private func dropPeer() {
        guard peer >= 0 else { return }
        peerWatch?.cancel()
        peerWatch = nil
        Glibc.close(peer)
        peer = -1
    }

    private func close() {
        guard stage != .closed else { return }
        endDial()
        service.resolver.forget(self)
        dropPeer()
        leaveOpen()
        caller.unserved -= 1
        stage = .closed
        clientWatch?.cancel()
        Glibc.close(client)
        service.ended(self)
    }

    func set(deadline: Duration) {
        self.deadline = deadline
        service.wake(at: deadline)
    }
}
