// SPDX-License-Identifier: Apache-2.0

import FleetRegistry
import Glibc
import HTTPService
import SQLiteFile
import SecurityToken
import SystemCalls

/// A registration authority in a process of its own, which answers on a free port until it is killed.
package struct RegistryLife {
    private let folder: String
    private let fault: FleetFault?
    private let pinFile: String?

    /// Describes a life in the trial's folder, with the PIN for a key in a token. Nothing happens before ``play()``.
    package init(folder: String, fault: FleetFault?, pinFile: String?) {
        (self.folder, self.fault, self.pinFile) = (folder, fault, pinFile)
    }

    /// Answers for good. Throws what the registry throws when it cannot start.
    package func play() throws {
        let page = try SharedPage("\(folder)/page")
        let registry = try RegistryFolder(TrialFleet.registry(folder), pin: pinFile.map { try PINFile.read($0) })
        let now = { page.clock }
        if fault == .answeredBeforeCommit || fault == .answeredAnew {
            let handler = FaultyRegistry(registry, fault: fault, now: now)
            let server = try HTTPServer(address: "127.0.0.1", port: 0, clock: now, handler: handler)
            page.port = Int64(server.port)
            while true { pause() }
        }
        let registrar = Registrar(
            store: try RegistryStore(path: registry.database), signer: registry.signer, settings: registry.settings)
        let service = try RegistryService(registrar, address: "127.0.0.1", port: 0, now: now)
        page.port = Int64(service.port)
        while true { pause() }
    }
}

/// A registry with a fault: its answers come from a copy of the database, which is the database only from the next question on; or it forgets that
/// it has answered. Used on the server's thread.
private final class FaultyRegistry: HTTPHandler {
    private let registry: RegistryFolder
    private let fault: FleetFault?
    private let now: () -> Int64
    private var draft: String { "\(registry.path)/draft.db" }
    private var hasDraft = false

    init(_ registry: RegistryFolder, fault: FleetFault?, now: @escaping () -> Int64) {
        (self.registry, self.fault, self.now) = (registry, fault, now)
    }

    private func handler(_ path: String) throws(RegistryError) -> RegistryHTTP {
        RegistryHTTP(
            registrar: Registrar(
                store: try RegistryStore(path: path), signer: registry.signer, settings: registry.settings), now: now)
    }

    func begin(_ request: HTTPRequest) -> Result<Int, HTTPRefusal> { .success(8_192) }

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        do {
            if fault == .answeredAnew {
                let database = try SQLiteDatabase<RegistryError>(
                    path: registry.database, schema: SQLiteSchema(version: 4, statements: []))
                try database.run("UPDATE board SET state = 1 WHERE state = 2")
                defer { try? database.run("UPDATE board SET state = 2 WHERE spki IS NOT NULL") }
                return try handler(registry.database).answer(request)
            }
            if hasDraft {
                let bytes = try WholeFile.read(draft, limit: 64 << 20)
                try WholeFile.replace(registry.database, with: bytes, mode: 0o600)
            } else {
                let bytes = try WholeFile.read(registry.database, limit: 64 << 20)
                try WholeFile.replace(draft, with: bytes, mode: 0o600)
                hasDraft = true
            }
            return try handler(draft).answer(request)
        } catch { return .text(503, "\(error)") }
    }
}
