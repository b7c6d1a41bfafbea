// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import Logging
import ProcessLink
import Varlink
import VarlinkSocket

/// What the supervisor says (docs/plugins.md has the table).
extension PluginHost {
    /// Messages in one round; the others have their turn after that.
    private static let messagesPerTurn = 64

    func receive() {
        for _ in 0..<Self.messagesPerTurn {
            switch control.receive() {
            case .nothing: return
            case .closed:
                // Nobody watches any more.
                log.notice("the supervisor is gone")
                return stop()
            case .malformed: log.warning("the supervisor sent something that is not understood")
            case .message(let message, let descriptor): obey(message, descriptor)
            }
        }
    }

    private func obey(_ message: ControlMessage, _ descriptor: Int32?) {
        switch (message.verb, descriptor) {
        case ("EDGE", let descriptor?):
            do { try open(message, descriptor) } catch {
                log.error("a caller cannot be served", metadata: ["error": "\(error)"])
            }
        case ("UNEDGE", nil):
            if let caller = message.values["caller"], edges.remove(caller) != nil { server.removeEdge(named: caller) }
        case ("LISTEN", let descriptor?):
            guard let onListen, let name = message.values["name"] else {
                log.warning("a listening socket came that nobody waits for")
                Glibc.close(descriptor)
                return
            }
            onListen(name, descriptor)
        case ("LINES", let descriptor?):
            guard let onLines, let name = message.values["name"] else {
                log.warning("lines came that nobody waits for")
                Glibc.close(descriptor)
                return
            }
            onLines(name, (message.values["colours"] ?? "").split(separator: ",").map(String.init), descriptor)
        case ("START", nil): start()
        case ("SETTINGS", nil): settingsDidChange()
        case ("FETCH", nil): fetch()
        case ("STOP", nil): stop()
        default:
            // A newer supervisor's; what a plugin does not know it does not need.
            if let descriptor { Glibc.close(descriptor) }
            log.debug("a message was passed over", metadata: ["verb": "\(message.verb)"])
        }
    }

    /// One that is ending takes nothing more, and says so by not counting it: the supervisor starts it again for that.
    private func fetch() {
        guard isStarted, !isStopping else { return }
        fetchCount += 1
        onFetch?()
    }

    private func open(_ message: ControlMessage, _ descriptor: Int32) throws {
        let listener: VarlinkListener
        do throws(VarlinkSocketError) { listener = try VarlinkListener(adopting: descriptor) } catch {
            Glibc.close(descriptor)
            throw error
        }
        let names = (message.values["grants"] ?? "").split(separator: ",").map(String.init)
        guard let caller = message.values["caller"], !caller.isEmpty else {
            throw StartError(.environment, "an edge without a caller")
        }
        let grants = try Grants(names)
        // Granted anew: what held before does not.
        if edges.contains(caller) { server.removeEdge(named: caller) }
        let description = try self.description ?? service()
        self.description = description
        server.add(Edge(name: caller, listener: listener, grants: grants, description: description))
        edges.insert(caller)
    }
}
