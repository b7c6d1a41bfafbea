// SPDX-License-Identifier: Apache-2.0

import JSON
import PluginManifest
import Testing

@Suite struct ManifestTests {
    @Test func aGoodManifestIsRead() throws {
        let manifest = try Manifest(parsing: Array(Samples.manifest.utf8))
        #expect(manifest.id == "hello")
        #expect(manifest.run == .program("bin/hello"))
        #expect(manifest.start == .onDemand)
        #expect(manifest.wants.first?.methods == ["GetStatus", "Watch"])
        #expect(manifest.listens.first?.port == 8080)
        #expect(manifest.everySeconds == 3600)
        #expect(manifest.heartbeatSeconds == 20)
        #expect(manifest.quotas == Quotas(memory: 16_777_216, state: 65_536, spool: 0, processes: 4))
        #expect(manifest.settings.properties.map(\.name).prefix(3) == ["greeting", "times", "ratio"])
    }

    @Test func whatIsLeftOutHasStandards() throws {
        let text = #"""
            {"id":"a","version":"1","title":"A","description":"A.","run":{"role":"sync"},"start":"resident"}
            """#
        let manifest = try Manifest(parsing: Array(text.utf8))
        #expect(manifest.run == .role("sync"))
        #expect(manifest.quotas == .standard)
        #expect(manifest.heartbeatSeconds == 30)
        #expect(manifest.settings == .none && manifest.wants.isEmpty && manifest.everySeconds == nil)
    }

    @Test func everyMistakeIsToldAtOnceWithItsPlace() {
        let found = Samples.problems(
            """
            { "id": "Hello!", "version": "x", "title": "two\\nlines", "description": 5, "extra": 1,
              "run": { "program": "../bin/sh", "role": "a" }, "start": "always",
              "provides": ["org.example.hello1", "org.example.hello1", "org.example.hello"],
              "wants": [{ "interface": "org.vigil.exposure1", "methods": ["GetStatus", "GetStatus", "getStatus"], "why": "" },
                        { "interface": "org.example.hello1", "methods": [], "why": "a" }, 7],
              "endpoints": [{ "name": "a", "why": "b" }, { "name": "a", "why": "b" }],
              "listens": [{ "name": "web", "why": "w", "port": 0 }, { "name": "web2", "why": "w", "port": 8.5 }],
              "devices": [{ "path": "/dev/mmcblk0p2", "why": "w" }, { "path": "/etc/passwd", "why": "w" }, { "path": "/dev/../etc", "why": "w" }],
              "schedule": { "everySeconds": 5 }, "heartbeatSeconds": 1, "quotas": { "memory": 1, "disk": 5 },
              "settings": { "properties": { "a b": { "type": "string" }, "c": { "type": "text" } }, "required": ["d"] } }
            """)
        let places = Set(found.map(\.path))
        for place in [
            "id", "version", "title", "description", "extra", "run", "run.program", "start", "provides[1]", "provides[2]",
            "wants[0].methods[1]", "wants[0].methods[2]", "wants[0].why", "wants[1].interface", "wants[1].methods",
            "wants[2]",
            "endpoints[1].name", "listens[0].port", "listens[1].port", "devices[0].path", "devices[1].path",
            "devices[2].path", "schedule.everySeconds", "heartbeatSeconds", "quotas.memory", "quotas.disk",
            #"settings.properties["a b"]"#, "settings.properties.c.type", "settings.required[0]",
        ] { #expect(places.contains(place), "\(place) is not among \(places.sorted())") }
    }

    @Test func missingFieldsAreNamed() {
        #expect(
            Set(Samples.problems("{}").map(\.path)) == ["id", "version", "title", "description", "run", "start"])
        #expect(Samples.problems("[]").first?.code == .wrongType)
        #expect(Samples.problems("{").first?.code == .notJSON)
        #expect(Samples.problems(String(repeating: " ", count: 70_000)).first?.code == .tooLong)
        #expect(Samples.problems(#"{"id":"a","id":"b"}"#).first?.code == .notJSON)
    }

    @Test func whatDoesNotFitTogetherIsRefused() throws {
        #expect(Samples.problems(try Samples.changed { $0["start"] = "resident" }).map(\.path) == ["schedule"])
        for name in Manifest.reservedNames {
            #expect(Samples.problems(try Samples.changed { $0["id"] = .string(name) }).map(\.code) == [.taken])
        }
        #expect(
            Samples.problems(
                try Samples.changed {
                    $0["wants"] = [["interface": "org.example.hello1", "methods": ["Greet"], "why": "For myself."]]
                }
            ).map(\.code) == [.contradiction])
        #expect(
            Samples.problems(
                try Samples.changed {
                    $0["listens"] = [
                        ["name": "a", "why": "a", "port": 80], ["name": "b", "why": "b", "port": 80],
                    ]
                }
            ).map(\.path) == ["listens[1].port"])
    }

    @Test func noTextCanPassForAnother() throws {
        for text in ["a\u{202E}b", "a\u{200B}b", "a\u{1B}[2J", "a\u{2028}b", "\u{FEFF}a", ""] {
            let problems = Samples.problems(try Samples.changed { $0["title"] = .string(text) })
            #expect(problems.map(\.path) == ["title"], "\(text.debugDescription)")
        }
        #expect(Samples.problems(try Samples.changed { $0["title"] = "Grüße 👋 さようなら" }).isEmpty)
    }

    @Test func asManyAsThereMayBe() throws {
        func wants(_ count: Int) -> JSON {
            .array((0..<count).map { ["interface": .string("org.example.a\($0)"), "methods": ["A"], "why": "a"] })
        }
        #expect(Samples.problems(try Samples.changed { $0["wants"] = wants(Limits.wanted) }).isEmpty)
        #expect(
            Samples.problems(try Samples.changed { $0["wants"] = wants(Limits.wanted + 1) }).map(\.code) == [.tooMany])
        let many = String(repeating: #"{"x":1},"#, count: 5_000) + "{}"
        let problems = Samples.problems(#"{"wants":["# + many + "]}")
        #expect(problems.count <= Refusal.mostProblems)
    }

    @Test func devicesThatHoldKeysAreForNobody() throws {
        for path in [
            "/dev/mem", "/dev/sda1", "/dev/nvme0n1", "/dev/disk/by-id/a", "/dev/vhci", "/dev/dm-0", "/dev/loop1",
            "/dev/gpiochip0",
        ] {
            let problems = Samples.problems(try Samples.changed { $0["devices"] = [["path": .string(path), "why": "w"]] })
            #expect(problems.map(\.path) == ["devices[0].path"], "\(path)")
        }
        for path in ["/dev/i2c-1", "/dev/ttyUSB0", "/dev/input/event0", "/dev/snd/seq"] {
            let bytes = try Samples.changed { $0["devices"] = [["path": .string(path), "why": "w"]] }
            #expect(Samples.problems(bytes).isEmpty, "\(path)")
        }
    }

    /// A press of the button is a consent: whoever asks for its line, under whatever name, is not started.
    @Test func theButtonIsForNoPlugin() throws {
        for name in ["button", "Button", "lights ", "", "gpio", "lights,button"] {
            let problems = Samples.problems(try Samples.changed { $0["lines"] = [["name": .string(name), "why": "w"]] })
            #expect(problems.map(\.path) == ["lines[0].name"], "\(name)")
        }
        let twice = try Samples.changed {
            $0["lines"] = [["name": "lights", "why": "w"], ["name": "lights", "why": "w"]]
        }
        #expect(Samples.problems(twice).map(\.path) == ["lines[1].name"])
        let many = try Samples.changed {
            $0["lines"] = .array((0..<3).map { _ in ["name": "lights", "why": "w"] })
        }
        #expect(!Samples.problems(many).isEmpty)
        let good = try Samples.changed { $0["lines"] = [["name": "lights", "why": "w"], ["name": "buzzer", "why": "w"]] }
        #expect(Samples.problems(good).isEmpty)
    }
}
