// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import LabKit

/// A radio whose controller, transport and time do whatever the bytes say.
@_cdecl("LLVMFuzzerTestOneInput")
public func testRadio(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let problem = RadioOrdeal.run(UnsafeBufferPointer(start: start, count: count))
    claim(problem == nil, problem ?? "")
    return 0
}
