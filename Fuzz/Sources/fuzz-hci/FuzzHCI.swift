// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HCI

/// A controller's byte stream, whatever it says: the packets must not depend on how the bytes arrive, and every event is read or
/// refused.
@_cdecl("LLVMFuzzerTestOneInput")
public func testHCI(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let whole = packets(bytes, chunk: max(1, count))
    for chunk in [1, 3, 7] {
        let pieces = packets(bytes, chunk: chunk)
        claim(pieces.packets == whole.packets, "chunks of \(chunk) give other packets")
        claim(pieces.refusal == whole.refusal, "chunks of \(chunk) give another refusal")
    }
    var assembler = ExtendedReportAssembler(capacity: 4)
    for packet in whole.packets {
        guard let event = try? HCIEvent(packet) else { continue }
        switch event {
        case .commandComplete(let complete): _ = try? complete.result()
        case .advertisingReports(let reports): for report in reports { _ = assembler.push(report) }
        default: break
        }
    }
    return 0
}

private func packets(_ bytes: [UInt8], chunk: Int) -> (packets: [HCIPacket], refusal: HCIError?) {
    var framer = H4Framer(sender: .controller)
    var packets: [HCIPacket] = []
    for start in stride(from: 0, to: bytes.count, by: chunk) {
        do {
            try framer.push(bytes[start..<min(start + chunk, bytes.count)]) { packets.append($0) }
        } catch {
            return (packets, error)
        }
    }
    claim(framer.pendingByteCount <= 65_540, "more than a packet is held")
    return (packets, nil)
}
