// SPDX-License-Identifier: Apache-2.0

import TimeTrust

/// Whether a piece of work that cannot be interrupted may begin now, or an identifier is due too soon.
struct WorkWindow {
    /// When the identifier on air has to change, on the boot clock; `nil` while nothing is on air.
    let rotationDue: Duration?

    /// Whether work that takes up to `margin` may begin at `now`.
    func isOpen(for margin: Duration, at now: BootInstant) -> Bool {
        guard let rotationDue else { return true }
        return rotationDue - now.duration > margin
    }

    /// When work that takes up to `margin` is to be tried: at once, or when the identifier has changed.
    func next(for margin: Duration, at now: BootInstant) -> BootInstant {
        guard let rotationDue, !isOpen(for: margin, at: now) else { return now }
        return BootInstant(rotationDue + RadioPriority.lead)
    }
}

extension Beacon {
    /// As the beacon stands; to be asked anew for each piece of work.
    var workWindow: WorkWindow { WorkWindow(rotationDue: rotationDue) }
}
