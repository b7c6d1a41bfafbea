// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import HTTPService
import Interfaces
import Logging
public import PluginKit
import WebSafety

/// The local web page for the wearer, the place and the technician (docs/web-page.md). It has no secrets of the device and
/// no network access to the outside: it gets everything that it shows by calls, and the core decides who may do what. Used
/// only on its host's loop.
public final class WebUI: Plugin {
    /// The plugin's settings, as its `plugin.json` describes them.
    public typealias Settings = WebSettings

    /// The plugin's version, which `org.varlink.service.GetInfo` returns.
    public static let version = "1.0.0"

    /// How long it stays when nobody is connected.
    private static let grace = Duration.seconds(60)

    private let host: Host<Settings>
    let router: RequestRouter
    private let server: HTTPLoopServer
    private let keys: Keys
    private let renderer: PageRenderer
    private let events: EventHub

    /// Sets up the page on the plugin's loop; it listens once the supervisor hands over sockets.
    /// - Throws: `StorageError` if the plugin's store cannot be opened.
    public init(_ host: Host<Settings>) throws {
        self.host = host
        keys = Keys(try host.storage())
        let client = InterfaceClient(host)
        router = RequestRouter(client: client, tokens: FormTokens(key: keys.forms()), log: host.log)
        let renderer = PageRenderer(
            router, folder: host.folder, siteName: host.settings.title, log: host.log,
            now: { [unowned host] in host.loop.now })
        let pages = PageRoutes(renderer)
        self.renderer = renderer
        events = EventHub(host, Fragments(routes: pages))
        router.onChange = { [unowned renderer] in renderer.forget() }
        router.refusalPage = { [unowned renderer] in renderer.refusal($0, $1) }
        router.framedRefusal = { [unowned renderer] in renderer.refuse($0, $1) }
        server = HTTPLoopServer(clock: { Int64(time(nil)) }, handler: router)
        router.routes = pages.all + SiteRoutes(router, events).all + APIRoutes(router).all
        host.loop.join(
            descriptors: { [unowned self] in server.descriptors() }, deadline: { [unowned self] in server.deadline },
            inEveryRound: true, serve: { [unowned self] in server.serve($0, at: $1) })
        host.onListen = { [unowned self] in listen($0, $1) }
        host.onStop = { [unowned self] in
            server.stopListening()
            events.end()
        }
        // Names, title: for a new start.
        host.onSettings = { [unowned host] _ in host.stop() }
        host.staysWhile = { [unowned self] in !server.isIdle }
        // Whoever has just set something here, or had it started again, is told so first.
        host.lingersWhile = { [unowned self] in server.isAnswering }
        host.exitsWhenIdle(after: Self.grace)
    }

    private func listen(_ name: String, _ descriptor: Int32) {
        guard let place = ListenerPlace(descriptor: descriptor) else {
            close(descriptor)
            return
        }
        let isSecure = name == "secure"
        guard isSecure || place.isLoopback else {
            host.log.error(
                "listener \(name): \(place.text) can be reached from the network, and passwords would be readable there; grant `secure` for it"
            )
            close(descriptor)
            return
        }
        let configured = host.settings.names ?? []
        router.names[name] = HostNames(place.names + configured, port: place.port, isSecure: isSecure)
        do {
            guard isSecure else { return try server.add(name: name, descriptor: descriptor) }
            let (key, certificate) = try keys.transport(place, names: configured, now: Int64(time(nil)))
            host.reportCertificates("page", pem: certificate)
            try server.add(name: name, descriptor: descriptor, key: key, certificate: certificate)
        } catch {
            host.log.error("listener \(name) is not served: \(error)")
            // The library has closed it if it was given it.
            if !(error is HTTPListenError) { close(descriptor) }
        }
    }
}
