// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Authority
import CLinux
import Glibc

struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Runs the service until it is told to stop (SIGTERM).",
        discussion: """
            Publishes when an hour is over and when configuration.json changed (SIGHUP: at once), wakes boards through the broker of \
            the settings, signs time for boards without a clock, and takes keys at http://127.0.0.1:ADMIN-PORT/admin/keys from \
            whoever has the token of the state folder. It also serves the public tree itself, for development; in front of boards \
            put a web server with a certificate (docs/examples/nginx-authority.conf).
            """)

    @OptionGroup var options: StateOptions

    @Option(help: "Instead of the settings: IP address for boards.")
    var address: String?

    @Option(help: "Instead of the settings: port for boards (0: any free one).")
    var port: UInt16?

    @Option(help: "Instead of the settings: port for handing in keys, on 127.0.0.1 (0: any free one).")
    var adminPort: UInt16?

    @Flag(
        help: """
            For demonstrations: publish keys within seconds of being handed in, without waiting for the end of the hour, for other \
            keys, or for two hours after their use. Never a key that is still in use.
            """)
    var publishNow = false

    @Flag(
        help: "Sign time although the kernel does not say that the clock is synchronised. Boards delete data by this time.")
    var trustClock = false

    func run() throws {
        let stop = try StopSignal()
        var (folder, settings) = try options.open()
        if let address { settings.http.address = address }
        if let port { settings.http.port = port }
        if let adminPort { settings.http.adminPort = adminPort }
        if trustClock { settings.time.requireSynchronisedClock = false }
        let service = try AuthorityService(
            folder: folder, settings: settings, clock: options.clock, publishesAtOnce: publishNow
        ) { say("vigil-authority: \($0)") }
        // For whoever started this and needs the ports.
        print("ready port=\(service.port) admin-port=\(service.adminPort)")
        fflush(nil)
        service.run(signals: stop.descriptor)
    }
}
