// SPDX-License-Identifier: Apache-2.0

import GAEN

// What the controller heard, or pretends to have heard (Core Specification, Vol 4 Part E 7.7.65.2 and 7.7.65.13).

extension VirtualController {
    func isListening(at time: Microseconds) -> Bool { scan.isListening(at: time) && !has(.deaf) && !has(.silent) }

    func hear(_ advertiser: Advertiser, level: Int8) {
        if scan.filterPolicy & 1 == 1, !acceptList.contains(advertiser.address) { return }
        let kind = advertiser.kind
        report(kind.rawValue, extendedType: kind.extendedType, advertiser.address, advertiser.data, level)
        guard scan.isActive, kind.isScannable else { return }
        report(4, extendedType: kind == .connectable ? 0x1B : 0x1A, advertiser.address, advertiser.scanResponse, level)
    }

    private func report(_ kind: UInt8, extendedType: UInt8, _ address: AirAddress, _ data: [UInt8], _ level: Int8) {
        guard scan.isNews(kind: kind, address) else { return }
        let data = has(.emptyReports) ? [] : data
        let rssi: UInt8 = model.measuresRSSI ? UInt8(bitPattern: level) : 127
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64)
        if scan.isExtended {
            bytes += [1, extendedType, 0, address.isRandom ? 1 : 0]
            bytes += address.bytes
            // Primary PHY 1M, no secondary, no set, no power in the packet; no periodic advertising, not directed.
            bytes += [1, 0, 0xFF, 127, rssi, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(data.count)]
            bytes += data
            send(lowEnergy: 0x0D, bytes)
        } else {
            bytes += [1, kind, address.isRandom ? 1 : 0]
            bytes += address.bytes
            bytes.append(UInt8(data.count))
            bytes += data
            bytes.append(rssi)
            send(lowEnergy: 0x02, bytes)
        }
    }

    /// One beacon that nobody ever was.
    func reportMadeUpBeacon() {
        let block = RollingProximityIdentifier((0..<16).map { _ in .random(in: 0...255, using: &air.generator) })
        guard let block else { return }
        let metadata = AssociatedEncryptedMetadata(word: UInt32(truncatingIfNeeded: air.generator.next()))
        let data = AdvertisingPayload(identifier: block, metadata: metadata).advertisingData(.withFlags)
        let address = AirAddress.nonResolvable(using: &air.generator)
        report(3, extendedType: 0x10, address, data, .random(in: -95 ... -40, using: &air.generator))
    }
}
