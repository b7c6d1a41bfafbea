// SPDX-License-Identifier: Apache-2.0

import DoorBroadcast
import HCI

/// The fragment that a place advertises, and when the next one is due.
struct DoorPages: Sendable {
    /// The index of the fragment on air; begins anew after 255.
    private(set) var index: UInt8 = 0
    /// When the next fragment is due, on the owner's clock.
    private(set) var due: Duration

    /// The first fragment is on air from now on.
    init(at now: Duration) { due = now + DoorIdentity.interval }

    mutating func turn(at now: Duration) {
        index &+= 1
        due = now + DoorIdentity.interval
    }
}

extension Radio {
    /// Broadcasts the code of a place as soon as the controller can, one fragment after the other, instead of what is on
    /// air; ``broadcast(_:at:)`` with `nil` stops it. The wish is remembered while the transport is closed.
    public mutating func broadcast(door: DoorIdentity, at now: Duration) {
        wanted = .door(door)
        work(at: now)
    }

    /// Whether a place's code is on air, as confirmed by the controller.
    public var isBroadcastingDoor: Bool { isAdvertising && loaded?.kind == .door }

    /// Whether fragments of places' codes are reported (``RadioEvent/heardDoor(_:from:rssi:)``); by default they are not.
    /// Sends nothing to the controller, and changes nothing on air. The owner has scans begin (``listenForDoors(at:)``).
    public mutating func collectDoors(_ isOn: Bool) {
        isCollecting = isOn
        if !isOn { doorScan = nil }
    }

    /// Has a scan for places' codes begin at `moment`, on the owner's clock, at the earliest: between two scans for
    /// sightings, which begin when they would without it. It ends with ``RadioEvent/doorScanFinished``. What is heard in it but
    /// those codes is not reported, and the counters do not change, so whoever reads them cannot see that a button is held.
    /// Only moves ``deadline``: call ``advance(to:)`` then. Nothing begins while a scan is running, while scanning is
    /// forbidden, without ``collectDoors(_:)``, and on a controller that does not send and listen at once. Cannot fail.
    public mutating func listenForDoors(at moment: Duration) { doorScan = moment }

    /// The next fragment, if it is due.
    mutating func pageStep(at now: Duration) -> Procedure.Step? {
        guard isAdvertising, case .door(let door)? = loaded, let due = pages?.due, now >= due else { return nil }
        pages?.turn(at: now)
        let data = door.code.fragment(pages?.index ?? 0).advertisingData
        // One command of a size that HCI has nothing against.
        return (try? dataCommands(data).first).map { .init(purpose: .page, command: $0) }
    }

    /// The commands that give the controller data to advertise.
    func dataCommands(_ data: [UInt8]) throws(HCIError) -> [HCICommand] {
        facts.usesExtendedCommands
            ? try HCICommand.leSetExtendedAdvertisingData(data) : [try .leSetAdvertisingData(data)]
    }
}
