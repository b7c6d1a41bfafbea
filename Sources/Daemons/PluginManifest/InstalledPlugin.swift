// SPDX-License-Identifier: Apache-2.0

public import Varlink

/// A plugin as it is in its folder: its manifest and interface texts, or their problems.
public struct InstalledPlugin: Hashable, Sendable {
    /// One interface text of the plugin, a file in `interfaces/`.
    public struct InterfaceFile: Sendable {
        /// The name of the file with its ending, such as `org.example.hello1.varlink`.
        public let name: String
        /// The bytes of the file, not checked.
        public let bytes: [UInt8]

        /// Creates an interface file of this name and these bytes; nothing is checked.
        public init(name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// The plugin's name from its manifest; while the manifest cannot be read, the name of the folder, which is not
    /// checked.
    public let name: String
    /// The manifest; `nil` if it cannot be read.
    public let manifest: Manifest?
    /// The plugin's interface texts that could be read, in the order of their files' names.
    public let interfaces: [InterfaceDescription]
    /// The problems of the manifest, the interface texts or the folder; empty if there are none. A plugin with problems
    /// does not run.
    public let problems: [Problem]
    /// The advice for the author on the interface texts, by the project's style rules, in English, at most 20 lines for
    /// each text; empty if there is none.
    public let advice: [String]

    /// Reads a plugin's manifest and interface texts. It never throws: faults are reported in ``problems``.
    ///
    /// - Parameters:
    ///   - folder: The folder's name, which is used as the plugin's while the manifest cannot be read.
    ///   - mustMatch: Whether the folder must have the plugin's name, so that no two folders hold the same plugin.
    ///   - bytes: The bytes of `plugin.json`.
    ///   - interfaceFiles: The files in `interfaces/`, in any order.
    ///   - earlier: The problems that were found while the folder was read.
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
