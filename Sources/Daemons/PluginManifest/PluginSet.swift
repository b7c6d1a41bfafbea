// SPDX-License-Identifier: Apache-2.0

import Interfaces
public import Varlink

/// The decisions about all installed plugins and their grants, which are judged together.
///
/// A fault of one plugin affects only that plugin: it does not run, and the others do. What only one plugin can have is
/// refused to all that claim it.
public struct PluginSet: Sendable {
    /// One of the board's own processes that plugins may call.
    public struct BuiltIn: Hashable, Sendable {
        /// The process's name: `core` or `egress`.
        public let name: String
        /// The names of the interfaces that the process provides; no plugin can provide them.
        public let interfaces: Set<String>

        /// Creates a provider that is not a plugin, of these values; nothing is checked.
        public init(name: String, interfaces: Set<String>) {
            self.name = name
            self.interfaces = interfaces
        }
    }

    /// The methods that may be granted to only one plugin of a board, as `interface.Method`: those that the interfaces'
    /// texts mark as exclusive.
    public static let grantedOnce = Set(CoreMethod.allCases.filter(\.law.isExclusive).map(\.path))

    /// The decisions, one for each installed plugin, in the order of the plugins. Entries of `grants.json` for other
    /// plugins have none.
    public let decisions: [PluginDecision]
    /// The problems of `grants.json` as a whole; empty if it has none.
    public let problems: [Problem]
    /// The names of the entries of `grants.json` for plugins that are not installed, in the order of the file; empty if
    /// there are none.
    public let unusedEntries: [String]

    /// Returns the decision about the plugin with this name; `nil` if no such plugin is installed.
    public func decision(for name: String) -> PluginDecision? { decisions.first { $0.name == name } }

    /// Judges all plugins together. It never throws: faults of plugins and of `grants.json` are reported in the decisions
    /// and in ``problems``.
    ///
    /// - Parameters:
    ///   - plugins: The installed plugins; those after the first ``Limits/plugins`` are refused.
    ///   - grants: The grants; ``GrantsFile/empty`` if there are none.
    ///   - known: The interface texts that come with Vigil, whichever process provides them.
    ///   - builtIn: The board's own processes.
    public init(
        plugins: [InstalledPlugin], grants: GrantsFile, known: [InterfaceDescription], builtIn: [BuiltIn]
    ) {
        var evaluator = PluginSetEvaluator(plugins: plugins, grants: grants, known: known, builtIn: builtIn)
        evaluator.findTaken()
        for index in plugins.indices { evaluator.examine(index) }
        decisions = evaluator.decisions()
        problems = grants.problems
        let names = Set(plugins.map(\.name))
        unusedEntries = grants.entries.map(\.name).filter { !names.contains($0) }
    }
}
