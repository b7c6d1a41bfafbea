// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import Interfaces
import Logging
import ProcessLink
import Socks
import SystemCalls
import Varlink
import VarlinkSocket

/// What the supervisor says.
extension EgressService {
    func hear(at now: Duration) {
        while end == nil {
            switch control.receive() {
            case .nothing: return
            case .closed: end = .abandoned
            case .malformed: countStrange("a packet that is no message")
            case .message(let message, let descriptor): obey(message, descriptor, at: now)
            }
        }
    }

    private func obey(_ message: ControlMessage, _ descriptor: Int32?, at now: Duration) {
        // Closed unless somebody takes it.
        var unclaimed = descriptor
        defer { if let unclaimed { close(unclaimed) } }
        switch message.verb {
        case "SOCKS":
            if takeCaller(message, descriptor, at: now) { unclaimed = nil }
        case "UNSOCKS": dismiss(message.values["caller"] ?? "", at: now)
        case "METERED": setMetered(message.values["value"] == "1", at: now)
        case "PROXY": setProxy(message.values["address"] ?? "")
        case "EDGE":
            guard let descriptor else { return countStrange("EDGE without a descriptor") }
            unclaimed = nil
            addEdge(message, descriptor)
        case "UNEDGE": server.removeEdge(named: message.values["caller"] ?? "")
        case "START":
            guard !isReady else { return }
            isReady = true
            control.send("READY")
        case "STOP": if stopsAt == nil { stopsAt = now + limits.stop }
        case "SETTINGS": break
        default: countStrange(message.verb)
        }
    }

    /// Whether the descriptor is in use now.
    private func takeCaller(_ message: ControlMessage, _ descriptor: Int32?, at now: Duration) -> Bool {
        let name = message.values["caller"] ?? ""
        do {
            let allowed = try AllowList(parsing: message.values["allow"] ?? "")
            let credentials = try message.values["auth"].map { try Credentials(parsing: $0) }
            guard !name.isEmpty, name.utf8.count <= 64 else { throw EgressFault("a caller needs a name") }
            if let descriptor, SystemCall.option(SO_ACCEPTCONN, descriptor) != 1 {
                throw EgressFault("the descriptor is no listening socket")
            }
            guard callers[name]?.isServed == true || descriptor != nil else { throw EgressFault("there is no listener") }
            let caller = try callers[name] ?? newCaller(name)
            if let descriptor {
                Socket.prepare(descriptor)
                caller.watch?.cancel()
                caller.watch = loop.watch(descriptor, for: [], rank: .callers) { [unowned self] _ in
                    accept(for: caller, at: loop.now)
                }
            }
            caller.take(
                allowed, credentials: credentials, mayUseMetered: message.values["metered"] == "1", listener: descriptor)
            cutWhatMayNotBe(of: caller, at: now)
            return descriptor != nil
        } catch {
            log.error("a caller cannot be served: \(error)", metadata: ["caller": "\(name)"])
            return false
        }
    }

    private func newCaller(_ name: String) throws -> Caller {
        if callers.count >= Self.callerLimit {
            guard let gone = callers.values.first(where: { !$0.isServed && $0.open + $0.unserved == 0 }) else {
                throw EgressFault("there are \(Self.callerLimit) callers, and there may be no more")
            }
            callers[gone.name] = nil
        }
        let caller = Caller(name)
        callers[name] = caller
        return caller
    }

    private func dismiss(_ name: String, at now: Duration) {
        guard let caller = callers[name], caller.isServed else { return }
        caller.dismiss()
        for session in Array(sessions.values) where session.caller === caller { session.cut(nil, at: now) }
    }

    private func cutWhatMayNotBe(of caller: Caller, at now: Duration) {
        for session in Array(sessions.values) where session.caller === caller {
            guard let rule = session.rule else { continue }
            if isMetered, !caller.mayUseMetered {
                session.cut(.metered, at: now)
            } else if !caller.allowed.rules.contains(where: { $0.covers(rule) }) {
                session.cut(.notListed, at: now)
            }
        }
    }

    private func setMetered(_ value: Bool, at now: Duration) {
        guard value != isMetered else { return }
        isMetered = value
        log.notice(value ? "traffic costs money from now on" : "traffic costs no money any more")
        for caller in callers.values { cutWhatMayNotBe(of: caller, at: now) }
    }

    private func setProxy(_ text: String) {
        guard !text.isEmpty else { return proxy = .none }
        do throws(SocksError) {
            proxy = .through(try UpstreamProxy(parsing: text))
        } catch {
            proxy = .unusable
            log.error("nothing goes out: \(error)")
        }
    }

    private func addEdge(_ message: ControlMessage, _ descriptor: Int32) {
        let name = message.values["caller"] ?? ""
        do {
            let listener = try VarlinkListener(adopting: descriptor)
            let grants = try Grants((message.values["grants"] ?? "").split(separator: ",").map(String.init))
            server.removeEdge(named: name)
            server.add(Edge(name: name, listener: listener, grants: grants, description: description))
        } catch {
            if error is VarlinkSocketError { close(descriptor) }
            log.error("a caller of the interface cannot be served: \(error)", metadata: ["caller": "\(name)"])
        }
    }

    private func countStrange(_ what: String) {
        strangeMessages += 1
        if strangeMessages == 1 {
            log.warning("the supervisor said something that is not understood here: \(what)")
        }
    }
}

/// What is wrong with what the supervisor said.
private struct EgressFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
