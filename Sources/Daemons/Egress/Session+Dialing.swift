// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import Socks
import SystemCalls

/// The way from a request to a connection: addresses in turn, and a proxy if there is one.
extension Session {
    func startDialing(_ candidates: [Candidate], at now: Duration) {
        guard let rule else { return }
        stage = .dialing
        dialEnd = now + service.limits.connection
        var judge = rule
        var target = rule.destination
        // The proxy itself was named by the operator, wherever it is.
        if handshake != nil, case .through(let proxy) = service.proxy {
            target = proxy.destination
            judge = AllowRule(target, mayBePrivate: true)
        }
        tryNext(Dial(candidates, to: target, under: judge, at: now), at: now)
    }

    /// Starts with the next address; those under way go on.
    func tryNext(_ current: Dial, at now: Duration) {
        var dial = current
        var isStarted = false
        while !isStarted, let candidate = dial.takeNext() {
            switch candidate.connect(port: dial.destination.port) {
            case .failure(let failure): dial.note(Refusal(failure.rule, dial.destination))
            case .success(let descriptor):
                let watch = service.loop.watch(descriptor, for: .writing, rank: .callers) { [self] _ in
                    peerIsReady(descriptor, at: service.loop.now)
                }
                dial.attempts.append(Dial.Attempt(descriptor: descriptor, watch: watch))
                isStarted = true
            }
        }
        self.dial = dial
        guard !dial.attempts.isEmpty else { return failDial(dial.failure.rule, at: now) }
        set(deadline: dial.waiting.isEmpty ? dialEnd : min(dialEnd, now + service.limits.nextAddress))
    }

    func attemptEnded(_ descriptor: Int32, at now: Duration) {
        guard var dial, let index = dial.attempts.firstIndex(where: { $0.descriptor == descriptor }) else { return }
        let attempt = dial.attempts.remove(at: index)
        let error = SystemCall.option(SO_ERROR, descriptor) ?? EIO
        guard error == 0 else {
            attempt.watch.cancel()
            Glibc.close(descriptor)
            dial.note(Refusal(ConnectFailure(error: error).rule, dial.destination))
            return tryNext(dial, at: now)
        }
        peer = attempt.descriptor
        peerWatch = attempt.watch
        self.dial = dial
        endDial()
        if handshake == nil {
            startRelaying(at: now)
        } else {
            stage = .proxying
            set(deadline: dialEnd)
            talkToProxy(at: now)
        }
    }

    func failDial(_ rule: Refusal.Rule, at now: Duration) {
        let range = dial?.failure.range
        endDial()
        // Of a proxy that is not there, its own trouble is no trouble of the destination's.
        let rule = handshake == nil ? rule : .proxyFailed
        refuse(Refusal(rule, destination, range: rule == .privateAddress ? range : nil), at: now)
    }

    func endDial() {
        for attempt in dial?.attempts ?? [] {
            attempt.watch.cancel()
            Glibc.close(attempt.descriptor)
        }
        dial = nil
    }

    func talkToProxy(at now: Duration) {
        guard var handshake else { return }
        var words = Flow()
        words.hold(handshake.takeOutput())
        var progress = Flow.Progress()
        words.flush(to: peer, &progress)
        var bytes = [UInt8](repeating: 0, count: 1024)
        while !progress.isBroken, handshake.state == .inProgress, !words.isBlocked {
            let outcome = bytes.withUnsafeMutableBytes { Socket.receive(peer, $0) }
            guard outcome != .wait else { break }
            guard case .done(let count) = outcome, count > 0 else {
                progress.isBroken = true
                break
            }
            let taken = handshake.receive(bytes[..<count])
            words.hold(handshake.takeOutput())
            words.flush(to: peer, &progress)
            if handshake.state == .open { early = Array(bytes[taken..<count]) }
        }
        self.handshake = handshake
        // A few hundred bytes at the start of a connection fit into the kernel's buffer; a proxy for which they do not is none.
        if progress.isBroken || words.isBlocked { return refuse(Refusal(.proxyFailed, destination), at: now) }
        switch handshake.state {
        case .inProgress: peerWatch?.interest = .reading
        case .refused(let rule): refuse(Refusal(rule, destination), at: now)
        case .open: startRelaying(at: now)
        }
    }
}
