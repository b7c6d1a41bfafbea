// SPDX-License-Identifier: Apache-2.0

import BoardClock
import CommandFiles
import Cryptography
import Glibc
import TimeTrust

/// How late identifiers change at midnight while a core has something else to do: nothing, a file of two million keys, or one hostile
/// file after the other.
///
/// As in ``LatenessTrial``, boards whose operator set the time to shortly before midnight; each has its own midnight, and the files come
/// shortly before it.
struct MatchingLatenessTrial {
    enum Work: String, CaseIterable {
        case nothing, largeFile = "a large file", hostileFiles = "hostile files"
    }

    /// Milliseconds from midnight to the new identifier on air.
    private(set) var rotations: [Double] = []
    /// Boards that had been given something before midnight and answered after it.
    private(set) var busy = 0
    /// Calls that were answered in the time measured.
    private(set) var answers = 0

    private static let boards = 16
    private static let spacing: Int64 = 3_000_000_000
    private static let lead: Int64 = 2_500_000_000
    private static let hostileCalls = 40

    /// A board with its midnight, and its `sync`, from when it is busy.
    private struct Board {
        let core: LiveCore
        let midnight: Int64
        var sync: CallSocket?
        var answers: [Int64] = []
    }

    init(_ vigil: String, _ work: Work, in folder: String, from origin: LiveCore.Origin, files: HostileFiles) throws {
        let station = try Station(socket: "\(folder)/\(work).air")
        let tomorrow = UnixTime(seconds: (BoardClock.system().day + 1) * 86_400)
        let begin = Station.now + Int64(Self.boards) * 200_000_000 + 6_000_000_000
        var boards: [Board] = []
        for number in 0..<Self.boards {
            let midnight = begin + Int64(number) * Self.spacing
            let core = try LiveCore(vigil, "\(work)-\(number)", in: folder, from: origin, socket: station.socket) {
                try $0.setTime(tomorrow, before: midnight)
            }
            try files.place(in: core.spool)
            boards.append(Board(core: core, midnight: midnight))
            station.serve(seconds: 0.05)
        }
        let end = begin + Int64(Self.boards) * Self.spacing + 1_000_000_000
        while Station.now < end {
            station.serve(seconds: 0.01)
            for index in boards.indices {
                if boards[index].sync == nil, work != .nothing, Station.now > boards[index].midnight - Self.lead {
                    let sync = try boards[index].core.connect("sync")
                    boards[index].sync = sync
                    for call in 0..<(work == .largeFile ? 1 : Self.hostileCalls) {
                        let name = work == .largeFile ? HostileFiles.large : files.names[call % files.names.count]
                        try sync.send(CallSocket.message(LiveCore.Call.provide, LiveCore.Call.files([name])))
                    }
                }
                while boards[index].sync?.receiveWaiting() != nil { boards[index].answers.append(Station.now) }
            }
        }
        for board in boards {
            guard let host = station.host(of: board.core.process.process) else { continue }
            let before = host.onAir.last { $0.moment < board.midnight }
            let after = host.onAir.first { $0.moment >= board.midnight && $0.data != before?.data }
            if let after, before != nil { rotations.append(Double(after.moment - board.midnight) / 1e6) }
            answers += board.answers.count
            if board.sync != nil, board.answers.isEmpty || board.answers.contains(where: { $0 > board.midnight }) {
                busy += 1
            }
        }
        guard rotations.count == Self.boards else {
            throw InputError(file: vigil, "changed \(rotations.count) of \(Self.boards) identifiers at midnight")
        }
    }
}

/// What somebody could offer who knows the limits.
struct HostileFiles {
    static let large = "large.zip"
    let names = ["bomb.zip", "noise.zip", "cut.zip", "stranger.zip", "gone.zip"]
    private let folder: String

    /// Writes them to `folder` once.
    init(in folder: String, keys: Int) throws {
        self.folder = folder
        let first = Workload.firstDayUntilNow
        try Files.write(
            try Workload(keys: keys, sightings: 3_000, firstDay: first).file(signedBy: .generate()),
            to: "\(folder)/\(Self.large)")
        let stranger = try Workload(keys: 2_000, sightings: 3_000, seed: 2, firstDay: first).file(signedBy: .generate())
        try Files.write(stranger, to: folder + "/stranger.zip")
        try Files.write(Array(stranger.prefix(stranger.count / 2)), to: folder + "/cut.zip")
        try Files.write((0..<100_000).map { _ in .random(in: 0...255) }, to: folder + "/noise.zip")
        try Files.write(try KeyBomb.archive(), to: folder + "/bomb.zip")
    }

    /// Gives them to a caller; hard links, as they are large.
    func place(in spool: String) throws {
        for name in names + [Self.large] where name != "gone.zip" {
            guard link("\(folder)/\(name)", "\(spool)/\(name)") == 0 else {
                throw InputError(file: spool, "cannot be filled")
            }
        }
    }
}
