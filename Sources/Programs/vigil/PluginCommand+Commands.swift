// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PluginTool

extension PluginCommand {
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows what is installed, what it is granted, and what it does.")
        @OptionGroup var options: PluginOptions

        func run() throws { try options.run { try $0.list() } }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Explains what a plugin asks for, gets and lacks, and what is wrong with it.",
            discussion: "For authors before a plugin is given away, and for operators before they add it. Changes nothing.")
        @OptionGroup var options: PluginOptions

        @Argument(help: "The plugin's folder, with plugin.json in it.", completion: .directory)
        var folder: String

        func run() throws { try options.run { try $0.check(folder) } }
    }

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copies a plugin to the board and grants what you confirm.",
            discussion: """
                On a terminal each thing it asks for is a question. Otherwise nothing is granted and it is not enabled, unless \
                --grant-all says that the operator agrees to everything; that can be said later, with another `add`. A plugin of the same \
                name is replaced and keeps its grants.
                """)
        @OptionGroup var options: PluginOptions
        @OptionGroup var dryRun: DryRun

        @Argument(help: "The plugin's folder, with plugin.json in it.", completion: .directory)
        var folder: String

        @Flag(name: .customLong("grant-all"), help: "Grant every call, listener (on this machine) and device it asks for.")
        var grantsAll = false

        @Option(
            name: .customLong("endpoint"),
            help: "Where it may connect to: NAME=HOST:PORT, with ! behind it in the own network. Repeatable.")
        var endpoints: [String] = []

        @Option(name: .customLong("set"), help: "A setting: NAME=VALUE, the value as text or JSON. Repeatable.")
        var settings: [String] = []

        func run() throws {
            try options.run(dryRun: dryRun.isDry) {
                try $0.add(folder, grantsAll: grantsAll, endpoints: endpoints, settings: settings)
            }
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes a plugin's grants away and removes it, with its data.",
            discussion: "If it has data of its own, it asks first; in a script say --yes, or --keep-data.")
        @OptionGroup var options: PluginOptions
        @OptionGroup var dryRun: DryRun

        @Argument(help: "The plugin's name.")
        var name: String

        @Flag(name: .customLong("keep-data"), help: "Keep its own data, for when it comes back.")
        var keepsData = false

        @Flag(name: .customLong("yes"), help: "Remove its data without asking.")
        var isAgreed = false

        func run() throws {
            try options.run(dryRun: dryRun.isDry) { try $0.remove(name, keepsData: keepsData, isAgreed: isAgreed) }
        }
    }

    struct Start: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Enables a plugin.")
        @OptionGroup var options: PluginOptions
        @OptionGroup var dryRun: DryRun

        @Argument(help: "The plugin's name.")
        var name: String

        func run() throws { try options.run(dryRun: dryRun.isDry) { try $0.setEnabled(true, name) } }
    }

    struct Stop: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Disables a plugin; its grants and data stay.")
        @OptionGroup var options: PluginOptions
        @OptionGroup var dryRun: DryRun

        @Argument(help: "The plugin's name.")
        var name: String

        func run() throws { try options.run(dryRun: dryRun.isDry) { try $0.setEnabled(false, name) } }
    }

    struct Restart: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stops a plugin and starts it again; also one that is in quarantine.")
        @OptionGroup var options: PluginOptions
        @OptionGroup var dryRun: DryRun

        @Argument(help: "The plugin's name; also core and egress.")
        var name: String

        func run() throws { try options.run(dryRun: dryRun.isDry) { try $0.restart(name) } }
    }
}
