// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import IPNetwork
import Socks

/// The first byte says who speaks: a client, a proxy that everything goes through, or the supervisor with a list of destinations.
@_cdecl("LLVMFuzzerTestOneInput")
public func testSocks(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let kind = bytes.first else { return 0 }
    let rest = Array(bytes.dropFirst())
    switch kind % 4 {
    case 0: client(rest, nil)
    case 1: client(rest, needed("credentials") { try Credentials(parsing: "sync:secret") })
    case 2:
        proxy(rest, "p.example:1080:me:secret")
        proxy(rest, "http://p.example:3128")
    default: rules(rest)
    }
    return 0
}

private struct Heard: Equatable {
    var outcome: SocksServer.Outcome?
    var output: [UInt8] = []
    var taken = 0
}

private func client(_ bytes: [UInt8], _ credentials: Credentials?) {
    let whole = heard(bytes, chunk: max(1, bytes.count), credentials)
    for chunk in [1, 3, 7] {
        claim(heard(bytes, chunk: chunk, credentials) == whole, "in pieces of \(chunk) something else is understood")
    }
    claim(whole.output.count <= 14, "more is said than two answers and a reply")
    claim(whole.outcome != nil || whole.taken == bytes.count, "bytes are left lying")
    guard case .request(let destination)? = whole.outcome else { return }
    claim(destination.port > 0, "port 0")
    claim(Destination(destination.description) == destination, "a destination has two spellings")
    // What is asked for is reached with a rule for it, and with no other.
    let list = needed("a list") { try AllowList([AllowRule(destination)]) }
    claim((try? list.rule(for: destination)) != nil, "its own rule does not let it pass")
    claim((try? AllowList.nothing.rule(for: destination)) == nil, "an empty list lets it pass")
    if case .address(let address) = destination.host {
        let isPublic = (try? AllowRule(destination).judge(address)) != nil
        claim(isPublic == (address.specialRange == nil), "judged by something else than its range")
    }
}

private func heard(_ bytes: [UInt8], chunk: Int, _ credentials: Credentials?) -> Heard {
    var server = SocksServer(credentials: credentials)
    var heard = Heard()
    for start in stride(from: 0, to: bytes.count, by: chunk) {
        let piece = bytes[start..<min(start + chunk, bytes.count)]
        let count = server.receive(piece)
        heard.taken += count
        heard.output += server.takeOutput()
        if count < piece.count { break }
    }
    claim(!server.isInsideMessage || server.outcome == nil, "an outcome in the middle of a message")
    server.answer(.succeeded)
    heard.outcome = server.outcome
    _ = server.takeOutput()
    return heard
}

private func proxy(_ bytes: [UInt8], _ address: String) {
    let whole = answered(bytes, chunk: max(1, bytes.count), address)
    for chunk in [1, 5] {
        let pieces = answered(bytes, chunk: chunk, address)
        claim(
            pieces.state == whole.state && pieces.taken == whole.taken && pieces.said == whole.said,
            "pieces of \(chunk) matter")
    }
    claim(whole.taken <= ProxyHandshake.maximumByteCount + 1, "more is taken than a handshake has")
    claim(whole.state != .inProgress || whole.taken == bytes.count, "bytes are left lying")
}

private func answered(
    _ bytes: [UInt8], chunk: Int, _ address: String
) -> (state: ProxyHandshake.State, taken: Int, said: [UInt8]) {
    let target = needed("a target") { Destination("cdn.example:443") }
    var handshake = needed("a proxy") { try UpstreamProxy(parsing: address) }.handshake(to: target)
    var said = handshake.takeOutput()
    var taken = 0
    for start in stride(from: 0, to: bytes.count, by: chunk) {
        let piece = bytes[start..<min(start + chunk, bytes.count)]
        let count = handshake.receive(piece)
        taken += count
        said += handshake.takeOutput()
        if count < piece.count { break }
    }
    return (handshake.state, taken, said)
}

private func rules(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    if let address = IPAddress(text) {
        claim(IPAddress(address.description) == address, "an address is printed as another")
        claim(IPAddress(bytes: address.bytes) == address, "an address has other bytes")
    }
    _ = try? UpstreamProxy(parsing: text)
    guard let list = try? AllowList(parsing: text) else { return }
    claim(list.rules.count <= AllowList.maximumCount, "more rules than there may be")
    claim((try? AllowList(parsing: list.description)) == list, "a list is printed as another")
    for rule in list.rules {
        claim((try? list.rule(for: rule.destination)) == rule, "a rule is not found")
        claim(rule.covers(rule), "a rule does not cover itself")
    }
}
