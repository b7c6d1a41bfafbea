// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import InterfaceGenerator

/// Makes Swift, and the table of roles for people, of the interface texts: `vigil-generate TEXTS OUTPUT PAGE`, two folders and a file. With
/// `--check` it only looks whether that was done. For developers; it never ships.
@main enum Generate {
    static func main() {
        do {
            var arguments = Array(CommandLine.arguments.dropFirst())
            let isCheck = arguments.last == "--check"
            if isCheck { arguments.removeLast() }
            guard arguments.count == 3 else {
                throw Complaint(description: "usage: vigil-generate TEXTS OUTPUT PAGE [--check]")
            }
            let wanted = try files(from: arguments[0], output: arguments[1], page: arguments[2])
            let present = try FileManager.default.contentsOfDirectory(atPath: arguments[1]).filter {
                $0.hasSuffix(".swift")
            }
            let left = Set(present.map { "\(arguments[1])/\($0)" }).subtracting(wanted.keys)
            let changed = wanted.filter { (try? String(contentsOfFile: $0.key, encoding: .utf8)) != $0.value }
            guard isCheck else { return try write(changed, removing: left) }
            guard left.isEmpty, changed.isEmpty else {
                throw Complaint(
                    description: left.union(changed.keys).sorted().map {
                        "\($0):1: error: this is not what the interface texts say: run make generate"
                    }.joined(separator: "\n"))
            }
        } catch {
            let text = Array("\(error)\n".utf8)
            _ = Glibc.write(STDERR_FILENO, text, text.count)
            exit(1)
        }
    }

    private struct Complaint: Error, CustomStringConvertible { let description: String }

    /// What is to stand in which file.
    private static func files(from folder: String, output: String, page: String) throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".varlink") }
        let texts = try names.sorted().map { name in
            InterfaceText(path: "\(folder)/\(name)", text: try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8))
        }
        let files = try InterfaceGenerator.generate(texts)
        guard let table = try InterfaceGenerator.page(try String(contentsOfFile: page, encoding: .utf8), texts) else {
            throw Complaint(description: "\(page):1: error: the marks of the table of roles are not there once each")
        }
        return Dictionary(uniqueKeysWithValues: files.map { ("\(output)/\($0.name)", $0.text) } + [(page, table)])
    }

    /// Nothing stays of a text that is gone.
    private static func write(_ files: [String: String], removing left: Set<String>) throws {
        for path in left { try FileManager.default.removeItem(atPath: path) }
        for (path, text) in files { try text.write(toFile: path, atomically: true, encoding: .utf8) }
    }
}
