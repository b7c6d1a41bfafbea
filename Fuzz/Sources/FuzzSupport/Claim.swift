// SPDX-License-Identifier: Apache-2.0

/// Stops the fuzzer when a property does not hold: a precondition that also says in release builds what it was about.
public func claim(
    _ holds: Bool, _ property: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
    if !holds { fatalError("property violated: \(property())", file: file, line: line) }
}

/// The value, or the end of the fuzzer: for what cannot fail unless the fuzzer itself is wrong.
public func needed<Value>(
    _ what: String, file: StaticString = #fileID, line: UInt = #line, _ body: () throws -> Value?
) -> Value {
    do {
        if let value = try body() { return value }
    } catch {
        fatalError("\(what): \(error)", file: file, line: line)
    }
    fatalError("\(what) is missing", file: file, line: line)
}
