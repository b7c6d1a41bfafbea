// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Testing

/// The real core, started, troubled and killed.
@Suite(.serialized) struct CoreProcessTests {
    private func isOnAir(_ core: CoreProcess) -> Bool { core.field("onAir") == "true" }

    /// What one board has heard, as the laboratory can read it: identifiers in hexadecimal.
    private func identifiers(_ core: CoreProcess) throws -> Set<String> {
        let outcome = try Program.run(Program.folder + "/vigil-lab", ["sightings", "--data", core.folder + "/data"])
        try #require(outcome.status == 0)
        return Set(outcome.output.split(separator: "\n").dropFirst().map { String($0.split(separator: ",")[2]) })
    }

    /// Every file below `folder`.
    private func files(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).flatMap { name in
            let path = folder + "/" + name
            return (try? FileManager.default.contentsOfDirectory(atPath: path)) == nil ? [path] : try files(in: path)
        }
    }

    /// The beacon first: whatever a profile of an authority is, the core that somebody starts by hand is on air, and says what is wrong.
    @Test func aProfileWithFaultsKeepsNobodyOffTheAir() throws {
        let air = try AirProcess()
        let board = try CoreProcess("a", on: air)
        let file = board.folder + "/fd.json"
        try Data(#"{"name": "fd", "#.utf8).write(to: URL(filePath: file))
        board.arguments = ["--authority", file, "--authority", board.folder + "/none.json"]
        try board.setTime()
        try board.start()
        #expect(board.waits { isOnAir(board) }, "\(board.log.suffix(2_000))")
        #expect(board.log.contains("line 1, column 16: the file ends here"))
        #expect(board.log.components(of: "profile is not followed").count == 2)
        #expect(board.end() == 0)
    }

    /// Two boards meet; nothing of who they are is to be found in what they write, but for who holds the key.
    @Test func twoBoardsMeetAndKeepItToThemselves() throws {
        let air = try AirProcess()
        let boards = try [CoreProcess("a", on: air), CoreProcess("b", on: air)]
        for board in boards {
            try board.setTime()
            try board.start()
        }
        for board in boards { #expect(board.waits { board.number("storedIdentifiers") >= 2 }, "\(board.state)") }
        let control = try StreamClient(air.control)
        let addresses = control.ask(#"{"op":"list"}"#).components(of: "\"addr\":\"")
        #expect(addresses.count == 2)
        let canaries = try identifiers(boards[0]).union(identifiers(boards[1]))
        #expect(canaries.count == 2)
        for board in boards { #expect(board.end() == 0) }

        var patterns = (Array(canaries) + addresses.map { $0.replacing(":", with: "") }).flatMap { hex -> [[UInt8]] in
            let bytes = stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
            return [Array(hex.utf8), Array(hex.uppercased().utf8), bytes, bytes.reversed()]
        }
        patterns += addresses.flatMap { [Array($0.utf8), Array($0.uppercased().utf8)] }
        var looked = 0
        for board in boards {
            for file in try files(in: board.folder) {
                let data = try Data(contentsOf: URL(filePath: file))
                looked += 1
                for pattern in patterns {
                    #expect(data.firstRange(of: Data(pattern)) == nil, "\(file) tells who was there")
                }
            }
            #expect(board.log.contains("scan finished"))
        }
        #expect(looked >= 12)
        // The search finds what is there: the canary itself, in the log's own folder.
        #expect(Data(patterns[0] + [1, 2]).firstRange(of: Data(patterns[0])) != nil)
    }

    /// The address that each of the first `count` devices has now.
    private func addresses(_ control: StreamClient) -> [String] {
        control.ask(#"{"op":"list"}"#).components(of: "\"addr\":\"")
    }

    /// Within its interval it is back as it was, identifier and address: no key is lost, and nobody can tell that it was away. In another
    /// interval both are new.
    @Test func aKilledBoardIsBackAtOnceAsItWas() throws {
        let air = try AirProcess()
        let board = try CoreProcess("a", on: air)
        let witness = try CoreProcess("w", on: air)
        for core in [board, witness] {
            try core.setTime()
            try core.start()
            #expect(core.waits { isOnAir(core) })
        }
        let control = try StreamClient(air.control)
        #expect(witness.waits { witness.number("storedIdentifiers") >= 1 })
        for _ in 0..<3 {
            let began = time(nil)
            let (before, known) = (try identifiers(witness), Set(addresses(control)))
            #expect(board.end(SIGKILL) == 128 + SIGKILL)
            try board.start()
            #expect(board.waits { isOnAir(board) })
            #expect(board.field("reason") == "\"operator\"", "the time was kept")
            let stored = witness.number("storedIdentifiers")
            #expect(witness.waits { witness.number("storedIdentifiers") >= stored + 2 })
            // Far from the end of an interval: the boards' clocks were set a moment apart from ours.
            let isSameInterval = (began - 30) / 600 == (time(nil) + 30) / 600
            let isSame = (try identifiers(witness).count == before.count, Set(addresses(control)) == known)
            // A board whose clock was set a moment apart may have come to the next interval by itself.
            #expect(isSame.0 == isSame.1)
            if isSameInterval { #expect(isSame.0) }
        }
        #expect(board.number("keysMade") == 0)
        #expect(board.end() == 0)
        #expect(witness.end() == 0)
    }

    @Test func aControllerThatVanishesIsWaitedFor() throws {
        let air = try AirProcess()
        let board = try CoreProcess("a", on: air)
        try board.setTime()
        try board.start()
        #expect(board.waits { isOnAir(board) })
        let control = try StreamClient(air.control)
        #expect(control.ask(#"{"op":"fault","id":1,"kind":"vanish","seconds":1}"#).contains("true"))
        #expect(board.waits { board.number("transportsLost") >= 1 && !isOnAir(board) })
        #expect(board.waits { isOnAir(board) })
        #expect(board.log.contains("the controller is gone"))
        #expect(board.end() == 0)
    }

    @Test func aSilentControllerDoesNotKeepItFromStopping() throws {
        let air = try AirProcess()
        let board = try CoreProcess("a", on: air)
        try board.setTime()
        try board.start()
        #expect(board.waits { isOnAir(board) })
        let control = try StreamClient(air.control)
        #expect(control.ask(#"{"op":"fault","id":1,"kind":"silent","seconds":60}"#).contains("true"))
        let start = ContinuousClock().now
        #expect(board.end() == 0)
        #expect(ContinuousClock().now - start < .seconds(40), "the controller is silent for sixty")
    }

    @Test func withoutTimeItWaitsAndAHangUpMakesItLook() throws {
        let air = try AirProcess()
        let board = try CoreProcess("a", on: air)
        try board.start()
        #expect(board.waits { board.field("controller") != nil })
        // Where the kernel's clock is synchronised there is a time at once, and nothing to show.
        guard board.field("state") == "\"untrusted\"" else { return }
        #expect(!isOnAir(board))
        try board.setTime()
        // Without the signal it looks every five seconds, and says nothing of it.
        #expect(!board.log.contains("asked to look"))
        board.signal(SIGHUP)
        #expect(board.waits { isOnAir(board) })
        #expect(board.log.contains("asked to look"))
        #expect(board.end() == 0)
    }
}

extension String {
    /// What follows each `prefix`, up to the next quotation mark.
    fileprivate func components(of prefix: String) -> [String] {
        var rest = self[...]
        var found: [String] = []
        while let range = rest.firstRange(of: prefix) {
            rest = rest[range.upperBound...]
            found.append(String(rest.prefix { $0 != "\"" }))
        }
        return found
    }
}
