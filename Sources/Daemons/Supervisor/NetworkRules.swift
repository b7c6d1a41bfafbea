// SPDX-License-Identifier: Apache-2.0

package import IPNetwork
import PluginManifest
package import ProcessLink

/// The rules for a change of the network, and the file for systemd-networkd that is made from it. No text of the
/// technician is copied into the file: it is read as addresses, and those are written.
package struct NetworkRules {
    static let heading = "# Written by Vigil for its technician's page. docs/supervisor.md"
    private static let mostAddresses = 4
    private static let mostServers = 3

    /// An address and the length of its network.
    package struct Place: Equatable {
        package let address: IPAddress
        /// The number of bits of the network's part, 1 to 32 for IPv4 and 1 to 128 for IPv6.
        package let length: Int

        /// Reads `192.0.2.7/24` or `2001:db8::7/64`; `nil` for any other form, for zones and brackets, and for a
        /// length that is 0, begins with 0, or is above 32 or 128.
        package init?(_ text: String) {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, let address = IPAddress(parts[0]),
                (1...3).contains(parts[1].utf8.count),
                parts[1].utf8.allSatisfy({ (48...57).contains($0) }), parts[1].utf8.first != 48, let length = Int(parts[1]),
                length <= address.bytes.count * 8
            else { return nil }
            self.address = address
            self.length = length
        }

        /// Whether an address is in this network.
        func contains(_ other: IPAddress) -> Bool {
            guard other.bytes.count == address.bytes.count else { return false }
            return (0..<length).allSatisfy { Self.bit($0, of: other) == Self.bit($0, of: address) }
        }

        /// Whether nobody can have it: the network's own address, or the one for all in it (IPv4; RFC 1122, section 3.2.1.3; networks of
        /// two and one have neither, RFC 3021).
        func isReserved(_ other: IPAddress) -> Bool {
            guard address.version == .v4, length < 31 else { return false }
            let rest = (length..<32).map { Self.bit($0, of: other) }
            return rest.allSatisfy { $0 } || rest.allSatisfy { !$0 }
        }

        package var text: String { "\(address)/\(length)" }

        private static func bit(_ index: Int, of address: IPAddress) -> Bool {
            address.bytes[index / 8] >> UInt8(7 - index % 8) & 1 == 1
        }
    }

    /// Whether one station can have it and others can reach it there.
    private static func isStation(_ address: IPAddress) -> Bool {
        let bytes = address.bytes
        if address.isLoopback || bytes.allSatisfy({ $0 == 0 }) { return false }
        // Multicast, what is reserved, and IPv4 in disguise.
        guard address.version == .v6 else { return bytes[0] != 0 && bytes[0] < 224 }
        return bytes[0] != 0xFF && bytes[..<12] != [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    }

    /// Returns all problems of a change in English, each with its path; empty if it can be tried.
    ///
    /// - Parameters:
    ///   - wish: The change, as the technician wrote it.
    ///   - seconds: The time for confirming it, which must be in `confirmationSeconds`.
    ///   - interfaces: The names of the interfaces that may be changed.
    package static func problems(
        in wish: NetworkWish, seconds: Int64, among interfaces: [String], confirmationSeconds: ClosedRange<Int64>
    ) -> [String] {
        var problems: [String] = []
        if !interfaces.contains(wish.interface) {
            problems.append("network.interface: there is \(interfaces.joined(separator: ", ")) to be changed here")
        }
        if !confirmationSeconds.contains(seconds) {
            problems.append(
                "seconds: must be between \(confirmationSeconds.lowerBound) and \(confirmationSeconds.upperBound)")
        }
        var places: [Place] = []
        for (index, text) in wish.addresses.prefix(mostAddresses).enumerated() {
            let path = "network.addresses[\(index)]"
            guard let place = Place(text) else {
                problems.append("\(path): write an address and the length of its network, such as 192.0.2.7/24")
                continue
            }
            if !isStation(place.address) || place.isReserved(place.address) {
                problems.append("\(path): no device can have this address")
            } else if places.contains(where: { $0.address == place.address }) {
                problems.append("\(path): is there already")
            }
            places.append(place)
        }
        if wish.addresses.count > mostAddresses { problems.append("network.addresses: at most \(mostAddresses)") }
        if wish.isManual, wish.addresses.isEmpty { problems.append("network.addresses: at least one is needed") }
        if !wish.isManual, !wish.addresses.isEmpty {
            problems.append("network.addresses: they come from the network; leave them out, or choose manual")
        }
        if let gateway = wish.gateway { problems += self.problems(inGateway: gateway, wish, places) }
        var servers: [IPAddress] = []
        for (index, text) in wish.nameServers.prefix(mostServers).enumerated() {
            let path = "network.nameServers[\(index)]"
            guard let server = IPAddress(text) else {
                problems.append("\(path): write an address, such as 192.0.2.53")
                continue
            }
            // A resolver may run on this machine.
            if !isStation(server), !server.isLoopback { problems.append("\(path): no server can have this address") }
            if servers.contains(server) { problems.append("\(path): is there already") }
            servers.append(server)
        }
        if wish.nameServers.count > mostServers { problems.append("network.nameServers: at most \(mostServers)") }
        return problems
    }

    private static func problems(inGateway text: String, _ wish: NetworkWish, _ places: [Place]) -> [String] {
        let path = "network.gateway"
        guard wish.isManual else { return ["\(path): it comes from the network; leave it out, or choose manual"] }
        guard let gateway = IPAddress(text) else { return ["\(path): write an address, such as 192.0.2.1"] }
        guard isStation(gateway) else { return ["\(path): no device can have this address"] }
        if places.contains(where: { $0.address == gateway }) { return ["\(path): is this device's own address"] }
        // A router's own address of the link is in no network that is written here (RFC 4861).
        if gateway.specialRange == .linkLocal, gateway.version == .v6,
            places.contains(where: { $0.address.version == .v6 })
        {
            return []
        }
        guard let place = places.first(where: { $0.contains(gateway) }) else {
            return ["\(path): is in the network of none of the addresses"]
        }
        return place.isReserved(gateway) ? ["\(path): no device can have this address"] : []
    }

    /// The interface that stands for every wired network, whatever name the kernel gives it: on an image nobody knows that name beforehand. A kernel's
    /// interface of this name could not be changed alone.
    package static let wired = "wired"

    /// What systemd-networkd compares an interface with (`Kind=!*`: no bridge and no tunnel).
    private static func match(_ interface: String) -> [String] {
        interface == wired ? ["Kind=!*", "Type=ether"] : ["Name=\(interface)"]
    }

    /// The file. To be called for what has no ``problems(in:seconds:among:confirmationSeconds:)``.
    static func file(for wish: NetworkWish) -> [UInt8] {
        var lines = [heading, "[Match]"] + match(wish.interface)
        // Whoever waits for a network at the start waits for no cable.
        if wish.interface == wired { lines += ["", "[Link]", "RequiredForOnline=no"] }
        lines += ["", "[Network]", "DHCP=\(wish.isManual ? "no" : "yes")"]
        let servers = wish.nameServers.compactMap { IPAddress($0) }
        if wish.isManual {
            lines += wish.addresses.compactMap(Place.init).map { "Address=\($0.text)" }
            if let gateway = wish.gateway.flatMap({ IPAddress($0) }) { lines.append("Gateway=\(gateway)") }
        }
        lines += servers.map { "DNS=\($0)" }
        // Nothing of the board's name goes to a server of addresses, and multicast DNS is systemd-resolved's to decide (docs/image.md).
        lines += ["LLMNR=no", "MulticastDNS=yes"]
        if !wish.isManual {
            lines += ["", "[DHCPv4]", "ClientIdentifier=mac", "UseHostname=no", "SendHostname=no"]
            if !servers.isEmpty { lines += ["UseDNS=no", "", "[DHCPv6]", "UseDNS=no"] }
        }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// What a file of ours says, or what one of a card says (`isProvisioned`), which has no heading; `nil` for anybody else's, and for another interface's.
    static func wish(for interface: String, from bytes: [UInt8], isProvisioned: Bool = false) -> NetworkWish? {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        guard isProvisioned || lines.first == heading, match(interface).allSatisfy(lines.contains) else { return nil }
        func values(_ name: String) -> [String] {
            lines.filter { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
        }
        return NetworkWish(
            interface: interface, isManual: values("DHCP") == ["no"], addresses: values("Address"),
            gateway: values("Gateway").first, nameServers: values("DNS"))
    }
}
