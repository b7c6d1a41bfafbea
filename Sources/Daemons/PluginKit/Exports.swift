// SPDX-License-Identifier: Apache-2.0

// A plugin imports PluginKit and has what it speaks with: log entries, JSON and calls.
@_exported public import EventLoop
@_exported public import JSON
@_exported public import Logging
@_exported public import Varlink
@_exported public import VarlinkSocket

/// The loop of a plugin, by the name that plugins use.
public typealias PluginLoop = EventLoop
