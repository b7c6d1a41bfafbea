// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON
import PluginKit
import PluginTestKit
import Testing
import Varlink
import VarlinkSocket

@testable import WebUIPlugin

/// Warnings about visits that come in more than one message: the one that counts may be the last.
@Suite struct NoticePartsTests {
    private static let session = String(repeating: "5e", count: 32)

    /// Stands in for the core, and for the plugin that knows venues: it has three notices, of which the last says *increased*, and gives one at
    /// a time.
    private final class Core {
        private var standIn: StandIn?
        /// The number after which notices were asked for, 0 for all; since it was emptied.
        var asked: [Int] = []

        init(_ folder: String) throws {
            standIn = try StandIn(folder, InterfaceTexts.all) { [unowned self] in try take($0) }
        }

        private func take(_ call: IncomingCall) throws {
            switch call.method {
            case "\(Access1.name).UseSession": call.reply(Access1.UseSessionReply(role: .wearer))
            case Checkin1.Method.getNotices.path:
                let after = try call.decode(Checkin1.AfterCall.self).after ?? 0
                asked.append(after)
                let notices = (1...3).map { number in
                    Checkin1.Notice(
                        number: number, system: .coronaWarnApp, visit: number, name: "Room \(number)", day: 18_700 + number,
                        level: number == 3 ? .increased : .low, advice: nil, message: nil, news: false)
                }
                let rest = notices.filter { $0.number > after }
                call.reply(
                    Checkin1.NoticesReply(
                        notices: Array(rest.prefix(1)), more: rest.count > 1, followed: [], news: false))
            default: call.reply(standIn?.sample(call.method) ?? .empty, continues: call.method.hasSuffix(".Watch"))
            }
        }

        func turn(at now: Duration) { standIn?.turn(at: now) }
    }

    @Test(arguments: ["/", "/why"]) func theWarningThatCountsIsFound(path: String) throws {
        let bench = try PluginBench<WebUI>.page()
        let core = try Core(bench.supervisor.folder.path + "/run/")
        let port = try bench.supervisor.listen("web")
        try bench.start()
        let tab = try LocalStream(
            port,
            "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: __Host-vigil-session=\(Self.session)\r\n"
                + "Connection: close\r\n\r\n")
        try bench.turn {
            core.turn(at: bench.clock.now)
            tab.listen()
            return tab.isOver
        }
        #expect(tab.heard.hasPrefix("HTTP/1.1 200 "), "\(tab.heard)")
        #expect(core.asked == [0, 1, 2])
        #expect(tab.heard.contains("Increased risk"), "\(tab.heard)")
    }
}
