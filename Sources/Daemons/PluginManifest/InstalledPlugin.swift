// SPDX-License-Identifier: Apache-2.0

public import Varlink

/// A plugin as it lies in its folder: manifest and interface texts, or what is wrong with them.
public struct InstalledPlugin: Hashable, Sendable {
    /// One interface text of the plugin, a file of `interfaces/`.
    public struct InterfaceFile: Sendable {
        /// The name of the file with its ending, such as `org.example.hello1.varlink`.
        public let name: String
        /// The file's bytes as they were read, not checked yet.
        public let bytes: [UInt8]

        /// An interface file with this name and these bytes, as they are; nothing is checked here.
        public init(name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// The manifest's name, or that of the folder while there is no manifest that can be read; the latter is not checked.
    public let name: String
    /// The manifest; `nil` while there is none that can be read.
    public let manifest: Manifest?
    /// The interface texts that it brings and that can be read, in the order of their files' names.
    public let interfaces: [InterfaceDescription]
    /// The problems of manifest, texts or folder; it does not run while there is anything. Empty if nothing is wrong.
    public let problems: [Problem]
    /// The remarks of the house rules for interfaces on its texts, in English, at most 20 for each text: advice for the author. Empty if there are
    /// none.
    public let advice: [String]

    /// Reads manifest and interface texts; whatever is wrong with them is told in ``problems``, and nothing is thrown.
    ///
    /// - Parameters:
    ///   - folder: The folder's name; what it is called while its manifest cannot be read.
    ///   - mustMatch: Whether the folder must be called as the plugin: so that no two folders hold the same one.
    ///   - problems: The problems met while the folder was read.
    public init(
        folder: String, mustMatch: Bool, manifest bytes: [UInt8], interfaceFiles: [InterfaceFile],
        problems earlier: [Problem] = []
    ) {
        var problems = earlier
        var manifest: Manifest?
        do throws(Refusal) { manifest = try Manifest(parsing: bytes) } catch { problems += error.problems }
        var interfaces: [InterfaceDescription] = []
        var advice: [String] = []
        for file in interfaceFiles.sorted(by: { $0.name < $1.name }) {
            do throws(Refusal) {
                let interface = try Self.interface(file)
                interfaces.append(interface)
                advice += InterfaceLint.findings(in: interface).prefix(20).map(\.description)
                if let manifest, !manifest.provides.contains(interface.name) {
                    problems.append(
                        Problem(
                            .badInterface, .interface(file.name), at: "",
                            "is not among what the plugin provides: add it to provides, or remove the file"))
                }
            } catch {
                problems += error.problems
            }
        }
        if let manifest, mustMatch, manifest.id != folder {
            problems.append(
                Problem(.contradiction, .folder, at: "", "is called \(folder), and the plugin in it \(manifest.id)"))
        }
        self.name = manifest?.id ?? folder
        self.manifest = manifest
        self.interfaces = interfaces
        self.problems = problems
        self.advice = advice
    }

    private static func interface(_ file: InterfaceFile) throws(Refusal) -> InterfaceDescription {
        func refusal(_ code: Problem.Code, _ text: String) -> Refusal {
            Refusal([Problem(code, .interface(file.name), at: "", text)])
        }
        guard file.bytes.count <= Limits.interfaceByteCount else {
            throw refusal(.tooLong, "has \(file.bytes.count) bytes; at most \(Limits.interfaceByteCount) are read")
        }
        let interface: InterfaceDescription
        do throws(VarlinkError) { interface = try InterfaceDescription(parsing: file.bytes) } catch {
            throw refusal(.badInterface, "cannot be read: \(error)")
        }
        guard file.name == "\(interface.name).varlink" else {
            throw refusal(.badInterface, "describes \(interface.name), so it must be called \(interface.name).varlink")
        }
        return interface
    }
}
