// SPDX-License-Identifier: Apache-2.0

import Glibc
import HCITransport
import Supervision

/// Opens the radio and keeps it open through a restart of the core, so that the beacon stays on air; closes it before the identifier
/// on air ends (docs/supervisor.md).
final class RadioKeeper {
    private let address: TransportAddress
    private var transport: Transport?
    private var hold = RadioHold()
    private var openAt: Duration?
    private var delay = Duration.milliseconds(250)
    /// Why it cannot be opened; said once per kind.
    private(set) var problem: TransportFailure?

    init(_ address: TransportAddress) {
        self.address = address
        openAt = .zero
    }

    var name: String { "\(address)" }
    var descriptor: Int32? { transport?.descriptor }

    /// Whether the next core may get the same descriptor: packets that come whole have no middle in which a core could have stopped.
    private var survivesItsCore: Bool { if case .userChannel = address { true } else { false } }

    func coreDidStart() { hold.coreDidStart() }

    func coreDidReport(secondsOnAir: Int, at now: Duration) { hold.didReport(secondsOnAir: secondsOnAir, at: now) }

    func coreDidEnd(at now: Duration) {
        hold.coreDidEnd()
        if !survivesItsCore || hold.closeBy == nil { close(at: now) }
    }

    /// The core says that nothing comes through it any more.
    func wasLost(at now: Duration) {
        close(at: now)
        openAt = now + delay
        delay = min(delay * 2, .seconds(30))
    }

    func close(at now: Duration) {
        transport?.close()
        transport = nil
        hold.didClose()
        openAt = now
    }

    /// When ``advance(to:)`` has something to do.
    var due: Duration? { [transport == nil ? openAt : nil, transport == nil ? nil : hold.closeBy].compactMap { $0 }.min() }

    /// Opens and closes what is due. True when it was opened just now and a running core has to get it.
    func advance(to now: Duration) -> Bool {
        if transport != nil, let closeBy = hold.closeBy, now >= closeBy { close(at: now) }
        guard transport == nil, let openAt, now >= openAt else { return false }
        do throws(TransportFailure) {
            transport = try Transport.open(address)
            self.openAt = nil
            delay = .milliseconds(250)
            problem = nil
            return true
        } catch {
            problem = error
            self.openAt = now + delay
            delay = min(delay * 2, .seconds(30))
            return false
        }
    }
}
