// SPDX-License-Identifier: Apache-2.0

import AirWatch
import ArgumentParser
import Glibc
import HCITransport

/// What is on air, live.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows live what boards send, as a third receiver hears it, and what they say about themselves.")

    @Argument(help: "A controller of its own: h4:unix:PATH, h4:serial:DEV, hci:N or fd:N.")
    var transport: String

    @Option(name: .customLong("board"), help: "NAME=FOLDER with the state.json of a board; may be given several times.")
    var boards: [String] = []

    @Option(help: "Ends after this many seconds.")
    var seconds: Double = 20

    func run() throws {
        let boards = try boards.map { text -> WatchScreen.Board in
            guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                throw ValidationError("--board: NAME=FOLDER is expected, not \(text)")
            }
            return .init(name: String(text[..<equals]), runFolder: String(text[text.index(after: equals)...]))
        }
        let sniffer = try Sniffer(Transport.open(TransportAddress(parsing: transport)))
        var screen = WatchScreen(boards)
        let clock = ContinuousClock()
        let start = clock.now
        var now: Double { (clock.now - start) / .seconds(1) }
        var nextDrawing = screen.period
        while now < seconds {
            var entry = pollfd(fd: sniffer.descriptor, events: Int16(POLLIN), revents: 0)
            let wait = min(nextDrawing, seconds) - now
            _ = poll(&entry, 1, Int32(max(wait, 0) * 1_000) + 1)
            try sniffer.take(at: now)
            guard now >= nextDrawing else { continue }
            screen.draw(sniffer, at: now)
            nextDrawing += screen.period
        }
        screen.draw(sniffer, at: now)
        if sniffer.leaks > 0 { throw ExitCode.failure }
    }
}
