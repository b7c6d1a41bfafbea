// SPDX-License-Identifier: Apache-2.0

// A plugin imports PluginKit and has what it speaks with: log entries, JSON and calls.
@_exported public import EventLoop
@_exported public import JSON
@_exported public import Logging
@_exported public import Varlink
@_exported public import VarlinkSocket

/// The event loop under the name that plugins use for it.
public typealias PluginLoop = EventLoop
