// SPDX-License-Identifier: Apache-2.0

import Interfaces
public import Varlink

/// All installed plugins and all grants, judged together.
///
/// One plugin's fault is its own: it does not run, the others do. What only one can have is refused to all who claim it.
public struct PluginSet: Sendable {
    /// A process of the board's own that others may call.
    public struct BuiltIn: Hashable, Sendable {
        /// The process's name: `core` or `egress`.
        public let name: String
        /// Names of the interfaces that it answers for; no plugin can provide these.
        public let interfaces: Set<String>

        /// A provider of these interfaces that is no plugin; both values as they are, nothing is checked.
        public init(name: String, interfaces: Set<String>) {
            self.name = name
            self.interfaces = interfaces
        }
    }

    /// The methods that only one plugin of a board may be granted, as `interface.Method`: those that the interfaces' texts mark as exclusive.
    public static let grantedOnce = Set(CoreMethod.allCases.filter(\.law.isExclusive).map(\.path))

    /// One for each plugin, in the order of the plugins; entries of `grants.json` without a plugin have none.
    public let decisions: [PluginDecision]
    /// The problems of `grants.json` as a whole; empty if it has none.
    public let problems: [Problem]
    /// Names of entries of `grants.json` for plugins that are not installed, in the order of the file; empty without any.
    public let unusedEntries: [String]

    /// The decision about the plugin of that name; `nil` if none is installed.
    public func decision(for name: String) -> PluginDecision? { decisions.first { $0.name == name } }

    /// Judges everything at once; a fault of a plugin or of `grants.json` is told in the decisions, and nothing is thrown.
    ///
    /// - Parameters:
    ///   - plugins: The installed plugins; those beyond the first ``Limits/plugins`` are refused.
    ///   - grants: The grants, ``GrantsFile/empty`` for none.
    ///   - known: The interface texts that come with Vigil, whoever provides them.
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
