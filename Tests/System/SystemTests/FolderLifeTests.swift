// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import JSON
import LabKit
import RandomValues
import Testing

/// What plugins leave in their folders, on a whole board: within their quotas however shortly they live, and nothing after a reset.
@Suite(.serialized) struct FolderLifeTests {
    private static let begin = """
        #!/usr/bin/python3
        import json, os, random, socket, sys, time
        control = socket.socket(fileno=int(os.environ["VIGIL_CONTROL"]))
        control.setblocking(True)
        state, spool = os.environ["VIGIL_STATE"], os.environ["VIGIL_SPOOL"]
        def report(text): print(text, file=sys.stderr, flush=True)
        while control.recv(4096) != b"START": pass
        control.send(b"READY")

        """

    /// Takes what it can, and is gone before anybody looks.
    private static let hasty =
        begin + """
            block, now = bytes(1 << 20), time.time_ns()
            for number in range(16):
                try:
                    file = os.open("%s/%d-%d" % (state if number < 4 else spool, now, number), os.O_CREAT | os.O_WRONLY, 0o640)
                    os.write(file, block)
                    os.close(file)
                except OSError: pass
            report("was here")
            control.send(b"IDLE\\nafter=1")
            os._exit(0)
            """

    /// Names a file in its spool to the core, and says what the core says.
    private static let giver =
        begin + """
            with open(spool + "/keys.zip", "wb") as file: file.write(bytes(100000))
            os.chmod(spool + "/keys.zip", 0o640)
            link = socket.socket(socket.AF_UNIX)
            link.connect(os.environ["VIGIL_RUN"] + "/org.vigil.exposure1")
            link.sendall(json.dumps({"method": "org.vigil.exposure1.ProvideDiagnosisKeys", "parameters": {"files": ["keys.zip"]}}).encode() + b"\\0")
            report("the core says " + link.recv(65536).decode())
            while control.recv(4096) not in (b"STOP", b""): pass
            """

    /// Remembers what it can, wherever it can, and says so once it is written.
    private static let rememberer =
        begin + """
            trap = state + "/.forgotten-1"
            places = [trap + "/memory", spool + "/memory"]
            found = set(open(place).read() for place in places if os.path.exists(place))
            remembered = bool(found)
            for text in found: report("remembers %s" % text)
            text = found.pop() if found else "secret-%d" % random.getrandbits(60)
            os.makedirs(trap, exist_ok=True)
            for place in places:
                with open(place, "w") as file: file.write(text)
            if not remembered: report("learned %s" % text)
            while True:
                if control.recv(4096) in (b"STOP", b""): break
            """

    /// Puts what it is told by its settings wherever it can: in files, names and links, wide and deep.
    private static let writer =
        begin + """
            seed = json.load(open(os.environ["VIGIL_RUN"] + "/settings.json"))["seed"]
            canaries = ["canary-%d-%s" % (number, seed) for number in range(1000, 1200) if seed]
            for place in (state, spool):
                deep = place
                for number, text in enumerate(canaries):
                    path = "%s/%d" % (deep, number)
                    try:
                        if number % 4 == 0: open(path, "w").write(text)
                        elif number % 4 == 1: open(deep + "/" + text, "w").write("x")
                        elif number % 4 == 2: os.symlink("/" + text, path)
                        else: open(path, "w").write(" " * 5000 + text)
                        if number % 20 == 19:
                            deep += "/deeper"
                            os.mkdir(deep)
                    except OSError as error: report("cannot: %s" % error)
            os.sync()
            report("has written")
            while control.recv(4096) not in (b"STOP", b""): pass
            """

    /// Says to others what its settings hold: to the supervisor as the name of a certificate, to egress as a host that it asks for.
    private static let talker =
        begin + """
            word = json.load(open(os.environ["VIGIL_RUN"] + "/settings.json"))["word"]
            if word:
                control.send(("CERTIFICATE\\nname=%s\\nfrom=1123456789\\nuntil=1987654321" % word).encode())
                link = socket.socket()
                link.connect(("127.0.0.1", 1080))
                link.sendall(b"\\5\\1\\0")
                link.recv(2)
                host = (word + ".example.org").encode()
                link.sendall(b"\\5\\1\\0\\3" + bytes([len(host)]) + host + b"\\0\\x50")
                link.recv(40)
            report("has said it")
            while control.recv(4096) not in (b"STOP", b""): pass
            """

    private static func manifest(
        _ id: String, start: String = "resident", more: String = "", spool: Int = 1 << 20
    ) -> String {
        """
        {"id": "\(id)", "version": "1.0.0", "title": "Test", "description": "A test's plugin.",
         "run": {"program": "bin/main"}, "start": "\(start)"\(more),
         "quotas": {"memory": 67108864, "state": 1048576, "spool": \(spool), "processes": 8}}
        """
    }

    private func install(_ name: String, _ program: String, manifest: String, on board: BoardProcess) throws {
        try board.install(name, manifest: manifest, files: ["bin/main": program], programs: ["bin/main"])
    }

    private func byteCount(_ folder: String) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.reduce(0) { sum, name in
            var status = stat()
            return lstat("\(folder)/\(name)", &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }

    /// A user of its own and a file system of its own take root; without it only the end is judged.
    @Test func whoLivesShortlyKeepsHisQuotasToo() throws {
        let air = try AirProcess()
        let board = try BoardProcess("board", on: air)
        let schedule = #", "schedule": {"everySeconds": 60}"#
        try install(
            "hasty", Self.hasty, manifest: Self.manifest("hasty", start: "onDemand", more: schedule), on: board)
        try board.grant(#"{"plugins": {"hasty": {"enabled": true}}}"#)
        try board.start()
        let runs = { board.log.split(separator: "\n").count { $0.hasSuffix("hasty: was here") } }
        // On a busy machine somebody may look in time, five times: then it is left alone, and the rest has to hold all the same.
        try #require(board.waits { runs() >= 7 || board.state("hasty") == "quarantined" }, "\(board.log)")
        if geteuid() == 0 {
            var filesystem = statvfs()
            #expect(statvfs(board.run + "/spool/hasty", &filesystem) == 0)
            #expect(
                UInt64(filesystem.f_blocks) * UInt64(filesystem.f_frsize) == 1 << 20, "the kernel does not keep its quota")
        }
        let console = try CallClient(board.run + "/ctl.sock")
        console.send(
            CallClient.message("org.vigil.device1.SetTime", #"{"now": \#(Int(Date().timeIntervalSince1970) * 1_000)}"#))
        _ = console.receive()
        // Somebody who comes later, to a core that has been running for long: he has his room, and the core sees what he puts there.
        let wants =
            #", "wants": [{"interface": "org.vigil.exposure1", "methods": ["ProvideDiagnosisKeys"], "why": "to give keys"}]"#
        try install("giver", Self.giver, manifest: Self.manifest("giver", more: wants), on: board)
        let call = #""giver": {"enabled": true, "calls": {"org.vigil.exposure1": ["ProvideDiagnosisKeys"]}}"#
        try board.grant(#"{"plugins": {"hasty": {"enabled": true}, \#(call)}}"#)
        board.signal(SIGHUP)
        try #require(board.waits { board.log.contains("the core says") }, "\(board.process("giver")) \(board.log)")
        #expect(!board.log.contains("no such file") && !board.log.contains("noSuchFile"), "\(board.log)")
        #expect(board.log.contains("keys.zip"), "\(board.log)")
        // Who is disabled leaves nothing in memory.
        try board.grant(#"{"plugins": {"hasty": {"enabled": false}, \#(call)}}"#)
        board.signal(SIGHUP)
        try #require(board.waits { board.state("hasty") == "disabled" })
        #expect(board.waits(seconds: 120) { byteCount(board.run + "/spool/hasty") == 0 })
        #expect(byteCount(board.folder + "/data/state/hasty") <= 1 << 20)
        // Who is not installed any more has no folder there.
        try FileManager.default.removeItem(atPath: board.folder + "/plugins/giver")
        board.signal(SIGHUP)
        #expect(board.waits(seconds: 120) { access(board.run + "/spool/giver", F_OK) != 0 }, "\(board.log)")
    }

    /// Nothing is refused: who provisioned the board hears it.
    @Test func whatAllSpoolsComeToIsSaid() throws {
        let air = try AirProcess()
        let board = try BoardProcess("board", on: air)
        for name in ["one", "other"] {
            try install(name, "", manifest: Self.manifest(name, start: "onDemand", spool: 40 << 20), on: board)
        }
        func problems() -> [String] {
            (try? JSON(parsing: Array(board.text("run/supervisor.json").utf8)))?["problems"]?.array?.compactMap(\.string)
                ?? []
        }
        let sentence = "the spools of all plugins together may take 80 MiB of memory, and 64 are meant for them"
        try board.grant(#"{"plugins": {"one": {"enabled": true}}}"#)
        try board.start()
        try #require(board.waits { board.state("one") == "waiting" && board.state("core") == "running" }, "\(board.log)")
        #expect(!problems().contains { $0.hasPrefix(sentence) }, "\(problems())")
        try board.grant(#"{"plugins": {"one": {"enabled": true}, "other": {"enabled": true}}}"#)
        board.signal(SIGHUP)
        #expect(board.waits { problems().contains { $0.hasPrefix(sentence) } }, "\(problems())")
        #expect(board.waits { board.state("other") == "waiting" }, "\(board.process("other"))")
    }

    /// Of files that a former life left behind nobody may remember anything: in the first life of a board, and in a later one.
    @Test(arguments: [1, 2])
    func aResetErasesWhatPluginsRemember(life: Int) throws {
        let air = try AirProcess()
        let board = try BoardProcess("board", on: air)
        try install("rememberer", Self.rememberer, manifest: Self.manifest("rememberer"), on: board)
        try board.grant(#"{"plugins": {"rememberer": {"enabled": true}}}"#)
        try board.start()
        func said(_ word: String) -> [String] {
            board.log.split(separator: "\n").compactMap { line in
                line.hasPrefix("rememberer: \(word) ") ? String(line.dropFirst("rememberer: \(word) ".count)) : nil
            }
        }
        try #require(board.waits { said("learned").count == 1 && board.state("core") == "running" }, "\(board.log)")
        if life == 2 {
            board.end()
            try board.start()
            try #require(board.waits { said("remembers").count >= 1 && board.state("core") == "running" }, "\(board.log)")
        }
        let before = said("remembers").count
        try reset(board)
        #expect(board.waits(seconds: 40) { said("learned").count == 2 }, "\(board.log)")
        board.end()
        #expect(said("remembers").count == before, "\(board.log)")
        // Nor does it at any later start.
        let secret = try #require(said("learned").first)
        try board.start()
        try #require(
            board.waits { board.state("rememberer") == "running" && said("remembers").count > before }, "\(board.log)")
        #expect(!said("remembers").dropFirst(before).contains(secret), "\(board.log)")
    }

    /// What others have heard from a plugin, in words that it chose, is of a life before, too: the supervisor's certificates, egress's last refusal.
    @Test(.enabled(if: geteuid() == 0, "needs root, for a network of the plugin's own"))
    func aResetErasesWhatOthersKnowOfAPlugin() throws {
        let word = "wearer-was-here-canary"
        let air = try AirProcess()
        let board = try BoardProcess("board", on: air)
        let more =
            #", "endpoints": [{"name": "out", "why": "a test"}], "settings": {"properties": {"word": {"type": "string", "title": "Word", "default": ""}}}"#
        try install("talker", Self.talker, manifest: Self.manifest("talker", more: more), on: board)
        let place = #""endpoints": {"out": [{"host": "example.com", "port": 80}]}"#
        try board.grant(#"{"plugins": {"talker": {"enabled": true, \#(place), "settings": {"word": "\#(word)"}}}}"#)
        try board.start()
        try #require(board.waits { board.log.contains("has said it") && board.state("core") == "running" }, "\(board.log)")
        func traffic() throws -> String {
            let client = try CallClient(board.run + "/console/org.vigil.egress1")
            client.send(CallClient.message("org.vigil.egress1.GetTraffic", "{}"))
            return try #require(client.receive())
        }
        func known() -> String { board.text("run/technician/processes") }
        #expect(board.waits { known().contains(word) }, "\(known())")
        #expect(try traffic().contains(word))
        // In its next life it has nothing to say.
        try board.grant(#"{"plugins": {"talker": {"enabled": true, \#(place)}}}"#)
        board.signal(SIGHUP)
        let egress = board.number("egress")
        try reset(board)
        try #require(
            board.waits {
                board.log.split(separator: "\n").count { $0.hasSuffix("has said it") } == 2
                    && board.state("talker") == "running"
                    && board.state("egress") == "running" && board.number("egress") != egress
            }, "\(board.log)")
        #expect(try !traffic().contains(word))
        #expect(board.waits { !known().contains(word) }, "\(known())")
    }

    /// Of two plugins one cannot be emptied, because something in its folder cannot be removed: it does not run with what it kept, and says why; the
    /// other runs, and so does the core. Once that is mended it runs again and remembers nothing. Meanwhile the card is still the card: whoever
    /// signed in before the reset signs in with the same secret.
    @Test(.enabled(if: geteuid() == 0, "needs root, to mount something"))
    func whoCannotBeEmptiedDoesNotRun() throws {
        let air = try AirProcess()
        let board = try BoardProcess("board", on: air)
        for name in ["stuck", "loose"] {
            try install(name, Self.rememberer, manifest: Self.manifest(name), on: board)
        }
        try board.grant(#"{"plugins": {"stuck": {"enabled": true}, "loose": {"enabled": true}}}"#)
        try board.start()
        func said(_ name: String, _ word: String) -> [String] {
            board.log.split(separator: "\n").compactMap { line in
                line.hasPrefix("\(name): \(word) ") ? String(line.dropFirst("\(name): \(word) ".count)) : nil
            }
        }
        try #require(
            board.waits {
                said("stuck", "learned").count == 1 && said("loose", "learned").count == 1
                    && board.state("core") == "running"
            }, "\(board.log)")
        let secret = try #require(
            try ask(board, "org.vigil.access1.MakeSecret", #"{"role": "technicianReadOnly"}"#)["parameters"]?["secret"]?
                .string)
        // Nobody removes what something is mounted on.
        let trap = board.folder + "/data/state/stuck/.forgotten-1/memory"
        try #require(system("mount --bind \(trap) \(trap)") == 0)
        var isMounted = true
        defer { if isMounted { umount2(trap, Int32(MNT_DETACH)) } }
        try reset(board)
        #expect(board.waits { said("loose", "learned").count == 2 && board.state("loose") == "running" }, "\(board.log)")
        func reason() -> String { board.process("stuck")["reason"]?.string ?? "" }
        #expect(board.waits { reason().contains("is not all gone") }, "\(board.process("stuck")) \(board.log)")
        #expect(board.number("stuck") == 0 && board.state("core") == "running")
        #expect(said("stuck", "remembers").isEmpty && said("stuck", "learned").count == 1, "\(board.log)")
        // Nor when somebody asks for it.
        board.signal(SIGHUP)
        try board.grant(#"{"plugins": {"stuck": {"enabled": true}, "loose": {"enabled": false}}}"#)
        board.signal(SIGHUP)
        #expect(board.waits { board.state("loose") == "disabled" })
        #expect(board.number("stuck") == 0 && said("stuck", "remembers").isEmpty, "\(board.log)")
        let signIn = try ask(board, "org.vigil.access1.SignIn", #"{"role": "technicianReadOnly", "secret": "\#(secret)"}"#)
        #expect(signIn["error"] == nil, "\(signIn)")
        let wrong = try ask(board, "org.vigil.access1.SignIn", #"{"role": "technicianReadOnly", "secret": "\#(secret)x"}"#)
        #expect(wrong["error"] != nil, "\(wrong)")

        umount2(trap, Int32(MNT_DETACH))
        isMounted = false
        let restart = try Program.vigil(
            "plugin", "restart", "stuck", "--run", board.run, "--grants", board.folder + "/grants.json", "--plugins",
            board.folder + "/plugins")
        #expect(restart.status == 0, "\(restart.errors)")
        #expect(board.waits { said("stuck", "learned").count == 2 }, "\(board.process("stuck")) \(board.log)")
        #expect(said("stuck", "remembers").isEmpty)
    }

    /// What is found in the flash memory of a board after a reset, by whoever reads it without its programs: nothing of what a plugin kept, in
    /// the first life and in a later one, by names or by blocks. On a disk that encrypts nothing it is found, so this looks in the right place.
    @Test(
        .enabled(if: DiskImage.canEncrypt, Comment(rawValue: DiskImage.needs)),
        arguments: [(true, 1), (true, 2), (false, 1)])
    func aResetLeavesNothingOnTheDisk(encrypts: Bool, life: Int) throws {
        let disk = try #require(DiskImage(encrypts: encrypts))
        let seed = Unique.name()
        let canaries = (1_000..<1_200).map { "canary-\($0)-\(seed)" }
        let air = try AirProcess()
        let board = try BoardProcess("board", on: air)
        rmdir(board.folder + "/data")
        try #require(symlink(disk.mount, board.folder + "/data") == 0)
        chmod(disk.mount, 0o755)
        let settings = #", "settings": {"properties": {"seed": {"type": "string", "title": "Seed", "default": ""}}}"#
        try install("writer", Self.writer, manifest: Self.manifest("writer", more: settings), on: board)
        try board.grant(#"{"plugins": {"writer": {"enabled": true, "settings": {"seed": "\#(seed)"}}}}"#)
        try board.start()
        try #require(board.waits { board.log.contains("has written") && board.state("core") == "running" }, "\(board.log)")
        #expect(!board.log.contains("cannot: "), "\(board.log)")
        if life == 2 {
            try reset(board)
            try #require(
                board.waits { board.log.split(separator: "\n").count { $0.hasSuffix("has written") } == 2 }, "\(board.log)")
        }
        let seal = try Data(contentsOf: URL(filePath: disk.mount + "/seals/writer"))
        #expect(disk.has(Array(seal)) == true)
        // From now on it has nothing to write.
        try board.grant(#"{"plugins": {"writer": {"enabled": true}}}"#)
        board.signal(SIGHUP)
        try reset(board)
        try #require(
            board.waits {
                board.state("writer") == "running"
                    && seal != (try? Data(contentsOf: URL(filePath: disk.mount + "/seals/writer")))
            })
        board.end()
        let found = try #require(disk.found(of: canaries)).count
        #expect(encrypts ? found == 0 : found >= 50, "\(found) of 200")
        #expect(disk.has(Array(seal)) == false, "the key of what it kept is on the disk")
    }

    private func ask(_ board: BoardProcess, _ method: String, _ parameters: String) throws -> JSON {
        let console = try CallClient(board.run + "/ctl.sock")
        console.send(CallClient.message(method, parameters))
        return try JSON(parsing: Array(try #require(console.receive()).utf8))
    }

    /// The operator agreed for whoever had the board at first. After a reset whoever has it agrees: nothing is sent until then, at no later start either.
    @Test func afterAResetTheOperatorsAgreementIsOver() throws {
        let air = try AirProcess()
        let board = try BoardProcess("board", on: air)
        try board.start()
        func isEnabled() -> Bool? {
            try? ask(board, "org.vigil.exposure1.GetStatus", "{}")["parameters"]?["status"]?["enabled"]?.bool
        }
        #expect(board.waits { board.state("core") == "running" && isEnabled() == true }, "\(board.log)")
        let core = board.number("core")
        try reset(board)
        func isBack() -> Bool {
            board.state("core") == "running" && board.number("core") != core && isEnabled() != nil
        }
        try #require(board.waits(isBack), "\(board.log)")
        #expect(isEnabled() == false)
        #expect(board.log.contains("this device was reset"), "\(board.log)")
        board.end()
        try board.start()
        try #require(board.waits { board.state("core") == "running" && isEnabled() != nil }, "\(board.log)")
        #expect(isEnabled() == false)
        #expect(try ask(board, "org.vigil.device1.Enable", "{}")["error"] == nil)
        #expect(isEnabled() == true)
    }

    private func reset(_ board: BoardProcess) throws {
        let console = try CallClient(board.run + "/ctl.sock")
        console.send(CallClient.message("org.vigil.device1.GiveConsent", #"{"purpose": "reset"}"#))
        let answer = try #require(console.receive())
        let ticket = try #require(try JSON(parsing: Array(answer.utf8))["parameters"]?["ticket"]?.string, "\(answer)")
        console.send(CallClient.message("org.vigil.device1.Reset", #"{"ticket": "\#(ticket)"}"#))
    }
}
