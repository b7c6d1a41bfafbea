// SPDX-License-Identifier: Apache-2.0

import Interfaces
import PluginKit
import PluginTestKit
import Testing
import Varlink

@testable import WebUIPlugin

/// Nothing but the part of the page that asks.
private final class Asking: Plugin {
    struct Settings: Decodable {}
    let asker: Asker

    init(_ host: Host<Settings>) throws { asker = Asker(host) }
}

/// Other plugins know no sessions: what the law says of their methods, the page holds to, whatever route leads to the call.
struct AskerTests {
    @Test(arguments: [nil, .wearer, .viewer, .keeper] as [Access1.Role?])
    func aMethodOfAnotherPluginIsAskedForARoleOfTheLaw(role: Access1.Role?) throws {
        var sync: ProviderStandIn?
        let bench = try PluginBench<Asking> {
            sync = try $0.provide(Sync1.text, granted: Sync1.Method.allCases.map(\.rawValue))
        }
        let provider = try #require(sync)
        provider.on(Sync1.Method.syncNow.rawValue, reply: [:])
        provider.on(Sync1.Method.getFreshness.rawValue, reply: ["freshness": ["sources": [], "running": false]])
        try bench.start()
        for method in [Sync1.Method.syncNow, .getFreshness] {
            var answer: Asker.Answer?
            bench.plugin.asker.ask(.init(method), session: nil, role: role) { answer = $0 }
            try bench.turn { answer != nil }
            let mayAsk = method.law.roles.contains(Law.Holder(role))
            switch try #require(answer) {
            case .success: #expect(mayAsk, "\(method)")
            case .failure(let error):
                #expect(!mayAsk, "\(method): \(error)")
                #expect(Problem(error) == Problem(403, "WrongRole"))
            }
        }
    }
}
