// SPDX-License-Identifier: Apache-2.0

import Varlink

/// Generates Swift from interface texts: for each interface the text itself, and its methods as cases with the law that the
/// annotations give.
///
/// This is the only way from a text into a program, so no program of this tree serves or calls what is refused here.
///
/// Pure: it takes texts and returns texts. `vigil-generate` reads and writes the files.
public enum InterfaceGenerator {
    /// A Swift file to be written.
    public struct File: Hashable, Sendable {
        /// The name of the file without a folder, such as `org.vigil.access1.swift`.
        public let name: String
        /// The complete Swift source, with a licence line, and a line feed at its end.
        public let text: String
    }

    /// Generates one file for each text, sorted by the name of the interface, and two files that list them all. Throws all
    /// problems of all texts together.
    public static func generate(_ texts: [InterfaceText]) throws(GenerationFailure) -> [File] {
        let interfaces = try read(texts)
        let files = interfaces.map { File(name: "\($0.description.name).swift", text: MethodWriter.file($0)) }
        return files + [
            File(name: "CoreMethod.swift", text: CoreMethodWriter.file(interfaces.filter(\.isCore))),
            File(name: "InterfaceTexts+All.swift", text: TextsWriter.file(interfaces)),
        ]
    }

    /// Returns `page`, in Markdown, with the table of who may call which methods of the core inserted between its marks;
    /// `nil` unless each mark appears exactly one time. Throws all problems of all texts together.
    public static func page(_ page: String, _ texts: [InterfaceText]) throws(GenerationFailure) -> String? {
        RolePage.page(page, try read(texts))
    }

    /// Sorted by name.
    private static func read(_ texts: [InterfaceText]) throws(GenerationFailure) -> [AnnotatedInterface] {
        var interfaces: [AnnotatedInterface] = []
        var problems: [GenerationFailure.Problem] = []
        for text in texts {
            do throws(GenerationFailure) {
                let interface = try AnnotatedInterface(text)
                problems += interface.problems.sorted { $0.line < $1.line }
                let type = SwiftText.type(interface.description.name)
                if interfaces.contains(where: { SwiftText.type($0.description.name) == type }) {
                    problems.append(
                        .init(path: text.path, line: 1, advice: "another text is called \(type) in Swift already"))
                }
                interfaces.append(interface)
            } catch {
                problems += error.problems
            }
        }
        guard problems.isEmpty else { throw GenerationFailure(problems: problems) }
        return interfaces.sorted { $0.description.name < $1.description.name }
    }
}
