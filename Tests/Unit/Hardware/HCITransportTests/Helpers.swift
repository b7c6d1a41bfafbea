// SPDX-License-Identifier: Apache-2.0

import Glibc
import HCI
import HCITransport
import Testing

/// Events as controllers send them.
enum Wire {
    static let resetComplete: [UInt8] = [4, 0x0E, 4, 1, 3, 0x0C, 0]
    static let numberOfCompletedPackets: [UInt8] = [4, 0x13, 5, 1, 0x40, 0, 1, 0]
    static let longest: [UInt8] = [4, 0xFF, 255] + [UInt8](repeating: 0xA5, count: 255)
}

/// The controller's end of a way: an open descriptor, closed when the test lets go of it.
final class FarEnd {
    private(set) var descriptor: Int32
    init(_ descriptor: Int32) { self.descriptor = descriptor }
    deinit { hangUp() }

    func hangUp() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// Writes all of it; a test never writes more than fits.
    func write(_ bytes: [UInt8]) { #expect(Glibc.write(descriptor, bytes, bytes.count) == bytes.count) }

    /// What has come so far, at most `limit` bytes.
    func read(limit: Int = 1 << 20) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while all.count < limit {
            let count = recv(descriptor, &buffer, min(buffer.count, limit - all.count), Int32(MSG_DONTWAIT))
            guard count > 0 else { break }
            all += buffer[..<count]
        }
        return all
    }
}

/// Two connected sockets; the transport gets the first.
func pair(_ type: __socket_type) throws -> (address: TransportAddress, far: FarEnd) {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(type.rawValue), 0, &ends) == 0)
    return (.inherited(descriptor: ends[0]), FarEnd(ends[1]))
}

/// The failure that `body` throws; records an issue if it throws none.
func failure(of body: () throws -> Void) -> TransportFailure? {
    do {
        try body()
    } catch let failure as TransportFailure {
        return failure
    } catch {
        Issue.record("\(error)")
    }
    Issue.record("nothing was thrown")
    return nil
}

func openingFails(_ address: TransportAddress) -> TransportFailure? { failure { _ = try Transport.open(address) } }

/// Waits until the descriptor has something to say, for two minutes at most.
func waitUntilReadable(_ descriptor: Int32) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&entry, 1, 120_000) == 1)
}

func listen(_ socket: FarEnd, at path: String, backlog: Int32 = 4) throws {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    try #require(path.utf8.count < 108)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &name) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(socket.descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    try #require(bound == 0)
    try #require(Glibc.listen(socket.descriptor, backlog) == 0)
}

/// The user whose permissions files are judged by, of this thread only (setfsuid(2)): other tests go on as they were.
/// Swift's Glibc module leaves the header out.
@_silgen_name("setfsuid") func setFileSystemUser(_ user: UInt32) -> Int32

/// Runs `body` as somebody whom permissions bind; root is bound by none.
func withoutPrivilege(_ body: () -> Void) {
    guard geteuid() == 0 else { return body() }
    _ = setFileSystemUser(65_534)
    defer { _ = setFileSystemUser(0) }
    body()
}
