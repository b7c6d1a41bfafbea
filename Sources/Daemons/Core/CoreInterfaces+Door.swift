// SPDX-License-Identifier: Apache-2.0

import Interfaces
import VarlinkSocket

/// `org.vigil.door1`.
extension CoreInterfaces {
    func door(_ method: Door1.Method, _ call: IncomingCall) throws {
        switch method {
        case .broadcast:
            let showings = try call.decode(Door1.BroadcastCall.self).showings
            guard try service.showDoors(showings, at: clock()) else { throw Self.invalid("showings") }
            call.reply(Nothing())
        case .takeCode: call.reply(service.takeDoorCode())
        case .noteVisit:
            let note = try call.decode(Door1.NoteCall.self)
            service.noteVisit(note.number, isKept: note.kept)
            call.reply(Nothing())
            tellScene(at: clock())
        }
    }
}
