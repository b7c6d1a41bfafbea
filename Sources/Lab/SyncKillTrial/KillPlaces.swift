// SPDX-License-Identifier: Apache-2.0

import Glibc
import PluginTestKit

/// The paths of the files and sockets of a trial, which are all in one folder, except for the programs.
public struct KillPlaces: Sendable {
    /// The path of the folder that contains everything of a trial.
    public let folder: String
    /// The path of the folder that contains `vigil`, `vigil-plugins` and `vigil-zip`.
    public let programs: String

    /// Creates the set of paths; creates no folder and checks nothing.
    public init(folder: String, programs: String) {
        self.folder = folder
        self.programs = programs
    }

    /// The path of the folder with the core's data.
    public var data: String { "\(folder)/data" }
    /// The path of the folder with the core's keys.
    public var keys: String { "\(folder)/keys" }
    var before: String { "\(folder)/before" }
    /// The core's sockets.
    var run: String { "\(folder)/run" }
    /// The path of the socket of the simulated air.
    public var air: String { "\(folder)/air" }
    /// The path of the file with the public half of the publishers' key.
    package var publicKey: String { "\(folder)/key.pem" }
    var callers: String { "\(folder)/callers.json" }
    /// The path of the plugin's run folder, with its settings and the sockets of those that it calls.
    package var plugin: String { "\(folder)/plugin" }
    /// The path of the plugin's state folder, which contains its journal.
    public var state: String { "\(folder)/state" }
    /// The path of the plugin's spool folder, from which the core reads files.
    public var spool: String { "\(folder)/spool" }
    /// The path of the file in which a traced process leaves its testimony.
    public var testimony: String { "\(folder)/testimony" }

    /// Makes a folder, unless it is there. Throws ``TrialFailure`` if it cannot be made.
    package static func makeFolder(_ path: String) throws(TrialFailure) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw TrialFailure("\(path) cannot be made: \(String(cString: strerror(errno)))")
        }
    }

    /// Writes a file anew. Throws ``TrialFailure`` if it cannot be written.
    package static func write(_ bytes: [UInt8], _ path: String) throws(TrialFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        guard descriptor >= 0, Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw TrialFailure("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    /// Returns the content of a file; empty if it cannot be read.
    package static func read(_ path: String) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = Glibc.read(descriptor, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
        return bytes
    }

    /// Returns the names in a folder, sorted; empty if there is none.
    package static func names(_ folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes all files of a folder.
    package static func empty(_ folder: String) { for name in names(folder) { unlink("\(folder)/\(name)") } }

    /// Makes `target` the same as `source`: files only.
    static func copy(_ source: String, to target: String) throws(TrialFailure) {
        try makeFolder(target)
        empty(target)
        for name in names(source) { try write(read("\(source)/\(name)"), "\(target)/\(name)") }
    }
}
