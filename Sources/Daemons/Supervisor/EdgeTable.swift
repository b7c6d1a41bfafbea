// SPDX-License-Identifier: Apache-2.0

import Glibc
import PluginManifest
import VarlinkSocket

/// One permitted relation: a socket that one caller reaches and one provider serves (docs/decisions/0014-edges-are-sockets.md).
///
/// The supervisor holds it for as long as the relation is permitted, whether either is running: connections wait in it.
final class HeldEdge {
    struct Name: Hashable {
        let caller: String
        let provider: String
    }

    let name: Name
    /// `interface.Method` or `interface.*`.
    let grants: [String]
    /// Names of interfaces, each a file in the caller's folder.
    let interfaces: [String]
    let listener: VarlinkListener

    init(name: Name, grants: [String], interfaces: [String], listener: VarlinkListener) {
        self.name = name
        self.grants = grants
        self.interfaces = interfaces
        self.listener = listener
    }
}

/// All relations of the board, as sockets.
struct EdgeTable {
    /// What a relation permits, before there is a socket.
    struct Wish: Hashable {
        let name: HeldEdge.Name
        let grants: [String]
        let interfaces: [String]
        /// The caller's run folder.
        let folder: String
        /// Who may connect, as root gives the socket away.
        let user: UInt32?
    }

    /// What became of an update.
    struct Change {
        var added: [HeldEdge] = []
        var removed: [HeldEdge.Name] = []
        var problems: [String] = []
    }

    private(set) var edges: [HeldEdge.Name: HeldEdge] = [:]

    /// The relations served by `provider`, in a steady order.
    func provided(by provider: String) -> [HeldEdge] {
        edges.values.filter { $0.name.provider == provider }.sorted { $0.name.caller < $1.name.caller }
    }

    func called(by caller: String) -> [HeldEdge] {
        edges.values.filter { $0.name.caller == caller }.sorted { $0.name.provider < $1.name.provider }
    }

    /// Makes it so. A relation whose permissions changed gets a new socket. Nobody reaches the old one any more, whoever holds it; connections
    /// that were made by it are their ends' to close.
    mutating func update(_ wishes: [Wish]) -> Change {
        var change = Change()
        let wanted = Dictionary(wishes.map { ($0.name, $0) }) { first, _ in first }
        for (name, edge) in edges {
            if let wish = wanted[name], wish.grants == edge.grants, wish.interfaces == edge.interfaces { continue }
            edges[name] = nil
            // For all who hold the socket, the provider too: closing our own copy would leave it to whoever keeps listening.
            shutdown(edge.listener.descriptor, Int32(SHUT_RDWR))
            change.removed.append(name)
        }
        for wish in wishes where edges[wish.name] == nil {
            do {
                let edge = try Self.make(wish)
                edges[wish.name] = edge
                change.added.append(edge)
            } catch {
                change.problems.append("no socket from \(wish.name.caller) to \(wish.name.provider): \(error)")
            }
        }
        return change
    }

    private static func make(_ wish: Wish) throws -> HeldEdge {
        let first = wish.interfaces.first ?? wish.name.provider
        let path = "\(wish.folder)/\(first)"
        // Links and sockets of a former relation. The run folder is this supervisor's alone (`lockRunFolder`), so a socket that somebody still listens
        // on is a former life's: its core was killed with it, and on a busy board takes a moment to be gone.
        for name in wish.interfaces {
            var status = stat()
            guard lstat("\(wish.folder)/\(name)", &status) == 0 else { continue }
            if [S_IFLNK, S_IFSOCK].contains(status.st_mode & S_IFMT) { unlink("\(wish.folder)/\(name)") }
        }
        let listener = try VarlinkListener(path: path, mode: 0o600)
        if geteuid() == 0, let user = wish.user, lchown(path, user, user) != 0 {
            throw Folders.Failure(path, "cannot be given away")
        }
        for name in wish.interfaces.dropFirst() where symlink(first, "\(wish.folder)/\(name)") != 0 {
            throw Folders.Failure("\(wish.folder)/\(name)", "cannot be made")
        }
        return HeldEdge(name: wish.name, grants: wish.grants, interfaces: wish.interfaces, listener: listener)
    }
}
