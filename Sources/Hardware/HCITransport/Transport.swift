// SPDX-License-Identifier: Apache-2.0

import Glibc
public import HCI
import SystemCalls

/// A way to one controller: packets out of it, bytes into it. Never waits, starts no thread; its owner polls ``descriptor``.
///
/// For reading whenever the descriptor is readable or hung up: ``receive()``. For writing while ``hasUnsent``: ``flush()``. Once a call has thrown
/// ``TransportFailure/Code/lost``, ``TransportFailure/Code/outOfStep`` or ``TransportFailure/Code/system``, every later one throws the same; close
/// it and open another. Not for use from two threads at a time.
public final class Transport {
    /// Bytes after which one ``receive()`` stops reading, 64 KiB, so that a chatty controller cannot keep the owner from its other work; the last
    /// piece may go beyond. Our own bound.
    public static let maximumBytesPerReceive = 64 << 10
    /// Packets after which one ``receive()`` stops reading. A little more may come out of what was read already. Our own bound.
    public static let maximumPacketsPerReceive = 256
    /// Bytes that may wait for a controller that takes none, inclusive. Controllers allow one command at a time: 64 KiB is never reached by one
    /// that lives. Our own bound.
    public static let maximumUnsentByteCount = 64 << 10

    /// The address by which the controller was opened.
    public let address: TransportAddress
    /// The descriptor for `poll`, not negative; -1 after ``close()``. Owned by this object.
    public private(set) var descriptor: Int32
    /// The reason why this transport is finished, `lost` after ``close()``; `nil` while it works. When the last packets came together with the end,
    /// ``receive()`` hands them out first, and this is set already.
    public private(set) var failure: TransportFailure?
    /// The number of packets, since the transport was opened, that came alone and were malformed, or that only a host may send. They are dropped,
    /// because the next one is whole again. Always 0 for streams, which are out of step instead.
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

    /// Opens the way to a controller. Does not talk to it yet: the controller may still be in any state.
    ///
    /// - `unix`: connects. `serial`: claims the line, sets it raw at its speed, discards what waited in it. `userChannel`: takes the adapter down
    ///   and then for itself; everything else that used it loses it. `inherited`: checks what the descriptor is and takes it over, with
    ///   close-on-exec and without waiting (the latter holds for everybody who has the same open file); ``close()`` closes it.
    /// - Throws every code but `outOfStep` and `overflow`; `lost` for an inherited descriptor only.
    public static func open(_ address: TransportAddress) throws(TransportFailure) -> Transport {
        try address.check()
        return Transport(try Endpoint.open(address), address: address)
    }

    /// The packets that have come, in order; empty when there is none whole. Reads a bounded amount: while `poll` says readable, call again.
    ///
    /// Throws `lost`, also after ``close()``, `outOfStep` or `system`, after the packets before it were handed out by an earlier call.
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

    /// Sends one whole packet, with its indicator, which is not checked; does nothing without bytes. What the controller does not take at once
    /// waits, in order.
    ///
    /// Throws `overflow` when it does not fit into the queue: nothing of it was sent then, and the stream is still in step. Throws `lost` or
    /// `system` when the way is broken, and what ``failure`` says if it was before.
    public func send(_ bytes: some Collection<UInt8>) throws(TransportFailure) {
        if let failure { throw failure }
        guard unsent.append(Array(bytes)) else { throw .overflow(address, waiting: unsent.byteCount) }
        try flush()
    }

    /// Whether bytes wait for the controller: poll for writing, then ``flush()``.
    public var hasUnsent: Bool { !unsent.isEmpty }

    /// Sends of what waits as much as the controller takes now. Throws `lost` or `system` when the way is broken, and what ``failure`` says if it
    /// was before.
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

    /// Closes the way, an inherited descriptor too; waiting bytes are discarded. Harmless when closed already. Cannot fail.
    ///
    /// A user channel goes back to the kernel; its adapter stays down.
    public func close() {
        guard descriptor >= 0 else { return }
        Endpoint.close(descriptor, kind)
        descriptor = -1
        unsent.removeAll()
        if failure == nil { failure = .closed(address) }
    }
}
