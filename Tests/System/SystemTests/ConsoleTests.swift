// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Testing

/// Who may use the console: whom the file's mode lets through, and then only the core's own user and root.
@Suite(.serialized) struct ConsoleTests {
    /// Connects as `nobody`, asks for the status, and prints what came of it.
    private static let stranger = """
        $SIG{PIPE} = 'IGNORE'; socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die; \
        connect($s, pack_sockaddr_un($ARGV[0])) or do { print "connect: $!"; exit }; \
        syswrite($s, '{"method":"org.vigil.exposure1.GetStatus"}' . "\\0"); \
        my $n = sysread($s, my $b, 65536); \
        print(($n // 0) > 0 ? "answer" : "closed");
        """

    private static func asNobody(_ socket: String) throws -> String {
        try Program.run(
            "/usr/bin/setpriv",
            ["--reuid", "65534", "--regid", "65534", "--clear-groups", "/usr/bin/perl", "-MSocket", "-e", stranger, socket]
        ).output
    }

    @Test(.enabled(if: geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0, "needs root, to be somebody else"))
    func anotherUserIsRefusedByTheFileAndByTheCore() throws {
        let air = try AirProcess()
        let core = try CoreProcess("core", on: air)
        try core.setTime()
        try core.start()
        let socket = core.folder + "/ctl.sock"
        #expect(core.waits { core.field("onAir") == "true" })
        var information = stat()
        #expect(stat(socket, &information) == 0)
        #expect(information.st_mode & 0o777 == 0o600)
        for folder in [air.folder, core.folder] { try #require(chmod(folder, 0o755) == 0) }
        #expect(try Self.asNobody(socket) == "connect: Permission denied")

        try #require(chmod(socket, 0o666) == 0)
        #expect(try Self.asNobody(socket) == "closed")
        #expect(core.waits { core.number("refusedUsers") == 1 }, "\(core.state)")
        let own = try #require(try CallClient(socket).call("org.vigil.exposure1.GetStatus"))
        #expect(own.member("state") == "active", "\(own)")
        #expect(core.end() == 0)
    }
}
