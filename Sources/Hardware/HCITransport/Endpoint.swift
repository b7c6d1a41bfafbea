// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import SystemCalls

/// An open descriptor, and how bytes go through it.
struct Endpoint {
    enum Kind: Equatable {
        /// H4 stream, by `recv` and `send`.
        case streamSocket
        /// One call, one packet.
        case packetSocket
        /// H4 stream, by `read` and `write`.
        case serialLine
    }

    let descriptor: Int32
    let kind: Kind

    static func open(_ address: TransportAddress) throws(TransportFailure) -> Endpoint {
        switch address {
        case .unix(let path): try connect(path, address)
        case .serial(let device, let baud): try openSerial(device, baud, address)
        case .userChannel(let index): try openUserChannel(index, address)
        case .inherited(let descriptor): try adopt(descriptor, address)
        }
    }

    static func close(_ descriptor: Int32, _ kind: Kind) {
        // A line whose other end holds CTS back would keep close waiting for up to 30 s (closing_wait).
        if kind == .serialLine { _ = vigil_serial_discard(descriptor) }
        // Not repeated after EINTR: Linux has closed the descriptor by then, and the number may be somebody else's.
        _ = Glibc.close(descriptor)
    }

    // MARK: - UNIX socket

    private static func connect(_ path: String, _ address: TransportAddress) throws(TransportFailure) -> Endpoint {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor: Int32
        switch SystemCall.descriptor({ socket(AF_UNIX, type, 0) }) {
        case .success(let value): descriptor = value
        case .failure(let error): throw .opening(address, error.number)
        }
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        // check() has made sure that path and final zero fit.
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        let outcome = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                SystemCall.retrying {
                    Int(Glibc.connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size)))
                }
            }
        }
        switch outcome {
        case .done: return Endpoint(descriptor: descriptor, kind: .streamSocket)
        // Local connections are made at once or not at all: the listener's queue is full.
        case .wait: throw abandon(descriptor, .opening(address, ECONNREFUSED))
        case .failed(let error): throw abandon(descriptor, .opening(address, error))
        }
    }

    // MARK: - Serial line

    private static func openSerial(
        _ device: String, _ baud: UInt32, _ address: TransportAddress
    ) throws(TransportFailure) -> Endpoint {
        let descriptor: Int32
        // O_NONBLOCK also keeps open from waiting for a carrier.
        switch SystemCall.descriptor({ Glibc.open(device, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) }) {
        case .success(let value): descriptor = value
        case .failure(let error): throw .opening(address, error.number)
        }
        var real: UInt32 = 0
        for step in [
            { vigil_serial_claim(descriptor) }, { vigil_serial_make_raw(descriptor, baud, &real) },
            { vigil_serial_discard(descriptor) },
        ] {
            let result = step()
            if result < 0 { throw abandon(descriptor, .opening(address, -result)) }
        }
        guard isCloseEnough(real, to: baud) else {
            throw abandon(descriptor, .unsupportedBaud(address, offered: real))
        }
        return Endpoint(descriptor: descriptor, kind: .serialLine)
    }

    /// A receiver samples the middle of the tenth bit: both ends together may be wrong by about 5 %, ours by half of that.
    static func isCloseEnough(_ real: UInt32, to wanted: UInt32) -> Bool {
        let difference = UInt64(max(real, wanted) - min(real, wanted))
        return difference * 40 <= UInt64(wanted)
    }

    // MARK: - The kernel's adapter

    private static func openUserChannel(_ index: UInt16, _ address: TransportAddress) throws(TransportFailure) -> Endpoint {
        let down = vigil_hci_down(index)
        if down < 0 { throw .opening(address, -down) }
        let descriptor = vigil_hci_open_user_channel(index)
        if descriptor < 0 { throw .opening(address, -descriptor) }
        return Endpoint(descriptor: descriptor, kind: .packetSocket)
    }

    /// Closes what was opened so far, and says why.
    static func abandon(_ descriptor: Int32, _ failure: TransportFailure) -> TransportFailure {
        _ = Glibc.close(descriptor)
        return failure
    }
}
