// SPDX-License-Identifier: Apache-2.0

public import Varlink

/// A method of an interface of this tree, with the law that its text gives.
public protocol LawfulMethod: InterfaceMethod {
    /// Who may call the method, and what its answers reveal, according to the annotations in the interface's text.
    var law: Law { get }
}
