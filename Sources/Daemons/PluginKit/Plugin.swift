// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import ProcessLink

/// A plugin: made once, told of the world through its host, gone when the host stops.
///
/// ```swift
/// @main final class Hello: Plugin {
///     struct Settings: Decodable { var greeting: String }
///
///     init(_ host: Host<Settings>) throws {
///         let hello = try host.serve(text)
///         try hello.on("Greet") { (call: Greet) in Greeting(greeting: "\(host.settings.greeting), \(call.name)!") }
///     }
/// }
/// ```
public protocol Plugin: AnyObject {
    /// The type that the manifest's settings are decoded as. A setting that has neither a default nor `required` is an
    /// optional property of this type.
    associatedtype Settings: Decodable = NoSettings

    /// The plugin's version, which `org.varlink.service.GetInfo` returns, such as `1.0.0`; it should equal the manifest's.
    static var version: String { get }

    /// Creates the plugin: serves its interfaces and sets its timers, on the loop's thread, without waiting. An error that
    /// it throws ends the process with ``PluginExit/badSettings`` if it is `StartError.badSettings`, and with
    /// ``PluginExit/failed`` otherwise.
    init(_ host: Host<Settings>) throws
}

/// The settings of a plugin whose manifest has none: any JSON object is accepted, and none of its fields is read.
public struct NoSettings: Decodable, Sendable {
    /// Creates a value without fields; cannot fail.
    public init() {}
}

/// The exit statuses of ``Plugin/main()``; the supervisor counts all but ``stopped`` as failures.
public enum PluginExit {
    /// The status of a plugin that was stopped in order, or ended because it was idle: 0.
    public static let stopped: Int32 = 0
    /// The status of a plugin whose `init` threw: 1.
    public static let failed: Int32 = 1
    /// The status of a process whose environment is not that of a plugin, because no supervisor started it, or one that
    /// this library does not know: 64, `EX_USAGE` of sysexits.h.
    public static let notSupervised: Int32 = 64
    /// The status of a plugin whose settings do not fit its type for them: 78, `EX_CONFIG` of sysexits.h.
    public static let badSettings: Int32 = 78

    /// Ends the process at once, without the work that C libraries do at an ordinary exit. The worker thread could do that
    /// work at the same moment, so that both free the same memory (seen with OpenSSL's, as a crash at about one exit in
    /// several hundred). No output is buffered.
    /// - Parameter status: One of ``PluginExit``, or any other number from 0 to 255; the supervisor counts all but 0 as
    ///   failures.
    public static func leave(_ status: Int32) -> Never { _exit(status) }
}

extension Plugin {
    /// The text `0`, for a plugin that states no version.
    public static var version: String { "0" }

    /// Runs the plugin on the calling thread until it ends, then exits the process with its status, so it never returns;
    /// `@main` on the plugin's type calls it.
    public static func main() { PluginExit.leave(run()) }

    /// Runs the plugin like ``main()``, for programs that have several roles, but returns the exit status: one of
    /// ``PluginExit``, or the status that ``PluginHost/stop(status:)`` was given. Blocks for the life of the plugin. May be
    /// called once in a process: it sets up logging, and has SIGPIPE ignored.
    public static func run() -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        let handler = PluginLogHandler()
        LoggingSystem.bootstrap { _ in handler }
        let log = Logger(label: "plugin") { _ in handler }
        let environment: ProcessEnvironment
        do throws(ControlFailure) {
            environment = try ProcessEnvironment()
        } catch {
            PluginLogHandler.writeToStandardError("critical \(error)")
            return PluginExit.notSupervised
        }
        do {
            let host = try Host<Settings>(environment, version: version, log: log)
            let plugin = try Self(host)
            defer { withExtendedLifetime(plugin) {} }
            return host.runUntilStopped()
        } catch let error as StartError where error.code == .badSettings {
            log.critical("it cannot start: \(error)")
            return PluginExit.badSettings
        } catch {
            log.critical("it cannot start: \(error)")
            return PluginExit.failed
        }
    }
}
