// SPDX-License-Identifier: Apache-2.0

import Glibc
import IndicatorPlugin
import Interfaces
import JSON
import PluginKit
import PluginTestKit
import Testing

/// The plugin on a clock that the test moves. Kernels for tests have no lines, so what a line does is not shown here.
@Suite struct IndicatorTests {
    private typealias Desk = PluginBench<Indicator>

    private static func scene(_ signals: [String], presses: Int64 = 0) -> JSON {
        [
            "scene": [
                "signals": .array(signals.map(JSON.string)), "button": "idle", "presses": .int(presses), "done": 0,
                "cancelled": 0,
            ]
        ]
    }

    @Test func onABoardWithoutLinesItSaysSoAndEnds() throws {
        let bench = try Desk(settings: ["sound": true]) { _ in }
        try bench.start()
        for _ in 0..<20 { bench.advance(by: .milliseconds(50)) }
        bench.supervisor.listenToPlugin()
        #expect(bench.log.contains { $0.contains("no lights and no buzzer") })
        #expect(bench.supervisor.heard.contains("IDLE"))
        #expect(bench.host.isStopping)
    }

    /// Whatever was handed over: a descriptor that is no line is said once, and the plugin lives on.
    @Test func whatIsNoLineIsSaidOnce() throws {
        let core = InterfaceTexts.all[Indicator1.name] ?? ""
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        let bench = try Desk(settings: ["sound": true]) { supervisor in
            let provider = try supervisor.provide(core)
            provider.on("Watch", reply: Self.scene(["onAir"]))
            try supervisor.hand("lights", colours: "red,green", descriptor: null)
            try supervisor.hand("motor", colours: "", descriptor: null)
        }
        try bench.start()
        for _ in 0..<60 { bench.advance(by: .milliseconds(500)) }
        #expect(!bench.host.isStopping)
        #expect(bench.log.filter { $0.contains("cannot be set") }.count == 1)
        #expect(bench.log.filter { $0.contains("unknown name") }.count == 1)
    }
}
