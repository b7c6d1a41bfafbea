// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// What other commands want to know of a core, if one runs.
package enum RunningCore {
    /// What kind of controller it has; `nil` when no core answers within two seconds, or it has none.
    package static func controller(socket: String) -> String? {
        let link = CoreLink(socket: socket, timeout: .seconds(2))
        do throws(ControlFailure) {
            let radio = try link.ask(Device1.Method.getRadio).read(Device1.RadioReply.self).radio
            return radio.controller.map { radio.timeSlices ? "\($0), sends and listens in turns" : $0 }
        } catch {
            return nil
        }
    }
}
