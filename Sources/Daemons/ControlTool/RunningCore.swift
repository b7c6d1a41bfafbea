// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// Facts about a core for other commands, if one runs.
package enum RunningCore {
    /// Returns the kind of the core's controller, in words; `nil` if no core answers, each wait taking at most two
    /// seconds, or it refuses, or its controller has not reported a version. Blocks.
    ///
    /// - Parameter socket: The path of the core's socket.
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
