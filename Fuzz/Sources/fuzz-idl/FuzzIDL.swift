// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import Varlink

/// Interface texts: what is read can be printed and read again, and the lint of any interface ends.
@_cdecl("LLVMFuzzerTestOneInput")
public func testIDL(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let interface: InterfaceDescription
    do throws(VarlinkError) {
        interface = try InterfaceDescription(parsing: Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        claim(error.place != nil && !error.description.isEmpty, "a refusal without place or words")
        return 0
    }
    let again = needed("the printed text") { try InterfaceDescription(parsing: interface.text) }
    claim(again == interface, "printed and read, the interface differs")
    claim(again.text == interface.text, "printed twice, the text differs")
    let findings = InterfaceLint.findings(in: interface)
    let excepted = InterfaceLint.findings(in: interface, exceptions: Set(findings.map(\.path)))
    claim(!excepted.contains { $0.rule == .forbiddenName }, "a finding that its own path does not except")
    return 0
}
