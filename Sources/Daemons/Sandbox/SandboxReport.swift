// SPDX-License-Identifier: Apache-2.0

/// The outcome for one primitive: whether it is in force, and if not, why.
public struct Confinement: Sendable, Hashable, Codable {
    /// The degrees of certainty that a primitive is in force. Raw values are those of vigil-jail's report.
    public enum State: String, Sendable, Hashable, Codable {
        /// The primitive is in force: what it forbids was tried and refused, or what it sets was read back.
        case verified
        /// The primitive is in force according to the kernel; there was no way to try it.
        case applied
        /// This machine does not provide the primitive, for the reason given.
        case missing
        /// The kernel accepted the primitive, but what it forbids was still possible. The program was not started.
        case failed
    }

    /// The primitive that the outcome is about.
    public let primitive: Primitive
    /// The level that was reached, in a word for people, such as Landlock's version; `nil` if the primitive has no levels,
    /// or none was reached.
    public let level: String?
    /// The degree of certainty: verified, applied, missing or failed.
    public let state: State
    /// The reason for the state, on one English line for people, with the kernel's message if the kernel refused; at most
    /// 199 bytes if vigil-jail wrote it.
    public let reason: String

    /// Creates an outcome of these values, unchecked.
    ///
    /// - Parameters:
    ///   - level: The level that was reached, such as Landlock's version; `nil` if there are no levels.
    ///   - reason: One line for people.
    public init(primitive: Primitive, level: String?, state: State, reason: String) {
        self.primitive = primitive
        self.level = level
        self.state = state
        self.reason = reason
    }
}

/// The report that vigil-jail makes about one process before it becomes the program.
public struct SandboxReport: Sendable, Hashable, Codable {
    /// The outcomes of the primitives, in the order in which they were applied.
    public let confinements: [Confinement]
    /// The reason why vigil-jail did not start the program, on one line for people; `nil` if it did, or if a probe
    /// succeeded.
    public let refusal: String?

    /// Creates a report of these outcomes, given in the order in which they were applied.
    ///
    /// - Parameter refusal: The reason on one line for people; `nil` if vigil-jail started the program.
    public init(confinements: [Confinement], refusal: String?) {
        self.confinements = confinements
        self.refusal = refusal
    }

    /// The outcome of one primitive; `nil` if the plan did not ask for it, or vigil-jail ended before it.
    public subscript(primitive: Primitive) -> Confinement? {
        confinements.first { $0.primitive == primitive }
    }

    /// Returns this report with the controllers that the supervisor knows to be missing, and that vigil-jail was therefore
    /// not asked for. Cannot fail.
    public func adding(missing group: ControlGroup) -> SandboxReport {
        let parts = group.missing.sorted { $0.key.rawValue < $1.key.rawValue }.map { controller, reason in
            Confinement(primitive: controller.primitive, level: nil, state: .missing, reason: reason)
        }
        return SandboxReport(confinements: confinements + parts, refusal: refusal)
    }

    /// Returns this report with one more outcome, of a primitive that the supervisor set up itself before the start. Cannot
    /// fail.
    public func adding(_ part: Confinement) -> SandboxReport {
        SandboxReport(confinements: confinements + [part], refusal: refusal)
    }

    /// The outcomes of the primitives that this machine does not provide, in the order of ``confinements``; empty if it
    /// provides all that were asked for.
    public var missing: [Confinement] { confinements.filter { $0.state == .missing } }

    /// A table for people: a line for each primitive with its name, state, level and reason in columns, then one for the
    /// ``refusal`` if there is one. Each line ends with `\n`; empty if there are no lines.
    public var table: String {
        let names = confinements.map(\.primitive.rawValue), levels = confinements.map { $0.level ?? "" }
        let nameWidth = names.map(\.utf8.count).max() ?? 0, levelWidth = levels.map(\.utf8.count).max() ?? 0
        var text = ""
        for (index, confinement) in confinements.enumerated() {
            text += padded(names[index], to: nameWidth) + "  " + padded(confinement.state.rawValue, to: 8) + "  "
            text += padded(levels[index], to: levelWidth) + "  " + confinement.reason + "\n"
        }
        if let refusal { text += "not started: \(refusal)\n" }
        return text
    }

    private func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.utf8.count))
    }
}
