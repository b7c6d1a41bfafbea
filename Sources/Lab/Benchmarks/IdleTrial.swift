// SPDX-License-Identifier: Apache-2.0

import CommandFiles
import Glibc
import Radio
import VirtualAir

/// What boards need when nothing is asked of them: four at once, token and kiosk, far from everybody or among twenty phones.
struct IdleTrial {
    /// One of the four, in the time measured.
    struct Board {
        let name: String
        let profile: BoardProfile
        let phones: Int
        fileprivate(set) var wakeUpsPerMinute = 0.0
        fileprivate(set) var nanosecondsPerWakeUp = 0.0
    }

    private(set) var boards = [
        Board(name: "token alone", profile: .token, phones: 0), Board(name: "kiosk alone", profile: .kiosk, phones: 0),
        Board(name: "token, 20 phones", profile: .token, phones: 20),
        Board(name: "kiosk, 20 phones", profile: .kiosk, phones: 20),
    ]
    /// Of the first.
    let memory: BoardProcess.Memory
    let hobbyMemory: BoardProcess.Memory?

    private static let settling = 60.0
    private static let window = 120.0
    /// Metres between two boards: nothing carries so far.
    private static let distance = 100_000.0

    init(_ vigil: String, in folder: String, hobbyBeacon: [String]?) throws {
        let station = try Station(socket: folder + "/idle.air")
        var places = 0
        station.arrival = { node in
            station.air.move(node, x: Double(places) * Self.distance, y: 0)
            places += 1
        }
        var processes: [BoardProcess] = []
        for (number, board) in boards.enumerated() {
            let x = Double(number) * Self.distance
            for phone in 0..<board.phones {
                station.air.addPhone(path: MotionPath(x: x + 2 + Double(phone) * 3 / 20, y: 0))
            }
            let folders = try BoardFolders("idle-\(number)", in: folder)
            try folders.setTime()
            let process = try BoardProcess(folders.command(vigil, station, profile: board.profile.name))
            station.serve(seconds: 10) { station.host(of: process.process)?.onAir.isEmpty == false }
            processes.append(process)
        }
        let hobby = try hobbyBeacon.map { try BoardProcess($0 + [station.socket]) }
        station.serve(seconds: Self.settling)
        let before = processes.map { ($0.wakeUps(), $0.processorNanoseconds()) }
        station.serve(seconds: Self.window)
        for (number, process) in processes.enumerated() {
            let wakeUps = process.wakeUps() - before[number].0
            boards[number].wakeUpsPerMinute = wakeUps / Self.window * 60
            boards[number].nanosecondsPerWakeUp = (process.processorNanoseconds() - before[number].1) / wakeUps
        }
        memory = processes[0].memory()
        hobbyMemory = hobby?.memory()
        station.arrival = nil
    }
}
