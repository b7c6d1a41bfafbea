// SPDX-License-Identifier: Apache-2.0

/// A machine-readable line in a comment of an interface text: `# @roles wearer technician`.
///
/// Other parsers treat it as a comment. The reader defines what the names mean; this target does not know.
public struct InterfaceAnnotation: Hashable, Sendable {
    /// The word after `@`, such as `roles`.
    public let name: String
    /// The words after the name, split at spaces: `wearer`, `technician`. May be empty.
    public let words: [String]

    /// `nil` if `line` of a comment, without its `#`, is none.
    init?(line: Substring) {
        guard line.utf8.first == UInt8(ascii: "@") else { return nil }
        let parts = line.dropFirst().split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        name = parts[0]
        words = parts.dropFirst().filter { !$0.isEmpty }
    }
}

/// A part of an interface text that can have a comment above it.
public protocol InterfaceElement {
    /// The lines of the comment directly above, without `#` and one space; empty if there is none.
    var documentation: String { get }
}

extension InterfaceElement {
    /// The machine-readable lines of the comment, in order; empty if there are none.
    public var annotations: [InterfaceAnnotation] {
        documentation.split(separator: "\n").compactMap { InterfaceAnnotation(line: $0) }
    }

    /// The comment without machine-readable lines, which are annotations and flags such as `[Supports 'more' flag]`.
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
