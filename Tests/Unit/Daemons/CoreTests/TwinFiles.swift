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

    init() throws {
        try FileManager.default.createDirectory(atPath: folder + "/plugins", withIntermediateDirectories: true)
        let files = [
            "processes": """
            {"version":"1"}
            {"name":"diagnosis","kind":"plugin","state":"idle","restarts":0,"since":0}

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
