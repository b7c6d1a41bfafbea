// SPDX-License-Identifier: Apache-2.0

/// A packet of a capture, and when it passed.
public struct CaptureRecord: Sendable, Equatable {
    /// The time of the packet by the clock of the recorder, in microseconds since 1970. Android writes local time as if
    /// it were UTC; nothing is corrected here.
    public let time: Int64
    /// The packet, whole.
    public let packet: HCIPacket
}

/// Reads a capture in the btsnoop format, version 1, datalink 1002 (HCI UART, H4), no matter how the file is divided.
/// Holds at most one unfinished record, about 64 KiB.
///
/// The format: sixteen bytes of heading (`btsnoop`, a zero byte, version and datalink), then records. Each has original
/// length, included length, flags and drops (32 bits each), and a time (64 bits), big-endian; then the packet. Times
/// count microseconds since the year 0, of which 1970 is 0x00DCDDB30F2F8000 (Android `btsnoop.cc`).
public struct CaptureReader: Sendable {
    /// 1970-01-01 in microseconds of the format.
    static let epoch: Int64 = 0x00DC_DDB3_0F2F_8000
    static let magic = Array("btsnoop\0".utf8)
    private static let headingByteCount = 16
    static let headByteCount = 24
    /// The largest packet is of asynchronous data.
    private static let maximumPacketBytes = HCIPacket.Indicator.acl.maximumByteCount
    /// 9999-12-31, the last day of four digits; in microseconds since 1970.
    static let latest: Int64 = 253_402_300_799_999_999

    private var pending: [UInt8] = []
    private var hasHeading = false
    private var lastTime: Int64?
    private var failure: CaptureError?
    /// The number of records that were delivered.
    public private(set) var recordCount = 0

    /// The number of records whose time is before that of the record before them: the recorder's clock was set back, as
    /// phones' clocks are when they hear the time.
    public private(set) var clockStepsBack = 0
    /// The longest of these steps, in microseconds; 0 if there was none.
    public private(set) var longestStepBack: Int64 = 0

    /// Creates a reader at the beginning of a file. Cannot fail.
    public init() {}

    /// Adds the next piece of the file, and calls `deliver` for each record that it completes, in order.
    ///
    /// Throws ``CaptureError`` with any code except `truncated`, after the records before the fault were delivered, and
    /// the same error at every later call.
    public mutating func push(
        _ piece: some Collection<UInt8>, deliver: (CaptureRecord) -> Void
    ) throws(CaptureError) {
        if let failure { throw failure }
        pending.append(contentsOf: piece)
        var offset = 0
        defer { pending.removeFirst(offset) }
        do throws(CaptureError) {
            if !hasHeading {
                guard try readHeading() else { return }
                offset = Self.headingByteCount
            }
            while let record = try next(&offset) {
                recordCount += 1
                deliver(record)
            }
        } catch {
            failure = error
            throw error
        }
    }

    /// Throws `truncated` if the file ended in its heading or in the middle of a record, or again the error of a ``push(_:deliver:)``
    /// before.
    public func finish() throws(CaptureError) {
        if let failure { throw failure }
        guard hasHeading, pending.isEmpty else {
            let what = pending.isEmpty ? "it is empty" : "\(pending.count) bytes of a \(hasHeading ? "record" : "heading")"
            throw CaptureError(.truncated, record: hasHeading ? recordCount + 1 : 0, what)
        }
    }

    /// Returns whether the heading is there.
    private mutating func readHeading() throws(CaptureError) -> Bool {
        guard Self.magic.starts(with: pending.prefix(Self.magic.count)) else {
            throw CaptureError(.notACapture, record: 0)
        }
        guard pending.count >= Self.headingByteCount else { return false }
        let version = number(at: 8, bytes: 4)
        guard version == 1 else { throw CaptureError(.unknownVersion, record: 0, "version \(version)") }
        let datalink = number(at: 12, bytes: 4)
        guard datalink == 1002 else { throw CaptureError(.otherDatalink, record: 0, "datalink \(datalink)") }
        hasHeading = true
        return true
    }

    private mutating func next(_ offset: inout Int) throws(CaptureError) -> CaptureRecord? {
        guard pending.count - offset >= Self.headByteCount else { return nil }
        let number = recordCount + 1
        let original = self.number(at: offset, bytes: 4)
        let included = Int(self.number(at: offset + 4, bytes: 4))
        guard included <= Self.maximumPacketBytes else {
            throw CaptureError(.recordTooLong, record: number, "\(included) bytes")
        }
        guard original == UInt64(included) else {
            throw CaptureError(.cutRecord, record: number, "\(included) of \(original) bytes")
        }
        let (time, overflow) = Int64(bitPattern: self.number(at: offset + 16, bytes: 8))
            .subtractingReportingOverflow(Self.epoch)
        guard !overflow, (0...Self.latest).contains(time) else { throw CaptureError(.impossibleTime, record: number) }
        let start = offset + Self.headByteCount
        guard pending.count - start >= included else { return nil }
        let packet: HCIPacket
        do throws(HCIError) { packet = try HCIPacket(datagram: pending[start..<(start + included)]) } catch {
            throw CaptureError(.badPacket, record: number, error.code.rawValue)
        }
        offset = start + included
        if let lastTime, time < lastTime {
            clockStepsBack += 1
            longestStepBack = max(longestStepBack, lastTime - time)
        }
        lastTime = time
        return CaptureRecord(time: time, packet: packet)
    }

    /// A big-endian number of the pending bytes, which must be there.
    private func number(at offset: Int, bytes count: Int) -> UInt64 {
        pending[offset..<(offset + count)].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
