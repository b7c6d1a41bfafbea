// SPDX-License-Identifier: Apache-2.0

import JSON

/// `grants.json` as a shape.
enum GrantsShape {
    static let whole = Shape.object(
        Shape.ObjectShape(fields: [
            .init("$schema", .text(.schemaAddress), "The address of this schema, for editors."),
            .init(
                "plugins", .map(.name, plugin, atMost: Limits.plugins), required: true,
                "By the plugins' names. What is not granted is not had."),
        ]))

    static let plugin = Shape.object(
        Shape.ObjectShape(fields: [
            .init("enabled", .bool(), required: true, "Whether it may run at all."),
            .init(
                "calls", .map(.interface, .list(.text(.method), count: 0...Limits.methods), atMost: Limits.wanted),
                standard: [:], "By interface: the methods it may call. All at most what its manifest wants."),
            .init(
                "endpoints",
                .map(.name, .list(address, count: 0...Limits.addresses), atMost: Limits.endpoints), standard: [:],
                "By the manifest's names: where it may connect to."),
            .init(
                "listens", .map(.name, listen, atMost: Limits.listens), standard: [:],
                "By the manifest's names: where it may be reached."),
            .init("devices", .list(.text(.device), count: 0...Limits.devices), standard: [], "Device files it may open."),
            .init(
                "lines", .list(.word(Manifest.lineNames), count: 0...Limits.lines), standard: [],
                "Lines of the board it may set."),
            .init("quotas", ManifestShape.quotas(standards: false), "Less than the manifest asks for."),
            .init(
                "metered", .bool(), standard: false,
                "Whether it may use the network while that is paid for by the byte."),
            .init("settings", .anything, "What its manifest's settings say."),
        ]))

    private static let address = Shape.object(
        Shape.ObjectShape(fields: [
            .init(
                "host", .text(.host), required: true, "A name in ASCII, an IPv4 address, or an IPv6 address in brackets."),
            .init("port", .integer(1...65_535), required: true, "The TCP port."),
            .init(
                "private", .bool(), standard: false,
                "Whether this may be an address of the own network; others are refused without it."),
        ]))

    private static let listen = Shape.object(
        Shape.ObjectShape(fields: [
            .init(
                "address", .text(.address), standard: "127.0.0.1",
                "Where; anything but this machine itself has to be written here."),
            .init("port", .integer(1...65_535), "Where; the manifest's if not given."),
        ]))
}
