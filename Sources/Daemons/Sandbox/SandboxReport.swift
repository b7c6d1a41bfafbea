// SPDX-License-Identifier: Apache-2.0

/// The outcome for one primitive: whether it holds, and why if not.
public struct Confinement: Sendable, Hashable, Codable {
    /// The degrees of certainty that a part holds. Raw values are those of vigil-jail's report.
    public enum State: String, Sendable, Hashable, Codable {
        /// In force, and what it forbids was tried and refused, or what it sets was read back.
        case verified
        /// In force as far as the kernel says; there was no way to try it.
        case applied
        /// This machine does not give it; the reason says why.
        case missing
        /// The kernel took it and what it forbids was possible all the same. The program was not started.
        case failed
    }

    /// The part of the confinement that it is about.
    public let primitive: Primitive
    /// The level that was reached, in a word for people, such as Landlock's version; `nil` where there are no levels, or none was reached.
    public let level: String?
    /// The certainty with which it holds: tried, told by the kernel, missing, or failed.
    public let state: State
    /// The reason why it is so, one English line for people, at most 199 bytes where vigil-jail wrote it, with the kernel's words where it refused.
    public let reason: String

    /// An outcome with these values, as they are.
    ///
    /// - Parameters:
    ///   - level: The level that was reached, such as Landlock's version; `nil` where there are no levels.
    ///   - reason: One line for people.
    public init(primitive: Primitive, level: String?, state: State, reason: String) {
        self.primitive = primitive
        self.level = level
        self.state = state
        self.reason = reason
    }
}

/// The report of vigil-jail on one process before it becomes the program.
public struct SandboxReport: Sendable, Hashable, Codable {
    /// The outcome of each part, in the order in which they were applied.
    public let confinements: [Confinement]
    /// The reason why vigil-jail did not go on to start the program, one line for people; `nil` if it did, or if it was a probe that went well.
    public let refusal: String?

    /// A report of these outcomes, in the order in which they were applied.
    ///
    /// - Parameter refusal: One line for people; `nil` if vigil-jail went on.
    public init(confinements: [Confinement], refusal: String?) {
        self.confinements = confinements
        self.refusal = refusal
    }

    /// The outcome of one primitive; `nil` when the plan did not ask for it, or vigil-jail ended before it came to it.
    public subscript(primitive: Primitive) -> Confinement? {
        confinements.first { $0.primitive == primitive }
    }

    /// This report with the controllers that the supervisor knows to be missing, for which vigil-jail was therefore not
    /// asked. Cannot fail.
    public func adding(missing group: ControlGroup) -> SandboxReport {
        let parts = group.missing.sorted { $0.key.rawValue < $1.key.rawValue }.map { controller, reason in
            Confinement(primitive: controller.primitive, level: nil, state: .missing, reason: reason)
        }
        return SandboxReport(confinements: confinements + parts, refusal: refusal)
    }

    /// This report with one part more, which the supervisor did itself before vigil-jail began. Cannot fail.
    public func adding(_ part: Confinement) -> SandboxReport {
        SandboxReport(confinements: confinements + [part], refusal: refusal)
    }

    /// The parts that this machine does not give, in the order of ``confinements``; empty when it gives all that were asked for.
    public var missing: [Confinement] { confinements.filter { $0.state == .missing } }

    /// A table for people: one line for each primitive with its name, state, level and reason in columns, then one for the ``refusal`` if there is
    /// one. Each line ends with `\n`; empty without any.
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
