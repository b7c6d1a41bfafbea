// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import JSON
import Portal
import Verification

/// Who may use the portal.
struct PortalUserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Adds, removes and lists the portal's users.",
        discussion: "A password is asked for on the terminal, or read as one line of standard input; never an argument.",
        subcommands: [
            PortalUserAddCommand.self, PortalUserRemoveCommand.self, PortalUserPasswordCommand.self,
            PortalUserListCommand.self,
        ])

    static func hash() throws -> PasswordHash {
        var generator = SystemRandomNumberGenerator()
        return try PasswordHash(of: PasswordEntry.read(), using: &generator)
    }
}

struct PortalUserAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "add", abstract: "Adds a user.")

    enum Role: String, ExpressibleByArgument, CaseIterable { case tests, events, both }

    @OptionGroup var options: PortalOptions

    @Option(help: "What the user may issue: tests, events, or both.")
    var role = Role.tests

    @Argument(help: "Name: a-z, 0-9, dot, hyphen, underscore.")
    var name: String

    func run() throws {
        let store = try options.store()
        guard PortalUser.normalized(name) != nil else { throw PortalError(.invalidName) }
        let role = PortalRole(rawValue: role.rawValue) ?? .tests
        try store.add(name, role: role, password: PortalUserCommand.hash(), now: VerificationService.machineTime())
    }
}

struct PortalUserRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Removes a user and ends the user's sessions.")

    @OptionGroup var options: PortalOptions

    @Argument(help: "Name.")
    var name: String

    func run() throws { try options.existingStore().remove(name, now: VerificationService.machineTime()) }
}

struct PortalUserPasswordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password", abstract: "Sets a user's password and ends the user's sessions.")

    @OptionGroup var options: PortalOptions

    @Argument(help: "Name.")
    var name: String

    func run() throws {
        let store = try options.existingStore()
        try store.setPassword(of: name, to: PortalUserCommand.hash(), now: VerificationService.machineTime())
    }
}

struct PortalUserListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists users and what they may issue.")

    @OptionGroup var options: PortalOptions

    @Flag(help: "One JSON object per line.")
    var json = false

    func run() throws {
        for user in try options.existingStore().users() {
            let object: JSON = [
                "name": .string(user.name), "role": .string(user.role.rawValue), "added": .int(user.added),
                "passwordSet": .int(user.passwordSet),
            ]
            print(json ? "\(object)" : "\(user.name) \(user.role.rawValue)")
        }
    }
}
