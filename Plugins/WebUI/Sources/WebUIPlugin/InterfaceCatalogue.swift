// SPDX-License-Identifier: Apache-2.0

import Interfaces
import Synchronization
import Varlink

/// The interfaces' texts, read when they are first needed: most pages need none.
final class InterfaceCatalogue: Sendable {
    private let known = Mutex<[String: InterfaceDescription]>([:])

    func interface(_ name: String) -> InterfaceDescription? {
        known.withLock { known in
            if let found = known[name] { return found }
            guard let text = InterfaceTexts.all[name], let read = try? InterfaceDescription(parsing: text) else {
                return nil
            }
            known[name] = read
            return read
        }
    }

    /// `interface.Method`.
    func method(_ call: String) -> InterfaceDescription.Method? {
        guard let dot = call.lastIndex(of: ".") else { return nil }
        return interface(String(call[..<dot]))?.method(named: String(call[call.index(after: dot)...]))
    }
}
