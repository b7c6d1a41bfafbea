// SPDX-License-Identifier: Apache-2.0

import Glibc
import HCI
import HCITransport
import Supervision

/// Opens the radio and keeps it open through a restart of the core, so that the beacon stays on air; closes it before the identifier
/// on air ends (docs/supervisor.md).
final class RadioHolder {
    private let address: TransportAddress
    private var transport: Transport?
    private var hold = RadioHold()
    private var openAt: Duration?
    /// When the channel is closed whose controller was told to be silent.
    private var closeAt: Duration?
    private var delay = Duration.milliseconds(250)
    /// Why it cannot be opened; said once per kind.
    private(set) var problem: TransportFailure?

    init(_ address: TransportAddress) {
        self.address = address
        openAt = .zero
    }

    var name: String { "\(address)" }
    /// `nil` while it is closed, and while it is about to be.
    var descriptor: Int32? { closeAt == nil ? transport?.descriptor : nil }

    /// From the command to be silent to the closing of its channel: the driver throws away what it has not sent by then.
    private static let silencingTime = Duration.milliseconds(200)

    /// Whether the next core may get the same descriptor: packets that come whole have no middle in which a core could have stopped.
    private var survivesItsCore: Bool { if case .userChannel = address { true } else { false } }

    func coreDidStart() { hold.coreDidStart() }

    /// Whether somebody wants identifiers on air, as the core said last: the wearer may have switched the device off.
    private(set) var isWanted = true

    func coreDidReport(secondsOnAir: Int, isWanted: Bool, at now: Duration) {
        self.isWanted = isWanted
        hold.didReport(secondsOnAir: secondsOnAir, at: now)
    }

    /// Whether an identifier is on air, as the core said last.
    func isOnAir(at now: Duration) -> Bool { hold.isOnAir(at: now) }

    func coreDidEnd(at now: Duration) {
        hold.coreDidEnd()
        if !survivesItsCore || hold.closeBy == nil { retire(at: now) }
    }

    /// The core says that nothing comes through it any more.
    func wasLost(at now: Duration) {
        retire(at: now)
        openAt = now + delay
        delay = min(delay * 2, .seconds(30))
    }

    /// The board stops, and nobody will open it again. Takes a moment.
    func end() {
        if let transport, silence(transport) { _ = poll(nil, 0, Int32(Self.silencingTime / .milliseconds(1))) }
        transport?.close()
        transport = nil
    }

    /// Tells the controller to be silent and then closes. To close is not enough: most drivers leave a controller as it is, and it goes on
    /// sending the last identifier for as long as it has power.
    private func retire(at now: Duration) {
        guard closeAt == nil else { return }
        hold.didClose()
        openAt = now
        guard let transport else { return }
        if silence(transport) { closeAt = now + Self.silencingTime } else { close(at: now) }
    }

    /// False where a core may have stopped in the middle of a packet, or when there is no controller any more.
    private func silence(_ transport: Transport) -> Bool {
        guard survivesItsCore, transport.failure == nil else { return false }
        do { try transport.send(HCICommand.reset.bytes) } catch { return false }
        return true
    }

    private func close(at now: Duration) {
        transport?.close()
        transport = nil
        closeAt = nil
        openAt = max(openAt ?? now, now)
    }

    /// When ``advance(to:)`` has something to do.
    var due: Duration? { transport == nil ? openAt : closeAt ?? hold.closeBy }

    /// Opens and closes what is due. True when it was opened just now and a running core has to get it.
    func advance(to now: Duration) -> Bool {
        if transport != nil, let closeBy = hold.closeBy, now >= closeBy { retire(at: now) }
        if let closeAt, now >= closeAt { close(at: now) }
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
