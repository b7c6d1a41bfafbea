// SPDX-License-Identifier: Apache-2.0

public import Logging
public import ProcessLink

/// A ``PluginHost`` that also has the plugin's settings, as a value of the plugin's own type. Belongs to the loop's thread.
public final class Host<Settings: Decodable>: PluginHost {
    /// The plugin's settings as the operator has set them, with the manifest's defaults filled in; read on the loop's
    /// thread.
    public private(set) var settings: Settings
    /// The closure that is called on the loop after the operator has changed the settings; ``settings`` already holds the
    /// new ones. New settings that do not fit `Settings` are ignored, with a line in the log. `nil` if the plugin need not
    /// be told.
    public var onSettings: ((Settings) -> Void)?

    /// Creates the host for ``Plugin/main()`` and for tests, and takes over the control socket of `environment`. If there
    /// is no `settings.json`, an empty object is read in its place.
    /// - Parameter version: The version that `org.varlink.service.GetInfo` returns.
    /// - Throws: `StartError.badSettings` if `settings.json` cannot be read, is longer than 128 KiB or does not fit
    ///   `Settings`.
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
