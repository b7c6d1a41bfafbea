// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import JSON
import TestKit
import Testing

/// `vigil run`, really started, with plugins that are shell and Python scripts: what they may, what becomes of them, and that the
/// beacon does not care.
@Suite(.serialized) struct SupervisorTests {
    /// A resident plugin that speaks the control protocol, in a language of its own.
    private static let resident = """
        #!/usr/bin/python3
        import os, socket, sys, json, time
        control = socket.socket(fileno=int(os.environ["VIGIL_CONTROL"]))
        control.settimeout(2)
        edges = []
        def take():
            data, fds, flags, _ = socket.recv_fds(control, 4096, 4)
            if not data: sys.exit(0)
            words = data.decode().split("\\n")
            values = dict(word.split("=", 1) for word in words[1:])
            if words[0] == "STOP": sys.exit(0)
            if words[0] == "SETTINGS": report("settings " + open(os.environ["VIGIL_RUN"] + "/settings.json").read().strip())
            return words[0]
        def report(text):
            with open(os.environ["VIGIL_STATE"] + "/said", "a") as file: file.write(text + "\\n")
            print(text, file=sys.stderr, flush=True)
        while take() != "START": pass
        control.send(b"READY")
        def call(interface, method):
            link = socket.socket(socket.AF_UNIX)
            link.connect(os.environ["VIGIL_RUN"] + "/" + interface)
            link.sendall(json.dumps({"method": interface + "." + method}).encode() + b"\\0")
            answer = b""
            while not answer.endswith(b"\\0"):
                part = link.recv(65536)
                if not part: break
                answer += part
            return json.loads(answer[:-1])
        report("started uid=%d pid=%d" % (os.getuid(), os.getpid()))
        report("status " + call("org.vigil.exposure1", "GetStatus")["parameters"]["status"]["state"])
        report("denied " + call("org.vigil.exposure1", "GetExposureWindows").get("error", "none"))
        while True:
            try: take()
            except TimeoutError: control.send(b"ALIVE")
        """

    private static func manifest(_ id: String, start: String = "resident", more: String = "") -> String {
        """
        {"id": "\(id)", "version": "1.0.0", "title": "Test", "description": "A test's plugin.",
         "run": {"program": "bin/main"}, "start": "\(start)",
         "wants": [{"interface": "org.vigil.exposure1", "methods": ["GetStatus"], "why": "to show it"}]\(more)}
        """
    }

    private static func grants(_ entries: String...) -> String { #"{"plugins": {\#(entries.joined(separator: ", "))}}"# }

    private static let calls = #""enabled": true, "calls": {"org.vigil.exposure1": ["GetStatus"]}"#

    @Test func aBoardComesUpServesAndStops() throws {
        let air = try AirProcess()
        let board = try BoardProcess("board", on: air)
        try board.install(
            "echo", manifest: Self.manifest("echo"), files: ["bin/main": Self.resident], programs: ["bin/main"])
        try board.grant(Self.grants("\"echo\": {\(Self.calls)}"))
        try board.start()
        try #require(board.waits { board.state("echo") == "running" }, "\(board.process("echo")) \(board.log)")
        // They become ready in any order.
        #expect(board.waits { board.state("core") == "running" && board.state("egress") == "running" }, "\(board.log)")
        #expect(board.waits { board.text("data/state/echo/said").contains("denied") }, "\(board.log)")
        let said = board.text("data/state/echo/said")
        #expect(
            said.contains("status timeUnknown") || said.contains("status active") || said.contains("status radioTrouble"))
        #expect(said.contains("denied org.varlink.service.PermissionDenied"))
        #expect(board.log.contains("echo: started uid="))
        if geteuid() == 0 { #expect(!said.contains("uid=0 ") && said.contains("pid=1")) }
        // The console of the core is where it always was.
        let status = try Program.vigil("ctl", "status", "--run", board.run)
        #expect(status.status == 0, "\(status.errors)")
        let core = board.number("core")
        /// Folders below `run` that are file systems of their own.
        func mounts() -> [String] {
            var own = stat(), found = stat()
            return ["spool", "spool/echo"].filter {
                stat(board.run, &own) == 0 && stat("\(board.run)/\($0)", &found) == 0 && found.st_dev != own.st_dev
            }
        }
        if geteuid() == 0 { #expect(mounts() == ["spool", "spool/echo"]) }
        #expect(board.end(unmounting: false) == 0)
        #expect(mounts().isEmpty && !FileManager.default.fileExists(atPath: board.run + "/spool"))
        #expect(board.log.contains("stopped"))
        #expect(kill(core, 0) != 0, "the core outlived its supervisor")
    }

    @Test func theCoreComesBackAndNobodyElseIsTouched() throws {
        let air = try AirProcess()
        let board = try BoardProcess("board", on: air)
        try board.install(
            "echo", manifest: Self.manifest("echo"), files: ["bin/main": Self.resident], programs: ["bin/main"])
        try board.grant(Self.grants("\"echo\": {\(Self.calls)}"))
        try board.start()
        // It is done with its calls: one that is not answered would end it.
        try #require(
            board.waits {
                board.text("data/state/echo/said").contains("denied") && board.state("echo") == "running"
                    && board.state("core") == "running"
            })
        let (core, echo) = (board.number("core"), board.number("echo"))
        kill(core, SIGKILL)
        #expect(board.waits { board.number("core") != core && board.state("core") == "running" })
        #expect(board.number("echo") == echo)
        #expect(board.process("core")["restarts"]?.int == 1)
        // And the other way round.
        let second = board.number("core")
        kill(echo, SIGKILL)
        #expect(board.waits { board.number("echo") != echo && board.state("echo") == "running" })
        #expect(board.number("core") == second)
    }

    @Test func whatFailsFiveTimesIsLeftAlone() throws {
        let air = try AirProcess()
        let board = try BoardProcess("board", on: air)
        try board.install(
            "bad", manifest: Self.manifest("bad"), files: ["bin/main": "#!/bin/sh\nexit 7\n"], programs: ["bin/main"])
        try board.grant(Self.grants("\"bad\": {\(Self.calls)}"))
        try board.start()
        #expect(board.waits(seconds: 60) { board.state("bad") == "quarantined" }, "\(board.process("bad"))")
        #expect(board.process("bad")["reason"]?.string?.contains("status 7") == true)
        #expect(board.waits { board.state("core") == "running" }, "\(board.log)")
        // Repaired and asked for, it runs.
        try board.install("bad", manifest: Self.manifest("bad"), files: ["bin/main": Self.resident], programs: ["bin/main"])
        let restart = try Program.vigil(
            "plugin", "restart", "bad", "--run", board.run, "--grants", board.folder + "/grants.json", "--plugins",
            board.folder + "/plugins")
        #expect(restart.status == 0, "\(restart.errors)")
        #expect(board.waits { board.state("bad") == "running" }, "\(board.process("bad"))")
    }

    @Test func pluginsComeChangeAndGoWhileTheBeaconGoesOn() throws {
        let air = try AirProcess()
        let board = try BoardProcess("board", on: air)
        try board.grant(Self.grants())
        try board.start()
        try #require(board.waits { board.state("core") == "running" })
        let core = board.number("core")
        let setting =
            #", "settings": {"type": "object", "properties": {"word": {"type": "string", "title": "Word", "default": "first"}}}"#
        try board.install(
            "echo", manifest: Self.manifest("echo", more: setting), files: ["bin/main": Self.resident],
            programs: ["bin/main"])
        try board.grant(Self.grants("\"echo\": {\(Self.calls)}"))
        board.signal(SIGHUP)
        try #require(board.waits { board.state("echo") == "running" }, "\(board.process("echo")) \(board.log)")
        let first = board.number("echo")
        // Settings reach it while it runs.
        try board.grant(Self.grants("\"echo\": {\(Self.calls), \"settings\": {\"word\": \"second\"}}"))
        board.signal(SIGHUP)
        #expect(
            board.waits {
                board.text("data/state/echo/said").contains("settings {")
                    && board.text("data/state/echo/said").contains("second")
            })
        #expect(board.number("echo") == first)
        // Another program is another process.
        try board.install(
            "echo", manifest: Self.manifest("echo", more: setting), files: ["bin/main": Self.resident + "\n# new\n"],
            programs: ["bin/main"])
        board.signal(SIGHUP)
        #expect(
            board.waits { board.number("echo") != first && board.state("echo") == "running" }, "\(board.process("echo"))")
        try board.grant(Self.grants("\"echo\": {\"enabled\": false}"))
        board.signal(SIGHUP)
        #expect(board.waits { board.state("echo") == "disabled" }, "\(board.process("echo"))")
        try FileManager.default.removeItem(atPath: board.folder + "/plugins/echo")
        board.signal(SIGHUP)
        #expect(board.waits { board.process("echo") == .empty })
        #expect(board.number("core") == core)
    }

    /// A schedule begins soon after the plugin may run: at the board's start, after `vigil plugin add`, and after it was enabled.
    @Test func whoComesLaterKeepsItsScheduleToo() throws {
        let air = try AirProcess()
        let board = try BoardProcess("board", on: air)
        let program = """
            #!/usr/bin/python3
            import os, socket, sys
            control = socket.socket(fileno=int(os.environ["VIGIL_CONTROL"]))
            control.setblocking(True)
            while control.recv(4096) != b"START": pass
            control.send(b"READY")
            print("had its turn", file=sys.stderr, flush=True)
            control.send(b"IDLE")
            os._exit(0)
            """
        func install(_ name: String) throws {
            try board.install(
                name, manifest: Self.manifest(name, start: "onDemand", more: #", "schedule": {"everySeconds": 3600}"#),
                files: ["bin/main": program], programs: ["bin/main"])
        }
        func grant(_ enabled: [String: Bool]) throws {
            try board.grant(
                Self.grants(enabled.map { "\"\($0)\": {\"enabled\": \($1)}" }.sorted().joined(separator: ", ")))
        }
        func turns(_ name: String) -> Int {
            board.log.split(separator: "\n").count { $0.hasSuffix("\(name): had its turn") }
        }
        for name in ["early", "enabled"] { try install(name) }
        try grant(["early": true, "enabled": false])
        try board.start()
        try #require(board.waits { turns("early") == 1 }, "\(board.log)")
        try install("added")
        try grant(["early": true, "enabled": true, "added": true])
        board.signal(SIGHUP)
        #expect(board.waits { turns("enabled") == 1 && turns("added") == 1 }, "\(board.log)")
        // Reading again is no reason for another turn: it would come no later than that of somebody new.
        #expect(board.waits { ["early", "enabled", "added"].allSatisfy { board.state($0) == "waiting" } })
        try install("last")
        try grant(["early": true, "enabled": true, "added": true, "last": true])
        board.signal(SIGHUP)
        #expect(board.waits { turns("last") == 1 && board.state("last") == "waiting" }, "\(board.log)")
        #expect(["early", "enabled", "added"].map(turns) == [1, 1, 1], "\(board.log)")
    }

    @Test func aSecondSupervisorIsTurnedAway() throws {
        let air = try AirProcess()
        let board = try BoardProcess("board", on: air)
        try board.start()
        try #require(board.waits { board.state("core") == "running" })
        let second = try Program.vigil(
            "run", "--transport", "h4:unix:" + air.socket, "--data", board.folder + "/data", "--run", board.run)
        #expect(second.status == 2 && second.errors.contains("another supervisor"), "\(second.errors)")
    }

    @Test func aKilledSupervisorLeavesNobodyBehind() throws {
        let air = try AirProcess()
        let board = try BoardProcess("board", on: air)
        try board.install(
            "echo", manifest: Self.manifest("echo"), files: ["bin/main": Self.resident], programs: ["bin/main"])
        try board.grant(Self.grants("\"echo\": {\(Self.calls)}"))
        try board.start()
        try #require(board.waits { board.state("echo") == "running" && board.state("egress") == "running" })
        let left = ["core", "egress", "echo"].map { board.number($0) }
        board.end(SIGKILL)
        #expect(board.waits { left.allSatisfy { kill($0, 0) != 0 } })
        // Four starts that end soon: safe mode, with the core.
        for _ in 0..<2 {
            try board.start()
            try #require(board.waits { board.state("core") == "running" })
            board.end(SIGKILL)
        }
        try board.start()
        try #require(board.waits { board.state("core") == "running" })
        #expect(board.state("echo") == "safeMode", "\(board.process("echo"))")
        #expect(board.log.contains("safe mode"))
    }

    /// Serves one question and says IDLE: what on-demand plugins do.
    private static let onDemand = """
        #!/usr/bin/python3
        import os, socket, sys, select, json
        control = socket.socket(fileno=int(os.environ["VIGIL_CONTROL"]))
        listeners = []
        started = False
        while True:
            ready, _, _ = select.select([control] + listeners, [], [], 1 if started else None)
            if not ready:
                control.send(b"IDLE\\nafter=86400")
                sys.exit(0)
            if control in ready:
                data, fds, _, _ = socket.recv_fds(control, 4096, 4)
                words = data.decode().split("\\n")
                if not data or words[0] == "STOP": sys.exit(0)
                if words[0] == "EDGE":
                    listeners.append(socket.socket(fileno=fds[0]))
                    print("edge", data.decode().replace("\\n", " "), file=sys.stderr, flush=True)
                if words[0] == "START":
                    started = True
                    control.send(b"READY")
            for listener in [each for each in ready if each is not control]:
                link, _ = listener.accept()
                call = json.loads(link.recv(65536).rstrip(b"\\0"))
                link.sendall(json.dumps({"parameters": {"pong": call["method"]}}).encode() + b"\\0")
                link.close()
        """

    @Test func anOnDemandPluginStartsWhenCalledAndRestsAfterwards() throws {
        let air = try AirProcess()
        let board = try BoardProcess("board", on: air)
        let manifest = """
            {"id": "pong", "version": "1.0.0", "title": "Test", "description": "A test's plugin.", "run": {"program": "bin/main"},
             "start": "onDemand", "provides": ["org.example.pong1"]}
            """
        let interface =
            "# Answers.\ninterface org.example.pong1\n\n# Answers.\nmethod Ping() -> (\n  # What was called.\n  pong: string\n)\n"
        try board.install(
            "pong", manifest: manifest,
            files: ["bin/main": Self.onDemand, "interfaces/org.example.pong1.varlink": interface],
            programs: ["bin/main"])
        try board.grant(Self.grants(#""pong": {"enabled": true}"#))
        try board.start()
        try #require(board.waits { board.state("core") == "running" && board.state("pong") == "waiting" }, "\(board.log)")
        for _ in 0..<2 {
            let client = try CallClient(board.run + "/console/org.example.pong1")
            client.send(CallClient.message("org.example.pong1.Ping"))
            #expect(client.receive()?.contains("org.example.pong1.Ping") == true, "\(board.log)")
            #expect(board.waits { board.state("pong") == "waiting" }, "\(board.process("pong"))")
        }
        #expect(board.process("pong")["lastExit"] == nil)
    }

    /// In its first life it says that it has nothing to do, and is still there when it is told to fetch: a plugin at its end.
    private static let fetcher = """
        #!/usr/bin/python3
        import os, select, socket, sys
        control = socket.socket(fileno=int(os.environ["VIGIL_CONTROL"]))
        lives = os.environ["VIGIL_STATE"] + "/lives"
        number = len(open(lives).read()) + 1 if os.path.exists(lives) else 1
        with open(lives, "a") as file: file.write("x")
        while control.recv(4096) != b"START": pass
        control.send(b"READY")
        if number == 1: control.send(b"IDLE\\nafter=86400\\nfetched=0")
        while True:
            while not select.select([control], [], [], 5)[0]: control.send(b"ALIVE")
            if number == 1: os._exit(0)
            words = control.recv(4096).split(b"\\n")
            if words[0] in (b"", b"STOP"): os._exit(0)
            if words[0] == b"FETCH":
                control.send(b"IDLE\\nafter=86400\\nfetched=1")
                os._exit(0)
        """

    /// What the core has for a plugin is not lost where that plugin just ends; where it was taken, nothing is started.
    @Test func whoIsToldToFetchAtItsEndIsStartedAgain() throws {
        let air = try AirProcess()
        let board = try BoardProcess("board", on: air)
        let manifest = """
            {"id": "fetcher", "version": "1.0.0", "title": "Test", "description": "A test's plugin.",
             "run": {"program": "bin/main"}, "start": "onDemand",
             "wants": [{"interface": "org.vigil.door1", "methods": ["TakeCode"], "why": "to take codes"}]}
            """
        try board.install(
            "fetcher", manifest: manifest, files: ["bin/main": Self.fetcher], programs: ["bin/main"])
        try board.grant(Self.grants(#""fetcher": {"enabled": true, "calls": {"org.vigil.door1": ["TakeCode"]}}"#))
        // The core of a place has it fetch at each of its starts.
        board.arguments = ["--profile", "kiosk"]
        try board.start()
        func lives() -> Int { board.text("data/state/fetcher/lives").count }
        func restartTheCore() throws {
            let core = board.number("core")
            try #require(core > 0)
            kill(core, SIGKILL)
            try #require(
                board.waits {
                    board.number("core") > 0 && board.number("core") != core && board.state("core") == "running"
                })
        }
        try #require(board.waits { board.state("fetcher") == "running" && lives() == 1 }, "\(board.log)")
        try restartTheCore()
        try #require(board.waits { board.state("fetcher") == "running" && lives() == 2 }, "\(board.log)")
        try restartTheCore()
        #expect(board.waits { board.state("fetcher") == "waiting" }, "\(board.process("fetcher"))")
        #expect(lives() == 2 && board.process("fetcher")["lastExit"] == nil)
    }

    /// Python speaks SOCKS5 by hand: what a plugin without a library would do.
    private static let outgoing = """
        #!/usr/bin/python3
        import os, socket, sys, struct
        control = socket.socket(fileno=int(os.environ["VIGIL_CONTROL"]))
        while control.recv(4096) != b"START": pass
        control.send(b"READY")
        def through(host, port):
            proxy = os.environ["VIGIL_SOCKS"].split(":")
            link = socket.create_connection((proxy[0], int(proxy[1])), 10)
            link.sendall(b"\\x05\\x01\\x00")
            if link.recv(2) != b"\\x05\\x00": return "no greeting"
            link.sendall(b"\\x05\\x01\\x00\\x03" + bytes([len(host)]) + host.encode() + struct.pack(">H", port))
            answer = link.recv(10)
            if answer[1]: return "refused %d" % answer[1]
            link.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
            return link.recv(12).decode()
        def plainly(host, port):
            try: socket.create_connection((host, port), 3); return "GAINED"
            except OSError as error: return "refused"
        port = int(sys.argv[0] and open(os.environ["VIGIL_RUN"] + "/settings.json").read().split(":")[1].strip(" }\\n"))
        print("named", through("127.0.0.1", port), file=sys.stderr)
        print("other", through("127.0.0.1", port + 1), file=sys.stderr)
        print("plain", plainly("127.0.0.1", port), file=sys.stderr, flush=True)
        while control.recv(4096) not in (b"STOP", b""): pass
        """

    /// Starts a server in Python, which says its port first.
    private func serve(_ program: String) throws -> (process: pid_t, port: Int) {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        let words: [UnsafeMutablePointer<CChar>?] =
            ["python3", "-c", program].map { (word: String) in strdup(word) } + [nil]
        defer { for word in words { free(word) } }
        var server: pid_t = 0
        try #require(startProgram(&server, "/usr/bin/python3", &actions, words) == 0)
        var text = [UInt8](repeating: 0, count: 16)
        let count = read(ends[0], &text, 16)
        return (server, try #require(Int(String(decoding: text[..<max(count, 0)], as: UTF8.self).filter { $0.isNumber })))
    }

    @Test func thePluginsOnlyWayOutIsEgress() throws {
        let air = try AirProcess()
        let board = try BoardProcess("board", on: air)
        let (server, port) = try serve(
            """
            import http.server as h
            s = h.HTTPServer(('127.0.0.1', 0), h.SimpleHTTPRequestHandler)
            print(s.server_port, flush=True)
            s.serve_forever()
            """)
        defer {
            kill(server, SIGKILL)
            waitpid(server, nil, 0)
        }
        let manifest = """
            {"id": "out", "version": "1.0.0", "title": "Test", "description": "A test's plugin.", "run": {"program": "bin/main"},
             "start": "resident", "endpoints": [{"name": "server", "why": "a test"}],
             "settings": {"type": "object", "properties": {"port": {"type": "integer", "title": "Port"}}}}
            """
        try board.install("out", manifest: manifest, files: ["bin/main": Self.outgoing], programs: ["bin/main"])
        let place = #"{"host": "127.0.0.1", "port": \#(port), "private": true}"#
        try board.grant(
            Self.grants(
                #""out": {"enabled": true, "endpoints": {"server": [\#(place)]}, "settings": {"port": \#(port)}}"#))
        try board.start()
        #expect(board.waits { board.log.contains("out: plain") }, "\(board.log)")
        #expect(board.log.contains("out: named HTTP/1.0 200"), "\(board.log)")
        #expect(board.log.contains("out: other refused 2"), "\(board.log)")
        #expect(board.log.contains("out: plain refused"), "\(board.log)")
    }

    /// Keeps every connection, whatever it is told, and answers on it.
    private static let keeper = """
        #!/usr/bin/python3
        import os, socket, select
        control = socket.socket(fileno=int(os.environ["VIGIL_CONTROL"]))
        control.settimeout(0.1)
        listeners, links = [], []
        while True:
            ready, _, _ = select.select([control] + listeners + links, [], [], 2)
            if not ready: control.send(b"ALIVE")
            for one in ready:
                if one is control:
                    data, fds, _, _ = socket.recv_fds(control, 4096, 4)
                    if not data or data == b"STOP": raise SystemExit(0)
                    listeners += [socket.socket(fileno=fd) for fd in fds]
                    if data == b"START": control.send(b"READY")
                elif one in listeners:
                    # One that was shut down is readable for ever.
                    try: links.append(one.accept()[0])
                    except OSError: listeners.remove(one)
                else:
                    got = one.recv(4096)
                    if got: one.sendall(got)
                    else: links.remove(one)
        """

    /// Asks on one connection for as long as it lasts.
    private static let asker = """
        #!/usr/bin/python3
        import os, socket, sys
        control = socket.socket(fileno=int(os.environ["VIGIL_CONTROL"]))
        while control.recv(4096) != b"START": pass
        control.send(b"READY")
        def say(text): print(text, file=sys.stderr, flush=True)
        link = socket.socket(socket.AF_UNIX)
        try:
            link.connect(os.environ["VIGIL_RUN"] + "/org.example.pong1")
            link.sendall(b"x")
            say("answered" if link.recv(1) else "nothing")
        except OSError as error: say("unreachable")
        # Does not stop when told: the connection is to go all the same.
        control.settimeout(2)
        while True:
            try:
                if not control.recv(4096): raise SystemExit(0)
            except TimeoutError: control.send(b"ALIVE")
        """

    /// Goes out over and over, and does not stop when it is told.
    private static let stubborn = """
        #!/usr/bin/python3
        import json, os, socket, struct, sys
        control = socket.socket(fileno=int(os.environ["VIGIL_CONTROL"]))
        while control.recv(4096) != b"START": pass
        control.send(b"READY")
        control.settimeout(0.2)
        port = json.load(open(os.environ["VIGIL_RUN"] + "/settings.json"))["port"]
        proxy = os.environ["VIGIL_SOCKS"].split(":")
        def through():
            try:
                link = socket.create_connection((proxy[0], int(proxy[1])), 1)
                link.sendall(b"\\x05\\x01\\x00")
                if link.recv(2) != b"\\x05\\x00": return "closed"
                link.sendall(b"\\x05\\x01\\x00\\x03\\x09127.0.0.1" + struct.pack(">H", port))
                answer = link.recv(10)
                return "closed" if len(answer) < 2 else "refused" if answer[1] else "through"
            except OSError: return "closed"
        stage = "before"
        while True:
            try:
                word = control.recv(4096)
                if not word: raise SystemExit(0)
                if word == b"STOP": stage = "after"
            except TimeoutError: control.send(b"ALIVE")
            print(stage, through(), file=sys.stderr, flush=True)
        """

    /// The operator takes back what one plugin may ask of another that keeps its connections, the permission for metered networks, and the plugin itself.
    @Test func whatWasTakenBackEndsAtOnce() throws {
        let air = try AirProcess()
        let board = try BoardProcess("board", on: air)
        let (server, port) = try serve(
            """
            import socket
            s = socket.create_server(('127.0.0.1', 0))
            print(s.getsockname()[1], flush=True)
            while True: s.accept()[0].close()
            """)
        defer {
            kill(server, SIGKILL)
            waitpid(server, nil, 0)
        }
        func manifest(_ id: String, _ more: String) -> String {
            #"{"id": "\#(id)", "version": "1.0.0", "title": "Test", "description": "A test's plugin.", "run": {"program": "bin/main"}, "start": "resident", \#(more)}"#
        }
        let interface =
            "# Answers.\ninterface org.example.pong1\n\n# Answers.\nmethod Ping() -> (\n  # What was called.\n  pong: string\n)\n"
        try board.install(
            "keeper", manifest: manifest("keeper", #""provides": ["org.example.pong1"]"#),
            files: ["bin/main": Self.keeper, "interfaces/org.example.pong1.varlink": interface], programs: ["bin/main"])
        try board.install(
            "asker",
            manifest: manifest(
                "asker", #""wants": [{"interface": "org.example.pong1", "methods": ["Ping"], "why": "a test"}]"#),
            files: ["bin/main": Self.asker], programs: ["bin/main"])
        let setting = #""settings": {"type": "object", "properties": {"port": {"type": "integer", "title": "Port"}}}"#
        try board.install(
            "out", manifest: manifest("out", #""endpoints": [{"name": "server", "why": "a test"}], \#(setting)"#),
            files: ["bin/main": Self.stubborn], programs: ["bin/main"])
        let keeper = #""keeper": {"enabled": true}"#
        func out(_ enabled: Bool, metered: Bool) -> String {
            #""out": {"enabled": \#(enabled), "metered": \#(metered), "endpoints": {"server": [{"host": "127.0.0.1", "port": \#(port), "private": true}]}, "settings": {"port": \#(port)}}"#
        }
        try Data(#"{"metered": true}"#.utf8).write(to: URL(filePath: board.folder + "/vigil.json"))
        board.arguments = ["--config", board.folder + "/vigil.json"]
        try board.grant(
            Self.grants(
                keeper, #""asker": {"enabled": true, "calls": {"org.example.pong1": ["Ping"]}}"#, out(true, metered: true)))
        try board.start()
        try #require(
            board.waits { board.log.contains("asker: answered") && board.log.contains("out: before through") },
            "\(board.log)")
        let (provider, caller) = (board.number("keeper"), board.number("asker"))
        try board.grant(Self.grants(keeper, #""asker": {"enabled": true}"#, out(true, metered: false)))
        board.signal(SIGHUP)
        // It is another process, and the provider is the same.
        #expect(board.waits { board.log.contains("asker: unreachable") }, "\(board.log)")
        #expect(board.number("asker") != caller && board.number("keeper") == provider)
        #expect(board.waits { board.log.contains("out: before refused") }, "\(board.log)")
        // Switched off, it goes out no more, though it takes its time to end.
        try board.grant(Self.grants(keeper, out(true, metered: true)))
        let seen = board.log.utf8.count
        board.signal(SIGHUP)
        func later() -> String { String(decoding: board.log.utf8.dropFirst(seen), as: UTF8.self) }
        #expect(board.waits { later().contains("out: before through") }, "\(board.log)")
        try board.grant(Self.grants(keeper, out(false, metered: true)))
        board.signal(SIGHUP)
        #expect(board.waits { later().contains("out: after closed") }, "\(board.log)")
    }
}
