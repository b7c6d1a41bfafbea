// SPDX-License-Identifier: Apache-2.0

import CLinux
import DiagnosisPlugin
import DonationPlugin
import EnrolmentPlugin
import Glibc
import IndicatorPlugin
import PluginKit
import SyncPlugin
import VenuePlugin
import WakePlugin
import WebUIPlugin

/// The plugins of this tree in one program: the first argument says which. There is no default.
@main
enum VigilPlugins {
    private static let roles: [(name: String, run: @Sendable () -> Int32)] = [
        ("diagnosis", { DiagnosisPlugin.run() }), ("donation", { DonationPlugin.run() }),
        ("enrolment", { EnrolmentPlugin.run() }), ("indicator", { Indicator.run() }), ("sync", { SyncPlugin.run() }),
        ("venue", { VenuePlugin.run() }),
        ("wake", { Wake.run() }), ("webui", { WebUI.run() }),
    ]

    static func main() {
        let wanted = vigil_argument(1).map { String(cString: $0) }
        guard let role = roles.first(where: { $0.name == wanted }) else {
            let names = roles.map(\.name).joined(separator: ", ")
            let text = Array(
                "vigil-plugins: started by `vigil run` with the role of a plugin: \(names). docs/plugins.md has the rest.\n"
                    .utf8)
            _ = write(STDERR_FILENO, text, text.count)
            exit(PluginExit.notSupervised)
        }
        PluginExit.leave(role.run())
    }
}
