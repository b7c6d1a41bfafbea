// SPDX-License-Identifier: Apache-2.0

import PluginManifest

/// What is installed and granted, as it was read from the disk last, and what follows from it.
struct PluginFiles {
    /// The decision on each plugin; `nil` until they were read.
    var set: PluginSet?
    /// Where each plugin lies.
    var folders: [String: String] = [:]
    /// The schema of each plugin's settings, as its author wrote it.
    var schemas: [String: String] = [:]
    /// What the operator grants.
    var grants = GrantsFile.empty
    /// What was found in the plugins' folders.
    var installed: [InstalledPlugin] = []
    /// How often they were read since the supervisor's start.
    var readCount = 0
}
