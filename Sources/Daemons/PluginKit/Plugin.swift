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
    /// The Swift type of the manifest's settings. Fields with neither a default nor `required` are optional.
    associatedtype Settings: Decodable = NoSettings

    /// The version that `org.varlink.service.GetInfo` tells, such as `1.0.0`; best the manifest's.
    static var version: String { get }

    /// Serves interfaces and sets timers, on the loop's thread; it must not wait. What it throws ends the process with ``PluginExit/failed``,
    /// or ``PluginExit/badSettings`` for that error.
    init(_ host: Host<Settings>) throws
}

/// The settings of a plugin whose manifest has none: any object is taken, and nothing of it is read.
public struct NoSettings: Decodable, Sendable {
    /// A value without fields; cannot fail.
    public init() {}
}

/// Exit statuses of ``Plugin/main()``; all but the first count as failures.
public enum PluginExit {
    /// The plugin was stopped in order, or was idle: status 0.
    public static let stopped: Int32 = 0
    /// The plugin could not be made, because its `init` threw: status 1.
    public static let failed: Int32 = 1
    /// The plugin was not started by a supervisor, or by none that we know: status 64, `EX_USAGE` of sysexits.h.
    public static let notSupervised: Int32 = 64
    /// The settings do not fit the plugin's type for them: status 78, `EX_CONFIG` of sysexits.h.
    public static let badSettings: Int32 = 78

    /// Ends the process at once. What C libraries would tidy up at an ordinary exit may still be in the hands of the thread for jobs, which ends
    /// at the same moment: both then give back the same memory (OpenSSL's, seen as a crash in one of some hundred ends). Nothing is buffered.
    /// - Parameter status: One of ``PluginExit``, or any other from 0 to 255; the supervisor counts all but 0 as failures.
    public static func leave(_ status: Int32) -> Never { _exit(status) }
}

extension Plugin {
    /// The text `0`: a plugin that tells no version of its own.
    public static var version: String { "0" }

    /// Runs the whole life of the process on the calling thread and ends it with its exit status, so it never returns;
    /// `@main` on the plugin's type does.
    public static func main() { PluginExit.leave(run()) }

    /// As ``main()``, for programs with several roles; returns the exit status, one of ``PluginExit`` or what ``PluginHost/stop(status:)`` was given.
    /// Blocks for the life of the plugin. Once in a process: it sets up logging and has SIGPIPE ignored.
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
