// SPDX-License-Identifier: Apache-2.0

public import Varlink

/// A method of an interface of this tree, with the law that its text says.
public protocol LawfulMethod: InterfaceMethod {
    /// The rule about who may call the method, and what its answers tell: as the annotations above it in the text say.
    var law: Law { get }
}
