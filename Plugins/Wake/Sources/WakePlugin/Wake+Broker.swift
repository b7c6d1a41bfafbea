// SPDX-License-Identifier: Apache-2.0

import PluginKit
import WakePlan

/// The connection to the broker.
extension Wake {
    func want(_ isWanted: Bool) {
        if isWanted != self.isWanted { host.log.notice(isWanted ? "wakes are wanted" : "wakes are of no use now") }
        self.isWanted = isWanted
        if isWanted { _ = schedule.want(true, at: host.loop.now, using: &random) } else { disconnect() }
    }

    func disconnect() {
        _ = schedule.want(false, at: host.loop.now, using: &random)
        link?.leave()
        letGo()
    }

    func connect() {
        noteLife()
        do throws(LinkFailure) {
            guard let socks = host.socks.flatMap(SocksAddress.init), let state = host.state else {
                throw LinkFailure(.notGranted)
            }
            let link = try MosquittoLink(settings, files: KeyFiles(settings, in: state), through: socks)
            self.link = link
            guard let descriptor = link.descriptor else { throw LinkFailure(.unreachable) }
            watch = host.loop.watch(descriptor, for: [.reading, .writing]) { [unowned self] in serve($0) }
        } catch {
            lose(error)
        }
    }

    /// Does what the descriptor is ready for.
    func serve(_ ready: PluginLoop.Interest) {
        guard let link else { return }
        do throws(LinkFailure) {
            for event in try link.serve(readable: ready.contains(.reading), writable: ready.contains(.writing)) {
                switch event {
                case .open:
                    schedule.opened(at: host.loop.now)
                    problem = nil
                    host.log.notice("the broker has let us in")
                    tell(.connected)
                case .message(let message): tell(.message(message))
                }
            }
            watch?.interest = link.wantsToWrite ? [.reading, .writing] : .reading
        } catch {
            lose(error)
        }
        work()
    }

    private func lose(_ failure: LinkFailure) {
        drop(failure)
        schedule.closed(isRefusal: failure.isRefusal, at: host.loop.now, using: &random)
    }

    /// Written down when it is another trouble than before.
    func drop(_ failure: LinkFailure) {
        letGo()
        if problem != failure { host.log.warning("\(failure)") }
        problem = failure
    }

    private func letGo() {
        // Before the descriptor is closed: its number may be another's at once.
        watch?.cancel()
        watch = nil
        link = nil
    }
}
