// SPDX-License-Identifier: Apache-2.0

import Varlink

/// Makes Swift of interface texts: for each interface the text itself, and its methods as cases with the law that the text says.
///
/// It is the only way from a text into a program: what is refused here no program of this tree serves or calls.
///
/// Pure: texts in, texts out. `vigil-generate` reads and writes the files.
public enum InterfaceGenerator {
    /// A Swift file to be written.
    public struct File: Hashable, Sendable {
        /// Name of the file without a folder, such as `org.vigil.access1.swift`.
        public let name: String
        /// The whole Swift source, with a licence line and a line feed at its end.
        public let text: String
    }

    /// One file for each text, in the order of their interfaces, and two that list them all. Throws every problem of all texts together.
    public static func generate(_ texts: [InterfaceText]) throws(GenerationFailure) -> [File] {
        let interfaces = try read(texts)
        let files = interfaces.map { File(name: "\($0.description.name).swift", text: MethodWriter.file($0)) }
        return files + [
            File(name: "CoreMethod.swift", text: CoreMethodWriter.file(interfaces.filter(\.isCore))),
            File(name: "InterfaceTexts+All.swift", text: TextsWriter.file(interfaces)),
        ]
    }

    /// `page`, which is Markdown, with the table of who may call what of the core between its marks; `nil` if it has not each of them once. Throws
    /// every problem of all texts together.
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
