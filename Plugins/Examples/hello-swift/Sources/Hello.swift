// SPDX-License-Identifier: Apache-2.0

import PluginKit

/// Greets people, counts how often, and says how this device is.
@main final class Hello: Plugin {
    /// As in plugin.json.
    struct Settings: Decodable {
        var greeting: String
    }

    static let version = "1.0.0"

    init(_ host: Host<Settings>) throws {
        let store = try host.storage()
        let hello = try host.serve(String(decoding: PackageResources.org_example_hello1_varlink, as: UTF8.self))
        try hello.onCall("Greet") { [unowned host] call in
            let whom = try call.decode(Greet.self).name
            guard !whom.isEmpty else { throw CallFailure("org.example.hello1.NoName") }
            let count = (store.value("count") ?? 0) + 1
            try store.set(count, for: "count")
            host.log.info("greeted \(private: whom)", metadata: ["count": "\(count)"])
            // The core answers later; meanwhile others are greeted.
            host.call("org.vigil.exposure1.GetStatus", as: StatusReply.self) { result in
                let state = (try? result.get())?.status.sentence ?? "How this device is, I could not find out."
                if case .failure(let error) = result { host.log.warning("\(error)") }
                call.reply(Greeting(greeting: "\(host.settings.greeting), \(whom)! \(state)", count: count))
            }
        }
        host.exitsWhenIdle(after: .seconds(30))
    }
}

/// What travels; the fields are those of the interfaces' texts.
private struct Greet: Decodable {
    var name: String
}

private struct Greeting: Encodable {
    var greeting: String
    var count: Int
}

private struct StatusReply: Decodable {
    struct Status: Decodable {
        var sentence: String
    }
    var status: Status
}
