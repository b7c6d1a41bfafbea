// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import JSON
import ProcessLink
import RandomValues
import TestKit

@testable import Core

/// What a supervisor has written for the core, and a supervisor that does whatever it is told to do.
final class TwinFiles {
    private let folder = FileManager.default.temporaryDirectory.path + "/vigil-twin-\(Unique.name())"

    /// With `isBusy` the wearer has just done something, so a plugin runs.
    init(isBusy: Bool = false) throws {
        try FileManager.default.createDirectory(atPath: folder + "/plugins", withIntermediateDirectories: true)
        let files = [
            "processes": """
            {"version":"1"}
            {"name":"core","state":"running","restarts":0,"since":3,"memory":9000}
            \(isBusy ? Self.busy : Self.idle)

            """, "plugins/diagnosis": #"{"name":"diagnosis"}"#,
            "network": #"{"interface":"eth0","method":"automatic"}"#,
            "log": String(
                decoding: KeptLine(number: 1, time: 1, process: "core", level: .info, text: "x").bytes, as: UTF8.self),
        ]
        for (name, text) in files {
            guard FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: Data(text.utf8)) else {
                throw CannotWrite()
            }
        }
    }

    private static let idle = #"{"name":"diagnosis","onDemand":true,"state":"waiting","restarts":0,"since":3}"#
    private static let busy = """
        {"name":"diagnosis","onDemand":true,"state":"running","restarts":0,"since":7000,"memory":4096,"lastExit":"it ended","reason":"x"}
        """

    private struct CannotWrite: Error {}

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func client() -> SupervisorClient {
        final class Reference { weak var room: SupervisorClient? }
        let reference = Reference()
        let room = SupervisorClient(folder: folder, runFolder: folder) { message in
            guard let order = SupervisorRequest(message) else { return false }
            reference.room?.take(SupervisorAnswer(number: order.number, outcome: .done))
            return true
        }
        reference.room = room
        return room
    }
}

extension JSON {
    /// Of an object, the members of these names.
    func only(_ names: [String]) -> JSON {
        var result = JSON.Object()
        for member in object?.members ?? [] where names.contains(member.name) { result[member.name] = member.value }
        return .object(result)
    }
}
