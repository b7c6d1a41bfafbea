// SPDX-License-Identifier: Apache-2.0

public import Logging
public import ProcessLink

/// A ``PluginHost`` with the plugin's settings, as the type that the plugin has for them. Belongs to the loop's thread.
public final class Host<Settings: Decodable>: PluginHost {
    /// The plugin's settings as the operator has set them, with the manifest's defaults filled in; read on the loop's
    /// thread.
    public private(set) var settings: Settings
    /// Called on the loop when the operator has changed them; ``settings`` has the new ones already. New settings that do
    /// not fit are passed over, with a line in the log. `nil` if nobody wants to know.
    public var onSettings: ((Settings) -> Void)?

    /// For ``Plugin/main()`` and tests: takes over the control socket of the environment. Without a file of settings, an empty object is read.
    /// - Parameter version: The text that `org.varlink.service.GetInfo` tells.
    /// - Throws: `StartError.badSettings` if `settings.json` cannot be read, is too long (128 KiB) or does not fit `Settings`.
    public init(
        _ environment: ProcessEnvironment, version: String = "0", clock: any LoopClock = SystemLoopClock(), log: Logger
    ) throws(StartError) {
        settings = try SettingsFile.read(environment.run)
        super.init(joining: environment, version: version, clock: clock, log: log)
    }

    override func settingsDidChange() {
        do throws(StartError) {
            settings = try SettingsFile.read(run)
        } catch {
            log.error("the new settings are not used", metadata: ["error": "\(error)"])
            return
        }
        onSettings?(settings)
    }
}
