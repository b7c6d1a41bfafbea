// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import JSON
import Logging
import PluginManifest
import ProcessLink
import RandomValues
import Testing

@testable import Supervisor

/// A folder that goes with the test.
private final class Place {
    let path = FileManager.default.temporaryDirectory.path + "/vigil-technician-\(Unique.name())"

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func text(_ name: String) -> String? {
        (try? Data(contentsOf: URL(filePath: "\(path)/\(name)"))).map { String(decoding: $0, as: UTF8.self) }
    }

    func write(_ name: String, _ text: String, mode: mode_t = 0o644) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
        chmod("\(path)/\(name)", mode)
    }

    var names: [String] { Folders.names(path) }
}

@Suite struct LogStoreTests {
    @Test func theNewestLinesAreKeptInTwoFiles() throws {
        let place = try Place()
        try place.write(LogStore.formerName, "of another start")
        let store = LogStore()
        store.keep("warning before there is a folder", of: "core")
        try store.keep(in: place.path)
        #expect(place.names == [LogStore.fileName])
        let text = String(repeating: "x", count: 900)
        for _ in 0..<1_500 { store.keep(text, level: .info, of: "sync") }
        #expect(place.names == [LogStore.fileName, LogStore.formerName])
        let former = try #require(place.text(LogStore.formerName)), newest = try #require(place.text(LogStore.fileName))
        for file in [former, newest] { #expect(file.utf8.count <= LogStore.fileByteCount) }
        let numbers = (former + newest).split(separator: "\n").compactMap { KeptLine(parsing: $0.utf8)?.number }
        #expect(numbers.last == 1_501 && numbers.first.map { Array($0...1_501) == numbers } == true)
    }

    /// After a reset: what was said before is gone from both files, and numbers go on.
    @Test func whatIsForgottenIsInNeitherFile() throws {
        let place = try Place()
        let store = LogStore()
        try store.keep(in: place.path)
        for _ in 0..<1_000 {
            store.keep("of the life before " + String(repeating: "x", count: 900), level: .info, of: "sync")
        }
        #expect(place.names == [LogStore.fileName, LogStore.formerName])
        store.forget()
        store.keep("of this life", level: .info, of: "sync")
        #expect(place.names == [LogStore.fileName])
        let lines = try #require(place.text(LogStore.fileName)).split(separator: "\n").compactMap {
            KeptLine(parsing: $0.utf8)
        }
        #expect(lines.map(\.text) == ["of this life"] && lines.map(\.number) == [1_001])
    }

    @Test func whatTheSupervisorSaysIsKeptAndSaid() throws {
        let place = try Place()
        let store = LogStore()
        try store.keep(in: place.path)
        let said = Said()
        let log = Logger(label: "x") { _ in KeptLogHandler(said.handler, store: store) }
        log.error("it \u{1b}[2J\nended", metadata: ["process": "a"])
        let text = try #require(place.text(LogStore.fileName))
        let line = try #require(KeptLine(parsing: Array(text.utf8.dropLast())))
        #expect(line.process == "supervisor" && line.level == .error && line.text == "it ?[2J ended process=a")
        #expect(line.time > 1_600_000_000_000)
        #expect(said.count == 1)
    }

    /// Unchecked: a handler must be Sendable, and this one is used by the test's own thread alone.
    private final class Said: @unchecked Sendable {
        var count = 0
        var handler: any LogHandler { Handler(said: self) }

        struct Handler: LogHandler {
            let said: Said
            var metadata: Logger.Metadata = [:]
            var logLevel = Logger.Level.info
            subscript(metadataKey key: String) -> Logger.Metadata.Value? {
                get { nil }
                set {}
            }
            func log(event: LogEvent) { said.count += 1 }
        }
    }
}

@Suite struct NetworkRulesTests {
    private func problems(
        _ addresses: [String], gateway: String? = nil, servers: [String] = [], manual: Bool = true,
        interface: String = "eth0",
        seconds: Int64 = 60
    ) -> [String] {
        NetworkRules.problems(
            in: NetworkWish(
                interface: interface, isManual: manual, addresses: addresses, gateway: gateway, nameServers: servers),
            seconds: seconds, among: ["eth0"], confirmationSeconds: 30...600)
    }

    @Test func whatFitsFits() {
        #expect(problems(["192.0.2.7/24"], gateway: "192.0.2.1", servers: ["192.0.2.53", "2001:db8::53"]) == [])
        #expect(problems(["10.0.0.1/31"], gateway: "10.0.0.0") == [])
        #expect(problems(["2001:db8::7/64"], gateway: "2001:db8::1") == [])
        // Written as egress and manifests write it, however it was typed.
        #expect(problems(["2001:DB8::7/64"]) == [])
        #expect(problems(["2001:db8::7/64"], gateway: "fe80::1") == [])
        #expect(problems(["192.0.2.7/24", "198.51.100.7/25"], gateway: "198.51.100.1") == [])
        #expect(problems([], servers: ["127.0.0.53"], manual: false) == [])
    }

    @Test(arguments: [
        "192.0.2.7", "192.0.2.7/", "192.0.2.7/33", "192.0.2.7/024", "192.0.2.7/0", "192.0.2.256/24", "192.0.2.07/24",
        "192.0.2/24", "192.0.2.0/24", "192.0.2.255/24", "0.0.0.0/8", "127.0.0.1/8", "224.0.0.1/24", "255.255.255.255/32",
        "::1/128", "::/64", "ff02::1/64", "::ffff:192.0.2.7/96", "fe80::1%eth0/64", "[2001:db8::1]/64", "2001:db8::1/129",
        "192.0.2.7/24\nGateway=192.0.2.1", "192.0.2.7/24 ", " 192.0.2.7/24", "host.example/24", "192.0.2.7/24/24", "/24",
        "192.0.2.7/+24", "192.0.2.7/２４",
    ])
    func noSuchAddressIsTaken(text: String) {
        let found = problems([text])
        #expect(found.count == 1 && found[0].hasPrefix("network.addresses[0]: "), "\(found)")
    }

    @Test(arguments: [
        "198.51.100.1", "192.0.2.7", "192.0.2.0", "192.0.2.255", "192.0.2.1/24", "fe80::1", "", "192.0.2.1\n[Route]", "::",
    ])
    func noSuchGatewayIsTaken(text: String) {
        let found = problems(["192.0.2.7/24"], gateway: text)
        #expect(found.count == 1 && found[0].hasPrefix("network.gateway: "), "\(found)")
    }

    @Test func everythingWrongIsToldAtOnce() {
        let found = problems(
            ["x", "192.0.2.7/24", "192.0.2.7/25", "10.0.0.1/8", "10.0.0.2/8"], gateway: "y",
            servers: ["z", "192.0.2.53", "192.0.2.53", "192.0.2.54"], interface: "../eth1", seconds: 5)
        for path in [
            "network.interface: ", "seconds: ", "network.addresses[0]: ", "network.addresses[2]: ", "network.addresses: ",
            "network.gateway: ", "network.nameServers[0]: ", "network.nameServers[2]: ", "network.nameServers: ",
        ] { #expect(found.contains { $0.hasPrefix(path) }, "\(path) in \(found)") }
        #expect(problems([]).count == 1 && problems(["192.0.2.7/24"], gateway: "192.0.2.1", manual: false).count == 2)
    }

    @Test func theFileSaysWhatWasMeantAndIsReadBack() throws {
        let wish = NetworkWish(
            interface: "eth0", isManual: true, addresses: ["192.0.2.7/24", "2001:db8::7/64"], gateway: "192.0.2.1",
            nameServers: ["192.0.2.53"])
        let bytes = NetworkRules.file(for: wish)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        #expect(
            lines.dropFirst() == [
                "[Match]", "Name=eth0", "[Network]", "DHCP=no", "Address=192.0.2.7/24", "Address=2001:db8::7/64",
                "Gateway=192.0.2.1", "DNS=192.0.2.53", "LLMNR=no", "MulticastDNS=yes",
            ])
        #expect(NetworkRules.wish(for: "eth0", from: bytes) == wish)
        #expect(NetworkRules.wish(for: "eth1", from: bytes) == nil)
        #expect(NetworkRules.wish(for: "eth0", from: Array("[Match]\nName=eth0\n".utf8)) == nil)
        let automatic = NetworkWish(interface: "eth0", isManual: false, addresses: [], gateway: nil, nameServers: ["::1"])
        let written = NetworkRules.file(for: automatic)
        #expect(NetworkRules.wish(for: "eth0", from: written) == automatic)
        // Whoever gives out addresses does not learn what the board is called.
        #expect(
            String(decoding: written, as: UTF8.self).contains(
                "\n[DHCPv4]\nClientIdentifier=mac\nUseHostname=no\nSendHostname=no\nUseDNS=no\n"))
    }

    /// On an image nobody knows what the kernel calls a cable's interface.
    @Test func wiredIsEveryWiredNetwork() {
        for isManual in [true, false] {
            let wish = NetworkWish(
                interface: "wired", isManual: isManual, addresses: isManual ? ["192.0.2.7/24"] : [], gateway: nil,
                nameServers: [])
            let bytes = NetworkRules.file(for: wish)
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(
                text.contains("\n[Match]\nKind=!*\nType=ether\n\n[Link]\nRequiredForOnline=no\n\n[Network]\n")
                    && !text.contains("Name="))
            #expect(
                NetworkRules.wish(for: "wired", from: bytes) == wish && NetworkRules.wish(for: "eth0", from: bytes) == nil)
        }
        let other = NetworkWish(interface: "eth0", isManual: false, addresses: [], gateway: nil, nameServers: [])
        #expect(NetworkRules.wish(for: "wired", from: NetworkRules.file(for: other)) == nil)
    }
}

/// What runs the scripts of these tests. A script that was just written is no program to start by itself: a child that another test forks
/// in that moment has it open for writing until it becomes its own program, and the kernel refuses (ETXTBSY).
private let shell = ["/bin/sh"]

/// With real files and a real program that reads them.
@Suite struct NetworkConfiguratorTests {
    private final class Scene {
        let place: Place
        let configurator: NetworkConfigurator
        var answers: [SupervisorAnswer.Outcome] = []

        init(_ place: Place, reload: String = "cp \"$1\" \"$2\" 2>/dev/null || rm -f \"$2\"") throws {
            self.place = place
            try place.write("reload", "echo x >> \"$3\"\n\(reload)\n")
            let words = shell + ["reload", "10-vigil-eth0.network", "taken", "count"].map { "\(place.path)/\($0)" }
            configurator = NetworkConfigurator(
                .init(folder: place.path, interfaces: ["eth0"], reload: words), log: Logger(label: "test"))
        }

        func apply(_ address: String, at now: Duration) {
            configurator.apply(
                NetworkWish(interface: "eth0", isManual: true, addresses: [address], gateway: nil, nameServers: []),
                seconds: 60, at: now
            ) { [unowned self] in answers.append($0) }
        }

        /// Until the program has ended, by the clock of this test.
        func settle(at now: Duration, _ holds: () -> Bool) {
            let end = ContinuousClock.now + .seconds(120)
            repeat {
                _ = configurator.advance(to: now)
                // A real program runs meanwhile, which no clock of the test makes quicker.
                usleep(5_000)
            } while !holds() && ContinuousClock.now < end
        }

        var file: String? { place.text("10-vigil-eth0.network") }
        /// What the program has read.
        var taken: String? { place.text("taken") }
        var reloads: Int { place.text("count")?.utf8.filter { $0 == 10 }.count ?? 0 }
        var networkNames: [String] { place.names.filter { $0.hasPrefix("10-") } }
    }

    /// Of a card that gives an address the page says so, until there is a file of ours.
    @Test func whatACardSaysIsTold() throws {
        let place = try Place()
        let scene = { (name: String) in
            NetworkConfigurator(
                .init(folder: place.path, interfaces: [name], provisioned: "\(place.path)/card", reload: ["true"]),
                log: Logger(label: "test")
            ).json["networks"]?.array?.first
        }
        #expect(scene("wired")?["method"] == "automatic")
        try place.write(
            "card",
            "[Match]\nKind=!*\nType=ether\n\n[Network]\nDHCP=no\nAddress=192.0.2.7/24\nGateway=192.0.2.1\nDNS=192.0.2.53\n")
        let told = scene("wired")
        #expect(
            told?["method"] == "manual" && told?["addresses"] == ["192.0.2.7/24"] && told?["gateway"] == "192.0.2.1"
                && told?["nameServers"] == ["192.0.2.53"])
        #expect(scene("eth0")?["method"] == "automatic", "a card speaks of all of them")
        let ours = NetworkWish(interface: "wired", isManual: false, addresses: [], gateway: nil, nameServers: [])
        try place.write("10-vigil-wired.network", String(decoding: NetworkRules.file(for: ours), as: UTF8.self))
        #expect(scene("wired")?["method"] == "automatic")
        try place.write("10-vigil-wired.network", "[Match]\nKind=!*\nType=ether\n")
        #expect(scene("wired")?["method"] == "manual", "somebody else's file in our place says nothing")
    }

    @Test func aConfirmedChangeStays() throws {
        let scene = try Scene(Place())
        scene.apply("192.0.2.7/24", at: .seconds(10))
        scene.settle(at: .seconds(11)) { !scene.answers.isEmpty }
        #expect(scene.answers == [.done] && scene.taken?.contains("Address=192.0.2.7/24") == true)
        #expect(scene.configurator.json["confirmBy"]?.int == 70)
        #expect(scene.networkNames.count == 2)
        #expect(scene.configurator.confirm(at: .seconds(69)) == .done)
        #expect(scene.networkNames == ["10-vigil-eth0.network"])
        _ = scene.configurator.advance(to: .seconds(1_000))
        #expect(scene.file?.contains("192.0.2.7") == true && scene.configurator.json["confirmBy"] == nil)
        #expect(scene.configurator.confirm(at: .seconds(70)) != .done)
    }

    @Test func anUnconfirmedChangeGoesByItself() throws {
        let scene = try Scene(Place())
        // Nothing was there before.
        scene.apply("192.0.2.7/24", at: .zero)
        scene.settle(at: .seconds(1)) { !scene.answers.isEmpty }
        scene.settle(at: .seconds(60)) { scene.taken == nil }
        #expect(scene.taken == nil && scene.networkNames == [])
        scene.settle(at: .seconds(61)) { scene.configurator.due(at: .seconds(61)) == nil }
        // Somebody else's file was there before, with what nobody here would write.
        try scene.place.write("10-vigil-eth0.network", "[Match]\nName=eth0\n# mine\n")
        scene.apply("192.0.2.8/24", at: .seconds(100))
        scene.settle(at: .seconds(101)) { scene.answers.count == 2 }
        #expect(scene.answers == [.done, .done] && scene.taken?.contains("192.0.2.8") == true)
        scene.settle(at: .seconds(160)) { scene.taken?.contains("# mine") == true }
        #expect(scene.taken == "[Match]\nName=eth0\n# mine\n" && scene.networkNames == ["10-vigil-eth0.network"])
    }

    @Test func whatIsUnconfirmedAtTheStartGoes() throws {
        for isThere in [false, true] {
            let place = try Place()
            do {
                let scene = try Scene(place)
                if isThere { try place.write("10-vigil-eth0.network", "old\n") }
                scene.apply("192.0.2.7/24", at: .zero)
                scene.settle(at: .seconds(1)) { !scene.answers.isEmpty }
                #expect(scene.networkNames.count == 2)
            }
            let next = try Scene(place)
            next.configurator.begin(at: .zero)
            #expect(next.file == (isThere ? "old\n" : nil))
            next.settle(at: .seconds(1)) { next.reloads == 2 && next.configurator.due(at: .zero) == nil }
            #expect(next.reloads == 2 && next.taken == next.file)
            #expect(next.networkNames == (isThere ? ["10-vigil-eth0.network"] : []))
        }
    }

    /// Namespaces of the network, for root with iproute2.
    private static let hasNamespaces: Bool = {
        guard geteuid() == 0 else { return false }
        let name = "vigil-probe-\(getpid())"
        return ip("netns", "add", name) && ip("-n", name, "link", "add", "eth0", "type", "veth", "peer", "name", "peer0")
            && ip("netns", "del", name)
    }()

    private static func ip(_ words: String...) -> Bool {
        guard let program = try? ShortProgram(["ip"] + words, at: .zero) else { return false }
        while true {
            if let end = program.end(at: .zero) { return end == .well }
            // As in `settle`: a real program.
            usleep(2_000)
        }
    }

    /// A real address on a real interface: it is there while the change is on trial, and the former one is back afterwards.
    @Test(.enabled(if: NetworkConfiguratorTests.hasNamespaces)) func aRealAddressComesAndGoes() throws {
        let place = try Place()
        let name = "vigil-test-\(Unique.name())"
        #expect(Self.ip("netns", "add", name))
        defer { _ = Self.ip("netns", "del", name) }
        #expect(Self.ip("-n", name, "link", "add", "eth0", "type", "veth", "peer", "name", "peer0"))
        for interface in ["eth0", "peer0"] { #expect(Self.ip("-n", name, "link", "set", interface, "up")) }
        #expect(Self.ip("-n", name, "addr", "add", "192.0.2.7/24", "dev", "eth0"))
        try place.write("10-vigil-eth0.network", "[Match]\nName=eth0\n\n[Network]\nAddress=192.0.2.7/24\n")
        // What systemd-networkd would do, and then what the kernel says.
        let script = """
            ip -n \(name) -4 addr flush dev eth0
            sed -n 's/^Address=//p' "$1" | while read address; do ip -n \(name) addr add "$address" dev eth0; done
            ip -n \(name) -o -4 addr show dev eth0 > "$1.shown" && mv "$1.shown" "$2"
            """
        try place.write("reload", script)
        let words = shell + ["reload", "10-vigil-eth0.network", "shown"].map { "\(place.path)/\($0)" }
        let configurator = NetworkConfigurator(
            .init(folder: place.path, interfaces: ["eth0"], reload: words), log: Logger(label: "test"))
        func waits(at now: Duration, for address: String) -> Bool {
            for _ in 0..<12_000 {
                _ = configurator.advance(to: now)
                if place.text("shown").map({ strstr($0, address) != nil }) == true { return true }
                // As in `settle`: real programs.
                usleep(5_000)
            }
            return false
        }
        configurator.apply(
            NetworkWish(interface: "eth0", isManual: true, addresses: ["198.51.100.9/25"], gateway: nil, nameServers: []),
            seconds: 30, at: .zero
        ) { _ in }
        #expect(waits(at: .seconds(1), for: " 198.51.100.9/25 "))
        #expect(waits(at: .seconds(30), for: " 192.0.2.7/24 "))
        #expect(place.text("shown").map { strstr($0, "198.51.100.9") == nil } == true)
    }

    /// Wherever the power goes between the steps: what a start finds is taken back to what was there.
    @Test func everyStepMayBeTheLast() throws {
        let place = try Place()
        let folder = NetworkFolder(path: place.path)
        // Aside, and the new one not written yet: two names of one file.
        try place.write("10-vigil-a.network", "old\n")
        link(folder.file("a"), folder.file("a") + ".before")
        try folder.takeBack("a")
        // Marked as new, and not written yet.
        try place.write("10-vigil-b.network.none", "")
        try folder.takeBack("b")
        // Taken back, and the mark not removed yet.
        try folder.store(Array("new\n".utf8), for: "c")
        unlink(folder.file("c"))
        try folder.takeBack("c")
        #expect(place.names == ["10-vigil-a.network"] && place.text("10-vigil-a.network") == "old\n")
        #expect(folder.unconfirmed(among: ["a", "b", "c"]) == [])
        // A second change cannot make the first one's past its own.
        try folder.store(Array("one\n".utf8), for: "a")
        #expect(throws: Folders.Failure.self) { try folder.store(Array("two\n".utf8), for: "a") }
        try folder.takeBack("a")
        #expect(place.text("10-vigil-a.network") == "old\n")
    }

    @Test func whatTheSystemRefusesIsTakenBackAndSaid() throws {
        let scene = try Scene(Place(), reload: "exit 3")
        scene.apply("192.0.2.7/24", at: .zero)
        scene.settle(at: .seconds(1)) { scene.reloads == 2 }
        guard case .notPossible(let reason)? = scene.answers.first else { return #expect(Bool(false), "\(scene.answers)") }
        #expect(reason.contains("status 3") && scene.networkNames == [])
        #expect(scene.configurator.confirm(at: .seconds(2)) != .done)
    }

    @Test func noProgramNoFolder() throws {
        let place = try Place()
        var answers: [SupervisorAnswer.Outcome] = []
        let wish = NetworkWish(interface: "eth0", isManual: false, addresses: [], gateway: nil, nameServers: [])
        for (folder, reload) in [(place.path, "\(place.path)/absent"), ("\(place.path)/absent", "true")] {
            let configurator = NetworkConfigurator(
                .init(folder: folder, interfaces: ["eth0"], reload: [reload]), log: Logger(label: "test"))
            configurator.apply(wish, seconds: 60, at: .zero) { answers.append($0) }
            _ = configurator.advance(to: .seconds(1))
        }
        #expect(answers.count == 2)
        for answer in answers { if case .notPossible = answer {} else { #expect(Bool(false), "\(answer)") } }
        #expect(place.names == [])
    }
}

@Suite struct GrantsStoreTests {
    private struct Stop: Error {}

    @Test func whatIsNotChangedStays() throws {
        let place = try Place()
        try place.write(
            "grants.json",
            #"{"plugins": {"b": {"enabled": true, "settings": {"z": 1, "a": 2}, "metered": true}, "a": {"enabled": false}}}"#
        )
        let store = GrantsStore(path: place.path + "/grants.json", lockFolder: place.path)
        try store.change("b", { $0["enabled"] = false }) { file, entry in
            #expect(file.entry(named: "b")?.isEnabled == false && entry["metered"]?.bool == true)
        }
        let json = try JSON(parsing: Array(#require(place.text("grants.json")).utf8))
        #expect(json["plugins"]?.object?.members.map(\.name) == ["b", "a"])
        #expect(json["plugins"]?["b"] == ["enabled": false, "settings": ["z": 1, "a": 2], "metered": true])
        // Refused, locked, unusable: nothing is written.
        let before = place.text("grants.json")
        #expect(throws: Stop.self) { try store.change("b", { $0["enabled"] = true }) { _, _ in throw Stop() } }
        let lock = open(place.path, O_RDONLY | O_DIRECTORY)
        flock(lock, LOCK_EX)
        #expect(throws: GrantsStore.Failure.self) { try store.change("b", { $0["enabled"] = true }) { _, _ in } }
        close(lock)
        #expect(place.text("grants.json") == before)
        try place.write("grants.json", "[]")
        #expect(throws: GrantsStore.Failure.self) { try store.change("b", { $0["enabled"] = true }) { _, _ in } }
        #expect(place.text("grants.json") == "[]" && place.names == ["grants.json"])
        unlink(place.path + "/grants.json")
        try store.change("new", { $0["settings"] = ["a": 1] }) { _, _ in }
        #expect(place.text("grants.json")?.contains("\"enabled\": false") == true)
    }

    @Test func secretsAreNeverShown() throws {
        let text = """
            {"id": "a", "version": "1", "title": "A", "description": "A.", "run": {"program": "bin/a"}, "start": "resident",
             "settings": {"type": "object", "properties": {
               "open": {"type": "string"}, "hidden": {"type": "string", "writeOnly": true},
               "list": {"type": "array", "items": {"type": "object", "properties": {
                  "user": {"type": "string"}, "password": {"type": "string", "writeOnly": true}}}},
               "words": {"type": "array", "items": {"type": "string", "writeOnly": true}}}}}
            """
        let schema = try Manifest(parsing: Array(text.utf8)).settings
        let shown = schema.open([
            "open": "o", "hidden": "S1", "list": [["user": "u", "password": "S2"], ["user": "v"]], "words": ["S3"],
            "mistake": "S4",
        ])
        #expect(shown.settings == ["open": "o", "list": [["user": "u"], ["user": "v"]]])
        #expect(shown.secretsSet == ["hidden", "list[].password", "words"])
        #expect(schema.open("S5").settings == [:] && schema.open([:]).secretsSet == [])
    }

    @Test func whatAnotherProcessLeavesIsTakenWithCare() throws {
        let place = try Place()
        let user = geteuid()
        func take(_ name: String) -> [UInt8]? {
            Folders.takeLeft(name, in: "wishes", inside: place.path, of: user, limit: 100)
        }
        #expect(take("1") == nil)
        mkdir(place.path + "/wishes", 0o700)
        try place.write("wishes/1", "{}")
        #expect(take("1") == [123, 125] && take("1") == nil, "it is gone")
        try place.write("secret", "x")
        symlink(place.path + "/secret", place.path + "/wishes/2")
        #expect(take("2") == nil && place.text("secret") == "x")
        mkfifo(place.path + "/wishes/3", 0o600)
        #expect(take("3") == nil)
        try place.write("wishes/4", String(repeating: "x", count: 101))
        #expect(take("4") == nil)
        mkdir(place.path + "/wishes/5", 0o700)
        #expect(take("5") == nil)
        rmdir(place.path + "/wishes/5")
        try place.write("wishes/6", "x")
        #expect(Folders.takeLeft("6", in: "wishes", inside: place.path, of: user + 1, limit: 100) == nil)
        #expect(Folders.names(place.path + "/wishes") == [])
        rename(place.path + "/wishes", place.path + "/moved")
        try place.write("moved/7", "x")
        symlink("moved", place.path + "/wishes")
        #expect(take("7") == nil)
    }
}

@Suite struct MachineRestartTests {
    @Test func whatDoesNotHappenIsSaid() throws {
        let place = try Place()
        try place.write("restart", "echo \"$@\" > \(place.path)/said\nexit $2\n")
        let log = Logger(label: "test")
        #expect(MachineRestart.byProgram(shell + ["\(place.path)/restart", "now; rm x", "0"]).run(.restart, log))
        #expect(place.text("said") == "now; rm x 0\n")
        #expect(!MachineRestart.byProgram(shell + ["\(place.path)/restart", "now", "3"]).run(.restart, log))
        #expect(!MachineRestart.byProgram(["\(place.path)/absent"]).run(.restart, log))
    }
}
