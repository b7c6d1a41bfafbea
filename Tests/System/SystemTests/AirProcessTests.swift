// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import RandomValues
import Testing

/// The real `vigil-lab air`, over its sockets.
@Suite(.serialized) struct AirProcessTests {
    private func prepare(_ host: StreamClient) {
        #expect(host.command(0x0C03) == 0)
        #expect(host.command(0x0C01, [UInt8](repeating: 0xFF, count: 8)) == 0)
    }

    private func startScan(_ host: StreamClient) {
        #expect(host.command(0x200B, [0, 0x60, 0, 0x60, 0, 0, 0]) == 0)
        #expect(host.command(0x200C, [1, 0]) == 0)
    }

    @Test func oneHostHearsTheOther() throws {
        let process = try AirProcess("--seed", "7")
        let control = try StreamClient(process.control)
        let sender = try StreamClient(process.socket)
        prepare(sender)
        let scanner = try StreamClient(process.socket)
        prepare(scanner)
        #expect(control.ask(#"{"op":"set","id":1,"tx":-12}"#) == #"{"ok":true}"#)
        #expect(control.ask(#"{"op":"move","id":1,"x":2,"y":0}"#) == #"{"ok":true}"#)
        #expect(sender.command(0x2005, [6, 5, 4, 3, 2, 1]) == 0)
        #expect(sender.command(0x2006, [0xA0, 0, 0xA0, 0, 3, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0]) == 0)
        #expect(sender.command(0x2008, [3, 2, 1, 0x1A] + [UInt8](repeating: 0, count: 28)) == 0)
        #expect(sender.command(0x200A, [1]) == 0)
        startScan(scanner)
        for _ in 0..<5 {
            let event = try #require(scanner.event())
            #expect(event.code == 0x3E)
            #expect(event.parameters == [2, 1, 3, 1, 6, 5, 4, 3, 2, 1, 3, 2, 1, 0x1A, UInt8(bitPattern: -59)])
        }
        #expect(control.ask(#"{"op":"list"}"#).contains(#""addr":"01:02:03:04:05:06","adv":true"#))
        #expect(process.end() == 0)
        #expect(!FileManager.default.fileExists(atPath: process.socket))
        #expect(!FileManager.default.fileExists(atPath: process.control))
    }

    @Test func aDayInSecondsWhilePaused() throws {
        let process = try AirProcess("--paused", "--epoch", "1609459200")
        let control = try StreamClient(process.control)
        #expect(control.ask(#"{"op":"phone","x":1,"y":0,"form":"ios"}"#) == #"{"id":1000001,"ok":true}"#)
        #expect(
            control.ask(#"{"op":"phone","x":1,"y":0,"pdu":"scannable","address":"resolvable"}"#)
                == #"{"id":1000002,"ok":true}"#)
        #expect(control.ask(#"{"op":"remove","id":1000002}"#) == #"{"ok":true}"#)
        #expect(control.ask(#"{"op":"env","air":"fitted"}"#) == #"{"ok":true}"#)
        #expect(control.ask(#"{"op":"env","air":"bodies","bodyWidth":0.4}"#) == #"{"ok":true}"#)
        #expect(control.ask(#"{"op":"bystander","x":1,"y":5}"#) == #"{"id":1000003,"ok":true}"#)
        #expect(control.ask(#"{"op":"list"}"#).contains(#""kind":"bystander""#))
        #expect(control.ask(#"{"op":"remove","id":1000003}"#) == #"{"ok":true}"#)
        #expect(control.ask(#"{"op":"env","air":"plain"}"#) == #"{"ok":true}"#)
        #expect(control.ask(#"{"op":"time"}"#) == #"{"epoch":1609459200,"now":0,"ok":true}"#)
        let scanner = try StreamClient(process.socket)
        prepare(scanner)
        startScan(scanner)
        #expect(control.ask(#"{"op":"advance","seconds":1}"#) == #"{"now":1,"ok":true}"#)
        let report = try #require(scanner.event())
        #expect(report.parameters.count == 12 + 31)
        #expect(scanner.command(0x200C, [0, 0]) == 0)
        let elapsed = ContinuousClock().measure {
            // Answers come in the order of the questions.
            control.send(Array((#"{"op":"advance","seconds":86399}"# + "\n" + #"{"op":"time"}"# + "\n").utf8))
            #expect(control.nextLine() == #"{"now":86400,"ok":true}"#)
            #expect(control.nextLine() == #"{"epoch":1609459200,"now":86400,"ok":true}"#)
        }
        #expect(elapsed < .seconds(120))
        #expect(control.ask(#"{"op":"keys","id":1000001}"#).contains(#""rollingPeriod":144,"rollingStart":2682432"#))
        #expect(control.ask(#"{"op":"quit"}"#) == #"{"ok":true}"#)
        #expect(process.end(0) == 0)
    }

    @Test func aVanishedControllerComesBackAsTheSame() throws {
        let process = try AirProcess("--paused")
        let control = try StreamClient(process.control)
        let host = try StreamClient(process.socket)
        prepare(host)
        #expect(control.ask(#"{"op":"fault","id":1,"kind":"vanish","seconds":30}"#) == #"{"ok":true}"#)
        #expect(host.event() == nil)
        #expect(try StreamClient(process.socket).command(0x1009) == nil)
        #expect(control.ask(#"{"op":"advance","seconds":30}"#) == #"{"now":30,"ok":true}"#)
        let again = try StreamClient(process.socket)
        prepare(again)
        #expect(control.ask(#"{"op":"stats"}"#).contains(#""devices":1,"#))
        #expect(control.ask(#"{"op":"power","id":1}"#) == #"{"ok":true}"#)
        #expect(again.event() == nil)
        prepare(try StreamClient(process.socket))
        #expect(process.end(SIGINT) == 0)
    }

    @Test func hostileLines() throws {
        let process = try AirProcess("--paused")
        let control = try StreamClient(process.control)
        let lines = [
            "", "{", "[]", "null", "{}", #"{"op":1}"#, #"{"op":"fly"}"#, #"{"op":"move"}"#,
            #"{"op":"move","id":1,"x":1,"y":1}"#,
            #"{"op":"fix","a":1,"b":2,"rssi":1000}"#, #"{"op":"env","n":-3}"#, #"{"op":"env","bodyWidth":3}"#,
            #"{"op":"bystander","x":1e9}"#, #"{"op":"bystander","path":[[0]]}"#, #"{"op":"env","pl0":"loud"}"#,
            #"{"op":"env","air":"clean"}"#, #"{"op":"env","burst":2}"#, #"{"op":"env","briefPeriod":0}"#,
            #"{"op":"phone","pdu":"directed"}"#, #"{"op":"phone","address":"public"}"#, #"{"op":"speed","speed":0}"#,
            #"{"op":"advance","seconds":-1}"#, #"{"op":"advance","seconds":1e300}"#,
            #"{"op":"phone","x":1e9}"#, #"{"op":"phone","path":[[1]]}"#, #"{"op":"fault","id":1,"kind":"errors"}"#,
            #"{"op":"advertiser","data":"0"}"#, #"{"op":"advertiser","data":"é0"}"#, String(repeating: "[", count: 60_000),
        ]
        for line in lines { #expect(control.ask(line).contains(#""ok":false}"#), "\(line.prefix(40))") }
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            let bytes = generator.bytes(.random(in: 1...80, using: &generator))
            control.send(bytes.filter { $0 != 0x0A } + [0x0A])
            #expect(control.nextLine().contains(#""ok":false}"#))
        }
        #expect(control.ask(#"{"op":"time"}"#).contains(#""ok":true}"#))
        let long = try StreamClient(process.control)
        long.send([UInt8](repeating: 0x20, count: 65_537))
        #expect(long.nextLine().contains("65536 bytes"))
        #expect(long.nextLine() == "")
        let host = try StreamClient(process.socket)
        host.send([0xFF, 1, 2, 3])
        #expect(host.event() == nil)
        #expect(process.end() == 0)
    }

    @Test func hundredsOfHosts() throws {
        let process = try AirProcess()
        let hosts = try (0..<200).map { _ in try StreamClient(process.socket) }
        for host in hosts { prepare(host) }
        let control = try StreamClient(process.control)
        #expect(control.ask(#"{"op":"stats"}"#).contains(#""connections":200,"#))
    }

    @Test func onlyDeadSocketsAreReplaced() throws {
        let process = try AirProcess()
        let second = try Program.run(Program.folder + "/vigil-lab", ["air", process.socket])
        #expect(second.status == 2)
        #expect(second.errors.contains("pathInUse"))
        let file = process.folder + "/file"
        try Data("precious".utf8).write(to: URL(filePath: file))
        #expect(try Program.run(Program.folder + "/vigil-lab", ["air", file]).errors.contains("pathNotUsable"))
        #expect(FileManager.default.fileExists(atPath: file))
        #expect(try Program.run(Program.folder + "/vigil-lab", ["air", String(repeating: "x", count: 200)]).status == 2)
        // A killed process leaves its socket behind.
        #expect(process.end(SIGKILL) == 128 + SIGKILL)
        #expect(FileManager.default.fileExists(atPath: process.socket))
        let outcome = try Program.run(
            "timeout", ["-s", "TERM", "1", Program.folder + "/vigil-lab", "air", process.socket])
        #expect(outcome.output == "ready\n")
    }

    @Test func scenarioFiles() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent().path
        let process = try AirProcess("--paused", "--scenario", root + "/docs/examples/office.json")
        let control = try StreamClient(process.control)
        let host = try StreamClient(process.socket)
        prepare(host)
        #expect(control.ask(#"{"op":"stats"}"#).contains(#""devices":22,"#))
        #expect(control.ask(#"{"op":"time"}"#).contains("1609495200"))
        let refused = try Program.run(
            Program.folder + "/vigil-lab", ["air", process.folder + "/other", "--scenario", "/no/such"])
        #expect(refused.status == 2)
    }
}
