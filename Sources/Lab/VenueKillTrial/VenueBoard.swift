// SPDX-License-Identifier: Apache-2.0

import Cryptography
import PluginKit
package import SyncKillTrial
package import VenuePlugin

/// A wearer's device as the plugin for check-ins sees it: its folders, its settings, those that it calls, and the servers of three health
/// authorities. Used on one thread.
package final class VenueBoard {
    private let places: KillPlaces
    let stage: VenueStage
    let world: VenueWorld
    private let server: PackageServer
    private let seal = [UInt8](repeating: 0x73, count: 32)

    /// Makes everything in the folder of `places`, which must exist. Throws ``TrialFailure``, or what the file system, a socket or the cryptographic
    /// library refuses.
    package init(_ places: KillPlaces) throws {
        self.places = places
        stage = try VenueStage(signer: try P256.SigningKey.generate())
        server = try PackageServer()
        for folder in [places.plugin, places.state, places.spool] { try KillPlaces.makeFolder(folder) }
        try KillPlaces.write(Array(try stage.settings(port: server.port).utf8), "\(places.plugin)/settings.json")
        try KillPlaces.write(seal, "\(places.plugin)/seal")
        world = try VenueWorld(run: places.plugin)
        publish(.arriving)
    }

    /// What the device takes for the time, Unix seconds.
    package var now: Int64 {
        get { world.now }
        set { world.now = newValue }
    }

    /// Lets the servers have what belongs to an act.
    func publish(_ act: VenueStage.Act) {
        server.headers = stage.headers[act] ?? [:]
        server.content = stage.content[act] ?? [:]
    }

    /// Makes everything as it was at first.
    func empty() {
        KillPlaces.empty(places.state)
        KillPlaces.empty(places.spool)
        world.forget()
    }

    /// Opens the plugin's store, while no process of the plugin lives. Throws `StorageError` if it cannot be read.
    package func store() throws -> VenueStore {
        try VenueStore.open(folder: places.state, seal: SecretBytes(copying: seal))
    }
}
