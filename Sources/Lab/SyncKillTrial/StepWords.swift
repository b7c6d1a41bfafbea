// SPDX-License-Identifier: Apache-2.0

import Interfaces

/// The words for what a process says to others, in the names of its steps.
package struct StepWords: Sendable {
    /// Whom the process reaches by UNIX sockets: how the path of a socket ends, and the word for who is behind it.
    package var peers: [(end: String, word: String)]
    /// What may be found in what is sent; the first that is found is what it is about.
    package var topics: [String]
    /// What may be found in a path that a web server is asked for, and the word for it; the first that is found counts.
    package var kinds: [(part: String, word: String)]

    /// Creates a set of words.
    package init(
        peers: [(end: String, word: String)], topics: [String], kinds: [(part: String, word: String)]
    ) {
        self.peers = peers
        self.topics = topics + ["READY", "IDLE", "ALIVE"]
        self.kinds = kinds
    }

    /// The words for the sync plugin.
    package static let sync = StepWords(
        peers: [("exposure1", "the core"), ("content1", "the core")],
        topics: [
            Exposure1.Method.getStatus.rawValue, Exposure1.Method.provideDiagnosisKeys.rawValue,
            Content1.Method.takeContent.rawValue,
        ],
        kinds: [
            ("config", "document"), ("content", "document"), ("/date|", "index"), ("/hour|", "index"), (".txt|", "index"),
        ])

    /// What a request for `path` asks for; a package if no word fits. The end of the path counts as `|`.
    func kind(of path: String) -> String { kinds.first { "\(path)|".contains($0.part) }?.word ?? "package" }
}
