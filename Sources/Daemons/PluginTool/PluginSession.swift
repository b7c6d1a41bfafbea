// SPDX-License-Identifier: Apache-2.0

public import ControlTool
import Glibc
import Interfaces
import JSON
import PluginManifest
import SystemCalls
import Varlink

/// One command about plugins: reads files, changes them, and tells the supervisor. Every command is a method, and
/// no method knows how command lines are written. Commands block on the calling thread, and throw `PluginFailure`
/// or the errors of `output`.
public final class PluginSession {
    let places: PluginPlaces
    let isJSON: Bool
    let isDryRun: Bool
    let screen: Screen
    let person: Person
    let supervisor: SupervisorLink
    private let output: (String) throws -> Void
    private var isAnswered = false

    /// Creates a session about the plugins at these places. Nothing is read before a command is called.
    ///
    /// - Parameters:
    ///   - places: The paths of the plugins' files and folders.
    ///   - isJSON: Whether answers are shown as JSON, one line each, instead of text for people.
    ///   - isDryRun: Whether commands change nothing, and only report what they would change.
    ///   - screen: The screen that the answers to people are made for.
    ///   - person: The person who is asked for grants and agreement.
    ///   - output: Writes an answer: whole lines, each with its end.
    public init(
        places: PluginPlaces, isJSON: Bool = false, isDryRun: Bool = false, screen: Screen, person: Person,
        output: @escaping (String) throws -> Void = { try ControlSession.writeToStandardOutput($0) }
    ) {
        self.places = places
        self.isJSON = isJSON
        self.isDryRun = isDryRun
        self.screen = screen
        self.person = person
        supervisor = SupervisorLink(run: places.run)
        self.output = output
    }

    func show(_ text: String) throws { try output(text) }

    func showJSON(_ json: JSON) throws {
        isAnswered = true
        try output(PlainText.json(json) + "\n")
    }

    /// Shows a failure to a script that asked for JSON, and nothing if it has an answer already. Throws what `output`
    /// throws.
    public func showFailure(_ failure: PluginFailure) throws { if isJSON, !isAnswered { try showJSON(failure.json) } }

    /// The interface texts that come with Vigil.
    static func known() -> [InterfaceDescription] {
        InterfaceTexts.all.sorted { $0.key < $1.key }.compactMap { try? InterfaceDescription(parsing: $0.value) }
    }

    /// Who serves which of them on every board.
    static let builtIn = [
        PluginSet.BuiltIn(name: "core", interfaces: Set(InterfaceTexts.core.keys)),
        PluginSet.BuiltIn(name: "egress", interfaces: [Egress1.name]),
    ]

    static func judge(_ plugins: [InstalledPlugin], _ grants: GrantsFile) -> PluginSet {
        PluginSet(plugins: plugins, grants: grants, known: known(), builtIn: builtIn)
    }

    /// A lock on changes, so that two commands do not undo each other's; held until it is let go of.
    func lockChanges() throws(PluginFailure) -> ChangeLock {
        try makeFolder(places.added)
        let folder = try OpenFile.folder(places.added)
        do throws(FolderLock.Failure) { return ChangeLock(folder, try FolderLock(places.added)) } catch {
            guard case .system(let reason) = error else {
                throw PluginFailure(
                    .badUsage,
                    "Another `vigil plugin` or the board itself is changing something; try again when it is done.")
            }
            throw .system("\(places.added) cannot be locked", reason.number)
        }
    }

    private func makeFolder(_ path: String) throws(PluginFailure) {
        guard mkdir(path, 0o755) != 0 else { return }
        let error = errno
        guard error != EEXIST else { return }
        guard error == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw .system("\(path) cannot be made", error)
        }
        try makeFolder(String(path[..<slash]))
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw .system("\(path) cannot be made") }
    }

    /// What a change came to.
    func finish(_ sentence: String, _ facts: JSON.Object, _ answer: SupervisorLink.Answer) throws {
        var facts = facts
        facts["dryRun"] = .bool(isDryRun)
        facts["supervisorTold"] = .bool(answer != .nobody)
        facts["supervisorRead"] = .bool(answer == .read)
        guard !isJSON else { return try showJSON(.object(facts)) }
        guard !isDryRun else { return try show(screen.paragraph("\(sentence) Nothing was changed (--dry-run).")) }
        let end =
            switch answer {
            case .read: "The supervisor has read it: it holds."
            case .told: "The supervisor was told; `vigil plugin list` shows when it holds."
            case .nobody: "No supervisor runs in \(places.run); it holds when one starts."
            }
        try show(screen.paragraph("\(sentence) \(end)"))
    }
}

/// The lock on changes, let go of with the last reference.
final class ChangeLock {
    /// The folder that is changed.
    let folder: OpenFile
    private let lock: FolderLock

    init(_ folder: OpenFile, _ lock: FolderLock) { (self.folder, self.lock) = (folder, lock) }
}
