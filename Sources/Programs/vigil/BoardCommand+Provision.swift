// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandFiles
import Core
import Glibc
import PluginManifest
import Supervisor

extension BoardCommand {
    /// For the image, before it takes a folder from the card; a technician can ask as well.
    struct Provision: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "provision", abstract: "Whether a board can start with what is on its card.",
            discussion: """
                Reads `vigil.json`, `grants.json`, and the profile, keys and authorities that `vigil.json` names, as a start does, and changes \
                nothing. Exit status: 0 it can; 2 it cannot, and why.
                """)

        /// Where the image has the folder, and `vigil.json` its paths.
        private static let place = "/data/provision/"

        @Argument(help: "The folder `provision`.", completion: .directory)
        var folder: String

        func run() throws {
            var configuration = SupervisorConfiguration()
            if let bytes = try read("vigil.json", limit: SupervisorConfiguration.maximumByteCount) {
                do throws(SupervisorConfiguration.Refusal) {
                    configuration = try SupervisorConfiguration(parsing: bytes)
                } catch { throw InputError(file: "vigil.json", "\(error)") }
            }
            if let bytes = try read("grants.json", limit: PluginManifest.Limits.grantsByteCount) {
                do throws(PluginManifest.Refusal) { _ = try GrantsFile(parsing: bytes) } catch {
                    throw InputError(file: "grants.json", "\(error)")
                }
            }
            do { _ = try ProfileFile.load(moved(configuration.profile)) } catch {
                throw InputError(file: configuration.profile, "\(error)")
            }
            _ = try VerificationKeys(
                arguments: configuration.exportKeys.map(moved), timeKeys: configuration.timeKeys.map(moved),
                configKeys: configuration.configKeys.map(moved), operatorKeys: configuration.operatorKeys.map(moved),
                anyKey: configuration.anyKey)
            if let fault = AuthorityFiles.load(configuration.authorities.map(moved)).faults.first {
                throw InputError(file: "vigil.json", fault)
            }
        }

        /// `nil` when there is none.
        private func read(_ name: String, limit: Int) throws -> [UInt8]? {
            let path = "\(folder)/\(name)"
            return access(path, F_OK) == 0 ? try Files.read(path, limit: limit) : nil
        }

        /// A path, or `NAME=PATH`, of the folder's place, in the folder.
        private func moved(_ text: String) -> String {
            let parts = text.split(separator: "=", maxSplits: 1)
            guard let path = parts.last, path.hasPrefix(Self.place) else { return text }
            return text.dropLast(path.utf8.count) + "\(folder)/" + path.dropFirst(Self.place.utf8.count)
        }
    }
}
