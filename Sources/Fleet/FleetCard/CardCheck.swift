// SPDX-License-Identifier: Apache-2.0

import AuthorityProfile
import Core
import ForeignText
import Interfaces
import JSON
import PluginManifest
import Supervisor
import Varlink
import WiFi

/// Checks a folder `provision` with the code that reads it on a board, so that a mistake is found before the card is in the
/// board.
public enum CardCheck {
    /// Returns the faults of `vigil.json`, the profiles that it names, `grants.json`, `first-secrets`,
    /// `authorized_keys`, `name`, `wifi` and `ports`, and of files that somebody seems to have meant as `wifi`, an English sentence each; empty if there are none. Other files, such as those
    /// for the network and the enrolment claim, are not checked. A missing file is a fault only if `vigil.json`
    /// names it.
    ///
    /// - Parameters:
    ///   - files: The contents of the files, by path below the folder, such as `vigil.json`.
    ///   - plugins: The manifests of the board's image, as bytes by the plugin's folder. If it is empty, it is not
    ///     checked that plugins ask for what they are granted, and that each entry of `grants.json` is for a plugin
    ///     of the image.
    public static func problems(in files: [String: [UInt8]], plugins: [String: [UInt8]] = [:]) -> [String] {
        var problems: [String] = []
        var configuration = SupervisorConfiguration()
        if let bytes = files["vigil.json"] {
            do throws(SupervisorConfiguration.Refusal) { configuration = try SupervisorConfiguration(parsing: bytes) } catch
            {
                problems += error.problems.map { "vigil.json: \($0)" }
            }
        }
        for path in configuration.authorities {
            guard path.hasPrefix(Card.place + "/"), let bytes = files[String(path.dropFirst(Card.place.utf8.count + 1))]
            else {
                problems.append("vigil.json names \(ForeignText.line(path, limit: 200)), which is not in the folder")
                continue
            }
            do throws(AuthorityProfileError) { _ = try AuthorityProfile(parsing: bytes) } catch {
                problems.append("\(ForeignText.line(path, limit: 200)): \(error)")
            }
        }
        if let bytes = files["grants.json"] { problems += self.problems(inGrants: bytes, plugins) }
        if let bytes = files["first-secrets"] {
            do {
                let (secrets, problem) = try FirstSecrets.parse(bytes)
                if let problem { problems.append("first-secrets: \(problem)") }
                if secrets.isEmpty, problem == nil { problems.append("first-secrets: there is no secret in it") }
            } catch { problems.append("first-secrets: \(error)") }
        }
        if let bytes = files["authorized_keys"] {
            do throws(AnswerFault) { _ = try TechnicianKeys(parsing: bytes) } catch {
                problems.append("authorized_keys: \(error)")
            }
        }
        if let bytes = files["name"] {
            do throws(LocalName.Fault) { _ = try LocalName(parsing: bytes) } catch { problems.append("name: \(error)") }
        }
        if let bytes = files["wifi"] {
            do throws(WiFiNetwork.Fault) { _ = try WiFiNetwork(parsing: bytes) } catch { problems.append("wifi: \(error)") }
        }
        for path in files.keys.sorted() {
            let name = path.split(separator: "/").first.map(String.init) ?? ""
            guard let problem = WiFiNetwork.strayProblem(ofFileNamed: name) else { continue }
            problems.append("\(ForeignText.line(path, limit: 200)): \(problem)")
        }
        for line in String(decoding: files["ports"] ?? [], as: UTF8.self).split(separator: "\n") {
            guard line.utf8.count <= 5, line.utf8.allSatisfy({ (48...57).contains($0) }),
                UInt16(line).map({ $0 > 0 }) == true
            else {
                problems.append(
                    "ports: “\(ForeignText.line(line, limit: 40))” is no port; write a number from 1 to 65535 on each line")
                continue
            }
        }
        return problems
    }

    private static func problems(inGrants bytes: [UInt8], _ manifests: [String: [UInt8]]) -> [String] {
        let grants: GrantsFile
        do throws(PluginManifest.Refusal) { grants = try GrantsFile(parsing: bytes) } catch {
            return error.problems.map { "grants.json: \($0)" }
        }
        var problems = grants.allProblems.map { "grants.json: \($0)" }
        guard !manifests.isEmpty else { return problems }
        let set = PluginSet(
            plugins: manifests.sorted { $0.key < $1.key }.map {
                InstalledPlugin(folder: $0.key, mustMatch: true, manifest: $0.value, interfaceFiles: [])
            },
            grants: grants, known: InterfaceTexts.all.values.compactMap { try? InterfaceDescription(parsing: $0) },
            builtIn: Supervisor.builtIn)
        problems += set.unusedEntries.map { "grants.json has an entry for \($0), which is no plugin of the image" }
        for decision in set.decisions where grants.entry(named: decision.name)?.isEnabled == true {
            problems += decision.problems.map { "grants.json: \($0)" }
            problems += decision.notes.filter { $0.contains("granted") }.map { "grants.json, \(decision.name): \($0)" }
        }
        return problems
    }
}
