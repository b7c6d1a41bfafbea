// SPDX-License-Identifier: Apache-2.0

public import CommandFiles
import GAEN
import HCI
import Vault
import VirtualAir

/// Captures that were changed at random: each is read or refused, never anything else, in whatever pieces it comes; and what
/// is read is played to a board (``BoardReplay``).
public struct CaptureTrial: Sendable {
    /// A slice has at most so many records.
    public static let maximumRecords = 200
    private static let headingByteCount = CaptureWriter.heading.count
    private static let sliceLimit = 1 << 20

    /// The records of each capture, whole.
    private let captures: [[[UInt8]]]

    /// What became of one changed slice.
    public struct Outcome: Sendable {
        /// The rule that refused it; `nil` if it was read whole.
        public let refusal: String?
        /// What is wrong with how it was read, in English; `nil` for nothing.
        public let problem: String?
    }

    /// Takes the slices from the captures at `paths`; without one, from a capture that is made here. Throws `InputError` with
    /// the path of a file that cannot be read as a capture.
    public init(_ paths: [String]) throws(InputError) {
        var captures: [[[UInt8]]] = []
        for path in paths {
            _ = try PhoneCapture(path: path)
            let bytes = try Files.read(path, limit: 256 << 20)
            var records: [[UInt8]] = []
            var offset = Self.headingByteCount
            // The file was read whole, so the lengths are right.
            while offset + CaptureWriter.headByteCount <= bytes.count {
                let length = bytes[(offset + 4)..<(offset + 8)].reduce(0) { $0 << 8 | Int($1) }
                let end = min(bytes.count, offset + CaptureWriter.headByteCount + length)
                records.append(Array(bytes[offset..<end]))
                offset = end
            }
            captures.append(records)
        }
        self.captures = captures.isEmpty ? [Self.madeCapture()] : captures
    }

    /// Changes the slice with this number, and reads it. The same number gives the same bytes from the same captures.
    public func run(_ seed: UInt64) -> Outcome {
        var generator = SplitMix64(seed: seed)
        let bytes = changedSlice(&generator)
        let size = Int.random(in: 1...4_096, using: &generator)
        do throws(CaptureError) {
            let whole = try PhoneCapture(bytes: bytes)
            let pieces = try PhoneCapture(bytes: bytes, size: size)
            guard whole.receptions == pieces.receptions, whole.sent == pieces.sent, whole.scans == pieces.scans else {
                return Outcome(refusal: nil, problem: "pieces of \(size) bytes give another content")
            }
            return Outcome(refusal: nil, problem: Self.replayProblem(whole))
        } catch {
            var again: CaptureError?
            do throws(CaptureError) { _ = try PhoneCapture(bytes: bytes, size: size) } catch { again = error }
            let isSame = again == error && again?.record == error.record
            return Outcome(
                refusal: error.code.rawValue, problem: isSame ? nil : "pieces of \(size) bytes are refused otherwise")
        }
    }

    private static func replayProblem(_ capture: PhoneCapture) -> String? {
        do {
            let board = try capture.replay()
            guard board.heardCount <= capture.receptions.count else { return "the board heard more than there was" }
            guard board.records.reduce(0, { $0 + $1.heard.count }) <= board.heardCount else {
                return "the board stored more than it heard"
            }
            return nil
        } catch { return "the board failed: \(error)" }
    }

    // MARK: Bytes

    private func changedSlice(_ generator: inout SplitMix64) -> [UInt8] {
        let records = captures[Int.random(in: captures.indices, using: &generator)]
        let count = Int.random(in: 1...min(Self.maximumRecords, records.count), using: &generator)
        let first = Int.random(in: 0...(records.count - count), using: &generator)
        var slice = Array(records[first..<(first + count)])
        // Half of them inside of packets, where the file's own form stays and more is read.
        if Bool.random(using: &generator) {
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let number = Int.random(in: slice.indices, using: &generator)
                let start = CaptureWriter.headByteCount + 3
                guard start < slice[number].count else { continue }
                let place = Int.random(in: start..<slice[number].count, using: &generator)
                slice[number][place] = .random(in: .min ... .max, using: &generator)
            }
            return CaptureWriter.heading + slice.joined().prefix(Self.sliceLimit)
        }
        var bytes = CaptureWriter.heading + slice.joined().prefix(Self.sliceLimit)
        for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &generator)
            switch Int.random(in: 0..<7, using: &generator) {
            case 0: bytes[place] = .random(in: .min ... .max, using: &generator)
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2: bytes.remove(at: place)
            case 3: bytes.insert(.random(in: .min ... .max, using: &generator), at: place)
            case 4: bytes.removeLast(bytes.count - max(1, place))
            case 5:
                // A piece comes twice, as after a write that was done again.
                let end = min(bytes.count, place + Int.random(in: 1...300, using: &generator))
                bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
            default:
                for offset in place..<min(bytes.count, place + 8) { bytes[offset] = 0xFF }
            }
        }
        return bytes
    }

    /// The capture that is made here, whole.
    static var madeBytes: [UInt8] { CaptureWriter.heading + madeCapture().joined() }

    /// Two scans of four seconds with six senders, of both kinds of reports, and the commands around them.
    private static func madeCapture() -> [[UInt8]] {
        var generator = SplitMix64(seed: 26)
        var records: [[UInt8]] = []
        var time: Int64 = 1_596_112_700_000_000
        func add(_ bytes: [UInt8]) {
            guard let packet = try? HCIPacket(datagram: bytes) else { preconditionFailure("a packet that is none") }
            records.append(CaptureWriter.record(packet, at: time))
            time += 40_000
        }
        func block() -> [UInt8] { (0..<20).map { _ in .random(in: .min ... .max, using: &generator) } }
        let senders = (0..<6).map { _ in [0x03, 0x03, 0x6F, 0xFD, 0x17, 0x16, 0x6F, 0xFD] + block() }
        for scan in 0..<2 {
            add([0x01, 0x0B, 0x20, 7, 0, 0x54, 0x08, 0x54, 0x08, 1, 0])
            add([0x01, 0x0C, 0x20, 2, 1, 0])
            add([0x04, 0x0E, 4, 1, 0x0C, 0x20, 0])
            for number in 0..<90 {
                let data = senders[number % senders.count]
                let rssi = UInt8(truncatingIfNeeded: -40 - Int.random(in: 0..<50, using: &generator))
                let address = Array(block().prefix(5)) + [0x40 | UInt8(number % 6)]
                if scan == 0 {
                    let report = [3, 1] + address + [UInt8(data.count)] + data + [rssi]
                    add([0x04, 0x3E, UInt8(report.count + 2), 0x02, 1] + report)
                } else {
                    let head = [0x10, 0x00, 1] + address + [1, 0, 0xFF, 127, rssi, 0, 0, 0]
                    let report = head + [UInt8](repeating: 0, count: 6) + [UInt8(data.count)] + data
                    add([0x04, 0x3E, UInt8(report.count + 2), 0x0D, 1] + report)
                }
            }
            add([0x01, 0x0C, 0x20, 2, 0, 0])
            add([0x04, 0x0E, 4, 1, 0x0C, 0x20, 0])
            time += 240_000_000
        }
        return records
    }
}
