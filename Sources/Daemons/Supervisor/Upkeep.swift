// SPDX-License-Identifier: Apache-2.0

import Sandbox

/// When the supervisor looks after what nobody asks for: memory of processes, folders of plugins.
struct Upkeep {
    /// When the processes' memory and time are looked at next.
    var measureAt: Duration
    /// When the plugins' folders are looked at, because something was written there.
    var lookAt: Duration?
    /// Tells when something is written in a plugin's folders; `nil` where the system has no such thing.
    let alarm = FolderAlarm()
}
