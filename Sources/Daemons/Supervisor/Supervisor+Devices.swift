// SPDX-License-Identifier: Apache-2.0

import HCITransport
import Logging
import PluginManifest
import Sandbox

/// Which devices plugins get.
extension Supervisor {
    private var devicePins: DevicePins { DevicePins(folder: "\(configuration.data)/devices") }

    /// The plugin's devices, each as it is now.
    ///
    /// - Throws: ``DeviceIdentity/Fault`` for what no plugin gets, and for what is another one than was granted.
    func devices(of process: ManagedProcess, _ grants: EffectiveGrants) throws -> [SandboxPlan.Device] {
        let found = try grants.devices.map { (path: $0, identity: try DeviceIdentity(at: $0)) }
        if case .serial(let line, _) = configuration.transport, let radio = try? DeviceIdentity(at: line) {
            for (path, identity) in found where (identity.major, identity.minor) == (radio.major, radio.minor) {
                throw DeviceIdentity.Fault(path, "is the Bluetooth controller's line, which is the core's")
            }
        }
        try devicePins.check(found, of: process.name)
        return found.map { .init(path: $0.path, major: $0.identity.major, minor: $0.identity.minor) }
    }

    /// Forgets what stood at paths whose grants the operator has taken away. A plugin that is only switched off keeps its grants.
    func forgetDevices(of plugin: String) {
        do { try devicePins.forget(plugin, but: files.grants.entry(named: plugin)?.devices ?? []) } catch {
            log.error("\(error)", metadata: ["process": "\(plugin)"])
        }
    }
}
