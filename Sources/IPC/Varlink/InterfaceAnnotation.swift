// SPDX-License-Identifier: Apache-2.0

/// A line for machines among an interface text's comments: `# @roles wearer technician`.
///
/// To everybody else's parser it is a comment. What the names mean is up to who reads them; this target does not know.
public struct InterfaceAnnotation: Hashable, Sendable {
    /// The word behind `@`, such as `roles`.
    public let name: String
    /// The words that follow, split at blanks: `wearer`, `technician`. May be empty.
    public let words: [String]

    /// `nil` if `line` of a comment, without its `#`, is none.
    init?(line: Substring) {
        guard line.utf8.first == UInt8(ascii: "@") else { return nil }
        let parts = line.dropFirst().split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        name = parts[0]
        words = parts.dropFirst().filter { !$0.isEmpty }
    }
}

/// A part of an interface's text that a comment can stand above.
public protocol InterfaceElement {
    /// The comment directly above: lines without their `#` and one space.
    var documentation: String { get }
}

extension InterfaceElement {
    /// Lines for machines in the comment, in their order; empty without any.
    public var annotations: [InterfaceAnnotation] {
        documentation.split(separator: "\n").compactMap { InterfaceAnnotation(line: $0) }
    }

    /// The comment for people: without lines for machines, which are annotations and flags such as `[Supports 'more' flag]`.
    public var prose: String {
        documentation.split(separator: "\n", omittingEmptySubsequences: false).filter {
            $0.utf8.first != UInt8(ascii: "@") && $0.utf8.first != UInt8(ascii: "[")
        }.joined(separator: "\n")
    }
}

extension InterfaceDescription: InterfaceElement {}
extension InterfaceDescription.Member: InterfaceElement {}
extension InterfaceDescription.TypeAlias: InterfaceElement {}
extension InterfaceDescription.Method: InterfaceElement {}
extension InterfaceDescription.ErrorDeclaration: InterfaceElement {}
extension InterfaceDescription.Field: InterfaceElement {}
extension InterfaceDescription.Word: InterfaceElement {}
