// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import JSON
import Testing

/// A board with a battery: the real processes, with a folder of files as the kernel has them below /sys/class/power_supply.
@Suite(.serialized) struct LowBatteryTests {
    private final class Scene {
        let air: AirProcess
        let board: BoardProcess
        /// Where `poweroff` would be run.
        var off: String { board.text("off") }

        init(battery: String = #"{"low": 15, "stop": 5, "milliwattHours": 7400}"#, powerOff: Bool = true) throws {
            air = try AirProcess()
            board = try BoardProcess("board", on: air)
            let folder = board.folder
            for part in ["/power", "/power/BAT0", "/power/mouse"] {
                try FileManager.default.createDirectory(atPath: folder + part, withIntermediateDirectories: true)
            }
            let configuration = """
                {"board": "\(folder)/board.json", "powerSupplies": "\(folder)/power",
                 "powerOff": \(powerOff ? #"["/bin/sh", "-c", "echo off >> \#(folder)/off"]"# : "false")}
                """
            try write("vigil.json", configuration)
            try write(
                "board.json",
                #"{"name": "test", "title": "Test", "architecture": "amd64", "radio": {"transport": "hci:0"}, "hardware": {"battery": \#(battery)}}"#
            )
            // Not the board's own: that it is empty must not matter.
            for (name, text) in ["type": "Battery", "scope": "Device", "capacity": "1", "status": "Discharging"] {
                try write("power/mouse/\(name)", text + "\n")
            }
            board.arguments = ["--config", folder + "/vigil.json"]
        }

        func write(_ name: String, _ text: String) throws {
            // As a whole: the kernel's files have no halves either.
            try Data(text.utf8).write(to: URL(filePath: "\(board.folder)/\(name)"), options: .atomic)
        }

        func battery(_ percent: Int, _ status: String) throws {
            let files = [
                "type": "Battery", "present": "1", "status": status, "capacity": "\(percent)", "voltage_now": "3650000",
                "current_now": "137000",
            ]
            for (name, text) in files { try write("power/BAT0/\(name)", text + "\n") }
        }

        func start() throws {
            try board.start()
            let board = board
            try #require(board.waits(seconds: 60) { board.state("core") == "running" }, "\(board.log)")
        }

        func shown() throws -> JSON? {
            let console = try CallClient(board.run + "/ctl.sock")
            let text = try #require(console.call("org.vigil.technician1.GetProcesses"))
            return try JSON(parsing: Array(text.utf8))["parameters"]?["battery"]
        }

        func control(_ words: String...) throws -> String {
            try Program.run(Program.folder + "/vigil", ["ctl"] + words + ["--run", board.run]).output
        }

        var record: String { board.text("data/battery-stops") }
    }

    @Test func aBoardSaysHowFullItIs() throws {
        let scene = try Scene()
        try scene.battery(12, "Discharging")
        try scene.start()
        let battery = try #require(try scene.shown())
        #expect(battery["percent"]?.int == 12 && battery["powered"]?.bool == false && battery["low"]?.bool == true)
        // 3.65 V × 137 mA; 12 % of 7,400 mWh at that.
        #expect(battery["power"]?.int == 500 && battery["secondsLeft"]?.int == 6_393 && battery["stopPercent"]?.int == 5)
        #expect(try scene.control("power").contains("Battery: 12 % full, no charger, about 2 hours left"))
        #expect(try scene.control("health", "--json").contains("battery-low"))
        #expect(scene.off == "" && scene.record == "" && scene.board.log.contains("the battery is low"))
        // And so can a light.
        let light = try CallClient(scene.board.run + "/ctl.sock")
        light.send(Array(#"{"method":"org.vigil.indicator1.Watch","parameters":{},"more":true}"#.utf8) + [0])
        #expect(try #require(light.receive()).contains("batteryLow"))
        // A charger is put in: read when somebody asks, and by itself within a minute.
        try scene.battery(13, "Charging")
        scene.board.signal(SIGHUP)
        let board = scene
        #expect(scene.board.waits { (try? board.shown())??["powered"]?.bool == true })
        #expect(try scene.shown()?["low"]?.bool == false)
        #expect(try !#require(light.receive()).contains("batteryLow"))
    }

    @Test func aBoardWithoutOneShowsNone() throws {
        let scene = try Scene()
        try scene.start()
        #expect(try scene.control("power").contains("no battery that the kernel knows"))
        #expect(try scene.shown() == nil)
        #expect(!scene.board.text("run/technician/processes").contains("battery"))
    }

    @Test func itStopsBeforeItIsEmptyAndSaysSo() throws {
        let scene = try Scene()
        let board = scene.board
        try scene.battery(3, "Discharging")
        try scene.start()
        // Two readings, ten seconds apart.
        #expect(scene.off == "" && scene.record == "")
        #expect(board.waits(seconds: 60) { scene.off == "off\n" }, "\(board.log)")
        #expect(board.log.contains("the board switches itself off") && board.log.contains("stopped"))
        #expect(board.end() == 0)
        #expect(scene.record.hasPrefix("vigil-battery 1 1 3 "))

        // Its power was to be switched off, and is not: it goes on instead of stopping again and again.
        try scene.start()
        #expect(board.waits(seconds: 60) { board.log.contains("the board goes on until its power goes") }, "\(board.log)")
        #expect(board.waits { board.state("core") == "running" }, "\(board.log)")
        #expect(scene.off == "off\n")
        let console = try CallClient(board.run + "/ctl.sock")
        let audit = try #require(console.call("org.vigil.device1.GetAudit"))
        #expect(audit.contains("batteryStop") && audit.contains("supervisor"))
        #expect(try scene.shown()?["stopCount"]?.int == 1)
        board.end()

        // Switched on again, still empty, without a charger: it says so, stores it, and stops again.
        try scene.write("data/battery-stops", "vigil-battery 1 1 3 another-boot\n")
        try scene.start()
        #expect(board.waits(seconds: 60) { scene.off == "off\noff\n" }, "\(board.log)")
        #expect(board.end() == 0)
        #expect(scene.record.hasPrefix("vigil-battery 1 2 3 "))

        // The charger is there: it runs, and former stops do not count any more.
        try scene.battery(3, "Charging")
        try scene.start()
        #expect(board.waits { scene.record == "" }, "\(board.log)")
        #expect(try scene.shown()?["stopCount"]?.int == 0)
        #expect(board.waits { board.state("core") == "running" }, "\(board.log)")
        #expect(scene.off == "off\noff\n")
    }

    @Test func oneBadReadingStopsNoBoard() throws {
        let scene = try Scene()
        let board = scene.board
        try scene.battery(2, "Discharging")
        try scene.start()
        try scene.battery(80, "Discharging")
        // Past the second reading.
        #expect(board.waits { (try? scene.shown())??["percent"]?.int == 80 }, "\(board.log)")
        #expect(scene.off == "" && scene.record == "" && board.state("core") == "running")
    }

    @Test func whereItMayNotBeSwitchedOffItGoesOn() throws {
        let scene = try Scene(powerOff: false)
        let board = scene.board
        try scene.battery(1, "Discharging")
        try scene.start()
        #expect(board.waits(seconds: 60) { board.log.contains("may not switch itself off") }, "\(board.log)")
        #expect(board.waits { board.state("core") == "running" }, "\(board.log)")
        #expect(scene.record == "")
    }
}
