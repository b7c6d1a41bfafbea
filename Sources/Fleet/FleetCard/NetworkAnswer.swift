// SPDX-License-Identifier: Apache-2.0

import IPNetwork
import JSON
import ProcessLink
import Supervisor

/// The way in which a board gets its network address: from the network, or from the operator.
public enum NetworkAnswer: Hashable, Sendable {
    /// The board gets its address by DHCP, on every wired network.
    case automatic
    /// The board has the same addresses on every wired network: an IPv4 address with the length of its network, such as
    /// `192.168.1.20/24`, the gateway, and 1 to 3 name servers. Only ``init(parsing:)`` checks them; it always sets a
    /// gateway, which is `nil` for none.
    case manual(address: String, gateway: String?, nameServers: [String])

    /// Reads `automatic` (or `dhcp`) in any case, or these parts separated by blanks: an IPv4 address with the
    /// length of its network, the gateway, and one to three name servers. The addresses must keep the rules of the
    /// technician's page (`NetworkRules`). Throws `noNetwork` for a text that is neither and whose first word has
    /// no `/`, and `badNetwork`, with the reason, when an address is wrong or missing, the board's address is IPv6,
    /// or the length of the network is written as a mask.
    public init(parsing text: String) throws(AnswerFault) {
        let words = text.split(separator: " ").map(String.init)
        if words.count == 1, ["automatic", "dhcp"].contains(words[0].lowercased()) {
            self = .automatic
            return
        }
        guard let first = words.first, first.contains("/") else { throw .noNetwork(text) }
        if let mask = first.split(separator: "/").last, let length = Self.length(ofMask: mask) {
            throw .badNetwork("the length of the network is written as a mask; write /\(length) instead of /\(mask)")
        }
        guard words.count > 1 else {
            throw .badNetwork("the gateway is missing; without one the board reaches no authority and no time server")
        }
        let wish = NetworkWish(
            interface: "wired", isManual: true, addresses: [first], gateway: words[1],
            nameServers: Array(words.dropFirst(2)))
        let problems = NetworkRules.problems(in: wish, seconds: 30, among: ["wired"], confirmationSeconds: 30...600)
        guard problems.isEmpty else {
            throw .badNetwork(problems.map { Self.words($0) }.joined(separator: "; "))
        }
        guard let place = NetworkRules.Place(first), place.address.version == .v4 else {
            throw .badNetwork("the page is served by IPv4; give an address such as 192.168.1.20/24, or answer automatic")
        }
        guard words.count > 2 else {
            throw .badNetwork(
                "a name server is missing; without one the board finds no authority. Often it is the gateway: \(words[1])")
        }
        self = .manual(address: place.text, gateway: words[1], nameServers: wish.nameServers)
    }

    /// What the technician's page would call `network.addresses[0]`, for somebody who has seen no such field.
    private static func words(_ problem: String) -> String {
        for (path, name) in [
            ("network.addresses[0]", "the address"), ("network.gateway", "the gateway"),
            ("network.nameServers[0]", "the first name server"), ("network.nameServers[1]", "the second name server"),
            ("network.nameServers[2]", "the third name server"), ("network.nameServers", "the name servers"),
        ] where problem.hasPrefix("\(path): ") { return "\(name): \(problem.dropFirst(path.utf8.count + 2))" }
        return problem
    }

    /// The file of systemd-networkd; `nil` where the image's own will do (Board/image/root/etc/systemd/network/80-vigil.network).
    var file: String? {
        guard case .manual(let address, let gateway, let nameServers) = self else { return nil }
        let lines =
            ["[Match]", "Kind=!*", "Type=ether", "", "[Link]", "RequiredForOnline=no", "", "[Network]", "DHCP=no"]
            + ["Address=\(address)"] + (gateway.map { ["Gateway=\($0)"] } ?? []) + nameServers.map { "DNS=\($0)" }
            + ["IPv6AcceptRA=no", "LLMNR=no", "MulticastDNS=yes"]
        return lines.joined(separator: "\n") + "\n"
    }

    /// Where a card has ``file``, below its folder `provision`.
    static let place = "network/20-wired.network"

    /// What may be changed of a board's wired networks later, as `vigil.json` says it: on the image such changes are kept with the board's other data, and
    /// systemd-networkd finds them there (docs/supervisor.md, "The network").
    static let permission: JSON = [
        "folder": "/data/network", "interfaces": [.string(NetworkRules.wired)],
        "provisioned": .string("\(Card.place)/\(place)"),
        "reload": ["systemctl", "reload", "systemd-networkd.service"],
    ]

    /// The board's address without the length of its network; `nil` with DHCP.
    var address: String? {
        guard case .manual(let place, _, _) = self else { return nil }
        return String(place.prefix { $0 != "/" })
    }

    /// The length of a network that is written as a mask, such as 24 for `255.255.255.0`; `nil` for what is no mask.
    private static func length(ofMask text: Substring) -> Int? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard parts.count == 4 else { return nil }
        var mask: UInt32 = 0
        for part in parts {
            guard let part else { return nil }
            mask = mask << 8 | UInt32(part)
        }
        let length = (~mask).leadingZeroBitCount
        return mask == (length == 0 ? 0 : UInt32.max << (32 - UInt32(length))) ? length : nil
    }

    /// As it was answered.
    var text: String {
        switch self {
        case .automatic: "automatic"
        case .manual(let address, let gateway, let nameServers):
            ([address] + (gateway.map { [$0] } ?? []) + nameServers).joined(separator: " ")
        }
    }
}
