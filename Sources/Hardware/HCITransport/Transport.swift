// SPDX-License-Identifier: Apache-2.0

import Glibc
public import HCI
import SystemCalls

/// A connection to a controller that reads and writes HCI packets. It never waits and starts no thread; its owner polls
/// ``descriptor``.
///
/// Call ``receive()`` whenever the descriptor is readable or hung up, and poll for writing and call ``flush()`` while
/// ``hasUnsent``. After a call has thrown ``TransportFailure/Code/lost``, ``TransportFailure/Code/outOfStep`` or
/// ``TransportFailure/Code/system``, every later call throws the same error; close the transport and open another. Not
/// thread-safe.
public final class Transport {
    /// The number of bytes after which one call of ``receive()`` stops reading, so that a busy controller cannot keep the
    /// owner from other work: 64 KiB, which the last piece may exceed. Our own bound.
    public static let maximumBytesPerReceive = 64 << 10
    /// The number of packets after which one call of ``receive()`` stops reading. The bytes already read may give a few
    /// more. Our own bound.
    public static let maximumPacketsPerReceive = 256
    /// The largest number of bytes that may wait to be sent, inclusive. Controllers accept one command at a time, so a
    /// working controller never lets 64 KiB accumulate. Our own bound.
    public static let maximumUnsentByteCount = 64 << 10

    /// The address that was opened.
    public let address: TransportAddress
    /// The descriptor for `poll`; -1 after ``close()``. Owned by this object.
    public private(set) var descriptor: Int32
    /// The reason why this transport can no longer be used, `lost` after ``close()``; `nil` while it works. If the last
    /// packets arrived together with the end, this is already set when ``receive()`` returns them.
    public private(set) var failure: TransportFailure?
    /// The number of packets since the transport was opened that arrived separately and were malformed or of a kind that only
    /// a host sends. They are dropped, because the next packet is complete again. Always 0 for streams, which lose their
    /// framing instead.
    public private(set) var refusedPacketCount: UInt64 = 0

    private let kind: Endpoint.Kind
    private var framer = H4Framer(sender: .controller)
    private var unsent = UnsentQueue(limit: Transport.maximumUnsentByteCount)
    private var buffer: [UInt8]

    init(_ endpoint: Endpoint, address: TransportAddress) {
        self.address = address
        descriptor = endpoint.descriptor
        kind = endpoint.kind
        // A packet that comes alone must fit; one byte more shows that it did not.
        let whole = 1 + (HCIPacket.Indicator.allCases.map(\.maximumByteCount).max() ?? 0)
        buffer = [UInt8](repeating: 0, count: kind == .packetSocket ? whole : 4 << 10)
    }

    deinit { close() }

    /// Opens a connection to a controller. Sends nothing, so the controller may be in any state.
    ///
    /// - `unix`: connects to the socket.
    /// - `serial`: claims the line, sets its speed and raw mode, and discards waiting bytes.
    /// - `userChannel`: switches the adapter off and takes it over; all other programs that use it lose it.
    /// - `inherited`: checks the kind of the descriptor and takes it over, with close-on-exec and non-blocking; the latter
    ///   affects everybody who shares the open file. ``close()`` closes it.
    ///
    /// - Throws: ``TransportFailure`` with any code but `outOfStep` and `overflow`; `lost` for an inherited descriptor
    ///   only. ``TransportFailure/Code`` says what each means.
    public static func open(_ address: TransportAddress) throws(TransportFailure) -> Transport {
        try address.check()
        return Transport(try Endpoint.open(address), address: address)
    }

    /// Returns the packets that have arrived, in order; empty if none is complete. Reads a limited amount: call it again
    /// while `poll` reports the descriptor as readable.
    ///
    /// Throws `lost` if the controller is gone or the transport was closed, `outOfStep` if the stream has lost its framing,
    /// and `system` for any other failure of a system call. Packets before the failure are returned first; the next call
    /// throws.
    public func receive() throws(TransportFailure) -> [HCIPacket] {
        if let failure { throw failure }
        var packets: [HCIPacket] = []
        var left = Self.maximumBytesPerReceive
        while failure == nil, left > 0, packets.count < Self.maximumPacketsPerReceive {
            let count = read()
            guard count > 0 else { break }
            left -= count
            take(count, &packets)
        }
        if let failure, packets.isEmpty { throw failure }
        return packets
    }

    /// Bytes read into the buffer; 0 when there are none now, or when ``failure`` was set.
    private func read() -> Int {
        let (descriptor, isSerial, size) = (descriptor, kind == .serialLine, buffer.count)
        let outcome = buffer.withUnsafeMutableBytes { bytes in
            SystemCall.retrying {
                // MSG_TRUNC: the true length of a packet that does not fit.
                isSerial
                    ? Glibc.read(descriptor, bytes.baseAddress, size)
                    : recv(descriptor, bytes.baseAddress, size, kind == .packetSocket ? Int32(MSG_TRUNC) : 0)
            }
        }
        switch outcome {
        case .wait: return 0
        case .done(0): failure = .lost(address, systemError: nil)
        case .done(let count): return count
        case .failed(let error): failure = .broken(address, error)
        }
        return 0
    }

    private func take(_ count: Int, _ packets: inout [HCIPacket]) {
        switch kind {
        case .streamSocket, .serialLine:
            do {
                try framer.push(buffer[..<count]) { packets.append($0) }
            } catch {
                failure = .outOfStep(address, error)
            }
        case .packetSocket:
            // An oversized one keeps the byte more that makes it refused.
            if let packet = try? HCIPacket(datagram: buffer[..<min(count, buffer.count)]), packet.indicator != .command {
                packets.append(packet)
            } else {
                refusedPacketCount &+= 1
            }
        }
    }

    /// Sends one complete packet with its indicator, which is not checked; does nothing without bytes. Bytes that
    /// the controller does not accept at once wait in a queue.
    ///
    /// Throws `overflow` if the packet does not fit into the queue; nothing of it is sent, and the transport still
    /// works. Throws `lost` if the controller is gone, `system` for any other failure of a system call, and
    /// ``failure`` if it is set.
    public func send(_ bytes: some Collection<UInt8>) throws(TransportFailure) {
        if let failure { throw failure }
        guard unsent.append(Array(bytes)) else { throw .overflow(address, waiting: unsent.byteCount) }
        try flush()
    }

    /// Whether bytes are waiting to be sent: poll for writing, then call ``flush()``.
    public var hasUnsent: Bool { !unsent.isEmpty }

    /// Sends as many waiting bytes as the controller accepts now. Throws `lost` if the controller is gone, `system` for any
    /// other failure of a system call, and ``failure`` if it is set.
    public func flush() throws(TransportFailure) {
        if let failure { throw failure }
        let (descriptor, isSerial) = (descriptor, kind == .serialLine)
        while !unsent.isEmpty {
            let outcome = unsent.withFirst { bytes in
                SystemCall.retrying {
                    isSerial
                        ? Glibc.write(descriptor, bytes.baseAddress, bytes.count)
                        : Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                }
            }
            switch outcome {
            case .wait, .done(0): return
            case .done(let count): unsent.removeFirst(count)
            case .failed(let error):
                let broken = TransportFailure.broken(address, error)
                failure = broken
                throw broken
            }
        }
    }

    /// Closes the connection, including an inherited descriptor, and discards waiting bytes. Does nothing if it is closed.
    /// Cannot fail.
    ///
    /// A user channel is returned to the kernel, with its adapter still switched off.
    public func close() {
        guard descriptor >= 0 else { return }
        Endpoint.close(descriptor, kind)
        descriptor = -1
        unsent.removeAll()
        if failure == nil { failure = .closed(address) }
    }
}
