// SPDX-License-Identifier: Apache-2.0

/// The meanings of the exit status of `vigil ctl`. Stable: scripts rely on them (docs/ctl.md). From 64 on the numbers are
/// those of sysexits.h.
public enum ControlStatus: Int32, Sendable, CaseIterable {
    /// The command did what it was asked to, and showed the answer.
    case done = 0
    /// The core refused, or the person who was asked said no, so nothing was changed; or a plugin has problems.
    case refused = 1
    /// A file that was named, a plugin's folder or `grants.json` cannot be used, or there is no such plugin.
    case input = 2
    /// `vigil ctl health`: something about the board itself is seriously wrong. `vigil ctl wiped`: it is not ready to be handed on.
    case bad = 3
    /// `vigil ctl health`: the core did not answer what it takes to tell how the board is, or does not know the time.
    case unknown = 4
    /// The command line is wrong, or asks for something that needs a person or `--yes`.
    case usage = 64
    /// No core listens at the socket, nobody serves the interface of a plugin, or no supervisor runs.
    case unavailable = 69
    /// The other side does not keep to the protocol or the interface.
    case protocolError = 70
    /// The answer could not be written to standard output, or the system refuses, because the disk is full for example.
    case output = 74
    /// No answer came in time; whether the call was obeyed is not known.
    case timedOut = 75
    /// This user may not connect, or this socket's caller may not call the method.
    case notPermitted = 77
}
