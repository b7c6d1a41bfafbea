// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// Runs the cases of one kind of vector against the house.
protocol VectorFamily {
    /// File name without its ending, or name of the data folder.
    static var name: String { get }
    /// Whether the cases are the files of a data folder without a manifest.
    static var isFolder: Bool { get }
    /// Runs every case. Throw only when the file itself cannot be used.
    static func run(_ vectors: Vectors, _ check: inout Checks) throws
}

extension VectorFamily {
    static var isFolder: Bool { false }
}

/// One family's file and the folder it lies in.
struct Vectors {
    let json: VectorValue
    let folder: String

    var cases: [VectorValue] { json["cases"].array }

    func path(_ relative: String) -> String { "\(folder)/\(relative)" }
}

/// A case whose result differs from its vector.
package struct ConformanceFailure: Sendable, Equatable {
    /// The name of the family that the case belongs to.
    package let family: String
    /// The name of the case in its vector file; `all` if the whole family failed.
    package let name: String
    /// The difference between what was found and what was expected, in words.
    package let reason: String
}

/// The result of one family's run: the number of passed cases, and the failed ones.
package struct Checks {
    /// The name of the family that was run.
    package let family: String
    /// The number of cases whose results agree with their vectors, 0 or more.
    package private(set) var passed = 0
    /// The cases whose results differ from their vectors, in the order of the run.
    package private(set) var failures: [ConformanceFailure] = []

    init(family: String) { self.family = family }

    /// Runs one case; it passes when `body` returns without throwing.
    mutating func check(_ name: String, _ body: () throws -> Void) {
        do {
            try body()
            passed += 1
        } catch {
            fail(name, "\(error)")
        }
    }

    mutating func fail(_ name: String, _ reason: String) {
        failures.append(ConformanceFailure(family: family, name: name, reason: reason))
    }
}

/// What a case found different.
struct Mismatch: Error, CustomStringConvertible {
    let description: String
}

func expect<Value: Equatable>(_ what: String, _ found: Value, _ expected: Value) throws {
    guard found == expected else { throw Mismatch(description: "\(what): \(found) where \(expected) is expected") }
}

func require<Value>(_ what: String, _ value: Value?) throws -> Value {
    guard let value else { throw Mismatch(description: "\(what) is missing or has another shape") }
    return value
}

extension VectorValue {
    /// The steps of a case, each with what is expected of it. Throws ``Mismatch`` where there is none, or not one for the other.
    func steps() throws -> Zip2Sequence<[VectorValue], [VectorValue]> {
        let (steps, expected) = (self["steps"].array, self["expect"].array)
        guard !steps.isEmpty else { throw Mismatch(description: "there are no steps") }
        try expect("number of steps", steps.count, expected.count)
        return zip(steps, expected)
    }

    /// Bytes from hexadecimal text.
    func hex(_ what: String) throws -> [UInt8] { try require(what, string.flatMap { Hex.bytes($0) }) }
}
