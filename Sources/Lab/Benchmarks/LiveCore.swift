// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Cryptography
import FoundationEssentials
import GAEN
import Glibc
import Interfaces
import Matching
import Trust
import Varlink
import Vault

/// A real `vigil core` with sockets, two weeks of sightings on its disk, and a caller `sync` beside the console that may give it files
/// and see its status, nothing else.
final class LiveCore {
    let folders: BoardFolders
    let process: BoardProcess
    private let air: BoardProcess?

    /// Folder of the console's files.
    var consoleSpool: String { folders.run + "/ctl" }
    /// Folder of `sync`'s files.
    let spool: String

    /// What all cores of a benchmark share: who signs, and which folder of data they start from.
    struct Origin {
        let signer: P256.SigningKey
        let data: String
        fileprivate let pem: String

        /// Writes what `workload` heard to a new vault in `folder`.
        init(_ workload: Workload, in folder: String) throws {
            signer = try .generate()
            data = folder + "/heard"
            pem = folder + "/signer.pem"
            try Files.write(Array(signer.verificationKey.pem().utf8), to: pem)
            for folder in [data, data + "/key"] where mkdir(folder, 0o700) != 0 {
                throw InputError(file: folder, "cannot be created")
            }
            try workload.store(in: data)
        }
    }

    /// On an air of its own when `socket` is `nil`. Returns when the console answers, or at once on somebody else's air, which its owner
    /// must serve.
    init(
        _ vigil: String, _ name: String, in folder: String, from origin: Origin, socket: String? = nil,
        prepare: (BoardFolders) throws -> Void = { try $0.setTime() }
    ) throws {
        folders = try BoardFolders(name, in: folder)
        spool = folders.root + "/spool"
        guard mkdir(spool, 0o700) == 0, try ChildProcess.run("cp", ["-r", origin.data, folders.root + "/data"]).status == 0
        else { throw InputError(file: folders.root, "cannot be filled") }
        let callers = #"{"callers":[{"name":"sync","grants":["\#(Call.provide)","\#(Call.status)"],"spool":"\#(spool)"}]}"#
        try Files.write(Array(callers.utf8), to: folders.root + "/callers.json")
        let ownAir = folders.run + "/air"
        air = try socket == nil ? BoardProcess([ChildProcess.siblingPath("vigil-lab"), "air", ownAir]) : nil
        while air != nil, access(ownAir, F_OK) != 0 { usleep(5_000) }
        try prepare(folders)
        process = try BoardProcess(
            folders.command(vigil, socket: socket ?? ownAir) + [
                "--callers", folders.root + "/callers.json",
                "--verify", "\(Workload.signer.id)-\(Workload.signer.version)=\(origin.pem)",
            ])
        guard air != nil else { return }
        let console = try connect("ctl")
        for _ in 0..<500 {
            if try console.call(Call.status).contains(#""state":"active""#) { return }
            usleep(10_000)
        }
        throw InputError(file: vigil, "was not active within 5 s")
    }

    /// A connection to the socket of that name.
    func connect(_ name: String) throws -> CallSocket { try CallSocket("\(folders.run)/\(name).sock") }

    enum Call {
        static let status = Exposure1.Method.getStatus.path
        static let provide = Exposure1.Method.provideDiagnosisKeys.path
        static let watch = Exposure1.Method.watch.path
        static let audit = Device1.Method.getAudit.path
        /// Each with the event that tells of it.
        static let enable = (Device1.Method.enable.path, "enabled")
        static let disable = (Device1.Method.disable.path, "disabled")

        /// Parameters of ``provide``.
        static func files(_ names: [String]) -> String {
            #"{"files":[\#(names.map { "\"\($0)\"" }.joined(separator: ","))]}"#
        }
    }
}

extension Workload {
    private static let scanSeconds: UInt32 = 250

    /// The first of fourteen days that end with this one, by the machine's clock.
    static var firstDayUntilNow: UInt32 { UInt32(time(nil) / 86_400) - 14 }

    /// Writes the sightings as the scans of a new vault.
    func store(in folder: String) throws {
        let vault = try Vault(
            PosixStorage(folder: folder), provider: FileKeyProvider(PosixStorage(folder: folder + "/key")))
        let scans = Dictionary(grouping: sightings) { $0.time / Self.scanSeconds }.sorted { $0.key < $1.key }
        for (number, heard) in scans {
            var collector = ScanCollector()
            for sighting in heard {
                collector.add(
                    payload: AdvertisingPayload(identifier: sighting.identifier, metadata: sighting.metadata),
                    rssi: Int8(clamping: sighting.rssi), offset: 1)
            }
            let start = number * Self.scanSeconds
            try vault.append(collector.finish(start: start, previousScan: start - 246, profileRevision: 1))
        }
    }
}
